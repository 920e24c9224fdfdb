import LedgerModel
import Testing

@testable import LedgerImport

@Suite struct AppleSleepTests {
  private let stage = "HKCategoryValueSleepAnalysis"

  /// What a ledger knows once it has taken in all sessions of a result.
  private func known(after result: ImportResult) -> ImportedSessions {
    var sessions = ImportedSessions()
    for session in result.sessions {
      sessions.take(.sleepLogged(session), EditHistory.Edit(author: .import), at: 2)
    }
    sessions.finish(without: EditHistory.Undone())
    return sessions
  }

  private func read(
    _ body: String, known: ImportedSessions = ImportedSessions(),
    hours: [String: KnownEntry] = [:]
  ) throws -> ImportResult {
    var context = context()
    context.knownEntry = { _, id in hours[id] }
    context.knownSessions = { known.known($0) }
    return try AppleHealthImport.read(
      export(body), today: day("2026-11-21"), context: context)
  }

  private func text(_ session: SleepLogged) -> [String] {
    ["\(session.start) \(session.end)"]
      + session.stages.map { "\($0.stage.rawValue) \($0.start.moment.time) \($0.end.moment.time)" }
  }

  /// A night of a watch, with a phone that knows only the bed.
  private var night: String {
    sleep(stage + "AsleepCore", "10-31 23:00", "11-01 03:00")
      + sleep(stage + "Awake", "11-01 03:00", "11-01 03:30")
      + sleep(stage + "AsleepREM", "11-01 03:30", "11-01 06:30")
      + sleep(stage + "InBed", "10-31 22:30", "11-01 07:00", by: "iPhone")
  }

  @Test("A night becomes a session with its stages, and time in bed fills what remains")
  func stages() throws {
    let result = try read(night)
    #expect(result.edits.isEmpty && result.problems.isEmpty && result.skipped.lines.isEmpty)
    try #require(result.sessions.count == 1)
    #expect(
      text(result.sessions[0]) == [
        "2026-10-31T22:30:00+01:00 2026-11-01T07:00:00+01:00", "in_bed 22:30:00 23:00:00",
        "core 23:00:00 03:00:00", "awake 03:00:00 03:30:00", "rem 03:30:00 06:30:00",
        "in_bed 06:30:00 07:00:00",
      ])
    #expect(result.sessions[0].source == "apple-health")
    #expect(
      result.sessions[0].sourceID == "apple-health:sleep:2026-10-31T21:30:00Z/2026-11-01T06:00:00Z")
  }

  @Test("Of overlapping sources the best counts; the other one adds the rest of its time")
  func overlappingSources() throws {
    let result = try read(
      sleep(stage + "AsleepDeep", "11-01 00:00", "11-01 05:00", by: "Apple Watch")
        + sleep(stage + "AsleepUnspecified", "10-31 23:00", "11-01 06:00", by: "iPhone")
        + sleep(stage + "Asleep", "11-01 05:30", "11-01 06:30", by: "An app"))
    try #require(result.sessions.count == 1)
    #expect(
      text(result.sessions[0]).dropFirst() == [
        "asleep 23:00:00 00:00:00", "deep 00:00:00 05:00:00", "asleep 05:00:00 06:30:00",
      ])
    #expect(result.sessions[0].asleepSeconds == 27_000)
  }

  @Test("Within a source, sleep counts before wakefulness and overlapping stages count once")
  func overlappingStages() throws {
    let result = try read(
      sleep(stage + "AsleepREM", "11-01 01:00", "11-01 04:00")
        + sleep(stage + "AsleepDeep", "11-01 03:00", "11-01 04:00")
        + sleep(stage + "Awake", "11-01 03:30", "11-01 04:30"))
    #expect(
      result.sessions.map(text) == [
        [
          "2026-11-01T01:00:00+01:00 2026-11-01T04:30:00+01:00", "rem 01:00:00 04:00:00",
          "awake 04:00:00 04:30:00",
        ]
      ])
  }

  @Test("More than two hours without a sample separate a nap from a night")
  func gaps() throws {
    let result = try read(
      sleep("1", "10-31 23:00", "11-01 03:00") + sleep("1", "11-01 05:00", "11-01 07:00")
        + sleep("1", "11-01 09:01", "11-01 09:31"))
    #expect(
      result.sessions.map { "\($0.start.moment.time) \($0.end.moment.time)" } == [
        "23:00:00 07:00:00", "09:01:00 09:31:00",
      ])
  }

  @Test("In bed or awake alone is no session")
  func inBedAlone() throws {
    let result = try read(
      sleep(stage + "InBed", "10-31 23:00", "11-01 03:00")
        + sleep(stage + "Awake", "11-01 10:00", "11-01 11:00"))
    #expect(result.sessions.isEmpty && result.problems.isEmpty)
    #expect(result.skipped.lines.map(\.reason) == ["in bed is not asleep"])
  }

  @Test("A session that is known is not logged again, and one that has more sleep is corrected")
  func again() throws {
    let first = try read(night)
    let again = try read(night, known: known(after: first))
    #expect(again.sessions.isEmpty && again.grownSessions.isEmpty && again.knownSessions == 1)
    let later = try read(
      night + sleep(stage + "AsleepDeep", "11-01 06:30", "11-01 08:00"), known: known(after: first))
    #expect(later.sessions.isEmpty && later.knownSessions == 0)
    let grown = try #require(later.grownSessions.first?.correction)
    #expect(grown.entry == first.sessions[0].entry)
    #expect(grown.end?.description == "2026-11-01T08:00:00+01:00" && grown.stages?.count == 5)
    let less = try read(
      sleep("1", "11-01 01:00", "11-01 02:00"), known: known(after: first))
    #expect(less.sessions.isEmpty && less.knownSessions == 1)
  }

  @Test("A session that a person changed, or that was pulled, stays as it is")
  func touched() throws {
    var sessions = known(after: try read(night))
    let longer = night + sleep(stage + "AsleepDeep", "11-01 06:30", "11-01 08:00")
    let entry = try #require(
      try read(longer, known: sessions).grownSessions.first?.correction.entry)
    sessions.take(
      .sleepDeleted(SleepDeleted(entry: entry)), EditHistory.Edit(author: .user), at: 3)
    sessions.finish(without: EditHistory.Undone())
    let deleted = try read(longer, known: sessions)
    #expect(deleted.grownSessions.isEmpty && deleted.knownSessions == 1)

    var pulled = ImportedSessions()
    let logged = try read(night).sessions[0]
    pulled.take(
      .sleepPulled(
        SleepPulled(
          entry: logged.entry, backendID: BackendID("b")!, start: logged.start, end: logged.end,
          source: logged.source, sourceID: logged.sourceID)), EditHistory.Edit(author: .sync), at: 2
    )
    pulled.finish(without: EditHistory.Undone())
    let result = try read(longer, known: pulled)
    #expect(result.sessions.isEmpty && result.grownSessions.isEmpty && result.knownSessions == 1)
  }

  @Test("A night that the ledger has as hours stays so, and other nights become sessions")
  func knownHours() throws {
    let id = "apple-health:sleep_hours:2026-11-01"
    let entry = KnownEntry(entry: EntryID(LedgerUUID(high: 0, low: 99)), quantity: 7)
    let next = sleep(stage + "AsleepCore", "11-01 23:00", "11-02 06:00")
    let result = try read(night + next, hours: [id: entry])
    #expect(result.edits.isEmpty && result.growths.isEmpty)
    #expect(result.knownEntries == [.sleepHours: 1])
    #expect(result.sessions.map(\.end.description) == ["2026-11-02T06:00:00+01:00"])
    let longer = try read(
      night + sleep("1", "11-01 14:00", "11-01 15:00"), hours: [id: entry])
    #expect(longer.sessions.isEmpty && longer.growths.map(\.quantity) == [8])
  }
}
