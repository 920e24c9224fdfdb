import LedgerJSON
import LedgerModel

// The person, and what is rare.
extension RandomStory {
  mutating func addFields() {
    switch Int.random(in: 0..<10, using: &random) {
    case ..<4:
      var edit = ProfileUpdated()
      if random.chance(50) { edit.name = random.pick(["Ada", "Zoë"]) }
      if random.chance(50) { edit.bio = random.chance(30) ? .clear : .set("bio \(lines.count)") }
      if random.chance(30) { edit.preferredUnitSystem = random.pick([.metric, .imperial]) }
      if random.chance(30) { edit.languageCode = random.chance(30) ? .clear : .set("de") }
      add(.user, .profileUpdated(edit))
    case ..<6:
      add(
        .user,
        .physicalUpdated(
          PhysicalUpdated(biologicalSex: .female, heightCM: random.chance(50) ? quantity() : nil)))
    case ..<7:
      add(.user, .preferencesUpdated(PreferencesUpdated(allergies: ["nuts \(lines.count)"])))
    default:
      add(.sync, .profilePulled(ProfilePulled(fields: someFields(), updatedAt: nil)))
    }
  }

  mutating func someFields() -> JSONObject {
    var fields = JSONObject()
    if random.chance(60) { fields["name"] = .string("there \(lines.count)") }
    if random.chance(40) { fields["bio"] = random.chance(30) ? .null : .string("theirs") }
    if random.chance(30) { fields["height_cm"] = 170 }
    if random.chance(20) { fields["username"] = "unknown here" }
    return fields
  }

  mutating func addRare() {
    switch Int.random(in: 0..<14, using: &random) {
    case 0...2: addConflict()
    case 3...4: addResolution()
    case 10: addCorrectedElsewhere()
    case 11:
      let decision = random.pick(DuplicateDecision.allCases)
      let suspicion = suspicions.isEmpty ? Seq(1) : random.pick(suspicions)
      add(
        .user,
        .duplicateResolved(DuplicateResolved(suspicion: suspicion, decision: decision)))
    case 12 where random.chance(30):
      add(
        .sync,
        .accountReplaced(
          AccountReplaced(
            from: random.pick([nil, "u\(lines.count)"]), to: "u\(lines.count)", reason: "a test"))
      )
    case 12, 13: addDiffered()
    case 5:
      add(
        .system,
        .accountSignedIn(AccountSignedIn(account: "a@example.com", origin: "https://example.com")))
    case 6: add(.system, .accountSignedOut(AccountSignedOut(reason: "session-expired")))
    case 7:
      suspicions.append(Seq(lines.count + 1))
      let row = BackendID("suspected-\(lines.count)")!
      add(
        .sync, .duplicateSuspected(DuplicateSuspected(entry: someEntry(), backendIDs: [row])))
    case 8: add(.system, .logRepaired(LogRepaired(bytes: 7, quarantined: "tail")))
    default: add(.user, .unknown(type: "mood.guessed", version: 3, data: ["entry": "x"]))
    }
  }

  /// Mostly over a field that there is, of some group; at times over an entry.
  private mutating func addConflict() {
    conflicts.append(Seq(lines.count + 1))
    add(
      .sync,
      .conflictDetected(
        ConflictDetected(
          subject: random.pick(["profile", "physical", "entry", someEntry().description]),
          field: random.pick(["name", "name", "bio", "height_cm", "quantity"]),
          base: random.chance(50) ? .null : nil, local: side(), remote: side(),
          decision: random.pick(ConflictDecision.allCases))))
  }

  private mutating func addResolution() {
    let conflict = conflicts.isEmpty ? Seq(1) : random.pick(conflicts.suffix(4))
    let decision = random.chance(4) ? .open : random.pick([ConflictDecision.local, .remote])
    add(
      .user,
      .conflictResolved(ConflictResolved(conflict: conflict, decision: decision, value: side())))
  }

  /// Few different values, so that decisions meet what is in force, or what the backend has.
  private mutating func side() -> JSONValue? {
    random.pick([nil, "Ada", "Zoë", .string("there \(lines.count)")])
  }
}
