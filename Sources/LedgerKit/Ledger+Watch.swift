import LedgerLog
public import LedgerSync

/// When a watching ledger talks to the backend.
public struct WatchSchedule: Sendable {
  /// How long without edits until the backend is looked at again.
  public var interval: Duration
  /// How long a run may lie back that listed all rows, before the next one does.
  public var fullInterval: Duration
  /// How long edits are waited for that come together, such as those of one form.
  public var pause: Duration
  /// After a run that did not come through.
  public var backoff: Backoff

  /// The defaults are those of `ledger sync --watch`.
  public init(
    interval: Duration = .seconds(60), fullInterval: Duration = .seconds(900),
    pause: Duration = .milliseconds(300),
    backoff: Backoff = Backoff(firstMilliseconds: 1_000, mostMilliseconds: 300_000)
  ) {
    self.interval = interval
    self.fullInterval = fullInterval
    self.pause = pause
    self.backoff = backoff
  }
}

extension Ledger {
  /// Keeps the backend and the ledger together until the task is cancelled: a run at once, one after
  /// every edit, whoever made it, and one on a schedule. While the backend cannot be reached the
  /// pauses grow, and edits wait.
  ///
  /// No lock is held between runs.
  ///
  /// - Parameters:
  ///   - connection: the way to the backend, such as ``connection(trace:)``.
  ///   - options: how each run behaves.
  ///   - schedule: when there is a run.
  ///   - onRun: told what each run came to.
  /// - Returns: the last run's report; its `stop` is `cancelled`, or `signedOut` when there is no
  ///   use in going on.
  /// - Throws: `LogError`, but for a lock that another run holds: that is tried again.
  @discardableResult
  public func watch(
    over connection: some BackendConnection, options: SyncOptions = SyncOptions(),
    schedule: WatchSchedule = WatchSchedule(),
    onRun: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws -> SyncReport {
    var generator = generator()
    var failures = 0
    var listedAt: ContinuousClock.Instant?
    var options = options
    let wishes = options.wishes
    while true {
      let isFull = listedAt.map { .now - $0 >= schedule.fullInterval } ?? true
      options.wishes.lists = wishes.lists && isFull
      let (report, seen) = try await runOnce(connection, options)
      onRun(report)
      switch report.stop {
      case .cancelled, .signedOut: return report
      case nil where report.pending == 0:
        failures = 0
        if isFull { listedAt = .now }
      case nil, .offline, .rateLimited, .refreshFailed: failures += 1
      }
      await rest(after: report, failures, seen, schedule, &generator)
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
      return (SyncReport(stoppedBy: .offline("\(error)")), 0)
    }
  }

  /// Until the time has come, or, when all is well, until somebody makes an edit: one that the run did
  /// not see, even if it came before the run's report was told.
  private func rest(
    after report: SyncReport, _ failures: Int, _ seen: Int, _ schedule: WatchSchedule,
    _ generator: inout some RandomNumberGenerator
  ) async {
    guard failures == 0 else {
      var wait = Duration.milliseconds(
        schedule.backoff.milliseconds(after: failures, using: &generator))
      if case .rateLimited(let seconds) = report.stop { wait = max(wait, .seconds(seconds)) }
      try? await Task.sleep(for: wait)
      return
    }
    let end = ContinuousClock.now + schedule.interval
    while ContinuousClock.now < end, !Task.isCancelled {
      if let head = Self.headSeq(directory), head > seen {
        try? await Task.sleep(for: schedule.pause)
        return
      }
      try? await Task.sleep(for: Self.changeInterval)
    }
  }
}

extension SyncReport {
  fileprivate init(stoppedBy stop: Stop) {
    self.init()
    self.stop = stop
  }
}
