import LedgerKit
import LedgerTestSupport
import Testing

/// Sleep sessions through the library.
@Suite struct LedgerSleepTests {
  private let ledger: Ledger

  init() throws { ledger = try LedgerSandbox().openLedger() }

  private func at(_ text: String) throws -> ZonedTimestamp {
    try #require(ZonedTimestamp("2026-01-\(text):00+01:00"))
  }

  @Test("A session is logged, corrected, read with its stages, and deleted")
  func sessions() async throws {
    let stage = SleepStage(.deep, start: try at("23T01:00"), end: try at("23T02:30"))
    let logged = try await ledger.log(
      sleepFrom: at("22T23:00"), to: at("23T07:00"), stages: [stage], notes: "n",
      source: "watch", sourceID: "s1")
    try await ledger.correct(sleep: logged.id, end: at("23T06:30"))
    let page = try await ledger.sleepSessions(from: CalendarDate("2026-01-23"))
    let session = try #require(page.sessions.first)
    #expect(try page.total == 1 && session.id == logged.id && session.end == at("23T06:30"))
    #expect(session.durations.totalSleep == 5400 && session.durations.timeInBed == 27_000)
    let texts = try await ledger.texts(of: session)
    #expect(texts.stages == [stage] && texts.notes == "n" && texts.sourceID == "s1")
    #expect(try await ledger.days(of: .sleepHours).map(\.sum) == [1.5])
    #expect(try await ledger.outbox().map(\.subject) == [.session(logged.id)])
    try await ledger.delete(sleep: logged.id)
    #expect(try await ledger.sleepSessions().total == 0)
  }

  @Test("A session logged between two pages shows no other session twice")
  func pages() async throws {
    for day in 11...15 {
      try await ledger.log(sleepFrom: at("\(day)T01:00"), to: at("\(day)T07:00"))
    }
    let first = try await ledger.sleepSessions(limit: 2)
    try await ledger.log(sleepFrom: at("16T01:00"), to: at("16T07:00"))
    let second = try await ledger.sleepSessions(limit: 2, after: first.next)
    let third = try await ledger.sleepSessions(limit: 2, after: second.next)
    #expect(
      [first, second, third].map { $0.sessions.map { $0.date.components.day } }
        == [[15, 14], [13, 12], [11]])
    #expect(third.next == nil && third.total == 6)
  }

  @Test("A refused session writes nothing")
  func refusals() async throws {
    let error = await #expect(throws: EditRefusal.self) {
      try await ledger.log(sleepFrom: at("23T07:00"), to: at("22T23:00"))
    }
    #expect(error?.code == "invalid-period")
    #expect(try await ledger.sleepSessions().total == 0)
  }

  @Test("An instant has the ledger's offset")
  func zones() throws {
    let instant = Timestamp(millisecondsSince1970: 1_769_200_200_500)
    let zoned = try #require(ledger.zonedTimestamp(of: instant))
    #expect(zoned.secondsSince1970 == 1_769_200_200)
  }
}
