import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// What an import knows of entries and sessions after undos and redos.
@Suite struct EditHistoryTests {
  /// An event of the log; the first one is number 2.
  enum Step {
    /// Logs an entry and a session by their number.
    case log(UInt64, undoes: Int? = nil)
    case correct(Double, by: Event.Actor = .user, undoes: Int? = nil)
    case delete(UInt64 = 1, by: Event.Actor = .user, undoes: Int? = nil)
    case cancel(Int)
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func mark(_ undoes: Int?) -> JSONObject {
    undoes.map { JSONObject(["undoes": JSONValue($0)]) } ?? JSONObject()
  }

  private func moment(_ hour: Double) -> ZonedTimestamp {
    let seconds = 1_790_000_000 + Int64(hour * 3600)
    return ZonedTimestamp(secondsSince1970: seconds, zone: .utc)!
  }

  /// What is known of a row: the number of its entry, with its quantity or, if a person changed it, `touched`.
  private func entry(after steps: [Step]) throws -> String? {
    var log = HandWrittenLog.created
    for step in steps {
      switch step {
      case .log(let number, let undoes):
        var data = ProgressLogged(
          entry: EntryID(LedgerUUID(high: 1, low: number)), metric: .steps, quantity: 5,
          date: day("2026-01-05"), source: "a", sourceID: "x")
        data.unknown = mark(undoes)
        log.append(.progressLogged(data), by: undoes == nil ? .import : .user)
      case .correct(let quantity, let author, let undoes):
        var data = ProgressCorrected(
          entry: EntryID(LedgerUUID(high: 1, low: 1)), quantity: quantity)
        data.unknown = mark(undoes)
        log.append(.progressCorrected(data), by: author)
      case .delete(let number, let author, let undoes):
        var data = ProgressDeleted(entry: EntryID(LedgerUUID(high: 1, low: number)))
        data.unknown = mark(undoes)
        log.append(.progressDeleted(data), by: author)
      case .cancel(let seq): log.append(.editUndone(EditUndone(event: Seq(seq))))
      }
    }
    let sources = try ImportedSources(log.view(in: folder), namesEntries: false)
    let found = try sources.entry(source: "a", id: "x")?.entry
    return found.map { "\($0.entry.uuid.low) \($0.isTouched ? "touched" : "\(Int($0.quantity))")" }
  }

  /// The same of a session, with its hours.
  private func session(after steps: [Step]) throws -> String? {
    var log = HandWrittenLog.created
    let night = SleepLogged(
      entry: EntryID(LedgerUUID(high: 1, low: 1)), start: moment(0), end: moment(5), source: "a",
      sourceID: "x")
    for step in steps {
      switch step {
      case .log(let number, let undoes):
        var data = night
        data.entry = EntryID(LedgerUUID(high: 1, low: number))
        data.unknown = mark(undoes)
        log.append(.sleepLogged(data), by: undoes == nil ? .import : .user)
      case .correct(let hours, let author, let undoes):
        var data = SleepCorrected(
          entry: night.entry, start: night.start, end: moment(hours), stages: [])
        data.unknown = mark(undoes)
        log.append(.sleepCorrected(data), by: author)
      case .delete(let number, let author, let undoes):
        var data = SleepDeleted(entry: EntryID(LedgerUUID(high: 1, low: number)))
        data.unknown = mark(undoes)
        log.append(.sleepDeleted(data), by: author)
      case .cancel(let seq): log.append(.editUndone(EditUndone(event: Seq(seq))))
      }
    }
    let found = try ImportedSources(log.view(in: folder), namesEntries: false).sessions(like: night)
    return found.map {
      "\($0.entry.uuid.low) \($0.isTouched ? "touched" : "\($0.asleepSeconds / 3600)")"
    }.joined(separator: ", ").nonEmpty
  }

  private func check(
    _ expected: String?, _ steps: Step..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try entry(after: steps) == expected, "entry", sourceLocation: sourceLocation)
    #expect(try session(after: steps) == expected, "session", sourceLocation: sourceLocation)
  }

  @Test("What undo took back is new, and known again when that is undone")
  func logging() throws {
    try check("1 5", .log(1))
    try check(nil, .log(1), .cancel(2))
    try check("2 5", .log(1), .cancel(2), .log(2, undoes: 3))
    try check(nil, .log(1), .cancel(2), .log(2, undoes: 3), .cancel(4))
    try check(nil, .log(1), .delete(undoes: 2))
    try check("1 5", .log(1), .delete(undoes: 2), .cancel(3))
    try check("2 5", .log(1), .delete(undoes: 2), .log(2, undoes: 3))
    try check(nil, .log(1), .delete(undoes: 2), .log(2, undoes: 3), .cancel(4))
    try check(nil, .log(1), .delete(undoes: 2), .log(2, undoes: 3), .delete(2, undoes: 4))
    try check(nil, .log(1), .delete(undoes: 2), .cancel(3), .delete(undoes: 4))
  }

  @Test("A person's correction that was undone does not count, unless it was made again")
  func correction() throws {
    try check("1 touched", .log(1), .correct(6))
    try check("1 5", .log(1), .correct(6), .cancel(3))
    try check("1 5", .log(1), .correct(6), .correct(5, undoes: 3))
    try check("1 touched", .log(1), .correct(6), .cancel(3), .correct(6, undoes: 4))
    try check("1 touched", .log(1), .correct(6), .correct(5, undoes: 3), .cancel(4))
    try check(
      "1 touched", .log(1), .correct(6), .correct(5, undoes: 3), .correct(6, undoes: 4))
  }

  @Test("An import's correction that was undone does not count; made again, it is the import's")
  func correctionByImport() throws {
    try check("1 6", .log(1), .correct(6, by: .import))
    try check("1 5", .log(1), .correct(6, by: .import), .cancel(3))
    try check("1 6", .log(1), .correct(6, by: .import), .cancel(3), .correct(6, undoes: 4))
    try check(
      "1 6", .log(1), .correct(6, by: .import), .correct(5, undoes: 3), .correct(6, undoes: 4))
    try check(
      "1 7", .log(1), .correct(6, by: .import), .cancel(3), .correct(7, by: .import))
  }

  @Test("A person's deletion that was undone does not count, unless it was made again")
  func deletion() throws {
    try check("1 touched", .log(1), .delete())
    try check("1 5", .log(1), .delete(), .cancel(3))
    try check("1 touched", .log(1), .delete(), .cancel(3), .delete(undoes: 4))
    try check("2 5", .log(1), .delete(), .log(2, undoes: 3))
    try check("1 touched", .log(1), .delete(), .log(2, undoes: 3), .cancel(4))
    try check("1 touched", .log(1), .delete(), .log(2, undoes: 3), .delete(2, undoes: 4))
    try check("2 touched", .log(1), .delete(), .log(2, undoes: 3), .delete(2))
  }

  @Test("What a person corrected stays so when it is logged again")
  func copies() throws {
    try check("2 touched", .log(1), .correct(6), .cancel(2), .log(2, undoes: 4))
    try check("2 touched", .log(1), .correct(6), .delete(undoes: 2), .log(2, undoes: 4))
    try check("2 touched", .log(1), .correct(6), .delete(), .log(2, undoes: 4))
    try check("2 touched", .log(1), .correct(6), .delete(by: .sync), .log(2, undoes: 4))
    try check(
      "3 touched", .log(1), .correct(6), .cancel(2), .log(2, undoes: 4), .cancel(5),
      .log(3, undoes: 6))
    try check("2 5", .log(1), .correct(6, by: .import), .cancel(2), .log(2, undoes: 4))
    try check("2 5", .log(1), .correct(6), .cancel(2), .log(2))
  }

  @Test("What sync deleted is new, and known if that is undone")
  func deletionBySync() throws {
    try check(nil, .log(1), .delete(by: .sync))
    try check("2 5", .log(1), .delete(by: .sync), .log(2, undoes: 3))
    try check(nil, .log(1), .delete(by: .sync), .log(2, undoes: 3), .cancel(4))
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
