import LedgerJSON
import LedgerTestSupport
import Testing

/// The codes of `--json` (docs/cli.md, Errors).
@Suite(.blocks) struct ErrorCodeTests {
  @Test("What is missing has the code of its kind")
  func missing() throws {
    let ledger = try TestLedger()
    #expect(
      try Executable.ledger.run(["append", "weight", "75"], in: ledger.folder.path).code == 0)
    let cases: [(words: [String], code: String)] = [
      (["--ledger", "nowhere", "show", "progress"], "no-ledger"),
      (["verify", "nowhere"], "no-ledger"),
      (["explain", "99"], "unknown-event"),
      (["log", "--entry", "99"], "unknown-event"),
      (["erase", "99", "--reason", "a test", "--yes"], "unknown-event"),
      (["append", "correction", "99", "--quantity", "1"], "unknown-event"),
      (["append", "correction", "1", "--quantity", "1"], "unknown-entry"),
      (["append", "correction", "ffff", "--quantity", "1"], "unknown-entry"),
      (["append", "deletion", "@9"], "unknown-entry"),
      (["sync"], "signed-out"),
    ]
    for (words, code) in cases {
      let answer = try Executable.ledger.run(words + ["--json"], in: ledger.folder.path)
      let error = try JSONValue(parsing: Array(answer.error.utf8)).object?["error"]?.object
      #expect(error?["code"]?.string == code, "\(words): \(answer.error)")
    }
  }
}
