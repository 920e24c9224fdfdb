import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerCLI

/// The exact words of the commands: one transcript a command in `Golden`, whose outputs
/// `LEDGER_WRITE_GOLDEN=1 swift test --filter GoldenTests` writes again (docs/reliability.md).
@Suite struct GoldenTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")
  private static let isWriting = ProcessInfo.processInfo.environment["LEDGER_WRITE_GOLDEN"] != nil
  private static let commands = LocalCommands.all.map { $0.spec.name }

  @Test("A command answers as in its transcript", arguments: commands)
  func transcript(of command: String) throws {
    let name = Self.file(command)
    let file = Self.folder.appending(path: name)
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let answered = try GoldenScene.replaying(recorded)
    if Self.isWriting { try Data(answered.utf8).write(to: file) }
    guard !Self.isWriting, recorded != answered else { return }
    for change in lines(answered).difference(from: lines(recorded)) {
      switch change {
      case .insert(let offset, let line, _): Issue.record("\(name):\(offset + 1): now \(line)")
      case .remove(let offset, let line, _): Issue.record("\(name):\(offset + 1): not \(line)")
      }
    }
  }

  @Test("The transcripts are those of the commands, and each shows its help")
  func completeness() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(files.sorted() == Self.commands.map(Self.file).sorted())
    for command in Self.commands {
      let file = Self.folder.appending(path: Self.file(command))
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains("\n$ ledger \(command) --help\n"), "\(command)")
    }
  }

  private static func file(_ command: String) -> String {
    command.replacing(" ", with: "-") + ".txt"
  }

  private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }
}

/// A part of a transcript: an empty folder, where the clock starts on Monday, 5 January 2026, at 08:00 UTC
/// and advances a minute with each command.
private struct GoldenScene {
  private let folder: TemporaryFolder
  private var now = Timestamp("2026-01-05T08:00:00.000Z")!
  /// Numbers of ids and hashes, whose random digits are not shown.
  private var names: [String: String] = [:]
  private var random = SplitMix(1)
  // Made once: a literal is compiled again wherever it is reached.
  private let randomDigits = /-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}/
  private let freeSpace = /[0-9.]+ [kMGT]?B free/

  private init() throws { folder = try TemporaryFolder() }

  /// - Returns: the transcript with the outputs of now.
  static func replaying(_ transcript: String) throws -> String {
    var scene = try GoldenScene()
    var result: [Substring] = []
    var rest = transcript.split(separator: "\n", omittingEmptySubsequences: false)[...]
    func taken(_ marks: String...) -> ArraySlice<Substring> {
      let lines = rest.prefix { line in marks.contains { line.hasPrefix($0) } }
      rest = rest.dropFirst(lines.count)
      return lines
    }
    while let line = rest.popFirst() {
      result.append(line)
      if line.hasPrefix("# ") { scene = try GoldenScene() }
      guard line.hasPrefix("$ ") else { continue }
      let input = taken(">")
      _ = taken("|", "!", "= ")
      result += input
      let text = input.map { $0.dropFirst(2) + "\n" }.joined()
      result += try scene.run(String(line.dropFirst(2)), scene.placed(text))
        .split(separator: "\n")
    }
    return result.joined(separator: "\n")
  }

  private func placed(_ text: String) -> String { text.replacing("$DIR", with: folder.path) }

  private mutating func run(_ line: String, _ input: String) throws -> String {
    now.millisecondsSince1970 += 60_000
    let words = try #require(ExampleWords.split(placed(line)), "\(line)")
    switch words.first {
    case "ledger": return ledger(Array(words.dropFirst()), input)
    case "write": try write(input, to: words[1])
    case "record": try record(words[1], by: words[2], input)
    default: Issue.record("not ledger, write or record: \(line)")
    }
    return ""
  }

  private mutating func ledger(_ words: [String], _ input: String) -> String {
    let (output, error) = (MemorySink(), MemorySink())
    var streams = ConsoleStreams.captured(
      output: output, error: error, input: input,
      environment: ["LEDGER_DIR": folder.path + "/.ledger"])
    let now = now
    streams.now = { now }
    streams.zone = .fixed(.utc)
    let code = LocalCommands.table.run(words, streams: streams)
    return marked("|", output.text) + marked("!", error.text)
      + (code == .done ? "" : "= \(code.rawValue)\n")
  }

  /// Adds to a file.
  private func write(_ text: String, to path: String) throws {
    let old = FileManager.default.contents(atPath: path) ?? Data()
    try (old + Data(text.utf8)).write(to: URL(filePath: path))
  }

  /// Appends an event that no local command makes.
  private mutating func record(_ type: String, by actor: String, _ data: String) throws {
    let data = try #require(try JSONValue(parsing: Array(data.utf8)).object)
    let event = Event(
      id: .make(at: now, using: &random), at: now, by: try #require(Event.Actor(rawValue: actor)),
      payload: .unknown(type: type, version: 1, data: data))
    _ = try EventLog(LedgerDirectory(folder.path + "/.ledger")).append([event], using: &random)
  }

  private mutating func marked(_ mark: String, _ text: String) -> String {
    var lines = stable(text).split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    return lines.map { $0.isEmpty ? "\(mark)\n" : "\(mark) \($0)\n" }.joined()
  }

  /// Names the folder, and numbers what is random: the second half of ids, salts and hashes. The disk's
  /// free space is that of the machine.
  private mutating func stable(_ text: String) -> String {
    let placed = text.replacing(folder.path, with: "$DIR")
      .replacing(URL(filePath: folder.path).lastPathComponent, with: "$NAME")
      .replacing(freeSpace, with: "0 GB free")
    return placed.replacing(randomDigits) { match in
      let kind = match.output.hasPrefix("-") ? "-id" : "hash"
      let name = names[String(match.output)] ?? "\(kind)\(names.count + 1)"
      names[String(match.output)] = name
      return name
    }
  }
}
