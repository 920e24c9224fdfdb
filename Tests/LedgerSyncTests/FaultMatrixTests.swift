import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Every fault × every kind of call × its first, a middle and its last one: whatever happens on the
/// way, each edit ends acknowledged, rejected or held, and the backend has one row an entry.
@Suite struct FaultMatrixTests {
  static let kinds = [
    "GET /api/v1/users/me", "GET /api/v1/users/me/preferences", "GET /api/v1/progress",
    "POST /api/v1/users/me", "PUT /api/v1/users/me", "PATCH /api/v1/users/me/physical",
    "PATCH /api/v1/users/me/preferences", "POST /api/v1/progress", "DELETE /api/v1/progress/{id}",
  ]

  /// The first chapter: everything is new. The second: everything was acknowledged, and changes.
  static func first(_ journey: Journey) throws -> [EntryID] {
    let fixture = journey.fixture
    try fixture.edit(
      .updateProfile(ProfileUpdated(name: "Ada", preferredUnitSystem: .metric)),
      .updatePhysical(PhysicalUpdated(heightCM: 168)),
      .updatePreferences(PreferencesUpdated(allergies: ["nuts"])))
    var entries = try (0..<4).map { try fixture.log(70 + Double($0)) }
    // Two that look the same, and one that differs only in its notes.
    entries.append(try fixture.log(70))
    entries.append(try fixture.log(70, notes: "after lunch"))
    return entries
  }

  static func second(_ journey: Journey, _ entries: [EntryID]) throws {
    let fixture = journey.fixture
    try fixture.edit(
      .updateProfile(ProfileUpdated(name: "Ada L.")),
      .updatePhysical(PhysicalUpdated(biologicalSex: .female)),
      .updatePreferences(PreferencesUpdated(allergies: [])),
      .correctProgress(ProgressCorrected(entry: entries[0], quantity: 80)),
      .correctProgress(ProgressCorrected(entry: entries[1], quantity: 81)),
      .deleteProgress(ProgressDeleted(entry: entries[2])),
      .deleteProgress(ProgressDeleted(entry: entries[3])))
    _ = try fixture.log(90)
  }

  /// By default every fault of the call that logs progress, and of the others every fourth one, another
  /// fourth for each kind; at the first call or the last one in turn.
  static let points = kinds.indices.flatMap { number in
    let count = calmJournal.count { $0 == kinds[number] }
    return CallFault.passing.indices.flatMap { index in
      let place = number + index
      let ordinals = TestSize.of(
        place.isMultiple(of: 4) || kinds[number] == Journey.post
          ? [place % 8 < 4 ? 1 : count] : [],
        full: [1, (count + 1) / 2, count])
      return Set(ordinals).sorted().filter { $0 > 0 }.map { ordinal in
        FaultPoint(fault: CallFault.passing[index], kind: kinds[number], ordinal: ordinal)
      }
    }
  }

  @Test("After one fault each edit arrives, as one row", arguments: points)
  func oneFault(_ point: FaultPoint) throws {
    let journey = try Self.play([point], seed: 1)
    try journey.expectAtRest("\(point)")
    // A double that only a proxy knows of looks like another device's entry: nothing was sent more
    // than once from here.
    let doubles = point.fault == .twice && point.kind == "POST /api/v1/progress" ? 1 : 0
    #expect(try journey.pulledEntries() <= doubles, "\(point)")
    // Nor is any row suspected but those of a call that arrived twice or after it was given up.
    let isDoubled = point.kind == Journey.post && [.twice, .late].contains(point.fault)
    #expect(try journey.suspicions().count <= (isDoubled ? 1 : 0), "\(point)")
  }

  /// The calls there are when nothing goes wrong.
  static let calmJournal = (try? play([], seed: 1).backend.journal) ?? []

  @Test("A sync without faults makes every kind of call")
  func everyKindOfCallIsMade() throws {
    for kind in Self.kinds { #expect(Self.calmJournal.contains(kind), "\(kind)") }
  }

  /// Both chapters with these faults, each followed by one more run.
  static func play(_ faults: [FaultPoint], seed: UInt64) throws -> Journey {
    let journey = try Journey(seed: seed)
    journey.backend.faults = faults
    let entries = try first(journey)
    try journey.sync()
    journey.pass(seconds: 120)
    try journey.sync()
    try second(journey, entries)
    journey.pass(seconds: 120)
    try journey.sync()
    return journey
  }
}

extension Journey {
  /// After some more runs nothing is open, a last one sends nothing, and both sides have the same.
  func expectAtRest(_ story: String, runs: Int = 4) throws {
    let report = try settle(runs: runs)
    let before = sent
    let last = try sync()
    #expect(sent == before, "\(story): a last run still sent something")
    #expect(report.pending == 0 && last.pending == 0, "\(story): \(last)")
    #expect(last.stop == nil, "\(story): \(last)")
    try expectSameRows(story)
    try expectSamePerson(story)
    let outcome = try Verification.verify(fixture.ledger.directory)
    #expect(outcome.isOK, "\(story): \(outcome.problems)")
  }

  /// How many rows became entries.
  func pulledEntries() throws -> Int {
    var count = 0
    try LogView.open(fixture.ledger.directory).forEachEvent { event, _ in
      if case .progressPulled = event.event.payload { count += 1 }
      return true
    }
    return count
  }

  /// One row an entry, with its values; rows beyond that are on record as suspected doubles.
  func expectSameRows(_ story: String) throws {
    let view = try view()
    var bound: Set<String> = []
    for (index, row) in view.state.rows.enumerated() {
      let entry = view.state.entry(at: index)
      if entry.isDeleted { continue }
      guard let boundBy = entry.boundBy, let id = try view.texts.backendID(boundBy: boundBy),
        let there = backend.rows.first(where: { $0.id.text == id.text })
      else {
        Issue.record("\(story): \(row.id) has no row; \(entry.status)")
        continue
      }
      #expect(bound.insert(id.text).inserted, "\(story): two entries have one row")
      #expect(there.quantity == entry.quantity, "\(story)")
      #expect(entry.status == .synced, "\(story)")
    }
    let suspected = Set(view.state.suspicions().flatMap(\.backendIDs))
    for row in backend.rows where !bound.contains(row.id.text) {
      #expect(
        BackendID(row.id.text).map(suspected.contains) == true,
        "\(story): a row too many that nobody suspects: \(row)")
    }
  }

  func expectSamePerson(_ story: String) throws {
    let fields = try fixture.ledger.state().fields(of: .profile)
    #expect(fields["name"]?.string == backend.account?.profile?.name, "\(story)")
    let lists = try fixture.ledger.state().fields(of: .preferences)
    #expect(
      (lists["allergies"]?.array ?? []).compactMap(\.string)
        == backend.account?.preferences?.allergies ?? [], "\(story)")
  }
}
