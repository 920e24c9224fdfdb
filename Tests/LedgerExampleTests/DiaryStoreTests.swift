import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

// The code of the article "Testing your app", which is compared with this file by a test.

@MainActor
@Suite(.timeLimit(.minutes(10))) struct DiaryStoreTests {
  let sandbox: LedgerSandbox
  let ledger: Ledger
  let store: DiaryStore

  init() throws {
    sandbox = try LedgerSandbox()
    ledger = try sandbox.openLedger()
    store = DiaryStore(ledger, options: sandbox.syncOptions)
  }

  @Test("An entry logged offline is shown at once and sent by the next sync")
  func anEntryIsShownAtOnceAndSentLater() async throws {
    sandbox.backend.isOnline = false
    await store.log(.weight, 75.5)
    #expect(store.entries.map(\.quantity) == [75.5])
    #expect(store.entries.map(\.status) == [.pending])

    sandbox.backend.isOnline = true
    try await sandbox.signIn(ledger)
    await store.sync()
    #expect(store.entries.map(\.status) == [.synced])
    #expect(sandbox.backend.rows().map(\.quantity) == [75.5])
  }

  @Test("A lost answer makes no second row")
  func aLostAnswerMakesNoSecondRow() async throws {
    try await sandbox.signIn(ledger)
    await store.log(.weight, 75.5)
    sandbox.backend.fail(.lostAnswer)
    await store.sync()
    #expect(store.entries.map(\.status) == [.syncing])

    await store.sync()
    #expect(store.entries.map(\.status) == [.synced])
    #expect(sandbox.backend.rows().count == 1)
  }

  @Test("Rows that the backend lost are sent again once the person says so")
  func lostRowsAreAsked() async throws {
    try await sandbox.signIn(ledger)
    for value in 1...3 { await store.log(.moodScore, Double(value)) }
    await store.sync()
    sandbox.backend.loseRows()
    await store.sync()
    #expect(store.needsDecision && store.entries.count == 3)

    await store.sync(deciding: .resend)
    #expect(!store.needsDecision && sandbox.backend.rows().count == 3)
  }

  @Test("An entry keeps the date on which it was logged")
  func yesterdayIsYesterday() async throws {
    await store.log(.steps, 4_000)
    sandbox.clock.advance(by: .seconds(24 * 60 * 60))
    await store.log(.steps, 6_000)
    #expect(store.entries.map { "\($0.date)" } == ["2026-01-06", "2026-01-05"])
  }

  @Test("A restarted app shows the same entries")
  func aRestartFindsEverything() async throws {
    await store.log(.weight, 75.5)
    let restarted = DiaryStore(try sandbox.openLedger())
    await restarted.refresh()
    #expect(restarted.entries == store.entries)
  }

  @Test("A quantity out of range is refused with its limit")
  func aTypingErrorIsExplained() async throws {
    await store.log(.weight, 7550)
    #expect(store.entries.isEmpty)
    #expect(store.message?.contains("less than 500") == true)
  }

  @Test("An ended session asks the person to sign in, and keeps the pending edits")
  func aSessionThatEndedAsksForThePerson() async throws {
    try await sandbox.signIn(ledger)
    await store.log(.weight, 75.5)
    sandbox.backend.endSessions()
    // Found by the first run, known to the second.
    for _ in 1...2 {
      await store.sync()
      #expect(store.message == "Please sign in. Nothing is lost.")
      #expect(store.needsSignIn)
      #expect(store.counts.pending == 1)
    }
    #expect(try await ledger.account() == nil)

    try await sandbox.signIn(ledger)
    #expect(try await ledger.account() == LedgerSandbox.email)
    await store.sync()
    #expect(store.message == nil)
    #expect(!store.needsSignIn)
  }

  @Test("A field that both sides changed is a conflict that the person decides")
  func whatBothSidesChangedIsAsked() async throws {
    let tablet = try sandbox.openLedger(on: "tablet")
    try await sandbox.signIn(ledger)
    try await sandbox.signIn(tablet)
    try await introduce("Ada", to: ledger)
    await store.sync()
    _ = try await tablet.sync(options: sandbox.syncOptions)

    try await tablet.append(.updateProfile(ProfileUpdated(name: "Augusta")))
    _ = try await tablet.sync(options: sandbox.syncOptions)
    try await ledger.append(.updateProfile(ProfileUpdated(name: "Ada Lovelace")))
    await store.sync()
    let conflict = try #require(store.conflicts.first)
    #expect(store.message == "1 conflict waits for a decision")
    #expect(conflict.text(of: .local) == "Ada Lovelace")
    #expect(conflict.text(of: .remote) == "Augusta")

    await store.decide(conflict, taking: .remote)
    #expect(store.conflicts.isEmpty)
    #expect(try await ledger.profile().name == "Augusta")
  }

  @Test("What another process logs is shown")
  func whatAnotherProcessWritesIsShown() async throws {
    let following = Task { await store.follow() }
    let sameLedgerElsewhere = try sandbox.openLedger()
    try await sameLedgerElsewhere.log(.moodScore, 8)
    while store.entries.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    #expect(store.entries.map(\.metric) == [.moodScore])
    following.cancel()
    await following.value
  }

  @Test("Corrections and deletions reach the backend")
  func correctionsAndDeletionsReachTheBackend() async throws {
    try await sandbox.signIn(ledger)
    await store.log(.weight, 75.5)
    await store.sync()
    await store.correct(try #require(store.entries.first), to: 75.1)
    await store.sync()
    #expect(sandbox.backend.rows().map(\.quantity) == [75.1])
    await store.delete(try #require(store.entries.first))
    #expect(store.entries.isEmpty)
    await store.sync()
    #expect(sandbox.backend.rows().isEmpty)
  }
}
