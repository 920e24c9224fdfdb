import Foundation
import LedgerJSON
import Testing

/// A projector that is killed in the middle, again and again.
@Suite struct KilledSyncTests {
  @Test func fifteenKillsMakeNoDouble() async throws {
    let seed = UInt64.random(in: 1...UInt64.max)
    var generator = XorShift(state: seed)
    try await withBackend(["--fault", "POST /api/v1/progress:delay=20"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<200)
      for _ in 0..<15 {
        let run = try Executable.ledger.start(["sync", "--json"], in: ledger.folder.path)
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...250, using: &generator)))
        run.kill()
        _ = try run.wait()
        try await backend.settle()
      }
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      let rows = try await backend.rows()
      #expect(rows.map(\.quantity) == (0..<200).map(Double.init), "seed \(seed)")
      #expect(try ledger.shownRows() == rows, "seed \(seed)")
    }
  }
}

private struct XorShift: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
