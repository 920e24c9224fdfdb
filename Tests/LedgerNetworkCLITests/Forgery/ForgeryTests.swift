import Foundation
import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerLog
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Logs with valid hashes and forged content, and the commands that read or change them
/// (docs/reliability.md). Other tests forge snapshots; here a right one of the log before the forgery may be
/// left.
@Suite struct ForgeryTests {
  private static let count =
    ProcessInfo.processInfo.environment["LEDGER_FORGERIES"].flatMap { Int($0) }
    ?? TestSize.of(10, full: 300)
  private static let seed =
    ProcessInfo.processInfo.environment["LEDGER_FORGERIES_SEED"].flatMap { UInt64($0) }
    ?? .random(in: 0 ... .max)
  private static let chunks = 4

  /// The sample log, and what was kept of it while it was shorter.
  private struct Original {
    let lines = ForgedLog.sample().rendered()
    let checkpointSeq = ForgedLog.sample().lines.count - 6
    let folder: FolderOfForgeries
    let checkpoint: String
    /// Of the log at the checkpoint.
    let snapshot: [UInt8]

    init() async throws {
      folder = try FolderOfForgeries()
      try folder.write(Array(lines[..<checkpointSeq]))
      let directory = LedgerDirectory(folder.ledger)
      try FoldedLog(LogView.open(directory)).keepSnapshot()
      snapshot = try #require(try AtomicFile.read(directory.snapshot))
      checkpoint = folder.path + "/checkpoint"
      let made = await folder.run("checkpoint", "-o", checkpoint)
      #expect(made.code == .done, "\(made.error)")
      try folder.write(lines)
      let answer = await folder.run("verify", "--checkpoint", checkpoint, "--json")
      #expect(answer.code == .done, "\(answer.output)\(answer.error)")
      #expect(await folder.run("replay").code == .done)
    }

    /// Whether the checkpoint must not let the lines pass, or what it has to name.
    func erasedSince(_ forged: [String]) -> [Int]? {
      guard forged.count >= checkpointSeq else { return nil }
      var erased: [Int] = []
      for index in 0..<checkpointSeq where forged[index] != lines[index] {
        guard forged[index].contains(#","erased":""#), !lines[index].contains(#","erased":""#),
          forged[index].suffix(75) == lines[index].suffix(75)
        else { return nil }
        erased.append(index + 1)
      }
      return erased
    }
  }

  @Test("No forgery crashes a command, and none passes a checkpoint unnamed", arguments: 0..<chunks)
  func forgeries(_ chunk: Int) async throws {
    print("forgeries: \(Self.count), LEDGER_FORGERIES_SEED=\(Self.seed), part \(chunk)")
    let original = try await Original()
    var passed = 0
    for number in stride(from: chunk, to: Self.count, by: Self.chunks) {
      var random = SplitMix(Self.seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
      var log = ForgedLog.sample()
      for _ in 0..<Int.random(in: 1...3, using: &random) { log.forge(using: &random) }
      let lines = log.rendered()
      try original.folder.write(lines)
      let place: Comment = "LEDGER_FORGERIES_SEED=\(Self.seed), forgery \(number)"
      if try await check(lines, original, place) { passed += 1 }
      let words = Self.others[number % Self.others.count]
      try original.folder.write(lines)
      try await expectEnd(words, original.folder, place)
      guard number % 3 == 0 else { continue }
      try original.folder.write(lines, snapshot: original.snapshot)
      for words in [["show", "progress", "--json"], ["status"], words, ["verify"]] {
        try await expectEnd(words, original.folder, place)
      }
    }
    // Forgeries that are all refused would show little. About one in fifty passes, so a small part may
    // have none.
    if Self.count >= 3_000 { #expect(passed > 0) }
  }

  /// Commands that change the log, or follow what one event says of another.
  private static let others = [
    ["undo"], ["undo", "3"], ["undo", "2..40"], ["redo"], ["explain", "3"], ["log", "-n", "9"],
    ["erase", "3", "--reason", "asked", "--yes"], ["erase", "6", "--reason", "asked", "--yes"],
    ["append", "correction", "@", "1"],
  ]

  /// Whatever a command says of a forgery, it ends with one of the codes for that.
  private func expectEnd(
    _ words: [String], _ folder: FolderOfForgeries, _ place: Comment
  ) async throws {
    let answer = await folder.run(words)
    #expect(
      [.done, .usage, .damaged, .notFound, .needsUser].contains(answer.code),
      "\(place): \(words): \(answer.code) \(answer.error)")
  }

  /// - Returns: whether the forgery passed the checkpoint.
  private func check(
    _ lines: [String], _ original: Original, _ place: Comment
  ) async throws -> Bool {
    let folder = original.folder
    let verified = await folder.run("verify", "--json")
    let compared = await folder.run("verify", "--checkpoint", original.checkpoint, "--json")
    #expect(compared.code == .done || compared.code == .damaged, place)
    if compared.code == .done {
      #expect(verified.code == .done, place)
      let object = try #require(JSONValue(parsing: Array(compared.output.utf8)).object)
      let named = object["erased_since"]?.array?.compactMap(\.integer)
      #expect(named != nil && named == original.erasedSince(lines), place)
    }
    let isErasureWrong = verified.output.contains("the event is erased, but")
    for words in [
      ["replay", "--json"], ["replay", "--threads", "1", "--no-verify"], ["replay", "--trace"],
      ["show", "progress", "--json"], ["show", "profile", "--json"], ["export", "csv"],
      ["export", "jsonl"], ["doctor", "--json"],
      ["doctor", "--strict", "--json"], ["diff", "2", "now"],
    ] {
      let answer = await folder.run(words)
      #expect(
        [.done, .usage, .damaged, .notFound, .needsUser].contains(answer.code),
        "\(place): \(words): \(answer.error)")
      if isErasureWrong, words != ["doctor", "--json"] {
        #expect(answer.code == .damaged, "\(place): \(words): \(answer.output.prefix(300))")
      }
    }
    let planned = try await folder.plan()
    if isErasureWrong { #expect(planned == .damaged, place) }
    return compared.code == .done
  }
}

/// A ledger whose log is overwritten repeatedly, and commands run on it in this process.
private final class FolderOfForgeries {
  private let folder: TemporaryFolder
  var path: String { folder.path }
  var ledger: String { path + "/.ledger" }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: ledger, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func write(_ lines: [String], snapshot: [UInt8]? = nil) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: ledger) {
      try FileManager.default.removeItem(atPath: "\(ledger)/\(name)")
    }
    let text = lines.map { $0 + "\n" }.joined()
    try Data(text.utf8).write(to: URL(filePath: ledger + "/events.jsonl"))
    try Data(ForgedLog.head(of: lines).utf8).write(to: URL(filePath: ledger + "/head"))
    if let snapshot {
      try Data(snapshot).write(to: URL(filePath: ledger + "/views.snapshot"))
    }
  }

  func run(_ words: String...) async -> (code: ExitCode, output: String, error: String) {
    await run(words)
  }

  func run(_ words: [String]) async -> (code: ExitCode, output: String, error: String) {
    let output = MemorySink()
    let error = MemorySink()
    let streams = ConsoleStreams.captured(
      output: output, error: error, environment: ["LEDGER_DIR": ledger, "TZ": "UTC"])
    let code = CommandTable(LocalCommands.all).run(words, streams: streams)
    return (code, output.text, error.text)
  }

  /// What `sync --dry-run` shows without a sign-in. The command itself changes the
  /// environment of its process, which tests share.
  func plan() async throws -> ExitCode {
    do {
      _ = try await Ledger.open(at: ledger).plan(asking: nil)
      return .done
    } catch LogError.damaged {
      return .damaged
    }
  }
}
