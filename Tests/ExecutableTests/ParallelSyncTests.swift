import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Concurrent processes on one ledger, with access tokens that expire after a few uses.
@Suite(.blocks) struct ParallelSyncTests {
  /// Runs all of these at once. A run that fails with exit 75, since another process held the lock for too
  /// long, is repeated.
  private func runAtOnce(
    _ commands: [[String]], in ledger: TestLedger
  ) throws -> [Executable.Result] {
    let start = { (words: [String]) in
      try Executable.ledger.start(words, in: ledger.folder.path)
    }
    let runs = try commands.map { (words: $0, run: try start($0)) }
    return try runs.map { words, run in
      var result = try run.wait()
      while result.code == 75, result.error.contains("another") {
        result = try start(words).wait()
      }
      return result
    }
  }

  /// Each refresh token was used once: a second use would have revoked the session.
  private func expectOneRefreshAGeneration(
    of ledger: TestLedger, at backend: BackendProcess
  ) throws {
    let refreshes = try backend.requests("POST /api/v1/auth/refresh")
    #expect(refreshes.count > 0)
    #expect(Set(refreshes) == ["POST /api/v1/auth/refresh 200"])
    let stored = try JSONValue(
      parsing: [UInt8](ledger.folder.bytes(".ledger/credentials.json"))
    ).object
    // The sign-in was the first.
    #expect(stored?["generation"]?.integer == refreshes.count + 1)
    #expect(try ledger.status()["signed_in"] == true)
  }

  @Test("Eight concurrent syncs refresh an expiring session once per token")
  func eightSyncsOfADyingSession() async throws {
    try await withBackend(["--access-token-uses", "6"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<24)
      let results = try runAtOnce(Array(repeating: ["sync", "--json"], count: 8), in: ledger)
      for result in results { #expect(result.code == 0, "\(result.output) \(result.error)") }
      try ledger.expectAllHeard()
      try expectOneRefreshAGeneration(of: ledger, at: backend)
      let rows = try await backend.rows()
      #expect(rows.map(\.quantity) == (0..<24).map(Double.init))
    }
  }

  /// A dry run asks the backend without waiting for the others, so it finds the same expired token.
  @Test("Different concurrent commands share an expiring session")
  func differentCommandsOfADyingSession() async throws {
    try await withBackend(["--access-token-uses", "1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<12)
      let results = try runAtOnce(
        [
          ["sync"], ["sync", "--dry-run"], ["append", "steps", "12", "--date", "2026-01-02"],
          ["sync", "--dry-run"], ["show", "progress"], ["status", "--json"], ["sync"],
          ["append", "steps", "13", "--date", "2026-01-02"],
        ], in: ledger)
      for result in results where result.code != 0 {
        // A call that never gets the only use of a token gives up for now, and an edit that is
        // appended after a run's last check waits for the next run.
        #expect(result.code == 75, "\(result.output) \(result.error)")
        #expect(
          result.error.contains("one new token after the other")
            || result.output.contains("still pending"), "\(result.output) \(result.error)")
      }
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      try expectOneRefreshAGeneration(of: ledger, at: backend)
      let rows = try await backend.rows()
      #expect(rows.map(\.quantity) == (0..<14).map(Double.init))
    }
  }
}
