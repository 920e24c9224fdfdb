import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// What a run asks for when the backend has many rows (docs/sync.md, Pulling).
@Suite struct PullCostTests {
  /// More than are listed in full each time.
  static let manyRows = 520

  /// A ledger that has pulled so many rows, two a day back from now.
  private static func pulled(_ count: Int) throws -> Journey {
    let journey = try Journey(seed: 1)
    for index in 0..<count {
      var moment = LedgerFixture.now
      moment.millisecondsSince1970 -= Int64(index) * 43_200_000 + 1_000
      journey.add(50 + Double(index % 97) / 10, at: moment)
    }
    let report = try journey.run()
    #expect(report.pull == .full && report.pulled == count)
    return journey
  }

  @Test("With nothing new a run makes at most eight requests", arguments: [20, 480])
  func nothingNew(_ rows: Int) throws { try expectFewRequests(Self.pulled(rows), .full) }

  private func expectFewRequests(_ journey: Journey, _ pull: PullExtent) throws {
    let before = journey.backend.requests.count
    #expect(try journey.run().pull == pull)
    #expect(journey.backend.requests.count - before <= 8)
  }

  @Test(
    "Sleep sessions count as well: all are listed only where eight requests suffice",
    arguments: [(450, 90, true), (450, 140, false), (280, 290, true), (0, 1_200, false)])
  func sessions(_ rows: Int, _ sessions: Int, _ isFull: Bool) throws {
    let journey = try Self.pulled(rows)
    try addSessions(sessions, to: journey)
    journey.configuration.listsAll = true
    #expect(try journey.run().pulled == sessions)
    journey.configuration.listsAll = false
    let before = journey.backend.requests.count
    #expect(try journey.run().pull == (isFull ? .full : .recent))
    #expect(journey.backend.requests.count - before <= 8)
  }

  @Test("Sessions that this device sent itself count at once")
  func ownSessions() throws {
    let journey = try Self.pulled(450)
    for day in 0..<140 {
      let (start, end) = try Self.night(daysAgo: day)
      try journey.fixture.edit(
        .logSleep(
          SleepLogged(
            entry: .make(at: LedgerFixture.now, using: &journey.generator), start: start, end: end))
      )
    }
    #expect(try journey.run().acknowledged == 140)
    #expect(try journey.run().pull == .recent)
  }

  private static func night(daysAgo: Int) throws -> (start: ZonedTimestamp, end: ZonedTimestamp) {
    let seconds = LedgerFixture.now.millisecondsSince1970 / 1000 - Int64(daysAgo + 1) * 86_400
    return (
      try #require(ZonedTimestamp(secondsSince1970: seconds, zone: .utc)),
      try #require(ZonedTimestamp(secondsSince1970: seconds + 8 * 3600, zone: .utc))
    )
  }

  /// Another client's sessions, one a night.
  private func addSessions(_ count: Int, to journey: Journey) throws {
    for day in 0..<count {
      let (start, end) = try Self.night(daysAgo: day)
      let body: JSONObject = [
        "start_time": .string(start.timestamp.rfc3339Seconds),
        "end_time": .string(end.timestamp.rfc3339Seconds), "source_id": .string("night-\(day)"),
      ]
      _ = try journey.backend.answer(
        WireRequest(.post, "/api/v1/sleep", body: Array(body.serialized.utf8)))
    }
  }

  @Test("Rows that came, went or were exchanged are seen by the next run")
  func otherRows() throws {
    let journey = try Self.pulled(Self.manyRows)
    try expectFewRequests(journey, .recent)
    journey.add(99)
    let new = try journey.run()
    #expect(new.pull == .full && new.pulled == 1)
    // One of today that takes the place of another one: the total stays.
    journey.backend.world.progress.remove(journey.backend.rows[0].id)
    journey.add(98)
    let exchanged = try journey.run()
    #expect(exchanged.pulled == 1 && exchanged.deleted == 1)
    // An old one, which only the total tells.
    #expect(try journey.run().pull == .recent)
    journey.backend.world.progress.remove(journey.backend.rows[Self.manyRows - 10].id)
    let gone = try journey.run()
    #expect(gone.pull == .full && gone.deleted == 1)
    try expectDaily(journey)
  }

  /// A full listing comes once a day, and where it is asked for.
  private func expectDaily(_ journey: Journey) throws {
    journey.pass(seconds: 90_000)
    #expect(try journey.run().pull == .full)
    #expect(try journey.run().pull == .recent)
    journey.configuration.listsAll = true
    #expect(try journey.run().pull == .full)
  }

  @Test("An unexpected total of sessions makes the next run list everything")
  func otherTotalOfSessions() throws {
    let journey = try Self.pulled(Self.manyRows)
    try addSessions(60, to: journey)
    #expect(try journey.run().pull == .full)
    #expect(try journey.run().pull == .recent)
    let user = try #require(journey.backend.account?.userID)
    journey.backend.world.sleep[user]?.removeFirst()
    let report = try journey.run()
    #expect(report.pull == .full && report.missingSessions == 1)
  }

  @Test("What a full listing found unreadable or missing is named by the runs after it, too")
  func remembersFindings() throws {
    let journey = try Self.pulled(Self.manyRows)
    try addSessions(60, to: journey)
    try journey.run()
    let user = try #require(journey.backend.account?.userID)
    let old = try #require(journey.backend.rows.min { $0.moment < $1.moment }).id
    journey.backend.changeRows { row in
      if row.id == old { row.notes = String(repeating: "x", count: 9_000) }
    }
    journey.backend.world.sleep[user]?.removeFirst()
    let full = try journey.run()
    #expect(full.unreadable.map(\.id?.text) == [old.text] && full.missingSessions == 1)
    let recent = try journey.run()
    #expect(recent.pull == .recent && recent.needsUser)
    #expect(recent.unreadable == full.unreadable && recent.missingSessions == 1)
  }

  @Test("What this device makes and deletes itself is expected")
  func ownCalls() throws {
    let journey = try Self.pulled(Self.manyRows)
    let entry = try journey.fixture.log(70)
    #expect(try journey.run().pull == .recent)
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    #expect(try journey.run().acknowledged == 1)
    try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    #expect(try journey.run().pull == .recent)
    #expect(try journey.run().pull == .recent)
  }

  @Test(
    "A listing that fails fails the run, and edits are sent all the same",
    arguments: [WireAnswer.error(500), .answer(200, "<html>"), .error(403)])
  func failingListing(_ answer: WireAnswer) throws {
    let journey = try Journey(seed: 1)
    _ = try journey.fixture.log(70)
    journey.backend.instead = { ScriptedBackend.kind(of: $0) == Journey.list ? answer : nil }
    let report = try journey.run()
    #expect(report.pull == .failed && report.acknowledged == 1)
    #expect(report.mayPass == (answer != .error(403)))
  }
}

extension Journey {
  /// A run that knows what the one before knew of the backend's rows.
  @discardableResult
  func run() throws -> SyncReport {
    let report = try sync()
    configuration.lastListing = report.listing
    return report
  }
}
