import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport

/// What must be true of a ledger whenever nobody is at it.
extension Device {
  /// Every line's form and link, and nothing torn.
  func checkLog() throws {
    disk.plan(nil, seed: 0)
    let found = try Verification.verify(directory)
    guard found.isOK else {
      throw Violation(
        .logIsSound, "device \(name): \(found.problems), \(found.tornTailBytes) torn bytes")
    }
  }

  /// The state that grew with the log, the one folded from it whole, and one folded in two parts.
  func checkFolds(using generator: inout SplitMix) throws {
    disk.plan(nil, seed: 0)
    let view = try LogView.open(directory)
    let whole = try Replay.run(view)
    if let damage = whole.damage { throw Violation(.logIsSound, "device \(name): \(damage)") }
    for (type, count) in whole.state.tally.byType { experience.note(type, times: count) }
    let expected = StateDigest(whole.state)
    var halves = try Replay.run(
      view, .init(verifies: false, until: Seq(generator.within(1...whole.state.position.seq)))
    ).state
    let cut = halves.position.seq
    try Replay.advance(&halves, to: view)
    // A snapshot of any age may lie there, or what a power cut has left of one.
    let asked = try FoldedLog(view, keepsSnapshot: false).ask { StateDigest($0) }
    if let difference = asked.difference(from: expected) {
      throw Violation(.foldsAgree, "device \(name), by its snapshot: \(difference)")
    }
    for (state, how) in [
      (halves, "cut after event \(cut)"), (try app.state(), "as the app has it"),
      (try syncer.state(), "as the syncing program has it"),
    ] {
      let difference = StateDigest(state).difference(from: expected)
      if let difference {
        throw Violation(.foldsAgree, "device \(name), \(how): \(difference)")
      }
    }
  }

  /// A bit of the log changes; whoever looks must notice. Then it changes back.
  func checkRot(using generator: inout SplitMix) throws {
    disk.plan(nil, seed: 0)
    let size = log.count
    let (offset, bit) = (generator.below(size), generator.below(8))
    disk.flip(bit: bit, of: directory.events, at: offset)
    let place = "device \(name), bit \(bit) of byte \(offset)"
    if try Verification.verify(directory).isOK { throw Violation(.rotIsNoticed, place) }
    do {
      let outcome = try Replay.run(try LogView.open(directory))
      // Without its last newline the last event counts as torn, which readers pass over.
      guard outcome.damage != nil || outcome.state.offsetBytes < size else {
        throw Violation(.rotIsNoticed, "\(place), by a replay")
      }
    } catch is LogError {}
    disk.flip(bit: bit, of: directory.events, at: offset)
    restart()
    try checkSnapshotRot(using: &generator)
  }

  /// A bit of the snapshot changes: nobody need notice, but no answer may be another one.
  private func checkSnapshotRot(using generator: inout SplitMix) throws {
    let view = try LogView.open(directory)
    try FoldedLog(view).keepSnapshot()
    let size = disk.cached(directory.snapshot).count
    let expected = StateDigest(try Replay.run(view).state)
    let (offset, bit) = (generator.below(size), generator.below(8))
    disk.flip(bit: bit, of: directory.snapshot, at: offset)
    let asked = try FoldedLog(view, keepsSnapshot: false).ask { StateDigest($0) }
    if let difference = asked.difference(from: expected) {
      throw Violation(
        .foldsAgree,
        "device \(name), bit \(bit) of byte \(offset) of its snapshot: \(difference)")
    }
    disk.flip(bit: bit, of: directory.snapshot, at: offset)
  }
}

/// What two states that are the same must agree in.
private struct StateDigest {
  private var parts: [(name: String, value: AnyHashable)] = []

  init(_ state: LedgerState) {
    add("seq", state.position.seq)
    add("hash", state.position.hash)
    add("offset", state.offsetBytes)
    add("tally", Dictionary(state.tally.byType.map { ($0.type, $0.count) }) { $0 + $1 })
    add("counts", state.syncCounts())
    add("entries", state.entryCounts())
    add(
      "edits",
      (0...state.position.seq).map {
        [
          Int(state.edits.state($0).rawValue), Int(state.edits.marker($0) ?? 0),
          Int(state.edits.attempts($0)),
        ]
      })
    let view = state.profileView()
    for object in [view.profile, view.physical, view.preferences] {
      for member in object.members { add(member.name, member.value) }
    }
    for field in ProfileField.allCases { add("\(field)", state.profile.agreed(field)) }
    for conflict in state.conflicts() { add("conflict", conflict) }
    add("open conflicts", state.openConflicts())
    for index in state.rows.indices {
      add("entry", state.entry(at: index))
      add("acknowledged", state.acknowledgedEntry(at: index))
      add("bound", state.binding(ofRow: index))
      add("deleted by sync", state.isDeletedBySync(row: index))
      add("edits of entry", state.edits(ofRow: index))
    }
    add("superseded", state.supersededRows())
    for suspicion in state.suspicions() { add("suspicion", suspicion) }
    add("suspected", Set(state.suspicions().flatMap(\.backendIDs)))
    add("deleted at the backend", state.bindings.deletions)
    add("bound by erased", state.bindings.ofErased)
    add("ledger", state.account.ledger)
    add("owner", state.account.owner)
    add("account", state.account.current)
    add("replaced at", state.bindings.replacedAt)
    add("new account at", state.bindings.newAccountAt)
  }

  private mutating func add(_ name: String, _ value: some Hashable) { parts.append((name, value)) }

  func difference(from other: StateDigest) -> String? {
    for (mine, theirs) in zip(parts, other.parts) where mine != theirs {
      return "\(mine.name) is \(mine.value), not \(theirs.name) \(theirs.value)"
    }
    return parts.count == other.parts.count ? nil : "\(parts.count) parts, not \(other.parts.count)"
  }
}
