import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

@Suite struct MigrationTests {
  let sandbox: LedgerSandbox
  let ledger: Ledger

  init() throws {
    sandbox = try LedgerSandbox()
    ledger = try sandbox.openLedger()
  }

  /// Two entries that the backend has, and one that was never sent.
  private func oldStore() -> [OldEntry] {
    let now = sandbox.clock.now
    return [74.0, 75, 76].enumerated().map { number, weight in
      let row = number < 2 ? sandbox.backend.addRow(.weight, weight, at: now) : nil
      return OldEntry(
        id: "old-\(number)", metric: .weight, quantity: weight, moment: now,
        backendID: row.map { "\($0)" })
    }
  }

  @Test("What the backend has is pulled, the rest is sent, and repeating it adds nothing")
  func migration() async throws {
    let old = oldStore()
    try await sandbox.signIn(ledger)
    for _ in 1...2 {
      #expect(try await migrate(old, into: ledger))
      _ = try await ledger.sync(options: sandbox.syncOptions)
      let entries = try await ledger.progress().entries
      #expect(entries.map(\.quantity).sorted() == [74, 75, 76])
      #expect(entries.allSatisfy { $0.status == .synced })
      #expect(sandbox.backend.rows().map(\.quantity).sorted() == [74, 75, 76])
    }
  }

  @Test("While the backend cannot be read, nothing is moved")
  func offline() async throws {
    let old = oldStore()
    try await sandbox.signIn(ledger)
    sandbox.backend.isOnline = false
    #expect(try await !migrate(old, into: ledger))
    #expect(try await ledger.progress().total == 0)
    sandbox.backend.isOnline = true
    #expect(try await migrate(old, into: ledger))
    #expect(try await ledger.progress().total == 3)
  }
}
