import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// What `views.snapshot` is to those who use the program: nothing but time.
@Suite(.blocks) struct SnapshotTests {
  /// Long enough for a snapshot to pay.
  static let entries = 16_500

  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    let lines = (0..<Self.entries).map { index in
      #"{"type":"progress.logged","data":{"metric":"\#(index % 3 == 0 ? "weight" : "steps")","#
        + #""quantity":\#(index % 90 + 40),"date":"2026-01-\#(index % 19 + 10)"}}"#
    }
    let result = try ledger.run("append", "--stdin", input: lines.joined(separator: "\n") + "\n")
    try #require(result.code == 0, "\(result.error)")
  }

  private var snapshot: String { ledger.path + "/views.snapshot" }
  private var exists: Bool { FileManager.default.fileExists(atPath: snapshot) }

  /// What the views say, with the snapshot and without it.
  private func views() throws -> [String] {
    let questions = [
      ["status"], ["show", "profile"], ["show", "progress"],
      ["show", "progress", "--type", "weight"],
      ["show", "progress", "--from", "2026-01-12", "--to", "2026-01-13", "--offset", "7"],
      ["show", "days"],
    ]
    return try questions.map { words in
      let result = try Executable.ledger.run(words + ["--json"], in: ledger.folder.path)
      #expect(result.code == 0 && result.error.isEmpty, "\(words) \(result.error)")
      return result.output
    }
  }

  private func expectSameWithout(_ comment: Comment) throws {
    let with = try views()
    try? FileManager.default.removeItem(atPath: snapshot)
    #expect(try views() == with, comment)
    #expect(exists, comment)
  }

  @Test("It comes by itself, answers as the whole log does, and can be deleted at any time")
  func life() throws {
    #expect(!exists)
    try expectSameWithout("nothing since")
    let before = try Data(contentsOf: URL(filePath: snapshot))
    let entry = try ledger.logged("71.5")
    #expect(try ledger.run("append", "correction", "17", "--quantity", "88").code == 0)
    #expect(try ledger.run("append", "deletion", "18").code == 0)
    #expect(try ledger.run("append", "correction", entry, "--date", "2026-01-12").code == 0)
    #expect(try ledger.run("append", "profile", "--name", "Ada").code == 0)
    #expect(
      try Data(contentsOf: URL(filePath: snapshot)) == before, "few events are no reason to write")
    try expectSameWithout("five events since")
    let verified = try ledger.run("verify")
    #expect(verified.code == 0, "\(verified.error)")
  }

  @Test("One that is not whole, or of something else, is passed by and made again")
  func doubt() throws {
    let expected = try views()
    let good = try Data(contentsOf: URL(filePath: snapshot))
    for place in [400, 4100, good.count / 2] {
      var bytes = good
      bytes[place] ^= 0x10
      try bytes.write(to: URL(filePath: snapshot))
      #expect(try views() == expected, "byte \(place)")
    }
    for bytes in [Data(), good.prefix(5000)] {
      try bytes.write(to: URL(filePath: snapshot))
      #expect(try views() == expected, "\(bytes.count) bytes")
    }
    try? FileManager.default.removeItem(atPath: snapshot)
    try FileManager.default.createDirectory(atPath: snapshot, withIntermediateDirectories: false)
    #expect(try views() == expected, "a folder in its place")
  }

  @Test("A folder that cannot be written to has none, and is read all the same")
  func readOnly() throws {
    let expected = try views()
    try FileManager.default.removeItem(atPath: snapshot)
    // Root writes everywhere; a folder in the temporary file's place stops everybody.
    let temporary = snapshot + ".tmp"
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    #expect(try views() == expected)
    #expect(!exists)
  }
}
