import Dispatch
public import LedgerSync
import Synchronization

#if canImport(SwiftUI)
  public import enum SwiftUI.ScenePhase
#endif
#if os(iOS)
  import BackgroundTasks
  import Foundation
#endif

/// Time from the system for work that holds locks on a ledger's files.
///
/// iOS ends an app that is suspended while it holds a file lock in the folder of an app group
/// (exception code 0xDEAD10CC). A ``Ledger`` syncs, imports, erases, checks, repairs, renews its session, and
/// removes its files or its account in such an activity, by ``LedgerEnvironment/expiringActivity``: the app is
/// not suspended before the work has ended and released its locks, and when the system's time is up, the work
/// is canceled.
///
/// Other work, such as appending thousands of edits, can use ``run(reason:_:)``.
public struct ExpiringActivity: Sendable {
  /// Asks the system for time, as `ProcessInfo.performExpiringActivity(withReason:using:)` does: calls
  /// the block once with `false` on a thread that may be blocked, and again with `true` when the time
  /// is up; or only with `true` if there is no time. The app may be suspended when the block returns.
  public typealias Perform =
    @Sendable (_ reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

  private let perform: Perform?

  /// An activity of the system, or of a test.
  public init(_ perform: @escaping Perform) { self.perform = perform }

  private init() { perform = nil }

  /// Work runs without a limit, as on systems that do not suspend apps.
  public static let unlimited = ExpiringActivity()

  #if os(iOS)
    /// The system's expiring activity, which app extensions have too.
    public static let system = ExpiringActivity { reason, block in
      ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block)
    }
  #else
    /// Unlimited: only iOS suspends apps.
    public static let system = unlimited
  #endif

  /// Runs an operation before the app can be suspended. When the time is up, the operation is
  /// canceled; it must then end within a few seconds.
  ///
  /// - Parameters:
  ///   - reason: for the system's log.
  ///   - operation: what to do before the suspension.
  /// - Throws: `CancellationError` if there is no time, before the operation starts; else what the
  ///   operation throws.
  public func run<Result: Sendable>(
    reason: String, _ operation: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let perform else { return try await operation() }
    let activity = RunningActivity()
    guard await activity.begin(reason, by: perform) else { throw CancellationError() }
    defer { activity.finish() }
    let task = Task { try await operation() }
    activity.onExpiration { task.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

/// The states of one activity.
enum ActivityState: CaseIterable, Sendable {
  /// The system has not answered yet.
  case requested
  case running
  /// The time is up, and the operation has been canceled.
  case expired
  /// The operation has ended or did not start; the app may be suspended.
  case ended

  enum Input: CaseIterable, Sendable { case begin, expire, finish }

  enum Effect: Sendable { case start, refuse, cancel, release }

  mutating func handle(_ input: Input) -> Effect? {
    switch (self, input) {
    case (.requested, .begin):
      self = .running
      return .start
    case (.requested, .expire):
      self = .ended
      return .refuse
    case (.running, .expire):
      self = .expired
      return .cancel
    case (.running, .finish), (.expired, .finish):
      self = .ended
      return .release
    case (.requested, .finish), (.running, .begin), (.expired, .begin), (.expired, .expire),
      (.ended, .begin), (.ended, .expire), (.ended, .finish):
      return nil
    }
  }
}

/// Performs the effects of an ``ActivityState``.
private final class RunningActivity: Sendable {
  private struct State {
    var activity = ActivityState.requested
    var start: CheckedContinuation<Bool, Never>?
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let operation = DispatchGroup()

  init() { operation.enter() }

  /// - Returns: whether the operation may start.
  func begin(_ reason: String, by perform: ExpiringActivity.Perform) async -> Bool {
    await withCheckedContinuation { start in
      state.withLock { $0.start = start }
      perform(reason) { isExpired in
        self.handle(isExpired ? .expire : .begin)
        // The app may be suspended as soon as this returns.
        self.operation.wait()
      }
    }
  }

  func onExpiration(_ cancel: @escaping @Sendable () -> Void) {
    let hasExpired = state.withLock { state in
      state.cancel = cancel
      return state.activity == .expired
    }
    if hasExpired { cancel() }
  }

  func finish() { handle(.finish) }

  private func handle(_ input: ActivityState.Input) {
    let (effect, start, cancel) = state.withLock { state in
      (state.activity.handle(input), state.start, state.cancel)
    }
    switch effect {
    case .start: start?.resume(returning: true)
    case .refuse:
      operation.leave()
      start?.resume(returning: false)
    case .cancel: cancel?()
    case .release: operation.leave()
    case nil: break
    }
  }
}

/// Keeps a ledger in sync during the life of an app: by a watch while it runs, and by a background
/// refresh from time to time while it is suspended.
@MainActor
public final class LedgerBackground {
  /// A phase of the app, as SwiftUI's `ScenePhase`.
  public enum Phase: CaseIterable, Sendable {
    /// Not visible; iOS suspends the app soon.
    case background
    /// Visible, without receiving events.
    case inactive
    /// In use.
    case active
  }

  private let ledger: Ledger
  private let options: SyncOptions
  private let schedule: WatchSchedule
  private let onRun: @Sendable (Result<SyncReport, any Error>) -> Void
  private let scheduleRefresh: @MainActor () -> Void
  private var watch: Task<Void, Never>?

  /// With a scheduler of the app, or of a test.
  ///
  /// - Parameters:
  ///   - ledger: the ledger.
  ///   - options: how each run behaves.
  ///   - schedule: when the watch syncs.
  ///   - onRun: called with the report of each run, or the error that ended it.
  ///   - scheduleRefresh: asks the system for a background refresh.
  public init(
    _ ledger: Ledger, options: SyncOptions = SyncOptions(),
    schedule: WatchSchedule = WatchSchedule(),
    onRun: @escaping @Sendable (Result<SyncReport, any Error>) -> Void = { _ in },
    scheduleRefresh: @escaping @MainActor () -> Void
  ) {
    self.ledger = ledger
    self.options = options
    self.schedule = schedule
    self.onRun = onRun
    self.scheduleRefresh = scheduleRefresh
  }

  #if os(iOS)
    /// Schedules app refresh tasks of BackgroundTasks.
    ///
    /// - Parameters:
    ///   - ledger: the ledger.
    ///   - taskIdentifier: of the app refresh task, permitted by the key
    ///     `BGTaskSchedulerPermittedIdentifiers` of the app's `Info.plist`.
    ///   - refreshInterval: the shortest time until a refresh; the system decides when to start it.
    ///   - options: how each run behaves.
    ///   - schedule: when the watch syncs.
    ///   - onRun: called with the report of each run, or the error that ended it.
    public convenience init(
      _ ledger: Ledger, taskIdentifier: String, refreshInterval: Duration = .seconds(15 * 60),
      options: SyncOptions = SyncOptions(), schedule: WatchSchedule = WatchSchedule(),
      onRun: @escaping @Sendable (Result<SyncReport, any Error>) -> Void = { _ in }
    ) {
      self.init(ledger, options: options, schedule: schedule, onRun: onRun) {
        let request = BGAppRefreshTaskRequest(identifier: taskIdentifier)
        request.earliestBeginDate = .now.addingTimeInterval(
          Double(refreshInterval.components.seconds))
        // Refused if the user has switched background refreshes off.
        try? BGTaskScheduler.shared.submit(request)
      }
    }
  #endif

  #if canImport(SwiftUI)
    /// The phase has changed; see ``enter(_:)-(Phase)``.
    // Disfavored, since `.active` is a case of both types.
    @_disfavoredOverload
    public func enter(_ phase: ScenePhase) {
      switch phase {
      case .active: enter(Phase.active)
      case .background: enter(Phase.background)
      case .inactive: enter(Phase.inactive)
      @unknown default: break
      }
    }
  #endif

  /// Starts or wakes the watch when the app becomes active, and schedules a refresh when the app goes to
  /// the background. Call it when the phase changes, and with `.active` after a sign-in: without an
  /// account there is no watch.
  ///
  /// In the background the watch continues until the system suspends the app; see
  /// ``ExpiringActivity``.
  public func enter(_ phase: Phase) {
    switch phase {
    case .active: if watch == nil { startWatch() } else { ledger.wake() }
    case .inactive: break
    case .background: scheduleRefresh()
    }
  }

  /// Ends the watch, such as before a sign-out. A run in progress is canceled.
  public func stop() {
    watch?.cancel()
    watch = nil
  }

  /// Syncs once and schedules the next refresh. Call it as the action of the app refresh task: the
  /// system cancels it when the time is up, and the run then ends within ``SyncOptions/grace``.
  public func refresh() async {
    scheduleRefresh()
    do {
      onRun(.success(try await ledger.sync(options: options)))
    } catch {
      onRun(.failure(error))
    }
  }

  private func startWatch() {
    let (ledger, options, schedule, onRun) = (ledger, options, schedule, onRun)
    watch = Task { [weak self] in
      do {
        if let connection = try await ledger.connection() {
          try await ledger.watch(over: connection, options: options, schedule: schedule) {
            onRun(.success($0))
          }
        }
      } catch {
        onRun(.failure(error))
      }
      // A watch that was stopped may have a successor.
      if !Task.isCancelled { self?.watch = nil }
    }
  }
}
