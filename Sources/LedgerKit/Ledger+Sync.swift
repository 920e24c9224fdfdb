import LedgerLog
import LedgerProjections
public import LedgerSync

extension Ledger {
  /// Settles what is in doubt, pulls what is new, and carries what is pending to the backend,
  /// recording its answers: the one place where the machine's effects are performed. Edits made
  /// meanwhile are not disturbed.
  ///
  /// What is sent comes from the log's own lines, their chain links checked, never from a snapshot;
  /// a wrong line stops the run before anything is sent.
  ///
  /// Cancelling the task ends the run: nothing new is sent, what is under way has
  /// ``SyncOptions/grace`` to be answered, and all locks are released when this returns. An app that
  /// is about to be suspended cancels its runs and waits for them.
  ///
  /// - Parameters:
  ///   - connection: the way to the backend, such as ``connection(trace:)``.
  ///   - options: how the run behaves.
  /// - Throws: `LogError`: the log itself, or `locked` when another run goes on (exit 75);
  ///   `CancellationError` while that other run is waited for. What the backend does is never
  ///   thrown: it is in the report, and in the log.
  public func sync(
    over connection: some BackendConnection, options: SyncOptions = SyncOptions()
  ) async throws -> SyncReport {
    try await oneRun(over: connection, options).report
  }

  /// A run, and the newest event that its report knows of: an edit behind that one is not in it.
  func oneRun(
    over connection: some BackendConnection, _ options: SyncOptions
  ) async throws -> (report: SyncReport, seq: Int) {
    let lock = try await SyncLock.acquire(directory, waitSeconds: options.lockWaitSeconds)
    defer { withExtendedLifetime(lock) {} }
    let mailbox = InputQueue()
    return try await withTaskCancellationHandler {
      try await run(connection, options, mailbox)
    } onCancel: {
      mailbox.put(.input(.cancel))
    }
  }

  private func run(
    _ connection: some BackendConnection, _ options: SyncOptions, _ mailbox: InputQueue
  ) async throws -> (report: SyncReport, seq: Int) {
    var wishes = options.wishes
    wishes.lastListing = ListingCache(directory: directory).read(try LogView.open(directory))
    var machine = SyncMachine(wishes)
    var generator = generator()
    var errands = EffectRunner(mailbox, pause: environment.pause)
    defer { errands.cancel() }
    var seen = 0
    var inputs: [SyncMachine.Input] = [.begin]
    while true {
      var next: [SyncMachine.Input] = []
      for effect in machine.handle(inputs, at: moment(), using: &generator) {
        switch effect {
        case .send(let ticket, let request):
          errands.send(request, as: ticket, over: connection)
        case .wait(let ticket, let milliseconds): errands.wait(milliseconds, as: ticket)
        case .look(let question):
          let desk = try desk(options.dialect)
          seen = desk.state.position.seq
          next.append(.seen(try desk.answer(question)))
        case .record(let payloads):
          try local.record(payloads, at: moment(), using: &generator)
          next.append(.recorded)
        case .decide(let decision): next.append(.decided(try decide(decision, options.dialect)))
        case .progress(let progress): options.onProgress?(progress)
        case .finish(let report):
          ListingCache(directory: directory).write(report.listing, try local.verifiedState())
          return (report, seen)
        }
      }
      inputs = next.isEmpty ? await open(mailbox, &errands, options.grace) : next
    }
  }

  private func open(
    _ mailbox: InputQueue, _ errands: inout EffectRunner, _ grace: Duration
  ) async -> [SyncMachine.Input] {
    var inputs: [SyncMachine.Input] = []
    for mail in await mailbox.take() {
      switch mail {
      case .input(let input):
        inputs.append(input)
        switch input {
        case .answered(let ticket, _), .elapsed(let ticket): errands.ended(ticket)
        case .cancel: errands.beginGrace(grace)
        case .begin, .seen, .recorded, .decided: break
        }
      case .graceIsOver: errands.cancel()
      }
    }
    return inputs
  }

  // MARK: The desk

  func desk(_ dialect: Dialect) throws(LogError) -> SyncContext<LogView> {
    let state = try local.verifiedState()
    let view = try LogView.open(directory)
    return SyncContext(
      state: state, texts: view, index: try index(upTo: view, state), dialect: dialect)
  }

  /// Under the log's lock, so that no edit comes in between.
  private func decide(
    _ decision: SyncDecision, _ dialect: Dialect
  ) throws -> SyncOutcome {
    // What has come since the index was used last is read before the lock is taken.
    _ = try desk(dialect)
    var generator = generator()
    let now = moment()
    var choices = generator
    return try local.record(at: now, using: &generator) { (state, view) throws(LogError) in
      let desk = SyncContext(
        state: state, texts: view, index: try index(upTo: view, state), dialect: dialect)
      return try desk.decide(decision, at: now, using: &choices)
    }
  }

  /// The ids that the log has learned from the backend, up to the end of a view.
  func index(upTo view: LogView, _ state: LedgerState) throws(LogError) -> RowIndex {
    // An erasure replaces the log: its lines stand elsewhere now.
    if rowIndex.erasures != state.erasures { rowIndex = (RowIndex(), state.erasures) }
    try rowIndex.index.advance(to: view)
    return rowIndex.index
  }
}
