import LedgerKit
import LedgerTestSupport
import Testing

@Suite struct LedgerSandboxTests {
  let sandbox: LedgerSandbox

  init() throws { sandbox = try LedgerSandbox() }

  @Test("An edit goes to the backend and stays the same entry")
  func story() async throws {
    let ledger = try sandbox.openLedger()
    try await sandbox.signIn(ledger)
    let entry = try await ledger.log(.weight, 75.5, notes: "after the run").id
    let report = try await ledger.sync(options: sandbox.syncOptions)
    #expect(report.acknowledged == 1 && report.pending == 0)
    let page = try await ledger.progress()
    #expect(page.entries.map(\.id) == [entry])
    #expect(page.entries.map(\.status) == [.synced])
    #expect(page.entries.map { "\($0.date)" } == ["2026-01-05"])
    let row = try #require(sandbox.backend.rows().first)
    #expect(row.metric == .weight && row.quantity == 75.5 && row.notes == "after the run")
    #expect("\(row.moment)" == "2026-01-05T08:00:00.000Z")
  }

  @Test(
    "What is opened again under the same name is the same ledger; another name is another device")
  func devices() async throws {
    let phone = try sandbox.openLedger()
    try await sandbox.signIn(phone)
    try await phone.log(.steps, 4_000)
    let again = try sandbox.openLedger()
    #expect(try await again.progress().total == 1)
    _ = try await again.sync(options: sandbox.syncOptions)

    let tablet = try sandbox.openLedger(on: "a tablet/of mine")
    #expect(try await tablet.progress().total == 0)
    try await sandbox.signIn(tablet)
    _ = try await tablet.sync(options: sandbox.syncOptions)
    #expect(try await tablet.progress().entries.map(\.quantity) == [4_000])
    #expect(sandbox.backend.rows().count == 1)
  }

  /// The log's text, with ids and salts.
  private func tale(seed: UInt64) async throws -> [String] {
    let sandbox = try LedgerSandbox(seed: seed)
    let ledger = try sandbox.openLedger()
    try await sandbox.signIn(ledger)
    for weight in 70..<75 { try await ledger.log(.weight, Double(weight)) }
    sandbox.backend.fail(.unavailable)
    _ = try await ledger.sync(options: sandbox.syncOptions)
    let reopened = try sandbox.openLedger()
    try await reopened.log(.weight, 80)
    return try Log.lines(of: ledger.directory)
  }

  @Test("The same calls leave the same log, byte for byte; another seed makes other ids")
  func deterministic() async throws {
    let first = try await tale(seed: 1)
    #expect(first.count > 12)
    #expect(try await tale(seed: 1) == first)
    #expect(try await tale(seed: 2) != first)
    #expect(Set(first).count == first.count)
  }

  @Test("The folders go with the last ledger")
  func folders() async throws {
    var ledger: Ledger? = try LedgerSandbox().openLedger()
    let directory = try #require(ledger).directory
    try await ledger?.log(.weight, 75)
    #expect(directory.holdsLedger)
    ledger = nil
    #expect(!directory.holdsLedger)
  }

  @Test("The clock moves only when advanced, and days follow it")
  func time() async throws {
    let ledger = try sandbox.openLedger()
    try await ledger.log(.weight, 75)
    sandbox.clock.advance(by: .seconds(86_400))
    try await ledger.log(.weight, 74)
    sandbox.clock.advance(by: .seconds(-3_600))
    #expect("\(sandbox.clock.now)" == "2026-01-06T07:00:00.000Z")
    #expect(try await ledger.days().map { "\($0.date)" } == ["2026-01-05", "2026-01-06"])
  }
}
