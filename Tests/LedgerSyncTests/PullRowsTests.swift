import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// What listed rows of progress mean (docs/sync.md, Pulling).
@Suite struct PullRowsTests {
  @Test("An entry of a day that no listing has is not deleted")
  func beyondListings() throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70, on: CalendarDate(year: 1899, month: 12, day: 31)!)
    try journey.sync()
    journey.pass(seconds: 60)
    let report = try journey.sync()
    #expect(report.deleted == 0 && report.stop == nil)
    #expect(try !journey.entry(entry).isDeleted)
  }

  @Test("A lost answer is not looked into by a listing with a row without an id")
  func lostAnswerWithoutIDs() throws {
    let journey = try Journey(seed: 1)
    _ = try journey.fixture.log(70)
    try journey.loseFirstPost(.lostAfter)
    journey.backend.instead = { request in
      guard ScriptedBackend.kind(of: request) == Journey.list else { return nil }
      let row = #"{"type":"weight","quantity":70,"date":"\#(LedgerFixture.today)T00:00:00Z"}"#
      return .answer(200, #"{"data":{"entries":[\#(row)],"total":1}}"#)
    }
    for _ in 0..<3 {
      journey.pass(seconds: 60)
      #expect(try journey.sync().inDoubt == 1)
    }
    #expect(journey.backend.rows.count == 1)
  }

  @Test("A page with more rows than its total is no page")
  func tooSmallTotal() throws {
    let journey = try Journey(seed: 1)
    let row = #"{"id":"x","type":"weight","quantity":5,"date":"2026-01-01T00:00:00Z"}"#
    journey.backend.instead = { request in
      ScriptedBackend.kind(of: request) == Journey.list
        ? .answer(200, #"{"data":{"entries":[\#(row)],"total":0}}"#) : nil
    }
    let report = try journey.sync()
    #expect(report.pull == .failed && report.pulled == 0)
  }

  @Test("A page whose total is no number of rows is no page", arguments: ["-1", "0.5", "1e300"])
  func impossibleTotal(_ total: String) throws {
    let journey = try Journey(seed: 1)
    _ = try journey.fixture.log(70, at: MultiJourney.morning)
    try journey.sync()
    journey.backend.instead = { request in
      ScriptedBackend.kind(of: request) == Journey.list
        ? .answer(200, #"{"data":{"entries":[],"total":\#(total)}}"#) : nil
    }
    #expect(try journey.sync().pull == .failed)
    #expect(try !journey.fixture.ledger.state().entry(at: 0).isDeleted)
  }

  @Test("All pages are asked for, from 1900 to 2100, until the total")
  func allPages() throws {
    let journey = try Journey(seed: 1)
    for index in 0..<250 {
      var moment = LedgerFixture.now
      moment.millisecondsSince1970 -= Int64(index) * 40 * 86_400_000
      journey.add(100 + Double(index), at: moment)
    }
    let report = try journey.sync()
    #expect(report.pulled == 250)
    let lists = journey.backend.requests.filter { $0.path == "/api/v1/progress" }
    #expect(Set(lists.compactMap { $0.query.value("offset") }) == ["0", "100", "200"])
    #expect(lists.allSatisfy { $0.query.value("from") == "1900-01-01" })
    #expect(lists.allSatisfy { $0.query.value("to") == "2100-12-31" })
    #expect(try journey.sync().pulled == 0)
    try journey.expectAtRest("all pages")
  }

  enum Change: CaseIterable { case added, removed }

  @Test(
    "Rows that come and go while pages are read: none is missed", arguments: Change.allCases,
    [UInt64](1...TestSize.of(2, full: 6)))
  func changing(_ change: Change, _ seed: UInt64) throws {
    let journey = try Journey(seed: seed)
    let entry = try journey.fixture.log(70)
    try journey.loseFirstPost(.lostBefore)
    // The row of the lost answer stands where a removal moves it from one page to another.
    for index in 0..<250 { journey.add(index == 149 ? 70 : 100 + Double(index)) }
    var lists = 0
    journey.meanwhile = { request in
      guard request.method == .get, request.path == "/api/v1/progress" else { return }
      lists += 1
      guard lists == 2 else { return }
      if change == .removed {
        journey.backend.world.progress.remove(journey.backend.rows[0].id)
      } else {
        journey.add(99)
      }
    }
    let report = try journey.sync()
    #expect(report.reconciled == 1 && journey.count(Journey.post) == 1)
    #expect(try journey.entry(entry).status == .synced)
    journey.meanwhile = nil
    try journey.expectAtRest("\(change)")
    #expect(try journey.pulledEntries() == (change == .added ? 250 : 248))
  }

  @Test("A listing that keeps changing is given up, and no row counts as missing")
  func restless() throws {
    let journey = try Journey(seed: 1)
    for index in 0..<120 { journey.add(100 + Double(index)) }
    try journey.sync()
    journey.meanwhile = { request in
      if request.method == .get, request.path == "/api/v1/progress" {
        journey.add(99 - Double(journey.backend.requests.count) / 10)
      }
    }
    let report = try journey.sync()
    #expect(report.remarks.contains { $0.contains("could not be listed") })
    #expect(try !journey.payloads().contains { $0.kind == .progressDeleted })
    journey.meanwhile = nil
    try journey.expectAtRest("restless")
  }

  @Test("A new row becomes a synced entry, and deleting it sends DELETE")
  func newRow() throws {
    let journey = try Journey(seed: 1)
    let id = journey.add(70.5, notes: "from a watch")
    #expect(try journey.sync().pulled == 1)
    let entry = journey.fixture.entries(try journey.fixture.ledger.state())[0]
    #expect(entry.status == .synced && entry.quantity == 70.5 && entry.moment == nil)
    #expect(try journey.backendID(entry.id) == id)
    #expect(try journey.view().texts.notes(in: #require(entry.notesIn)) == "from a watch")
    try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry.id)))
    try journey.sync()
    #expect(journey.calls == [Journey.delete] && journey.backend.rows.isEmpty)
    try journey.expectAtRest("new row")
  }

  @Test("A pulled midnight is a day; a pulled time is shown in the ledger's zone")
  func moments() throws {
    let journey = try Journey(seed: 1)
    var moment = LedgerFixture.now
    moment.millisecondsSince1970 += 3_723_000
    journey.add(70)
    journey.add(71, at: moment)
    try journey.sync()
    let entries = journey.fixture.entries(try journey.fixture.ledger.state())
    let day = try #require(entries.first { $0.quantity == 70 })
    #expect(day.moment == nil && day.date == LedgerFixture.today)
    let timed = try #require(entries.first { $0.quantity == 71 })
    let wall = try #require(LocalZone.current.localTime(at: moment))
    #expect(timed.date == wall.date)
    #expect(timed.moment == ZonedTime(time: wall.time, zone: wall.zone))
  }

  static let strange: [String] = [
    #"{"id":"x1","type":"blood_sugar","quantity":5,"date":"2026-01-01T00:00:00Z"}"#,
    #"{"id":"x2","type":"weight","quantity":"five","date":"2026-01-01T00:00:00Z"}"#,
    #"{"id":"x3","type":"weight","quantity":5,"date":"yesterday"}"#,
    #"{"id":"x4","type":"weight","quantity":-5,"date":"2026-01-01T00:00:00Z"}"#,
    #"{"id":"x5","type":"weight","quantity":5,"date":"2026-01-01T00:00:00Z","notes":{"a":1}}"#,
    #"{"type":"weight","quantity":5,"date":"2026-01-01T00:00:00Z"}"#, "7",
    #"{"id":"\#(String(repeating: "x", count: 2_000))","type":"weight"}"#,
  ]

  @Test("Rows that cannot be read are left and told; the others come in", arguments: strange)
  func unreadable(_ row: String) throws {
    let journey = try Journey(seed: 1)
    let good = #"{"id":"g","type":"weight","quantity":70,"date":"2026-01-01T00:00:00Z"}"#
    journey.backend.instead = { request in
      guard ScriptedBackend.kind(of: request) == Journey.list else { return nil }
      return .answer(200, #"{"data":{"entries":[\#(row),\#(good)],"total":2}}"#)
    }
    let report = try journey.sync()
    #expect(report.pulled == 1 && report.stop == nil)
    #expect(report.unreadable.count == 1 && report.needsUser)
    #expect(try journey.sync().pulled == 0)
    #expect(try journey.payloads().count { $0.kind == .rowSkipped } == 1)
  }

  @Test("Long ids that begin alike are two rows, each told once, and remembered as they are")
  func longIDs() throws {
    let journey = try Journey(seed: 1)
    let ids = ["1", "2"].map { String(repeating: "x", count: 2_000) + $0 }
    let rows = ids.map { #"{"id":"\#($0)","type":"weight"}"# }.joined(separator: ",")
    journey.backend.instead = { request in
      guard ScriptedBackend.kind(of: request) == Journey.list else { return nil }
      return .answer(200, #"{"data":{"entries":[\#(rows)],"total":2}}"#)
    }
    let report = try journey.sync()
    _ = try journey.sync()
    #expect(try journey.payloads().count { $0.kind == .rowSkipped } == 2)
    #expect(report.unreadable.map { UnreadableRow(json: .object($0.json)) } == report.unreadable)
  }

  @Test("While a row without an id is listed, no entry is known to be gone")
  func rowWithoutID() throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70)
    try journey.sync()
    journey.backend.instead = { request in
      guard ScriptedBackend.kind(of: request) == Journey.list else { return nil }
      let row = #"{"type":"weight","quantity":70,"date":"2026-01-01T00:00:00Z"}"#
      return .answer(200, #"{"data":{"entries":[\#(row)],"total":1}}"#)
    }
    for _ in 1...2 {
      let report = try journey.sync()
      #expect(report.deleted == 0 && report.needsUser && !report.hasEverything)
    }
    #expect(try !journey.entry(entry).isDeleted)
  }

  @Test("A row that can no longer be read has not vanished")
  func becameUnreadable() throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70)
    try journey.sync()
    let id = try #require(try journey.backendID(entry))
    journey.backend.instead = { request in
      guard ScriptedBackend.kind(of: request) == Journey.list else { return nil }
      let row = #"{"id":"\#(id)","type":"mass","quantity":70,"date":"2026-01-01T00:00:00Z"}"#
      return .answer(200, #"{"data":{"entries":[\#(row)],"total":1}}"#)
    }
    try journey.sync()
    #expect(try !journey.entry(entry).isDeleted)
  }

  /// Hides the rows of `hidden` listings of everything, and of days where `days` says so.
  static func hide(_ journey: Journey, days: Bool) {
    journey.backend.instead = { request in
      guard ScriptedBackend.kind(of: request) == Journey.list else { return nil }
      let isDay = request.query.value("from") != "1900-01-01"
      return isDay && !days ? nil : .answer(200, #"{"data":{"entries":[],"total":0}}"#)
    }
  }

  @Test(
    "A row that vanished counts only after a second listing of its day", arguments: [true, false])
  func vanished(_ isGone: Bool) throws {
    let journey = try Journey(seed: 1)
    let day = CalendarDate(year: 2025, month: 3, day: 1)!
    let entry = try journey.fixture.log(70, on: day)
    try journey.sync()
    Self.hide(journey, days: isGone)
    let before = journey.backend.requests.count
    let report = try journey.sync()
    let lists = journey.backend.requests[before...].filter { $0.path == "/api/v1/progress" }
    #expect(lists.map { $0.query.value("from") } == ["1900-01-01", "2025-03-01"])
    #expect(lists.last?.query.value("to") == "2025-03-01")
    #expect(try journey.entry(entry).isDeleted == isGone)
    #expect(report.deleted == (isGone ? 1 : 0))
    #expect(journey.count(Journey.delete) == 0 && journey.count(Journey.post) == 1)
  }

  @Test("The second listing failed: nothing counts as vanished", arguments: [500, 403, 404])
  func secondListingFails(_ status: Int) throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70)
    try journey.sync()
    Self.hide(journey, days: true)
    let hidden = journey.backend.instead
    journey.backend.instead = { request in
      let isDay = request.query.value("from") == "2026-01-01"
      return isDay ? .error(status) : try hidden?(request)
    }
    try journey.sync()
    #expect(try !journey.entry(entry).isDeleted)
  }

  @Test(
    "A correction made here wins over a deletion there, whatever the policy, on record",
    arguments: [ConflictDecision.local, .remote])
  func vanishedAndCorrected(_ policy: ConflictDecision) throws {
    let (journey, entry) = try ProgressRowsTests.correctedAfter()
    journey.configuration.conflicts = policy
    journey.backend.world.progress.remove(journey.backend.rows[0].id)
    try journey.sync()
    let found = try #require(journey.conflicts().first)
    #expect(found.subject == entry.description && found.decision == .local)
    #expect(journey.backend.rows.map(\.quantity) == [80])
    #expect(try !journey.entry(entry).isDeleted)
    try journey.expectAtRest("\(policy)")
    #expect(try journey.conflicts().count == 1)
  }

  /// A run whose first listing of all rows is as it was before.
  @discardableResult
  private func sync(_ journey: Journey, firstListing rows: [ProgressRow]) throws -> SyncReport {
    var now: [ProgressRow]?
    func replace(_ rows: [ProgressRow]) throws {
      let user = try #require(journey.backend.account?.userID)
      for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
      for row in rows { journey.backend.world.progress.add(row, of: user) }
    }
    journey.meanwhile = { request in
      guard ScriptedBackend.kind(of: request) == Journey.list else { return }
      if let rows = now { return try replace(rows) }
      now = journey.backend.rows
      try replace(rows)
    }
    defer { journey.meanwhile = nil }
    return try journey.sync()
  }

  @Test("A row that a listing shows late is waited for", arguments: [0, 4, 5])
  func lateRow(seconds: Int64) throws {
    let journey = try Journey.settledPerson()
    let entry = try journey.fixture.log()
    try journey.sync()
    journey.pass(seconds: seconds)
    let (report, waits) = (try sync(journey, firstListing: []), journey.waits)
    #expect(report.deleted == 0 && report.stop == nil)
    #expect(waits == (seconds < 5 ? [5000 - Int(seconds) * 1000] : []))
    #expect(try !journey.entry(entry).isDeleted)
  }

  @Test("--resend sends nothing that the second listing shows")
  func lateRowResent() throws {
    let journey = try Journey.settledPerson()
    _ = try journey.fixture.log()
    try journey.sync()
    journey.configuration.onReplacedAccount = .resend
    let sent = journey.sent
    try sync(journey, firstListing: [])
    #expect(journey.sent == sent && journey.backend.rows.count == 1)
  }

  @Test("A row that a listing still shows after its deletion is not back", arguments: [0, 4, 5])
  func lateDeletion(seconds: Int64) throws {
    let journey = try Journey.settledPerson()
    let entry = try journey.fixture.log()
    try journey.sync()
    let rows = journey.backend.rows
    try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    try journey.sync()
    journey.pass(seconds: seconds)
    let report = try sync(journey, firstListing: rows)
    #expect(report.stop == (seconds < 5 ? nil : .returnedRows(1)))
  }

  @Test("An equal row of another device is an entry, also beside one that was corrected here")
  func equalRow() throws {
    let (journey, _) = try ProgressRowsTests.correctedAfter()
    try journey.sync()
    journey.add(80)
    #expect(try journey.sync().pulled == 1)
    #expect(try journey.suspicions().isEmpty)
  }
}

extension [WireRequest.QueryItem] {
  func value(_ name: String) -> String? { first { $0.name == name }?.value }
}

extension LedgerFixture {
  func entries(_ state: LedgerState) -> [EntryView] {
    state.rows.indices.map { state.entry(at: $0) }
  }
}
