import LedgerJSON
import Testing

/// Imports of a file whose earlier import was undone, redone or deleted at the backend.
@Suite(.blocks) struct ImportUndoTests {
  @discardableResult
  private func importFiles(_ ledger: TestLedger) throws -> Int {
    let tables = [
      "Date,Steps,Weight\n2026-01-05,5000,75\n2026-01-06,6000,75.1\n",
      "Start;End;Sleep quality;Time in bed;Time asleep\n"
        + "2026-01-05 23:00:00;2026-01-06 07:00:00;93%;8:00;7:00\n"
        + "2026-01-06 23:00:00;2026-01-07 07:00:00;93%;8:00;7:00\n",
    ]
    return try tables.reduce(0) { added, table in
      let answer = try JSONValue(
        parsing: Array(ledger.must("import", "csv", "-", "--json", input: table).utf8))
      return added + (answer.object?["added"]?.integer ?? 0)
    }
  }

  /// The events of a type, as a range for `undo`.
  private func events(_ ledger: TestLedger, _ suffix: String) throws -> String {
    let seqs = try ledger.log().lines.filter {
      $0.object["type"]?.string?.hasSuffix(suffix) == true
    }.compactMap { $0.object["seq"]?.integer }
    return "\(try #require(seqs.min()))..\(try #require(seqs.max()))"
  }

  private func counts(_ ledger: TestLedger) throws -> [Int] {
    let nights = try JSONValue(parsing: Array(ledger.must("show", "sleep", "--json").utf8))
    return [try ledger.entries().count, nights.object?["total"]?.integer ?? 0]
  }

  @Test(
    "What the backend had, and was undone and redone, is known",
    arguments: [["redo"], ["sync", "redo"], ["undo deletions"], ["sync", "undo deletions"]])
  func redone(_ steps: [String]) async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try importFiles(ledger)
      try await ledger.syncUntilQuiet()
      try ledger.must("undo", events(ledger, ".logged"))
      #expect(try counts(ledger) == [0, 0])
      for step in steps {
        switch step {
        case "sync": try await ledger.syncUntilQuiet()
        case "redo": try ledger.must("redo")
        default: try ledger.must("undo", events(ledger, ".deleted"))
        }
      }
      #expect(try counts(ledger) == [4, 2])
      #expect(try importFiles(ledger) == 0)
      try await ledger.syncUntilQuiet()
      #expect(try importFiles(ledger) == 0)
      #expect(try counts(ledger) == [4, 2])
      #expect(try await backend.rows().count == 4)
    }
  }

  @Test(
    "What the backend lost and was deleted here comes back by undo or by its file",
    arguments: ["undo", "import"])
  func deletedBySync(_ way: String) async throws {
    try await withBackend(["--fault", "GET /health:forget=rows:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try importFiles(ledger)
      try await ledger.syncUntilQuiet()
      try await backend.call("GET", "/health")
      #expect(try ledger.sync("--accept-deletions").count("deleted") == 6)
      #expect(try counts(ledger) == [0, 0])
      if way == "undo" {
        try ledger.must("undo", events(ledger, ".deleted"))
      } else {
        #expect(try importFiles(ledger) == 6)
      }
      #expect(try counts(ledger) == [4, 2])
      #expect(try importFiles(ledger) == 0)
      try await ledger.syncUntilQuiet()
      try ledger.expectSameAtBackend()
      #expect(try counts(ledger) == [4, 2])
    }
  }
}
