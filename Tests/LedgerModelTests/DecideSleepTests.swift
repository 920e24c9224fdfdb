import LedgerModel
import Testing

private let today = CalendarDate("2026-07-20")!
private let session = EntryID("0198c1a0-7c1e-7def-8abc-000000000001")!
private let deleted = EntryID("0198c1a0-7c1e-7def-8abc-000000000002")!
private let entry = EntryID("0198c1a0-7c1e-7def-8abc-000000000003")!
private let unknown = EntryID("0198c1a0-7c1e-7def-8abc-000000000004")!

private func at(_ text: String) -> ZonedTimestamp { ZonedTimestamp("2026-07-\(text):00+02:00")! }

/// A ledger with an entry, and two sessions from 23:00 to 07:00 of which one is deleted. Their stages
/// are from 23:30 to 06:30.
private struct TwoSessions: LedgerFacts {
  func entry(_ id: EntryID) -> EntryFacts? {
    id == LedgerModelTests.entry ? EntryFacts(metric: .weight, isDeleted: false) : nil
  }

  func session(_ id: EntryID) -> SessionFacts? {
    guard id == LedgerModelTests.session || id == deleted else { return nil }
    let stages = at("19T23:30").secondsSince1970..<at("20T06:30").secondsSince1970
    return SessionFacts(
      start: at("19T23:00"), end: at("20T07:00"), stages: stages, isDeleted: id == deleted)
  }
}

private func decided(_ change: Edit.Change) throws(Refusal) -> Event.Payload {
  try decide(change, given: TwoSessions(), today: today)
}

private func reason(_ change: Edit.Change) -> Refusal.Reason? {
  do throws(Refusal) {
    _ = try decided(change)
    return nil
  } catch {
    return error.reason
  }
}

@Suite struct DecideSleepTests {
  private func logged(
    _ start: String = "19T23:00", _ end: String = "20T07:00",
    _ stages: [(SleepStageKind, String, String)] = [], entry: EntryID = unknown,
    notes: String? = nil
  ) -> Edit.Change {
    .logSleep(
      SleepLogged(
        entry: entry, start: at(start), end: at(end),
        stages: stages.map { SleepStage($0.0, start: at($0.1), end: at($0.2)) }, notes: notes))
  }

  @Test("A session with stages in any order is logged as it is")
  func logs() throws {
    let stages: [(SleepStageKind, String, String)] = [
      (.rem, "20T02:00", "20T03:00"), (.inBed, "19T23:00", "20T01:00"),
      (.core, "20T01:00", "20T02:00"), (.awake, "20T06:30", "20T07:00"),
    ]
    let change = logged("19T23:00", "20T07:00", stages)
    #expect(try decided(change) == change.payload)
  }

  @Test(
    "A session must end after it starts, within 48 hours",
    arguments: [
      ("19T23:00", "19T23:00", .invalidPeriod), ("19T23:00", "19T22:59", .invalidPeriod),
      ("18T07:00", "20T07:00", nil), ("18T06:59", "20T07:00", .invalidPeriod),
    ] as [(String, String, Refusal.Reason?)])
  func checksPeriods(start: String, end: String, expected: Refusal.Reason?) {
    #expect(reason(logged(start, end)) == expected)
  }

  @Test("A session does not start before 1900")
  func checksTheYear() {
    func change(_ year: String) -> Edit.Change {
      .logSleep(
        SleepLogged(
          entry: unknown, start: ZonedTimestamp("\(year)T23:00:00Z")!,
          end: ZonedTimestamp("1900-01-02T07:00:00Z")!))
    }
    #expect(reason(change("1900-01-01")) == nil)
    #expect(reason(change("1899-12-31")) == .invalidPeriod)
  }

  @Test(
    "Stages lie inside the session, end after they start, and do not overlap",
    arguments: [
      ([("19T22:59", "20T00:00")], .invalidStages), ([("20T06:00", "20T07:01")], .invalidStages),
      ([("20T01:00", "20T01:00")], .invalidPeriod),
      ([("20T01:00", "20T02:00"), ("20T01:59", "20T03:00")], .invalidStages),
      ([("20T02:00", "20T03:00"), ("20T01:00", "20T02:00")], nil),
    ] as [([(String, String)], Refusal.Reason?)])
  func checksStages(stages: [(String, String)], expected: Refusal.Reason?) {
    let change = logged("19T23:00", "20T07:00", stages.map { (.core, $0.0, $0.1) })
    #expect(reason(change) == expected)
  }

  @Test("A correction is checked together with what it keeps")
  func checksCorrections() {
    func change(_ start: String?, _ end: String?, _ stages: [SleepStage]? = nil) -> Edit.Change {
      .correctSleep(
        SleepCorrected(entry: session, start: start.map(at), end: end.map(at), stages: stages))
    }
    #expect(reason(change("19T23:30", "20T06:30")) == nil)
    #expect(reason(change(nil, "20T06:29")) == .invalidStages)
    #expect(reason(change("19T23:31", nil)) == .invalidStages)
    #expect(reason(change(nil, "20T06:29", [])) == nil)
    #expect(reason(change("20T07:00", nil)) == .invalidPeriod)
    #expect(reason(change(nil, nil)) == .noChange)
    let late = SleepStage(.rem, start: at("20T06:00"), end: at("20T07:30"))
    #expect(reason(change(nil, nil, [late])) == .invalidStages)
    #expect(reason(change(nil, "20T07:30", [late])) == nil)
  }

  @Test("An id is of one entry or one session")
  func knowsIDs() {
    #expect(reason(logged(entry: session)) == .entryExists)
    #expect(reason(logged(entry: entry)) == .entryExists)
    let progress = ProgressLogged(entry: session, metric: .steps, quantity: 1, date: today)
    #expect(reason(.logProgress(progress)) == .entryExists)
    #expect(reason(.deleteSleep(SleepDeleted(entry: session))) == nil)
    #expect(reason(.deleteSleep(SleepDeleted(entry: deleted))) == .entryDeleted)
    #expect(reason(.deleteSleep(SleepDeleted(entry: entry))) == .unknownEntry)
    #expect(
      reason(.correctSleep(SleepCorrected(entry: deleted, notes: .clear))) == .entryDeleted)
  }

  @Test("Notes have at most 500 characters")
  func checksNotes() {
    #expect(reason(logged(notes: String(repeating: "n", count: 500))) == nil)
    #expect(reason(logged(notes: String(repeating: "n", count: 501))) == .wrongLength)
    let long = FieldChange.set(String(repeating: "n", count: 501))
    #expect(reason(.correctSleep(SleepCorrected(entry: session, notes: long))) == .wrongLength)
  }

  @Test(
    "A moment is RFC 3339 with whole seconds",
    arguments: [
      ("2026-07-19T23:00:00+02:00", "2026-07-19T23:00:00+02:00"),
      ("2026-07-19T23:00:00Z", "2026-07-19T23:00:00+00:00"),
      ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"),
      ("9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59-12:00"),
      ("2026-07-19T23:00:00.5+02:00", nil), ("2026-07-19T23:00:00", nil),
      ("2026-07-19 23:00:00Z", nil), ("2026-02-30T23:00:00Z", nil),
      ("2026-07-19T24:00:00Z", nil), ("2026-07-19T23:00:00+16:00", nil),
    ] as [(String, String?)])
  func readsMoments(text: String, expected: String?) {
    #expect(ZonedTimestamp(text)?.description == expected)
  }
}
