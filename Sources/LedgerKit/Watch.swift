public import LedgerLog
import LedgerModel
public import LedgerSync

/// When a watch syncs.
public struct WatchSchedule: Sendable {
  /// The time between runs without edits.
  public var interval: Duration
  /// The time between runs that list all rows.
  public var fullInterval: Duration
  /// How long to wait for further edits, such as those of one form, and calls of ``Ledger/wake()``.
  public var pause: Duration
  /// The wait after a failed run.
  public var backoff: Backoff
  /// The time between complete checks of the log, which are done in parts while the watch is idle.
  public var verifyInterval: Duration

  /// The defaults are those of `ledger sync --watch`.
  public init(
    interval: Duration = .seconds(60), fullInterval: Duration = .seconds(900),
    pause: Duration = .milliseconds(300),
    backoff: Backoff = Backoff(firstMilliseconds: 1_000, mostMilliseconds: 300_000),
    verifyInterval: Duration = .seconds(86_400)
  ) {
    self.interval = interval
    self.fullInterval = fullInterval
    self.pause = pause
    self.backoff = backoff
    self.verifyInterval = verifyInterval
  }
}

extension Ledger {
  /// Syncs until the task is canceled: at once, after every edit by any process, and on a schedule.
  /// While the backend cannot be reached, the pauses grow.
  ///
  /// An edit ends such a pause early, and so do ``wake()`` and the elements of `wake`, such as changes of
  /// the network. Only a pause requested by the backend (`Retry-After`) is always kept.
  ///
  /// A run that is canceled because iOS suspends the app is repeated after a pause; call ``wake()``
  /// when the app becomes active. No lock is held between runs. Edits are detected by file events; see ``changes()``.
  ///
  /// - Parameters:
  ///   - connection: the connection to the backend, such as ``connection(trace:)``.
  ///   - options: how each run behaves.
  ///   - schedule: when there is a run.
  ///   - wakeUps: each element ends a pause, as ``wake()`` does.
  ///   - onRun: called with the report of each run.
  ///   - onDamage: called once if the idle check finds damage; see ``verify(mostBytes:)``.
  /// - Returns: the last run's report; its `stop` is `cancelled`, or one that needs the user.
  /// - Throws: `LogError`, except for a lock held by another run, which is retried.
  @discardableResult
  public func watch<WakeUps: AsyncSequence & Sendable>(
    over connection: some BackendConnection, options: SyncOptions = SyncOptions(),
    schedule: WatchSchedule = WatchSchedule(),
    wake wakeUps: WakeUps = AsyncStream<Never> { $0.finish() },
    onRun: @Sendable (SyncReport) -> Void = { _ in },
    onDamage: @Sendable (Damage) -> Void = { _ in }
  ) async throws -> SyncReport {
    var check = IdleCheck(
      every: schedule.verifyInterval, last: VerificationRecord(directory).whole?.at,
      now: moment(), uptime: environment.uptime())
    var generator = generator()
    var failures = 0
    var listedAt: Duration?
    var options = options
    let configuration = options.configuration
    let signals = LogSignals(of: self)
    let wakeSignal = signals.wakeSignal
    let forwarding = Task { for try await _ in wakeUps { wakeSignal.send(.app) } }
    defer {
      signals.stop()
      forwarding.cancel()
    }
    while true {
      let isFull = listedAt.map { environment.uptime() - $0 >= schedule.fullInterval } ?? true
      options.configuration.lists = configuration.lists && isFull
      let run = try await runOnce(connection, options)
      let report = run.report
      onRun(report)
      switch report.stop {
      case .cancelled where Task.isCancelled: return report
      case .signedOut, .accountReplaced, .massDeletion, .returnedRows: return report
      case nil where report.pending == 0 && report.pull != .failed:
        failures = 0
        if isFull { listedAt = environment.uptime() }
      case nil, .offline, .busy, .rateLimited, .refreshFailed, .cancelled: failures += 1
      }
      let wait =
        failures == 0
        ? schedule.interval
        : .milliseconds(schedule.backoff.milliseconds(after: failures, using: &generator))
      // After a wake-up, the pauses start short again.
      let isWoken = await idle(
        wait, after: run, schedule.pause, wakeSignal, &check, onDamage)
      if isWoken { failures = 0 }
      if Task.isCancelled {
        var last = report
        last.stop = .cancelled
        return last
      }
    }
  }

  /// - Returns: a report without calls if another run holds the lock.
  private func runOnce(
    _ connection: some BackendConnection, _ options: SyncOptions
  ) async throws -> SyncRun {
    do {
      return try await runSync(over: connection, options)
    } catch is CancellationError {
      return SyncRun(report: SyncReport(stoppedBy: .cancelled), seq: 0)
    } catch let error as LogError {
      guard case .locked = error else { throw error }
      return SyncRun(
        report: SyncReport(stoppedBy: .busy("\(error)")), seq: Self.headSeq(directory) ?? 0)
    }
  }

  /// Waits until the time is up, the app wakes it, or there is an edit that the run did not cover.
  ///
  /// - Parameter pause: how long to wait for further edits and signals.
  /// - Returns: whether the app has called ``wake()``.
  private func idle(
    _ wait: Duration, after run: SyncRun, _ pause: Duration,
    _ wakeSignal: WakeSignal, _ check: inout IdleCheck, _ onDamage: @Sendable (Damage) -> Void
  ) async -> Bool {
    let (uptime, sleep) = (environment.uptime, environment.sleep)
    let end = uptime() + wait
    if case .rateLimited(let seconds) = run.report.stop {
      await sleep(uptime() + .seconds(seconds))
    }
    var seen = run.seq
    while !Task.isCancelled {
      if hasEdit(after: &seen) {
        await environment.pause(pause)
        return false
      }
      guard uptime() < end else { return false }
      if uptime() >= check.nextAt {
        if let damage = check.note(Result { try verify() }, at: uptime()) { onDamage(damage) }
        await Task.yield()
        continue
      }
      let next = min(end, check.nextAt)
      if await wakeSignal.wait(orFor: { await sleep(next) }).contains(.app) {
        await environment.pause(pause)
        wakeSignal.clear()
        return true
      }
    }
    return false
  }

  /// Whether there is an edit by the user or an import. Events recorded by a run do not count.
  ///
  /// - Parameter seen: only later events count; it is moved to the newest one.
  private func hasEdit(after seen: inout Int) -> Bool {
    guard let head = Self.headSeq(directory), head > seen else { return false }
    let first = seen
    var hasEdit = false
    do throws(LogError) {
      try local.view().walkBackward { (_, _, envelope) throws(LineFault) in
        guard envelope.seq > first else { return }
        seen = max(seen, envelope.seq)
        if envelope.by == .user || envelope.by == .import { hasEdit = true }
      } while: { before in
        before.seq > first
      }
    } catch {
      // The next run reports the error.
      return true
    }
    return hasEdit
  }

  /// Ends the pause between two runs of every ``watch(over:options:schedule:wake:onRun:onDamage:)`` on this
  /// ledger, such as when the network has changed or the app has become active. During a run, it
  /// applies to the following pause. A `Retry-After` is kept.
  public nonisolated func wake() { wakeSignals.send(.app) }
}

extension SyncReport {
  fileprivate init(stoppedBy stop: Stop) {
    self.init()
    self.stop = stop
  }
}

/// Schedules the checks of the log while a watch is idle: part after part to the log's end, then after
/// the interval again.
private struct IdleCheck {
  private let interval: Duration
  /// In ``LedgerEnvironment/uptime``.
  private(set) var nextAt: Duration

  /// - Parameter last: when the last complete check ended.
  init(every interval: Duration, last: Timestamp?, now: Timestamp, uptime: Duration) {
    self.interval = interval
    let since = last.map { now.millisecondsSince1970 - $0.millisecondsSince1970 }
    // Due at once if the clock was set back.
    let passed = since.flatMap { $0 >= 0 ? Duration.milliseconds($0) : nil }
    nextAt = uptime + max(.zero, passed.map { interval - $0 } ?? .zero)
  }

  /// - Returns: the damage found.
  mutating func note(
    _ part: Result<PartialVerification, any Error>, at uptime: Duration
  ) -> Damage? {
    let part = try? part.get()
    // An unreadable part is retried after the interval.
    if part?.isComplete != false || part?.damage != nil { nextAt = uptime + interval }
    return part?.damage
  }
}
