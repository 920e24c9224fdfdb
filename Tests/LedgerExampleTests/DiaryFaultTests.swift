import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

// The code of the article "Testing your app", which is compared with this file by a test.

@MainActor
@Suite(.timeLimit(.minutes(10))) struct DiaryFaultTests {
  let sandbox: LedgerSandbox
  let ledger: Ledger
  let store: DiaryStore

  init() throws {
    sandbox = try LedgerSandbox()
    ledger = try sandbox.openLedger()
    store = DiaryStore(ledger, options: sandbox.syncOptions)
  }

  @Test("A sync shows the entries of other devices")
  func entriesOfOtherDevicesAreShown() async throws {
    sandbox.backend.addRow(.weight, 74, at: sandbox.clock.now, notes: "on the tablet")
    try await sandbox.signIn(ledger)
    await store.sync()
    #expect(store.entries.map(\.quantity) == [74])
  }

  @Test("A second row of one entry is a suspicion that the person decides")
  func aSecondRowOfTheSameEntryIsAsked() async throws {
    try await sandbox.signIn(ledger)
    await store.log(.weight, 75.5)
    sandbox.backend.fail(.twice)
    await store.sync()
    await store.sync()
    let suspicion = try #require(try await ledger.suspicions().first)
    #expect(store.entries.count == 1)

    try await ledger.resolve(suspicion: suspicion.id, taking: .one)
    await store.sync()
    #expect(sandbox.backend.rows().map(\.quantity) == [75.5])
  }

  @Test("A busy backend is read again after the delay it asks for")
  func aBusyBackendIsReadLater() async throws {
    try await sandbox.signIn(ledger)
    await store.log(.weight, 75.5)
    sandbox.backend.fail(.rateLimited(retryAfterSeconds: 90), on: .reads)
    await store.sync()
    #expect(store.message == "The server is busy. Try again in 90 seconds.")
    sandbox.clock.advance(by: .seconds(90))
    await store.sync()
    #expect(store.entries.map(\.status) == [.synced])
  }

  @Test("A token that cannot be refreshed at the moment does not sign the person out")
  func aSessionThatCannotBeRenewedNowIsNoSignOut() async throws {
    try await sandbox.signIn(ledger)
    await store.log(.weight, 75.5)
    sandbox.backend.expireAccessTokens()
    sandbox.backend.fail(.unavailable, on: .renewals)
    await store.sync()
    #expect(!store.needsSignIn)
    await store.sync()
    #expect(store.entries.map(\.status) == [.synced])
  }

  @Test("A full disk loses only the edit that it refused")
  func aFullDiskLosesOnlyTheEditItRefused() async throws {
    await store.log(.weight, 75.5)
    sandbox.disk.fail(.full)
    await store.log(.weight, 76)
    #expect(store.message != nil)
    #expect(store.entries.map(\.quantity) == [75.5])
    await store.log(.weight, 77)
    #expect(store.entries.map(\.quantity) == [77, 75.5])
  }

  @Test("An edit that the disk does not confirm is not shown, and can be logged again")
  func whatTheDiskDoesNotConfirmIsTakenBack() async throws {
    sandbox.disk.fail(.notKept)
    await store.log(.weight, 75.5)
    #expect(store.entries.isEmpty)
    try await ledger.reopen()
    await store.log(.weight, 75.5)
    #expect(store.entries.map(\.quantity) == [75.5])
  }

  @Test("A cancelled sync releases its locks")
  func aSyncThatIsCanceledReleasesItsLocks() async throws {
    try await sandbox.signIn(ledger)
    await store.log(.weight, 75.5)
    sandbox.backend.fail(.unanswered)
    let sync = Task { await store.sync() }
    _ = await sandbox.backend.nextUnansweredCall()
    sync.cancel()
    await sync.value
    #expect(store.entries.map(\.status) == [.syncing])
    await store.sync()
    #expect(store.entries.map(\.status) == [.synced])
  }

  @Test("A watch pulls what other devices log")
  func aWatchFindsWhatOtherDevicesEnter() async throws {
    try await sandbox.signIn(ledger)
    let schedule = WatchSchedule(interval: .seconds(60), fullInterval: .seconds(60))
    let (runs, continuation) = AsyncStream.makeStream(of: Int.self)
    let background = LedgerBackground(ledger, options: sandbox.syncOptions, schedule: schedule) {
      if case .success(let report) = $0 { continuation.yield(report.pulled) }
    } scheduleRefresh: {
    }
    background.enter(.active)
    var pulled = runs.makeAsyncIterator()
    #expect(await pulled.next() == 0)
    sandbox.backend.addRow(.weight, 74, at: sandbox.clock.now)
    await sandbox.clock.advanceToNextWakeUp()
    #expect(await pulled.next() == 1)
    background.stop()
  }
}
