import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// What becomes of a POST whose answer was lost (docs/sync.md, What an answer means).
@Suite struct DoubtTests {
  /// An entry whose first POST was lost, with or without its effect.
  static func scene(
    _ fault: CallFault, _ entry: (Journey) throws -> EntryID = { try $0.fixture.log(70) }
  ) throws -> (Journey, EntryID) {
    let journey = try Journey(seed: 1)
    let id = try entry(journey)
    try journey.loseFirstPost(fault)
    #expect(try journey.entry(id).status == .syncing)
    return (journey, id)
  }

  @Test("It waits the settle time from the attempt, no longer", arguments: [0, 1, 3, 5, 60])
  func waits(_ passed: Int64) throws {
    let (journey, _) = try Self.scene(.lostBefore)
    journey.pass(seconds: passed)
    let before = journey.waits.count
    try journey.sync()
    #expect(Array(journey.waits[before...]) == (passed < 5 ? [Int(5 - passed) * 1000] : []))
  }

  @Test("A clock that was set back makes it wait no longer either")
  func clockSetBack() throws {
    let (journey, _) = try Self.scene(.lostAfter)
    journey.pass(seconds: -86_400)
    let before = journey.waits.count
    let report = try journey.sync()
    #expect(Array(journey.waits[before...]) == [5000])
    #expect(report.reconciled == 1)
  }

  @Test("The day of the attempt's values is listed with one on each side")
  func listing() throws {
    let day = CalendarDate(year: 2025, month: 3, day: 1)!
    let (journey, entry) = try Self.scene(.lostAfter) { try $0.fixture.log(70, on: day) }
    let before = journey.backend.requests.count
    try journey.sync()
    let asked = journey.backend.requests[before...].first { $0.path == "/api/v1/progress" }
    #expect(asked?.method == .get)
    let query = Dictionary(uniqueKeysWithValues: (asked?.query ?? []).map { ($0.name, $0.value) })
    #expect(
      query == [
        "type": "weight", "from": "2025-02-28", "to": "2025-03-02", "limit": "100", "offset": "0",
      ])
    #expect(try journey.entry(entry).status == .synced)
  }

  @Test("One candidate is bound, with its call, via `reconciled`")
  func one() throws {
    let (journey, entry) = try Self.scene(.lostAfter)
    let report = try journey.sync()
    #expect(report.reconciled == 1 && report.sent == 0 && report.pending == 0)
    let said = try #require(journey.acknowledgements().first)
    #expect(said.via == .reconciled && said.status == 200 && said.entry == entry)
    #expect(try said.call == journey.attempts().first?.call && said.events == [Seq(2)])
    #expect(said.backendID?.text == journey.backend.rows[0].id.text)
    #expect(journey.backend.rows.count == 1 && journey.count(Journey.post) == 1)
  }

  @Test("A call without a matching row is sent again under a new attempt")
  func none() throws {
    let (journey, entry) = try Self.scene(.lostBefore)
    let report = try journey.sync()
    #expect(report.sent == 1 && report.reconciled == 0 && report.acknowledged == 1)
    #expect(try journey.attempts().map(\.attempt) == [1, 2])
    #expect(Set(try journey.attempts().map(\.call)).count == 2)
    #expect(Set(try journey.attempts().map(\.fingerprint)).count == 1)
    #expect(try journey.backendID(entry) == journey.backend.rows[0].id.text)
    #expect(journey.backend.rows.count == 1)
  }

  @Test(
    "More than one candidate: one is bound, the rest are suspected, and no entries of their own")
  func several() throws {
    let (journey, entry) = try Self.scene(.lostAfter)
    journey.add(70)
    journey.add(70)
    let report = try journey.sync()
    #expect(report.reconciled == 1 && report.suspected == 2)
    let bound = try #require(try journey.backendID(entry))
    let said = try #require(journey.suspicions().first)
    #expect(said.entry == entry)
    #expect(
      Set(said.backendIDs.map(\.text) + [bound]) == Set(journey.backend.rows.map(\.id.text)))
    #expect(try journey.pulledEntries() == 0)
    try journey.expectAtRest("several")
  }

  @Test("A row that differs in metric, moment, quantity or notes is no candidate")
  func others() throws {
    let (journey, entry) = try Self.scene(.lostBefore) { try $0.fixture.log(70, notes: "a") }
    var later = LedgerFixture.now
    later.millisecondsSince1970 += 60_000
    journey.add(70, .bmi, notes: "a", id: "metric")
    journey.add(70, at: later, notes: "a", id: "moment")
    journey.add(70.5, notes: "a", id: "quantity")
    journey.add(70, notes: "b", id: "notes")
    journey.add(70, id: "none")
    let report = try journey.sync()
    #expect(report.reconciled == 0 && report.acknowledged == 1 && report.pulled == 5)
    #expect(try journey.attempts().count == 2)
    #expect(try journey.entry(entry).status == .synced)
  }

  @Test("A row that was bound before is no candidate")
  func boundBefore() throws {
    let journey = try Journey(seed: 1)
    let first = try journey.fixture.log(70)
    try journey.sync()
    let second = try journey.fixture.log(70)
    try journey.loseFirstPost(.lostBefore)
    try journey.sync()
    #expect(journey.backend.rows.count == 2)
    #expect(try journey.backendID(first) != journey.backendID(second))
    #expect(try journey.attempts().count == 3)
  }

  @Test(
    "A row on any page of a full day is found, and is not sent again", arguments: [0, 150, 249])
  func manyPages(_ place: Int) throws {
    let (journey, entry) = try Self.scene(.lostBefore)
    for index in 0..<250 {
      if index == place { journey.add(70, id: "lost") }
      journey.add(100 + Double(index))
    }
    let report = try journey.sync()
    #expect(report.reconciled == 1 && report.sent == 0)
    #expect(try journey.backendID(entry)?.hasPrefix("lost") == true)
  }

  @Test("Midnight UTC went out a second later, and is recognised")
  func midnight() throws {
    let offset = ZoneOffset(minutes: 120)!
    let (journey, entry) = try Self.scene(.lostAfter) {
      try $0.fixture.log(70, at: ZonedTime(time: ClockTime("02:00:00")!, zone: offset))
    }
    #expect(journey.backend.rows.map(\.moment.rfc3339Seconds) == ["2026-01-01T00:00:01Z"])
    #expect(try journey.sync().reconciled == 1)
    #expect(try journey.entry(entry).moment?.zone == offset)
    #expect(journey.backend.rows.count == 1)
  }

  @Test("Two equal entries in doubt and one row: one is bound, the other sent again")
  func twoDoubts() throws {
    let journey = try Journey(seed: 1)
    let entries = [try journey.fixture.log(70), try journey.fixture.log(70)]
    // The first answer is lost with its effect; the second leaves only after another run's kill.
    try journey.loseFirstPost(.lostAfter)
    let call = CallID.make(at: journey.now, using: &journey.generator)
    try journey.fixture.ledger.record(
      [
        .syncAttempted(
          SyncAttempted(
            call: call, method: "POST", path: "/api/v1/progress",
            events: [try journey.entry(entries[1]).seq], fingerprint: "00", attempt: 1))
      ], at: journey.now, using: &journey.generator)
    let report = try journey.sync()
    #expect(report.reconciled == 1 && report.acknowledged == 1 && report.suspected == 0)
    #expect(journey.backend.rows.count == 2)
    try journey.expectAtRest("two doubts")
  }
}
