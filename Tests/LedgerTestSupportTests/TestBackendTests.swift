import LedgerKit
import LedgerTestSupport
import Testing

@Suite struct TestBackendTests {
  let sandbox: LedgerSandbox

  init() throws { sandbox = try LedgerSandbox() }

  private func signedIn() async throws -> Ledger {
    let ledger = try sandbox.openLedger()
    try await sandbox.signIn(ledger)
    return ledger
  }

  @Test("A lost answer: the row is there, and no second one is made")
  func lostAnswer() async throws {
    let ledger = try await signedIn()
    try await ledger.log(.weight, 75)
    sandbox.backend.fail(.lostAnswer)
    let first = try await ledger.sync(options: sandbox.syncOptions)
    #expect(first.pending == 1 && first.inDoubt == 1)
    #expect(try await ledger.progress().entries.map(\.status) == [.syncing])
    #expect(sandbox.backend.rows().count == 1)
    #expect(sandbox.backend.remainingFaults.isEmpty)

    let second = try await ledger.sync(options: sandbox.syncOptions)
    #expect(second.reconciled == 1 && second.pending == 0)
    #expect(sandbox.backend.rows().count == 1)
  }

  /// The number of runs until everything is synced, and the end of the first.
  struct Case: Sendable {
    var fault: TestBackend.BackendFault
    var stop: SyncReport.Stop?
    var runs: Int
  }

  @Test(
    "Every fault comes through in the end, with one row",
    arguments: [
      Case(fault: .offline, stop: .offline("no network"), runs: 2),
      Case(fault: .lostRequest, stop: nil, runs: 2),
      Case(fault: .unavailable, stop: nil, runs: 2),
      Case(
        fault: .rateLimited(retryAfterSeconds: 90), stop: .rateLimited(seconds: 90), runs: 2),
      Case(fault: .garbage, stop: nil, runs: 2),
    ])
  func comesThrough(_ story: Case) async throws {
    let ledger = try await signedIn()
    try await ledger.log(.weight, 75)
    sandbox.backend.fail(story.fault)
    let first = try await ledger.sync(options: sandbox.syncOptions)
    #expect(first.stop == story.stop)
    #expect(sandbox.backend.remainingFaults.isEmpty)
    var runs = 1
    while try await ledger.syncCounts().pending + ledger.syncCounts().inDoubt > 0, runs < 5 {
      // Nothing is sent before the time has passed.
      sandbox.clock.advance(by: .seconds(90))
      _ = try await ledger.sync(options: sandbox.syncOptions)
      runs += 1
    }
    #expect(runs == story.runs)
    #expect(sandbox.backend.rows().count == 1)
  }

  @Test("What the backend does not take waits for a person")
  func refused() async throws {
    let ledger = try await signedIn()
    try await ledger.log(.weight, 75)
    sandbox.backend.fail(.refused)
    let report = try await ledger.sync(options: sandbox.syncOptions)
    #expect(report.rejected == 1 && report.needsUser)
    #expect(try await ledger.progress().entries.map(\.status) == [.failed])
    #expect(try await ledger.syncCounts().rejected == 1)
    #expect(sandbox.backend.rows().isEmpty)
  }

  @Test("Without a network nothing arrives, signing in included; afterwards all does")
  func offline() async throws {
    sandbox.backend.isOnline = false
    let ledger = try sandbox.openLedger()
    await #expect(throws: ClientError.offline(reason: "there is no network")) {
      try await sandbox.signIn(ledger)
    }
    sandbox.backend.isOnline = true
    try await sandbox.signIn(ledger)
    try await ledger.log(.weight, 75)
    sandbox.backend.isOnline = false
    let report = try await ledger.sync(options: sandbox.syncOptions)
    #expect(report.stop == .offline("there is no network") && report.pending == 1)
    sandbox.backend.isOnline = true
    #expect(try await ledger.sync(options: sandbox.syncOptions).acknowledged == 1)
  }

  @Test("A session that has ended needs a person, and loses nothing")
  func endedSession() async throws {
    let ledger = try await signedIn()
    try await ledger.log(.weight, 75)
    sandbox.backend.endSessions()
    let report = try await ledger.sync(options: sandbox.syncOptions)
    guard case .signedOut = report.stop else {
      Issue.record("it stopped otherwise: \(report)")
      return
    }
    try await sandbox.signIn(ledger)
    #expect(try await ledger.sync(options: sandbox.syncOptions).acknowledged == 1)
  }

  @Test("Nothing has to be waited for: pauses move the clock")
  func pauses() async throws {
    let ledger = try await signedIn()
    try await ledger.log(.weight, 75)
    sandbox.backend.fail(.lostRequest)
    _ = try await ledger.sync(options: sandbox.syncOptions)
    let before = sandbox.clock.now
    // A lost answer is checked only after a delay.
    var options = sandbox.syncOptions
    options.configuration.settleSeconds = 86_400
    _ = try await ledger.sync(options: options)
    #expect(sandbox.clock.now.millisecondsSince1970 - before.millisecondsSince1970 >= 86_000_000)
    #expect(try await ledger.syncCounts() == SyncCounts())
  }

  @Test("Rows that another device has made are pulled at the first sync")
  func seeded() async throws {
    let id = sandbox.backend.addRow(.steps, 4_000, at: sandbox.clock.now, notes: "a walk")
    let ledger = try await signedIn()
    let report = try await ledger.sync(options: sandbox.syncOptions)
    #expect(report.pulled == 1)
    #expect(sandbox.backend.rows().map(\.id) == [id])
    let entry = try #require(try await ledger.progress().entries.first)
    #expect(entry.metric == .steps && entry.quantity == 4_000)
    #expect(try await ledger.notes(of: entry) == "a walk")
    sandbox.backend.addRow(.steps, 5_000, at: sandbox.clock.now)
    #expect(try await ledger.sync(options: sandbox.syncOptions).pulled == 1)
  }

  @Test("A fault of reads leaves changes alone, and the reverse")
  func readFaults() async throws {
    let ledger = try await signedIn()
    try await ledger.log(.weight, 75)
    sandbox.backend.fail(.offline, on: .reads, times: 1)
    let first = try await ledger.sync(options: sandbox.syncOptions)
    #expect(first.stop == .offline("no network") && first.pending == 1)
    #expect(sandbox.backend.remainingFaults.isEmpty)
    sandbox.backend.fail(.unavailable, on: .reads)
    sandbox.backend.fail(.refused, on: .changes)
    let second = try await ledger.sync(options: sandbox.syncOptions)
    #expect(second.rejected == 1)
    #expect(sandbox.backend.remainingFaults.isEmpty)
  }

  @Test("A fault of renewals ends the run, and the session goes on")
  func renewalFaults() async throws {
    let ledger = try await signedIn()
    try await ledger.log(.weight, 75)
    sandbox.backend.expireAccessTokens()
    sandbox.backend.fail(.unavailable, on: .renewals)
    let first = try await ledger.sync(options: sandbox.syncOptions)
    guard case .refreshFailed = first.stop else {
      Issue.record("it stopped otherwise: \(first)")
      return
    }
    #expect(first.pending == 1)
    #expect(try await ledger.sync(options: sandbox.syncOptions).acknowledged == 1)
    #expect(sandbox.backend.remainingFaults.isEmpty)
  }

  @Test("A renewal whose answer was lost ends the session, as at the real backend")
  func lostRenewal() async throws {
    let ledger = try await signedIn()
    sandbox.backend.expireAccessTokens()
    sandbox.backend.fail(.lostAnswer, on: .renewals)
    _ = try await ledger.sync(options: sandbox.syncOptions)
    let report = try await ledger.sync(options: sandbox.syncOptions)
    guard case .signedOut = report.stop else {
      Issue.record("it stopped otherwise: \(report)")
      return
    }
  }

  @Test("The backend wants the dialect that it was given")
  func dialect() async throws {
    let sandbox = try LedgerSandbox(dialect: .loggedAt)
    let ledger = try sandbox.openLedger()
    try await sandbox.signIn(ledger)
    try await ledger.log(.weight, 75)
    #expect(try await ledger.sync(options: sandbox.syncOptions).acknowledged == 1)
    let body = try #require(sandbox.backend.requests.compactMap(\.body).last)
    #expect(String(decoding: body, as: UTF8.self).contains("logged_at"))
  }
}
