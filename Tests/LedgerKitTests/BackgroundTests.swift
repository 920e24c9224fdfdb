import Foundation
import LedgerLog
import LedgerPlatform
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerKit

#if canImport(SwiftUI)
  // Where its phases are visible too, `.active` must not be ambiguous.
  import SwiftUI
#endif

@Suite struct ActivityStateTests {
  typealias State = ActivityState

  struct Row: Sendable {
    var state: State
    var input: State.Input
    var next: State
    var effect: State.Effect?
  }

  /// The states and inputs that are not here change nothing.
  static let rows = [
    Row(state: .requested, input: .begin, next: .running, effect: .start),
    Row(state: .requested, input: .expire, next: .ended, effect: .refuse),
    Row(state: .running, input: .expire, next: .expired, effect: .cancel),
    Row(state: .running, input: .finish, next: .ended, effect: .release),
    Row(state: .expired, input: .finish, next: .ended, effect: .release),
  ]

  @Test("An activity starts once, is canceled once, and is released once")
  func table() {
    for state in State.allCases {
      for input in State.Input.allCases {
        let row = Self.rows.first { $0.state == state && $0.input == input }
        var next = state
        let effect = next.handle(input)
        #expect(next == row?.next ?? state, "\(state) \(input)")
        #expect(effect == row?.effect, "\(state) \(input)")
      }
    }
  }
}

/// The system's expiring activities, which a test grants and ends.
final class FakeSystem: Sendable {
  private let isGranting: Bool
  private let blocks = Mutex<[@Sendable (Bool) -> Void]>([])
  /// Whether `sync.lock` was free when the system could suspend the app, for each activity.
  let suspensions = AsyncStream.makeStream(of: Bool.self)
  private let isFree: @Sendable () -> Bool

  init(grants: Bool = true, isFree: @escaping @Sendable () -> Bool) {
    isGranting = grants
    self.isFree = isFree
  }

  var activity: ExpiringActivity {
    ExpiringActivity { [self] _, block in
      blocks.withLock { $0.append(block) }
      call(block, isExpired: !isGranting)
    }
  }

  /// The time of all activities is up.
  func expire() { for block in blocks.withLock({ $0 }) { call(block, isExpired: true) } }

  /// Blocks a thread of its own, as the system's queue does.
  private func call(_ block: @escaping @Sendable (Bool) -> Void, isExpired: Bool) {
    Thread.detachNewThread { [self] in
      block(isExpired)
      suspensions.continuation.yield(isFree())
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct BackgroundTests {
  let sandbox: LedgerSandbox

  init() throws { sandbox = try LedgerSandbox() }

  private func system(grants: Bool = true) -> FakeSystem {
    let directory = LedgerDirectory(sandbox.path())
    return FakeSystem(grants: grants) { directory.areLocksFree }
  }

  private func openLedger(_ system: FakeSystem) throws -> Ledger {
    var environment = sandbox.environment()
    environment.expiringActivity = system.activity
    return try Ledger.open(at: sandbox.path(), environment: environment)
  }

  private func signedIn(_ system: FakeSystem) async throws -> Ledger {
    let ledger = try openLedger(system)
    try await sandbox.signIn(ledger)
    try await ledger.log(.weight, 75)
    return ledger
  }

  @Test("A canceled sync releases all locks although the backend does not answer")
  func canceled() async throws {
    let ledger = try await signedIn(system())
    for calls in [TestBackend.Calls.reads, .changes] {
      sandbox.backend.fail(.unanswered, on: calls)
      let run = Task { try await ledger.sync(options: sandbox.syncOptions) }
      #expect(await sandbox.backend.nextUnansweredCall() != nil)
      #expect(!ledger.directory.areLocksFree)
      run.cancel()
      #expect(try await run.value.stop == .cancelled)
      #expect(ledger.directory.areLocksFree)
    }
    #expect(try await ledger.sync(options: sandbox.syncOptions).pending == 0)
  }

  @Test("A canceled sync releases all locks although a renewal is not answered")
  func canceledRenewal() async throws {
    let ledger = try await signedIn(system())
    sandbox.backend.expireAccessTokens()
    sandbox.backend.fail(.unanswered, on: .renewals)
    let run = Task { try await ledger.sync(options: sandbox.syncOptions) }
    #expect(await sandbox.backend.nextUnansweredCall()?.path == "/api/v1/auth/refresh")
    #expect(!ledger.directory.areLocksFree)
    run.cancel()
    #expect(try await run.value.stop == .cancelled)
    #expect(ledger.directory.areLocksFree)
    #expect(try await ledger.sync(options: sandbox.syncOptions).acknowledged == 1)
  }

  @Test("A sync ends and releases its locks before the app can be suspended")
  func expired() async throws {
    let system = system()
    let ledger = try await signedIn(system)
    sandbox.backend.fail(.unanswered)
    let run = Task { try await ledger.sync(options: sandbox.syncOptions) }
    #expect(await sandbox.backend.nextUnansweredCall() != nil)
    system.expire()
    #expect(try await run.value.stop == .cancelled)
    // The calls for the begin and for the end of the activity.
    var suspensions = system.suspensions.stream.makeAsyncIterator()
    #expect(await suspensions.next() == true)
    #expect(await suspensions.next() == true)
  }

  @Test("A sync that the system gives no time sends nothing")
  func refused() async throws {
    let ledger = try await signedIn(system(grants: false))
    let before = sandbox.backend.requests.count
    await #expect(throws: CancellationError.self) {
      try await ledger.sync(options: sandbox.syncOptions)
    }
    #expect(sandbox.backend.requests.count == before)
    #expect(ledger.directory.areLocksFree)
  }

  /// Work that holds a lock for long.
  private static let works: [@Sendable (Ledger) async throws -> Void] = [
    { _ = try await $0.erase(Seq(2), reason: "test") },
    {
      let mapping = CSVMapping(metric: .weight, quantity: "kg", date: "day")
      _ = try await $0.importFile(
        .bytes(Array("day,kg\n2026-01-02,75.5\n".utf8), name: "a.csv"), as: .csv(mapping))
    },
    { _ = try await $0.doctor() }, { _ = try await $0.repair([]) }, { _ = try await $0.remove() },
  ]

  @Test("Long work that the system gives no time does nothing", arguments: works.indices)
  func refusedWork(_ work: Int) async throws {
    let ledger = try openLedger(system(grants: false))
    try await ledger.log(.weight, 75)
    await #expect(throws: CancellationError.self) { try await Self.works[work](ledger) }
    #expect(try await ledger.progress().total == 1)
    #expect(ledger.directory.areLocksFree)
  }

  @Test(
    "Long work ends and releases its locks before the app can be suspended",
    arguments: works.indices)
  func grantedWork(_ work: Int) async throws {
    let system = system()
    let ledger = try openLedger(system)
    try await ledger.log(.weight, 75)
    try await Self.works[work](ledger)
    var suspensions = system.suspensions.stream.makeAsyncIterator()
    #expect(await suspensions.next() == true)
  }

  @Test("A renewal outside of a sync has an activity of its own")
  func renewal() async throws {
    for isGranted in [false, true] {
      let ledger = try openLedger(system(grants: isGranted))
      try await sandbox.signIn(ledger)
      sandbox.backend.expireAccessTokens()
      let connection = try #require(try await ledger.connection())
      if isGranted {
        #expect(try await ledger.remoteHistory(over: connection).rows.isEmpty)
      } else {
        await #expect(throws: HistoryFailure.self) {
          try await ledger.remoteHistory(over: connection)
        }
      }
      #expect(
        sandbox.backend.requests.contains { $0.path.hasSuffix("/auth/refresh") } == isGranted)
    }
  }

  @Test("A sync with time enough is not canceled, and the app can be suspended afterwards")
  func granted() async throws {
    let system = system()
    let ledger = try await signedIn(system)
    #expect(try await ledger.sync(options: sandbox.syncOptions).acknowledged == 1)
    var suspensions = system.suspensions.stream.makeAsyncIterator()
    #expect(await suspensions.next() == true)
  }

  @Test("A watch goes on after a run that was canceled for a suspension")
  func watchGoesOn() async throws {
    let system = system()
    let ledger = try await signedIn(system)
    sandbox.backend.fail(.unanswered)
    let (stops, continuation) = AsyncStream.makeStream(of: SyncReport.Stop?.self)
    let connection = try #require(try await ledger.connection())
    let watch = Task {
      try await ledger.watch(over: connection, options: sandbox.syncOptions) {
        continuation.yield($0.stop)
      }
    }
    #expect(await sandbox.backend.nextUnansweredCall() != nil)
    system.expire()
    var reports = stops.makeAsyncIterator()
    #expect(await reports.next() == .cancelled)
    await sandbox.clock.advanceToNextWakeUp()
    #expect(await reports.next() == .some(nil))
    watch.cancel()
    #expect(try await watch.value.stop == .cancelled)
    #expect(sandbox.backend.rows().count == 1)
  }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct AppPhaseTests {
  @Test("An active app syncs edits at once; in the background, the system refreshes it")
  func phases() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    try await sandbox.signIn(ledger)
    let (runs, continuation) = AsyncStream.makeStream(of: Int.self)
    var refreshes = 0
    let background = LedgerBackground(ledger, options: sandbox.syncOptions) {
      if case .success(let report) = $0 { continuation.yield(report.acknowledged) }
    } scheduleRefresh: {
      refreshes += 1
    }
    var acknowledged = runs.makeAsyncIterator()
    background.enter(.active)
    #expect(await acknowledged.next() == 0)
    try await ledger.log(.weight, 75)
    #expect(await acknowledged.next() == 1)
    background.enter(.inactive)
    background.enter(.background)
    #expect(refreshes == 1)
    await background.refresh()
    #expect(await acknowledged.next() == 0)
    #expect(refreshes == 2)
    // Wakes the watch, which does not run again before its interval has passed.
    background.enter(.active)
    #expect(await acknowledged.next() == 0)
    // A new watch, since the first was stopped.
    background.stop()
    background.enter(.active)
    #expect(await acknowledged.next() == 0)
    background.stop()
  }

  #if canImport(SwiftUI)
    @Test("SwiftUI's phases are the ledger's")
    func phasesOfSwiftUI() throws {
      let ledger = try LedgerSandbox().openLedger()
      var refreshes = 0
      let background = LedgerBackground(ledger) { refreshes += 1 }
      for phase in [ScenePhase.active, .inactive, .background] { background.enter(phase) }
      #expect(refreshes == 1)
      background.stop()
    }
  #endif
}

/// One check at a time: a check takes the locks.
private let lockCheck = Mutex(())

extension LedgerDirectory {
  /// Whether nobody holds a lock of this ledger.
  fileprivate var areLocksFree: Bool {
    lockCheck.withLock { _ in
      [syncLock, ledgerLock, authLock].allSatisfy { path in
        do throws(LogError) {
          _ = try FileLock(path, .exclusive, waitSeconds: 0)
        } catch {
          // The folder may have been removed.
          if case .locked = error { return false }
        }
        return true
      }
    }
  }
}
