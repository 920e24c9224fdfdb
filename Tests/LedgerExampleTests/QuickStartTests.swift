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

  @Test("What was typed, who it is, and second thoughts")
  func typing() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    try await introduce("Ada", to: ledger)
    #expect(try await ledger.profile().unitSystem == .imperial)
    try await logWhatWasTyped("165lb", in: ledger)
    #expect(try await newestWeights(in: ledger) == ["2026-01-05 74.84274105 kg pending"])
    await #expect(throws: Refusal.self) { try await logWhatWasTyped("heavy", in: ledger) }
    let entry = try #require(try await ledger.progress().entries.first)
    try await takeBack(entry, in: ledger)
    #expect(try await newestWeights(in: ledger) == [])
    try await logWhatWasTyped("75", in: ledger)
    let other = try #require(try await ledger.progress().entries.first)
    try await removeForGood(other, from: ledger)
    #expect(try await newestWeights(in: ledger) == [])
  }

  @Test("Nobody is signed in: that alone is thrown")
  func signedOut() async throws {
    let ledger = try LedgerSandbox().openLedger()
    await #expect(throws: ClientError.signedOut(reason: "nobody is signed in")) {
      try await bringUpToDate(ledger)
    }
  }

  @Test("Signing in, and opening by a path")
  func signingIn() async throws {
    let sandbox = try LedgerSandbox()
    try await sandbox.signIn(sandbox.openLedger())
    let ledger = try sandbox.openLedger(on: "tablet")
    try await signIn(
      to: ledger, at: LedgerSandbox.url, apiKey: LedgerSandbox.apiKey,
      email: LedgerSandbox.email, password: LedgerSandbox.password)
    let folder = ledger.directory.path
    #expect(try openDiary(in: folder).directory.path == folder + "/.ledger")
  }
}
