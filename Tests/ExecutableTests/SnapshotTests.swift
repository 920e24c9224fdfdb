import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// What `views.snapshot` is to those who use the program: nothing but time.
@Suite(.blocks) struct SnapshotTests {
  private let ledger: TestLedger

  init() throws { ledger = try TestLedger(LongLog.files.get()) }

  private var snapshot: String { ledger.path + "/views.snapshot" }
  private var exists: Bool { FileManager.default.fileExists(atPath: snapshot) }

  private static let questions = [
    ["show", "progress"], ["show", "days"], ["status"],
    ["show", "progress", "--from", "2026-01-12", "--to", "2026-01-13", "--offset", "7"],
    ["show", "profile"], ["show", "progress", "--type", "weight"],
  ]

  private func view(_ words: [String]) throws -> String {
    let result = try Executable.ledger.run(words + ["--json"], in: ledger.folder.path)
    #expect(result.code == 0 && result.error.isEmpty, "\(words) \(result.error)")
    return result.output
  }

  /// What the views say, with the snapshot and without it.
  private func views() throws -> [String] { try Self.questions.map { try view($0) } }

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
    // A fifth into it are quantities, of which days are made.
    var damaged = [400, good.count / 5, 4100, good.count / 2].map { place in
      var bytes = good
      bytes[place] ^= 0x10
      return bytes
    }
    damaged += [Data(), good.prefix(5000)]
    // The first view after the damage makes the snapshot again: each is the first one once.
    for (number, bytes) in damaged.enumerated() {
      try bytes.write(to: URL(filePath: snapshot))
      let question = Self.questions[number]
      #expect(try view(question) == expected[number], "snapshot \(number), \(question)")
      #expect(try view(question) == expected[number], "after snapshot \(number), \(question)")
    }
    try? FileManager.default.removeItem(atPath: snapshot)
    try FileManager.default.createDirectory(atPath: snapshot, withIntermediateDirectories: false)
    #expect(try view(Self.questions[0]) == expected[0], "a folder in its place")
  }

  @Test("A folder that cannot be written to has none, and is read all the same")
  func readOnly() throws {
    let question = Self.questions[0]
    let expected = try view(question)
    try FileManager.default.removeItem(atPath: snapshot)
    // Root writes everywhere; a folder in the temporary file's place stops everybody.
    let temporary = snapshot + ".tmp"
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    #expect(try view(question) == expected)
    #expect(!exists)
  }
}
