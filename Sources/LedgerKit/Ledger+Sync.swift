import LedgerLog

/// How a run of the projector behaves.
public struct SyncOptions: Sendable {
  public var dialect: Dialect
  /// How long to wait for another run on the same ledger, in seconds (cli.md: 30).
  public var lockWaitSeconds: Int
  /// Called with every call as it leaves and with what came back.
  public var onCall: (@Sendable (PlannedCall, WireAnswer) -> Void)?

  public init(
    dialect: Dialect = .dateTime, lockWaitSeconds: Int = 30,
    onCall: (@Sendable (PlannedCall, WireAnswer) -> Void)? = nil
  ) {
    self.dialect = dialect
    self.lockWaitSeconds = lockWaitSeconds
    self.onCall = onCall
  }
}

extension Ledger {
  /// Carries what is pending to the backend and records its answers: the one place where the
  /// machine's effects are performed. Edits made meanwhile are not disturbed.
  ///
  /// - Throws: `LogError`: the log itself, or `locked` when another run goes on (exit 75). What the
  ///   backend does is never thrown: it is in the report, and in the log.
  public func sync(
    over connection: some BackendConnection, options: SyncOptions = SyncOptions()
  ) async throws -> SyncReport {
    let lock = try await SyncLock.acquire(directory, waitSeconds: options.lockWaitSeconds)
    defer { withExtendedLifetime(lock) {} }
    var machine = SyncMachine()
    var generator = SystemRandomNumberGenerator()
    var inputs: [SyncMachine.Input] = [.begin(needsProfileCheck: try needsProfileCheck())]
    while !inputs.isEmpty {
      let effects = machine.handle(inputs.removeFirst(), at: moment(), using: &generator)
      for effect in effects {
        switch effect {
        case .ask(let request): inputs.append(.answered(await connection.send(request)))
        case .plan(let remote): inputs.append(.planned(try plan(remote, options.dialect)))
        case .record(let payloads):
          try record(payloads)
          inputs.append(.recorded)
        case .send(let call):
          let answer = await connection.send(call.request)
          options.onCall?(call, answer)
          inputs.append(.answered(answer))
        case .finish(var report):
          report.pending = try openEdits()
          return report
        }
      }
    }
    preconditionFailure("the machine ends every run with .finish")
  }

  /// What a sync would do, in its order. Nothing is written.
  ///
  /// - Parameter connection: asked whether the backend has a profile, if that matters; `nil` to go
  ///   by the log alone.
  public func plan(
    asking connection: (any BackendConnection)?, dialect: Dialect = .dateTime
  ) async throws -> Plan {
    guard try needsProfileCheck(), let connection else { return try plan(.unknown, dialect) }
    let answer = await connection.send(WireRequest(.get, "/api/v1/users/me"))
    guard case .response(let response) = answer else { return try plan(.unknown, dialect) }
    if response.status == 404 { return try plan(.absent, dialect) }
    return try plan(response.isSuccess ? .present : .unknown, dialect)
  }

  private func plan(_ remote: RemoteProfile, _ dialect: Dialect) throws(LogError) -> Plan {
    try Planner.plan(
      local.state(), texts: LogView.open(directory), dialect: dialect, remote: remote)
  }

  /// Whether what is due depends on a profile at the backend.
  private func needsProfileCheck() throws(LogError) -> Bool {
    let state = try local.state()
    return [ProfileSubject.profile, .physical].contains { subject in
      state.profile.edits(of: subject).contains { state.edits.state($0).isOpen }
    }
  }

  /// Edits that still wait to be sent or answered; held ones wait for a person's next edit.
  private func openEdits() throws(LogError) -> Int {
    let counts = try local.state().syncCounts()
    return counts.pending + counts.inDoubt
  }

  /// Appends what the projector found out.
  func record(_ payloads: [Event.Payload]) throws(LogError) {
    guard !payloads.isEmpty else { return }
    var generator = SystemRandomNumberGenerator()
    let at = moment()
    let events = payloads.map { payload in
      Event(
        id: .make(at: at, using: &generator), at: at, by: payload.recorder, payload: payload)
    }
    _ = try local.log.append(events, using: &generator)
  }
}

extension Event.Payload {
  /// Who records it, when no person does (log-format.md, Events).
  fileprivate var recorder: Actor {
    switch self {
    case .accountSignedIn, .accountSignedOut: .system
    default: .sync
    }
  }
}

/// `sync.lock`: one run at a time on a ledger. It is waited for without blocking a thread.
enum SyncLock {
  static func acquire(
    _ directory: LedgerDirectory, waitSeconds: Int
  ) async throws -> FileLock {
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    while true {
      do throws(LogError) {
        return try FileLock(directory.syncLock, .exclusive, waitSeconds: 0)
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
