import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// A projector that is killed in the middle, again and again.
@Suite(.blocks) struct KilledSyncTests {
  /// With tokens that live long, and with ones that die all the time: then a kill may come between
  /// a refresh and the storing of its answer, and the session is over. The edits are not.
  @Test(
    "Killed syncs make no duplicate row", arguments: [[], ["--access-token-uses", "5"]])
  func killsMakeNoDouble(_ arguments: [String]) async throws {
    let seed = UInt64.random(in: 1...UInt64.max)
    var generator = SplitMix(seed)
    let delay = ["--fault", "POST /api/v1/progress:delay=20"]
    try await withBackend(delay + arguments) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<200)
      for _ in 0..<TestSize.of(3, full: 15) {
        let run = try Executable.ledger.start(["sync", "--json"], in: ledger.folder.path)
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...250, using: &generator)))
        run.kill()
        _ = try run.wait()
        try await backend.settle()
        if try ledger.status()["signed_in"] == false { try ledger.signIn(at: backend) }
      }
      for _ in 1...50 where try ledger.run("sync").code != 0 {
        if try ledger.status()["signed_in"] == false { try ledger.signIn(at: backend) }
      }
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      let rows = try await backend.rows()
      #expect(rows.map(\.quantity) == (0..<200).map(Double.init), "seed \(seed)")
      #expect(try ledger.shownRows() == rows, "seed \(seed)")
    }
  }
}
