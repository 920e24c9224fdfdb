import Foundation
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

  @Test("On a full disk an edit is refused, and later edits are kept")
  func fullDisk() async throws {
    let ledger = try sandbox.openLedger()
    sandbox.disk.fail(.full)
    let failure = await #expect(throws: LogError.self) { try await ledger.log(.weight, 75) }
    guard case .io(let io) = failure else {
      Issue.record("it failed otherwise: \(String(describing: failure))")
      return
    }
    #expect(io.errorNumber == ENOSPC)
    #expect(sandbox.disk.remainingFaults.isEmpty)
    try await ledger.log(.weight, 76)
    #expect(try await ledger.progress().entries.map(\.quantity) == [76])
  }

  @Test("An edit that the disk does not confirm is taken back; a ledger opened again goes on")
  func notKept() async throws {
    let ledger = try sandbox.openLedger()
    sandbox.disk.fail(.notKept)
    let failure = await #expect(throws: LogError.self) { try await ledger.log(.weight, 75) }
    guard case .notKept = failure else {
      Issue.record("it failed otherwise: \(String(describing: failure))")
      return
    }
    await #expect(throws: LogError.poisoned) { try await ledger.log(.weight, 75) }
    let reopened = try sandbox.openLedger()
    #expect(try await reopened.progress().total == 0)
    try await reopened.log(.weight, 76)
    #expect(try await reopened.progress().total == 1)
  }

  @Test("A watch rests until the clock has moved")
  func watch() async throws {
    let ledger = try sandbox.openLedger()
    try await sandbox.signIn(ledger)
    let connection = try #require(try await ledger.connection())
    let (pulls, continuation) = AsyncStream.makeStream(of: Int.self)
    let watch = Task {
      try await ledger.watch(over: connection, options: sandbox.syncOptions) {
        continuation.yield($0.pulled)
      }
    }
    var runs = pulls.makeAsyncIterator()
    #expect(await runs.next() == 0)
    sandbox.backend.addRow(.steps, 4_000, at: sandbox.clock.now)
    // Until the next run that lists all rows.
    var pulled = 0
    var count = 0
    while pulled == 0, count < 20 {
      await sandbox.clock.advanceToNextWakeUp()
      pulled = await runs.next() ?? 0
      count += 1
    }
    #expect(pulled == 1)
    #expect(sandbox.clock.uptime == .seconds(60) * count)
    watch.cancel()
    #expect(try await watch.value.stop == .cancelled)
  }
}
