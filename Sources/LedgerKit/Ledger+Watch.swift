public import LedgerLog
import LedgerModel
public import LedgerSync

/// When a watching ledger talks to the backend.
public struct WatchSchedule: Sendable {
  /// How long without edits until the backend is looked at again.
  public var interval: Duration
  /// How long a run may lie back that listed all rows, before the next one does.
  public var fullInterval: Duration
  /// How long edits are waited for that come together, such as those of one form, and calls of
  /// ``Ledger/wake()``.
  public var pause: Duration
  /// After a run that did not come through.
  public var backoff: Backoff
  /// How long a whole check of the log may lie back before the log is checked again, a part at a time
  /// while the watch rests.
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
  /// Keeps the backend and the ledger together until the task is cancelled: a run at once, one after
  /// every edit, whoever made it, and one on a schedule. While the backend cannot be reached the
  /// pauses grow.
  ///
  /// An edit by any process ends such a pause early, and so does ``wake()``: call it when the app
  /// hears that the network has changed. Only a pause that the backend asked for (`Retry-After`) is
  /// kept in any case.
  ///
  /// No lock is held between runs. Edits are noticed by the system's file events; see ``changes()``.
  ///
  /// - Parameters:
  ///   - connection: the way to the backend, such as ``connection(trace:)``.
  ///   - options: how each run behaves.
  ///   - schedule: when there is a run.
  ///   - onRun: told what each run came to.
  ///   - onDamage: told once if the log is found damaged while the watch rests; see ``verify(mostBytes:)``.
  /// - Returns: the last run's report; its `stop` is `cancelled`, or `signedOut` when there is no
  ///   use in going on.
  /// - Throws: `LogError`, but for a lock that another run holds: that is tried again.
  @discardableResult
  public func watch(
    over connection: some BackendConnection, options: SyncOptions = SyncOptions(),
    schedule: WatchSchedule = WatchSchedule(),
    onRun: @Sendable (SyncReport) -> Void = { _ in },
    onDamage: @Sendable (Damage) -> Void = { _ in }
  ) async throws -> SyncReport {
    var check = IdleCheck(
      every: schedule.verifyInterval, last: VerificationRecord(directory).whole?.at,
      now: moment())
    var generator = generator()
    var failures = 0
    var listedAt: ContinuousClock.Instant?
    var options = options
    let wishes = options.wishes
    let wakeSignal = WakeSignal()
    wakeSignals.add(wakeSignal)
    let signals = HeadSignals(directory) { wakeSignal.send(.log) }
    defer {
      signals.stop()
      wakeSignals.remove(wakeSignal)
    }
    while true {
      let isFull = listedAt.map { .now - $0 >= schedule.fullInterval } ?? true
      options.wishes.lists = wishes.lists && isFull
      let (report, seen) = try await runOnce(connection, options)
      onRun(report)
      switch report.stop {
      case .cancelled, .signedOut, .accountReplaced, .massDeletion, .returnedRows: return report
      case nil where report.pending == 0 && report.pull != .failed:
        failures = 0
        if isFull { listedAt = .now }
      case nil, .offline, .rateLimited, .refreshFailed: failures += 1
      }
      let wait =
        failures == 0
        ? schedule.interval
        : .milliseconds(schedule.backoff.milliseconds(after: failures, using: &generator))
      // What the app reports may have changed everything: the pauses grow from the start again.
      let isWoken = await rest(
        wait, after: report, seen, schedule.pause, wakeSignal, &check, onDamage)
      if isWoken { failures = 0 }
      if Task.isCancelled {
        var last = report
        last.stop = .cancelled
        return last
      }
    }
  }

  /// A run and the newest event that it knows of, or what stands for a run that another process kept
  /// from happening.
  private func runOnce(
    _ connection: some BackendConnection, _ options: SyncOptions
  ) async throws -> (report: SyncReport, seq: Int) {
    do {
      return try await oneRun(over: connection, options)
    } catch is CancellationError {
      return (SyncReport(stoppedBy: .cancelled), 0)
    } catch let error as LogError {
      guard case .locked = error else { throw error }
      return (SyncReport(stoppedBy: .offline("\(error)")), Self.headSeq(directory) ?? 0)
    }
  }

  /// Rests until the time has come, the app wakes it, or there is an edit that the run did not see,
  /// even one that came before the run's report was told.
  ///
  /// - Parameter pause: how long edits and signals are waited for that come together.
  /// - Returns: whether the app has ended the rest.
  private func rest(
    _ wait: Duration, after report: SyncReport, _ seen: Int, _ pause: Duration,
    _ wakeSignal: WakeSignal, _ check: inout IdleCheck, _ onDamage: @Sendable (Damage) -> Void
  ) async -> Bool {
    let end = ContinuousClock.now + wait
    if case .rateLimited(let seconds) = report.stop {
      try? await Task.sleep(for: .seconds(seconds))
    }
    var seen = seen
    while !Task.isCancelled {
      if hasEdit(after: &seen) {
        try? await Task.sleep(for: pause)
        return false
      }
      guard ContinuousClock.now < end else { return false }
      if check.isDue {
        if let damage = check.note(Result { try verify() }) { onDamage(damage) }
        await Task.yield()
        continue
      }
      if await wakeSignal.wait(until: min(end, check.nextAt)).contains(.app) {
        try? await Task.sleep(for: pause)
        wakeSignal.clear()
        return true
      }
    }
    return false
  }

  /// Whether a person or an import has made an edit. What a run has recorded itself is none.
  ///
  /// - Parameter seen: only events after it count; it is moved to the newest one.
  private func hasEdit(after seen: inout Int) -> Bool {
    guard let head = Self.headSeq(directory), head > seen else { return false }
    let first = seen
    var hasEdit = false
    do throws(LogError) {
      try LogView.open(directory).walkBackward { (_, _, envelope) throws(LineFault) in
        guard envelope.seq > first else { return }
        seen = max(seen, envelope.seq)
        if envelope.by == .user || envelope.by == .import { hasEdit = true }
      } goesOn: { before in
        before.seq > first
      }
    } catch {
      // The next run reports what is wrong.
      return true
    }
    return hasEdit
  }

  /// Ends the rest between two runs of every ``watch(over:options:schedule:onRun:onDamage:)`` on this ledger,
  /// such as when the network has changed or the app has come to the front. During a run it is kept
  /// for the rest that follows; a `Retry-After` is kept to all the same.
  public nonisolated func wake() { wakeSignals.send(.app) }
}

extension SyncReport {
  fileprivate init(stoppedBy stop: Stop) {
    self.init()
    self.stop = stop
  }
}

/// When a watch checks the log while it rests: part after part until the log's end, then not for a
/// while.
private struct IdleCheck {
  private let interval: Duration
  private(set) var nextAt: ContinuousClock.Instant

  /// - Parameter last: when the log was last checked whole.
  init(every interval: Duration, last: Timestamp?, now: Timestamp) {
    self.interval = interval
    let since = last.map { now.millisecondsSince1970 - $0.millisecondsSince1970 }
    // A clock that was set back makes it due at once.
    let passed = since.flatMap { $0 >= 0 ? Duration.milliseconds($0) : nil }
    nextAt = .now + max(.zero, passed.map { interval - $0 } ?? .zero)
  }

  var isDue: Bool { ContinuousClock.now >= nextAt }

  /// - Returns: damage that was found.
  mutating func note(_ part: Result<PartialVerification, any Error>) -> Damage? {
    let part = try? part.get()
    // What cannot be read now is tried again at the next turn.
    if part?.isComplete != false || part?.damage != nil { nextAt = .now + interval }
    return part?.damage
  }
}
