import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

@Suite struct QuickStartTests {
  @Test("The steps of the article, one after the other")
  func steps() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    _ = try await logAWeight(in: ledger)
    #expect(try await newestWeights(in: ledger) == ["2026-01-05 75.1 kg pending"])
    try await sandbox.signIn(ledger)
    #expect(try await bringUpToDate(ledger) == "2 sent, 0 received")
    #expect(try await newestWeights(in: ledger) == ["2026-01-05 75.1 kg synced"])
    sandbox.backend.isOnline = false
    _ = try await logAWeight(in: ledger)
    #expect(try await bringUpToDate(ledger) == "no connection; 2 edits wait")
  }

  @Test("Signing in, and opening by a path")
  func signingIn() async throws {
    let sandbox = try LedgerSandbox()
    try await sandbox.signIn(sandbox.openLedger())
    let ledger = try sandbox.openLedger(on: "tablet")
    try await signIn(
      to: ledger, at: "https://backend.test", apiKey: "fitiq-demo-key",
      email: LedgerSandbox.email, password: "secret12")
    let folder = ledger.directory.path
    #expect(try openDiary(in: folder).directory.path == folder + "/.ledger")
  }
}
