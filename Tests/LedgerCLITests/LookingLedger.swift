import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerCLI

/// A ledger in a folder of its own, and the commands that look at it, run in this process.
final class LookingLedger {
  let directory: LedgerDirectory
  private let folder: TemporaryFolder
  private let log: EventLog
  private var random = SplitMix(2025)
  /// One second an event, from 1 January 2025, noon UTC.
  private var clock = Timestamp("2025-01-01T12:00:00.000Z")!

  init() throws {
    folder = try TemporaryFolder()
    directory = LedgerDirectory(folder.path)
    log = EventLog(directory)
    _ = try EventLog.create(directory, device: "test", at: clock, using: &random)
  }

  /// What is added next is recorded so many days later.
  func wait(days: Int) { clock.millisecondsSince1970 += Int64(days) * 86_400_000 }

  @discardableResult
  func add(_ payload: Event.Payload, by: Event.Actor = .user) throws -> Seq {
    clock.millisecondsSince1970 += 1000
    let event = Event(id: .make(at: clock, using: &random), at: clock, by: by, payload: payload)
    return try log.append([event], using: &random).events[0].seq
  }

  func add(_ payloads: [Event.Payload]) throws {
    let events = payloads.map {
      Event(id: .make(at: clock, using: &random), at: clock, by: .user, payload: $0)
    }
    _ = try log.append(events, using: &random)
  }

  /// The entry of a number: `00000000-0001-7000-8000-000000000000`.
  static func entry(_ number: Int) -> EntryID {
    EntryID(LedgerUUID(high: UInt64(number) << 16 | 0x7000, low: 2 << 62))
  }

  @discardableResult
  func log(
    _ entry: Int, _ metric: Metric = .weight, _ quantity: Double = 75.5, on day: String,
    at time: String? = nil, notes: String? = nil
  ) throws -> Seq {
    try add(
      .progressLogged(
        ProgressLogged(
          entry: Self.entry(entry), metric: metric, quantity: quantity,
          date: try #require(CalendarDate(day)),
          moment: time.flatMap { ClockTime($0) }.map { ZonedTime(time: $0, zone: .utc) },
          notes: notes)))
  }

  @discardableResult
  func acknowledge(_ events: [Seq], id: String? = nil) throws -> Seq {
    try add(
      .syncAcknowledged(
        SyncAcknowledged(
          call: .make(at: clock, using: &random), events: events, status: 201, via: .response,
          entry: Self.entry(1), backendID: id.flatMap { BackendID($0) })), by: .sync)
  }

  @discardableResult
  func reject(_ events: [Seq], _ message: String) throws -> Seq {
    try add(
      .syncRejected(
        SyncRejected(
          call: .make(at: clock, using: &random), events: events, status: 422, message: message)),
      by: .sync)
  }

  // MARK: The files

  func bytes() throws -> Data { try Data(contentsOf: URL(filePath: directory.events)) }

  func overwrite(_ bytes: Data) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: directory.events))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: bytes)
    try file.close()
  }

  func lines() throws -> [String] {
    let bytes = try bytes()
    var lines: [String] = []
    var start = 0
    // Not `split`, which takes many times as long in a debug build.
    while start < bytes.count {
      let end = bytes.withUnsafeBytes { $0.bytes.newline(from: start) } ?? bytes.count
      if end > start { lines.append(String(decoding: bytes[start..<end], as: UTF8.self)) }
      start = end + 1
    }
    return lines
  }

  /// Everything that a reader could have touched: names, bytes, modes, times of change. Only `verified`,
  /// which remembers the last check, may be written by a reader.
  func snapshot() throws -> [String: String] {
    var found: [String: String] = [:]
    let files = FileManager.default
    for name in try files.subpathsOfDirectory(atPath: directory.path) where name != "verified" {
      let path = "\(directory.path)/\(name)"
      let facts = try files.attributesOfItem(atPath: path)
      let bytes = files.contents(atPath: path)?.base64EncodedString() ?? ""
      found[name] = "\(facts[.modificationDate]!) \(facts[.posixPermissions]!) \(bytes)"
    }
    return found
  }

  // MARK: The commands

  struct Answer {
    var code: ExitCode
    var output: String
    var error: String

    /// The output as another program's parser reads it.
    func parsed() throws -> NSObject {
      let value = try JSONSerialization.jsonObject(
        with: Data(output.utf8), options: [.fragmentsAllowed])
      return try #require(value as? NSObject)
    }

    func member(_ name: String) throws -> NSObject? {
      (try parsed() as? NSDictionary)?[name] as? NSObject
    }
  }

  func run(_ words: String..., columns: Int? = nil) -> Answer { run(words, columns: columns) }

  /// - Parameter columns: those of the terminal that a person looks at; `nil` for a pipe.
  func run(
    _ words: [String], columns: Int? = nil, environment: [String: String] = [:]
  ) -> Answer {
    let output = MemorySink()
    let error = MemorySink()
    var streams = ConsoleStreams.captured(
      output: output, error: error,
      environment: environment.merging(["LEDGER_DIR": directory.path]) { $1 })
    streams.zone = .fixed(.utc)
    var words = words
    if let columns {
      streams.outputIsTerminal = true
      streams.columns = { columns }
      words += ["--color", "never"]
    }
    let code = CommandTable(LocalCommands.all).run(
      words, streams: streams)
    return Answer(code: code, output: output.text, error: error.text)
  }
}
