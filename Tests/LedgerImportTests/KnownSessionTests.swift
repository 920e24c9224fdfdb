import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// Sleep sessions of a file whose sessions a ledger has, at these or other times.
@Suite struct KnownSessionTests {
  private let folder: TemporaryFolder
  private let store: LedgerStore
  private let now = Timestamp(millisecondsSince1970: 1_798_000_000_000)

  init() throws {
    folder = try TemporaryFolder()
    store = LedgerStore(try HandWrittenLog.created.write(to: folder))
  }

  /// - Parameter zone: the ledger's, in hours from UTC.
  private func take(
    _ text: String, zone: Int = 1, _ read: (ImportSource, ImportContext) throws -> ImportResult
  ) throws -> ImportTransaction.Outcome {
    try ImportTransaction(into: store, at: now, today: day("2026-12-20")).run { context in
      var context = context
      context.zone = { _, _ in ZoneOffset(minutes: zone * 60) ?? .utc }
      return try read(source(text), context)
    }
  }

  private func table(_ rows: String..., zone: Int = 1) throws -> ImportResult {
    let header = "Start;End;Sleep quality;Time in bed;Time asleep\n"
    let text = header + rows.map { $0 + ";90%;1:00;1:00\n" }.joined()
    return try take(text, zone: zone) {
      try CSVImport.read(recognizing: $0, rules: VendorRules.all(), context: $1)
    }.found
  }

  private func apple(_ records: String...) throws -> ImportTransaction.Outcome {
    let text = records.joined()
    return try take(text) { _, context in
      try AppleHealthImport.read(export(text), today: day("2026-12-20"), context: context)
    }
  }

  private func edit(_ payload: Event.Payload) throws {
    var random = SplitMix(UInt64(try store.state().position.seq))
    let id = EventID.make(at: now, using: &random)
    let event = Event(id: id, at: now, by: .user, payload: payload)
    _ = try store.log.append([event], using: &random)
  }

  private func undo(_ seqs: ClosedRange<Seq>) throws {
    var random = SplitMix(UInt64(seqs.lowerBound.number))
    _ = try store.undo(
      UndoSelection(ranges: [seqs]), at: now, today: day("2026-12-20"), using: &random)
  }

  /// As `06 23:00–07:00`, with the day on which the night ends, in order.
  private func nights() throws -> [String] {
    try store.state().sleep().sessions.reversed().map {
      "\("\($0.date)".suffix(2)) \($0.start.moment.time.short)–\($0.end.moment.time.short)"
    }
  }

  private let nap = "2026-01-05 14:00:00;2026-01-05 15:00:00"
  private let night = "2026-01-05 22:00:00;2026-01-06 06:00:00"

  @Test(
    "A file without offsets that is read in another zone has the same sessions",
    arguments: [0, 2, 9, -8])
  func otherZone(_ zone: Int) throws {
    #expect(try table(nap, night).sessions.count == 2)
    let again = try table(nap, night, zone: zone)
    #expect(again.sessions.isEmpty && again.grownSessions.isEmpty && again.knownSessions == 2)
  }

  @Test("A session that a person moved by days is known", arguments: [-3, -1, 1, 3])
  func moved(_ days: Int64) throws {
    _ = try table(night)
    let session = try #require(store.state().sleep().sessions.first)
    func moved(_ moment: ZonedTimestamp) -> ZonedTimestamp? {
      ZonedTimestamp(
        secondsSince1970: moment.secondsSince1970 + days * 86_400, zone: moment.zone)
    }
    try edit(
      .sleepCorrected(
        SleepCorrected(
          entry: session.id, start: moved(session.start), end: moved(session.end), stages: [])))
    #expect(try table(night).knownSessions == 1)
    #expect(try nights().count == 1)
  }

  @Test("An id of a column is that of a session only if the start is the same")
  func columnID() throws {
    var sessions = ImportedSessions()
    func session(_ hour: Int64, zone: Int16) -> SleepLogged {
      let zone = ZoneOffset(minutes: Int(zone) * 60)!
      let start = ZonedTimestamp(
        secondsSince1970: 1_790_000_000 + (hour - Int64(zone.minutes) / 60) * 3600, zone: zone)!
      let end = ZonedTimestamp(secondsSince1970: start.secondsSince1970 + 3600, zone: zone)!
      return SleepLogged(
        entry: EntryID(LedgerUUID(high: 0, low: 7)), start: start, end: end, source: "a",
        sourceID: CSVSession.columnIDPrefix + "7")
    }
    let first = session(0, zone: 1)
    sessions.take(.sleepLogged(first), EditHistory.Edit(author: .import), at: 2)
    let end = session(96, zone: 1)
    sessions.take(
      .sleepCorrected(SleepCorrected(entry: first.entry, start: end.start, end: end.end)),
      EditHistory.Edit(author: .user), at: 3)
    sessions.finish(without: EditHistory.Undone())
    #expect(sessions.known(first).count == 1)
    #expect(sessions.known(session(0, zone: 9)).count == 1)
    #expect(sessions.known(session(24, zone: 1)).isEmpty)
  }

  private var evening: String { sleep("1", "11-05 23:00", "11-06 01:00") }
  private var morning: String { sleep("1", "11-06 04:00", "11-06 07:00") }
  private var middle: String { sleep("1", "11-06 01:00", "11-06 04:00") }

  @Test("A night whose middle comes later takes the place of its parts")
  func lateMiddle() throws {
    _ = try apple(evening, morning)
    #expect(try nights() == ["06 23:00–01:00", "06 04:00–07:00"])
    let whole = try apple(evening, middle, morning)
    #expect(whole.found.grownSessions.count == 1 && whole.found.grownSessions[0].parts.count == 1)
    #expect(try nights() == ["06 23:00–07:00"])
    for records in [[evening, middle, morning], [evening, morning], [morning]] {
      let again = try apple(records.joined())
      #expect(again.appended == nil && again.found.sessions.isEmpty)
    }
    // What was undone comes in again.
    try undo(try #require(whole.appended))
    #expect(try nights() == ["06 23:00–01:00", "06 04:00–07:00"])
    #expect(try apple(evening, middle, morning).found.grownSessions.count == 1)
    #expect(try nights() == ["06 23:00–07:00"])
  }

  @Test("Parts that a person changed or deleted stay as they are")
  func touchedParts() throws {
    _ = try apple(evening, morning)
    let first = try #require(store.state().sleep().sessions.last)
    try edit(.sleepCorrected(SleepCorrected(entry: first.id, notes: .set("restless"))))
    #expect(try apple(evening, middle, morning).appended == nil)
    try edit(.sleepDeleted(SleepDeleted(entry: first.id)))
    #expect(try apple(evening, middle, morning).appended == nil)
    #expect(try nights() == ["06 04:00–07:00"])
  }

  @Test("A session that reaches beyond the new one stays as it is")
  func overlapping() throws {
    _ = try apple(evening, morning)
    let part = sleep("1", "11-05 23:00", "11-06 06:00")
    #expect(try apple(part).appended == nil)
  }
}

extension ClockTime {
  fileprivate var short: String { String(description.prefix(5)) }
}
