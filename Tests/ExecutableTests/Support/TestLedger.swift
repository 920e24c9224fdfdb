import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// A new ledger in a folder of its own, and the program to use it with.
struct TestLedger {
  let folder: TemporaryFolder
  let path: String

  /// All files of a ledger, from which many tests begin with one run of the program.
  struct Files {
    fileprivate let byName: [String: Data]
  }

  init() throws { try self.init(Self.empty.get()) }

  init(_ files: Files) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/.ledger"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for (name, data) in files.byName {
      let isWritten = FileManager.default.createFile(
        atPath: "\(path)/\(name)", contents: data, attributes: [.posixPermissions: 0o600])
      try #require(isWritten, "\(name)")
    }
  }

  /// One whose first event no other ledger has.
  init(device: String) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/.ledger"
    let made = try Executable.ledger.run(["init", "--device", device], in: folder.path)
    try #require(made.code == 0, "\(made.error)")
  }

  private static let empty = Result { try TestLedger(device: "test").files() }

  func files() throws -> Files {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    return Files(
      byName: Dictionary(
        uniqueKeysWithValues: try names.map { ($0, try folder.bytes(".ledger/\($0)")) }))
  }

  @discardableResult
  func run(
    _ arguments: String..., input: String = "", zone: String = "UTC"
  ) throws -> Executable.Result {
    try Executable.ledger.run(
      arguments, environment: ["TZ": zone], input: input, in: folder.path)
  }

  func bytes() throws -> Data { try folder.bytes(".ledger/events.jsonl") }

  func log() throws -> StoredLog { try StoredLog(bytes()) }

  /// The `data` of the newest event.
  func last() throws -> JSONObject { try #require(log().lines.last).data }

  /// Logs a weight and says which entry it became.
  func logged(_ quantity: String = "75.5", _ more: String...) throws -> String {
    let words = ["append", "weight", quantity, "--date", "2026-01-02", "--json"] + more
    let result = try Executable.ledger.run(words, in: folder.path)
    try #require(result.code == 0, "\(result.error)")
    return try #require(last()["entry"]?.string)
  }

  /// Runs what must be refused: the sentence and the code are as told, and no byte is changed.
  func expectRefusal(
    _ arguments: [String], _ code: Int32, _ sentence: String, input: String = "",
    zone: String = "UTC", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try bytes()
    let result = try Executable.ledger.run(
      arguments, environment: ["TZ": zone], input: input, in: folder.path)
    #expect(result.code == code, sourceLocation: sourceLocation)
    let first = result.error.split(separator: "\n").first.map(String.init) ?? ""
    #expect(first == "ledger: \(sentence)", sourceLocation: sourceLocation)
    #expect(result.output.isEmpty, sourceLocation: sourceLocation)
    #expect(try bytes() == before, sourceLocation: sourceLocation)
  }
}
