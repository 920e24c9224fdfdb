import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// What a search finds does not hang on whether a snapshot says where to look.
@Suite(.blocks) struct ShortIDTests {
  @Test("Short ids in the log are unique, also those of one millisecond")
  func unique() throws {
    let ledger = try TestLedger()
    let input = (0..<300).map { index in
      let random = String(repeating: "0", count: 12) + String(index * 7919 % 0xFFFF, radix: 16)
      let id =
        "019b6fbd-1c2a-7\(random.suffix(3))-8\(random.suffix(6).prefix(3))-\(random.suffix(12))"
      return #"{"type":"progress.logged","data":{"entry":"\#(id)","metric":"steps","#
        + #""quantity":\#(index),"date":"2026-01-02"}}"#
    }
    try ledger.must("append", "--stdin", input: input.joined(separator: "\n"))
    try ledger.must("append", "steps", "1")
    let rows = try ledger.must("log").split(separator: "\n").filter { $0.contains("steps") }
    let ids = rows.compactMap { row in
      row.split(separator: " ").first { $0.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f-]+/) != nil }
    }
    #expect(ids.count == 301 && Set(ids).count == 301)
    for id in ids.shuffled().prefix(5) {
      let found = try ledger.run("log", "--entry", String(id), "--json").output
      #expect(found.split(separator: "\n").count == 1)
    }
  }
}

@Suite(.blocks) struct FindTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(LongLog.files.get())
    try ledger.must("status")
    try #require(exists)
  }

  private var snapshot: String { ledger.path + "/views.snapshot" }
  private var exists: Bool { FileManager.default.fileExists(atPath: snapshot) }

  /// Every id is known, and nothing is written for it.
  private func expectKnown(_ indices: [Int], _ comment: Comment) throws {
    let before = try ledger.bytes()
    let input = indices.map { LongLog.edit($0) }.joined(separator: "\n")
    let result = try ledger.run("append", "--stdin", "--json", input: input)
    #expect(result.code == 0, comment)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == indices.count, comment)
    for (line, index) in zip(lines, indices) {
      #expect(line.hasPrefix(#"{"id":"\#(LongLog.id(index))","seq":\#(index + 2),"#), comment)
    }
    #expect(result.error.contains("already; "), comment)
    #expect(try ledger.bytes() == before, comment)
  }

  @Test("An id is written once, with a snapshot, without one, and behind one")
  func ids() throws {
    let asked = [0, 4_999, 5_000, 9_999, 16_499]
    for index in asked { try expectKnown([index], "alone, \(index)") }
    try expectKnown(asked, "together")
    #expect(exists)
    let added = try ledger.run("append", "--stdin", input: LongLog.edit(16_500))
    #expect(added.code == 0 && added.output.contains("event 16502"), "\(added)")
    try expectKnown([16_500, 3], "behind the snapshot")
    try ledger.must("erase", "17", "--reason", "private", "--yes")
    try expectKnown([15, 16_500, 3], "erased, and others in the log that was rewritten")
    try? FileManager.default.removeItem(atPath: snapshot)
    try expectKnown([15, 16_500, 3], "without a snapshot")
    #expect(!exists)
    let verified = try ledger.run("verify")
    #expect(verified.code == 0, "\(verified.error)")
  }

  @Test("The log's lines by time and type are the same with it and without it")
  func lines() throws {
    try ledger.must("append", "profile", "--name", "Ada")
    let questions = [
      ["--type", "profile"], ["--type", "ledger.created"], ["--since", "yesterday", "-n", "3"],
      ["--until", "yesterday"], ["--since", "2100-01-01"], ["--type", "conflict", "-n", "2"],
      ["--since", "16000", "--until", "2100-01-01", "--type", "profile"],
    ]
    func answers() throws -> [String] {
      try questions.map { words in
        let result = try Executable.ledger.run(
          ["log", "--json"] + words, in: ledger.folder.path)
        #expect(result.code == 0 && result.error.isEmpty, "\(words) \(result.error)")
        return result.output
      }
    }
    let found = try answers()
    #expect(found[0].utf8.count { $0 == 0x0A } == 1 && found[1].utf8.count { $0 == 0x0A } == 1)
    #expect(found[2].utf8.count { $0 == 0x0A } == 3 && found[6] == found[0])
    #expect(found[3].isEmpty && found[4].isEmpty && found[5].isEmpty)
    // A log cut short by a crash: its torn end is no event, and the snapshot is still right.
    let torn = try ledger.bytes() + Data(#"{"id":"018"#.utf8)
    try torn.write(to: URL(filePath: ledger.path + "/events.jsonl"))
    let known = try ledger.run("log", "--json", "--type", "profile")
    #expect(known.output == found[0] && known.error.contains("no whole event"))
    try torn.dropLast(10).write(to: URL(filePath: ledger.path + "/events.jsonl"))
    try FileManager.default.removeItem(atPath: snapshot)
    #expect(try answers() == found)
  }
}
