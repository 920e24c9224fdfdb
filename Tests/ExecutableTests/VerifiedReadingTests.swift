import Foundation
import LedgerJSON
import LedgerLog
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Calls and exports come from the log's own lines, their chain links checked.
@Suite(.blocks) struct VerifiedReadingTests {
  @Test("A forged snapshot changes no call and no export")
  func forgedSnapshot() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try ledger.must("sync")
      try ledger.must("append", "weight", "80", "--date", "2026-01-03", "--notes", "later")
      let questions = [
        ["sync", "--dry-run"], ["sync", "--dry-run", "--json"], ["export", "csv"],
        ["export", "jsonl"],
      ]
      let expected = try questions.map { try ledger.output($0) }
      try Self.forgeSnapshot(of: LedgerDirectory(ledger.path))
      #expect(try ledger.must("show", "progress", "--json").contains(#""quantity":1080"#))
      for (question, answer) in zip(questions, expected) {
        #expect(try ledger.output(question) == answer, "\(question)")
      }
      let sync = try JSONValue(parsing: ledger.output(["sync", "--json"])).object
      #expect(sync?["sent"] == 1)
      #expect(try await backend.rows().map(\.quantity) == [75.5, 80])
      #expect(
        try backend.requests("P").filter { $0.hasPrefix("PUT") || $0.hasPrefix("PATCH") }.isEmpty)
    }
  }

  @Test(
    "A line changed on disk ends sync and export with exit 3, and nothing is sent",
    arguments: [
      ["sync"], ["sync", "--watch"], ["sync", "--dry-run"], ["sync", "--dry-run", "--json"],
      ["export", "csv"], ["export", "jsonl"],
    ])
  func changedLine(_ words: [String]) async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("sync")
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try ledger.must("append", "steps", "4000", "--date", "2026-01-02")
      var bytes = try ledger.bytes()
      let place = try #require(bytes.range(of: Data("75.5".utf8)))
      bytes.replaceSubrange(place, with: Data("76.5".utf8))
      try ledger.folder.write(bytes, to: ".ledger/events.jsonl")
      let line = bytes[..<place.lowerBound].count { $0 == 0x0A } + 1
      let requests = try backend.requests().count
      let result = try Executable.ledger.run(words, in: ledger.folder.path)
      #expect(result.code == 3)
      #expect(result.error.contains("line \(line)"), "\(result.error)")
      #expect(!result.output.contains("76.5"))
      #expect(try backend.requests().count == requests)
    }
  }

  /// Every quantity is larger by 1000, and what was acknowledged is pending. The page sums are
  /// right.
  private static func forgeSnapshot(of directory: LedgerDirectory) throws {
    let view = try LogView.open(directory)
    var state = try Replay.run(view).state
    for row in state.rows.indices { state.rows[row].quantity += 1_000 }
    for seq in state.edits.cells.indices where state.edits.cells[seq].state == .acknowledged {
      state.edits.cells[seq].state = .pending
    }
    Snapshot.keep(state, of: view)
  }
}

extension TestLedger {
  fileprivate func output(_ words: [String]) throws -> String {
    let result = try Executable.ledger.run(words, in: folder.path)
    try #require(result.code == 0, "\(words): \(result.error)")
    return result.output
  }
}
