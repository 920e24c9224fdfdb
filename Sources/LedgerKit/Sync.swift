import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
public import LedgerSync
import Synchronization

/// How a sync run behaves.
public struct SyncOptions: Sendable {
  /// How the backend expects the moment of a measurement.
  public var dialect: Dialect
  /// What the run does, and how many requests are in flight.
  public var configuration: SyncConfiguration
  /// How long to wait for another run on the same ledger, in seconds.
  public var lockWaitSeconds: Int
  /// How long calls in flight may still be answered after the run is canceled. Calls not answered by
  /// then are in doubt or sent again.
  public var grace: Duration
  /// Called with the progress of the run.
  public var onProgress: (@Sendable (SyncProgress) -> Void)?

  /// The defaults are those of `ledger sync`.
  public init(
    dialect: Dialect = .dateTime, configuration: SyncConfiguration = SyncConfiguration(),
    lockWaitSeconds: Int = 30,
    grace: Duration = .seconds(2), onProgress: (@Sendable (SyncProgress) -> Void)? = nil
  ) {
    self.dialect = dialect
    self.configuration = configuration
    self.lockWaitSeconds = lockWaitSeconds
    self.grace = grace
    self.onProgress = onProgress
  }
}

/// What a sync would do.
public struct DryRun: Hashable, Sendable {
  /// The calls that it would send.
  public var plan: Plan
  /// How many entries and sleep sessions it would delete here, since their rows are missing.
  public var deletions = 0
  /// How many conflicts would then wait for the user; their edits are not sent.
  public var openConflicts = 0
  /// The report of a run that would end before it sends, such as without a connection.
  public var stopped: SyncReport?
}

/// A completed run.
struct SyncRun {
  var report: SyncReport
  /// The newest event that the run covers.
  var seq: Int
}

extension Ledger {
  /// Reconciles calls whose answer was lost, pulls changes, sends pending edits, and records the
  /// answers. Edits can be made meanwhile.
  ///
  /// What is sent comes from the log's own lines, their chain links checked, never from a snapshot; a
  /// damaged line stops the run before anything is sent.
  ///
  /// Canceling the task ends the run: nothing new is sent, calls in flight have ``SyncOptions/grace``
  /// to be answered, and all locks are released when this returns. On iOS the run is canceled before
  /// the system suspends the app; see ``ExpiringActivity``.
  ///
  /// - Parameters:
  ///   - connection: the connection to the backend, such as ``connection(trace:)``.
  ///   - options: how the run behaves.
  /// - Throws: `LogError` for the log itself, or `locked` while another run is active;
  ///   `CancellationError` while waiting for that run or, before the first call, for the log's lock, or if the
  ///   app may not run. Failures of the backend are not thrown: they are in the report and in the log.
  public func sync(
    over connection: some BackendConnection, options: SyncOptions = SyncOptions()
  ) async throws -> SyncReport {
    try await runSync(over: connection, options).report
  }

  /// ``sync(over:options:)`` with the backend of the signed-in account.
  ///
  /// - Throws: `ClientError.signedOut` if no account is signed in; else as ``sync(over:options:)``.
  public func sync(options: SyncOptions = SyncOptions()) async throws -> SyncReport {
    guard let connection = try connection() else {
      throw ClientError.signedOut(reason: "not signed in")
    }
    return try await sync(over: connection, options: options)
  }

  func runSync(
    over connection: some BackendConnection, _ options: SyncOptions
  ) async throws -> SyncRun {
    try await environment.expiringActivity.run(reason: "Syncing the ledger") {
      try await self.runLockedSync(over: connection, options)
    }
  }

  private func runLockedSync(
    over connection: some BackendConnection, _ options: SyncOptions
  ) async throws -> SyncRun {
    let lock = try await SyncLock.acquire(directory, waitSeconds: options.lockWaitSeconds)
    defer { withExtendedLifetime(lock) {} }
    syncEventSource.send(.began)
    do {
      let run = try await performRun(over: connection, options)
      syncEventSource.send(.ended(run.report))
      return run
    } catch {
      syncEventSource.send(.failed(error))
      throw error
    }
  }

  /// The caller holds `sync.lock`.
  private func performRun(
    over connection: some BackendConnection, _ options: SyncOptions
  ) async throws -> SyncRun {
    let started = ContinuousClock.now
    let cache = ListingCache(directory: directory)
    var configuration = options.configuration
    configuration.lastListing = cache.read(try local.view())
    let last = LastSync(in: directory)
    configuration.notBefore = last?.notBefore
    // Sending alone could hide what stopped the last run.
    if last?.stopped != nil { configuration.pulls = true }
    var driver = SyncDriver(
      ReportingLedger(
        StoredLedger(local, rowIndex, options.dialect, in: environment.zone), to: syncEventSource),
      configuration)
    var reporting = options
    reporting.onProgress = { [syncEventSource] progress in
      options.onProgress?(progress)
      syncEventSource.send(.progress(progress))
    }
    let report =
      try await run(&driver, over: connection, reporting) { _ in false } ?? SyncReport()
    cache.write(report, try local.verifiedState(), at: moment())
    environment.onEvent?(.synced(report, duration: .now - started))
    return SyncRun(report: report, seq: driver.ledger.stored.plannedSeq)
  }

  /// What a sync would send now, in order and byte for byte. Nothing is written, here or at the
  /// backend.
  ///
  /// Like a run, it plans from the log's own lines, their chain links checked. Up to its first call it
  /// does what a run does, in memory: reconcile unresolved calls, merge the profile, pull rows.
  ///
  /// - Parameters:
  ///   - connection: the connection for GETs; `nil` to plan by the log alone. The log alone is also
  ///     used if the backend cannot be reached.
  ///   - options: those of the simulated run.
  /// - Throws: `LogError`; `CancellationError`.
  public func plan(
    asking connection: (any BackendConnection)?, options: SyncOptions = SyncOptions()
  ) async throws -> DryRun {
    var options = options
    options.configuration.entriesAtATime = .max
    let calls = Mutex<[PlannedCall]>([])
    var dryRun = try await plan(asking: connection, options: options) { batch in
      calls.withLock { $0 += batch }
    }
    dryRun.plan.calls = calls.withLock { $0 }
    return dryRun
  }

  /// As ``plan(asking:options:)``, for any number of calls.
  ///
  /// - Parameter onCalls: receives the calls of each batch of a run.
  /// - Returns: the plan without its calls.
  package func plan(
    asking connection: (any BackendConnection)?, options: SyncOptions,
    onCalls: @Sendable ([PlannedCall]) throws -> Void
  ) async throws -> DryRun {
    let state = try local.verifiedState()
    let view = try LogView.open(directory)
    let texts = NearbyLines(view)
    var byLog = PlanRequest()
    byLog.limit = options.configuration.entriesAtATime
    guard let connection else {
      // Nothing is pulled, so the index is not needed.
      let ledger = DryRunLedger(
        state: state, texts: texts, index: RowIndex(), dialect: options.dialect,
        zone: environment.zone)
      return DryRun(plan: try ledger.plan(byLog, onCalls: onCalls))
    }
    let index = try rowIndex.index(of: state, view)
    var configuration = options.configuration
    configuration.pushes = true
    configuration.lastListing = ListingCache(directory: directory).read(view)
    configuration.notBefore = LastSync(in: directory)?.notBefore
    var driver = SyncDriver(
      DryRunLedger(
        state: state, texts: texts, index: index, dialect: options.dialect,
        zone: environment.zone),
      configuration)
    let report = try await run(&driver, over: connection, options) { $0.planRequest != nil }
    if let request = driver.ledger.planRequest {
      return DryRun(
        plan: try driver.ledger.plan(request, onCalls: onCalls),
        deletions: driver.ledger.deletions,
        openConflicts: driver.ledger.context.state.openConflicts().count)
    }
    if report?.stop == .cancelled { throw CancellationError() }
    return DryRun(plan: try driver.ledger.plan(byLog, onCalls: onCalls), stopped: report)
  }

  /// Runs until the end, or until `isDone`; the only place where effects are performed.
  private func run<Target: SyncLedger>(
    _ driver: inout SyncDriver<Target>, over connection: some BackendConnection,
    _ options: SyncOptions, until isDone: (Target) -> Bool
  ) async throws -> SyncReport? {
    var effects = EffectRunner(pause: environment.pause)
    do {
      let report = try await run(&driver, &effects, over: connection, options, until: isDone)
      await effects.end()
      return report
    } catch {
      await effects.end()
      throw error
    }
  }

  private func run<Target: SyncLedger>(
    _ driver: inout SyncDriver<Target>, _ effects: inout EffectRunner,
    over connection: some BackendConnection, _ options: SyncOptions, until isDone: (Target) -> Bool
  ) async throws -> SyncReport? {
    var generator = generator()
    var hasSent = false
    while driver.report == nil {
      driver.handleInputs(at: moment(), using: &generator)
      while driver.hasEffects {
        // The answers to calls in flight are recorded in a canceled run as well.
        try await write(isCancellable: !hasSent) {
          try driver.performNext(at: moment(), using: &generator) { effect in
            switch effect {
            case .send(let id, let request):
              hasSent = hasSent || request.method.mutates
              effects.send(request, as: id, over: connection)
            case .wait(let id, let milliseconds): effects.wait(milliseconds, as: id)
            case .progress(let progress): options.onProgress?(progress)
            }
          }
        }
        // Queries take turns with the run.
        await Task.yield()
      }
      if isDone(driver.ledger) { return nil }
      guard driver.isWaiting else { continue }
      for input in await effects.inputs(grace: options.grace) { driver.receive(input) }
    }
    return driver.report
  }
}

/// `sync.lock`: one run at a time on a ledger. Waiting does not block a thread.
enum SyncLock {
  /// - Parameter isolation: the ledger, on whose thread the lock's file is opened.
  static func acquire(
    _ directory: LedgerDirectory, waitSeconds: Int,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> FileLock {
    try directory.requireWritable()
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    while true {
      do throws(LogError) {
        return try FileLock(
          directory.syncLock, .exclusive, waitSeconds: 0, on: directory.disk)
      } catch {
        guard case .locked = error else { throw error }
        guard ContinuousClock.now < deadline else {
          throw LogError.locked(path: directory.syncLock, seconds: waitSeconds)
        }
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}

extension SyncReport {
  /// Sentences in English for the user: ``remarks``, and one for each reason of ``needsUser``; at least one
  /// while the user is needed. ``Ledger/outbox()``, ``Ledger/openConflicts()`` and ``Ledger/suspicions()`` have
  /// the details.
  public var messages: [String] {
    let held = holds.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
      Self.counted(count, "edit waits: \(reason.cause)", "edits wait: \(reason.cause)")
    }
    let tasks =
      [
        Self.counted(
          counts.rejected - rejected, "edit was refused earlier", "edits were refused earlier")
      ] + held + [
        Self.counted(
          unreadable.count, "row of the backend cannot be read",
          "rows of the backend cannot be read"),
        Self.counted(
          missingSessions, "synced sleep session is missing at the backend",
          "synced sleep sessions are missing at the backend"),
        Self.counted(
          openConflicts, "conflict waits for a decision", "conflicts wait for a decision"),
        Self.counted(
          suspicions, "suspected duplicate waits for a decision",
          "suspected duplicates wait for a decision"),
      ]
    return remarks + tasks.compactMap(\.self)
  }

  private static func counted(_ count: Int, _ one: String, _ many: String) -> String? {
    count > 0 ? "\(count) \(count == 1 ? one : many)" : nil
  }
}
