package import LedgerLog
package import LedgerModel
package import LedgerProjections
package import LedgerStore

/// The ledger that a run works on: the real one, or a dry run's.
package protocol SyncLedger {
  mutating func answer(_ query: SyncQuery) throws -> SyncQueryResult
  mutating func record(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws
  mutating func decide(
    _ decision: SyncDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> SyncOutcome
}

extension SyncMachine {
  package enum Input: Sendable {
    case begin
    case answered(RequestID, WireAnswer)
    /// A wait started by ``Effect/wait(_:milliseconds:)`` is over.
    case elapsed(RequestID)
    case queried(SyncQueryResult)
    /// The events of the last ``Effect/record(_:)`` are durable.
    case recorded
    /// The events of the last ``Effect/decide(_:)`` are durable.
    case decided(SyncOutcome)
    /// Start nothing more, and finish once the calls in flight are answered.
    case cancel
  }

  package enum Effect: Hashable, Sendable {
    /// Send a request. A mutating call has been recorded before.
    case send(RequestID, WireRequest)
    case wait(RequestID, milliseconds: Int)
    /// Answer from the current log.
    case query(SyncQuery)
    /// Append these events durably.
    case record([Event.Payload])
    /// Decide under the log's lock, and append the resulting events.
    case decide(SyncDecision)
    case progress(SyncProgress)
    case finish(SyncReport)
  }
}

/// Runs a ``SyncMachine``: performs its effects on a ledger, and passes requests, waits and progress
/// to the caller, which reports answers with ``receive(_:)``.
package struct SyncDriver<Ledger: SyncLedger> {
  /// An effect that the caller performs.
  package enum External: Hashable, Sendable {
    case send(RequestID, WireRequest)
    case wait(RequestID, milliseconds: Int)
    case progress(SyncProgress)
  }

  package var ledger: Ledger
  /// Set when the run has ended.
  package private(set) var report: SyncReport?
  private var machine: SyncMachine
  private var inputs: [SyncMachine.Input] = [.begin]
  private var effects: ArraySlice<SyncMachine.Effect> = []

  package init(_ ledger: Ledger, _ configuration: SyncConfiguration) {
    self.ledger = ledger
    machine = SyncMachine(configuration)
  }

  /// Whether the run needs an answer or an elapsed wait to continue.
  package var isWaiting: Bool { inputs.isEmpty && effects.isEmpty && report == nil }

  package mutating func receive(_ input: SyncMachine.Input) { inputs.append(input) }

  /// Stops the run; calls in flight may still be answered.
  package mutating func cancel() { inputs.insert(.cancel, at: 0) }

  /// Handles all inputs received and performs the resulting effects, in order.
  package mutating func step(
    at now: () -> Timestamp, using generator: inout some RandomNumberGenerator,
    _ perform: (External) throws -> Void
  ) throws {
    handleInputs(at: now(), using: &generator)
    while hasEffects { try performNext(at: now(), using: &generator, perform) }
  }

  /// Whether ``performNext(at:using:_:)`` has an effect to perform.
  package var hasEffects: Bool { !effects.isEmpty }

  /// Handles all inputs received. All effects of the last call have been performed.
  package mutating func handleInputs(
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) {
    precondition(effects.isEmpty)
    effects = machine.handle(inputs, at: now, using: &generator)[...]
    inputs = []
  }

  /// Performs the next effect. If that throws, the effect can be tried again.
  package mutating func performNext(
    at now: Timestamp, using generator: inout some RandomNumberGenerator,
    _ perform: (External) throws -> Void
  ) throws {
    guard let effect = effects.first else { return }
    switch effect {
    case .send(let id, let request): try perform(.send(id, request))
    case .wait(let id, let milliseconds): try perform(.wait(id, milliseconds: milliseconds))
    case .progress(let progress): try perform(.progress(progress))
    case .query(let query): receive(.queried(try ledger.answer(query)))
    case .record(let payloads):
      try ledger.record(payloads, at: now, using: &generator)
      receive(.recorded)
    case .decide(let decision):
      receive(.decided(try ledger.decide(decision, at: now, using: &generator)))
    case .finish(let report): self.report = report
    }
    effects.removeFirst()
  }
}

/// The ledger on disk.
package struct StoredLedger: SyncLedger {
  private let store: LedgerStore
  private let index: RowIndexCache
  private let dialect: Dialect
  private let zone: LocalZone
  /// The last event when calls were last planned; before that, when the run began.
  package private(set) var plannedSeq = 0

  /// - Parameter zone: the ledger's, for the dates of pulled entries.
  package init(
    _ store: LedgerStore, _ index: RowIndexCache, _ dialect: Dialect, in zone: LocalZone
  ) {
    self.store = store
    self.index = index
    self.dialect = dialect
    self.zone = zone
  }

  /// The current log, its chain links checked.
  package func context() throws(LogError) -> SyncContext<LogView> {
    let state = try store.verifiedState()
    return try context(state, try LogView.open(store.directory))
  }

  private func context(
    _ state: LedgerState, _ view: LogView
  ) throws(LogError) -> SyncContext<LogView> {
    SyncContext(
      state: state, texts: view, index: try index.index(of: state, view), dialect: dialect,
      zone: zone)
  }

  package mutating func answer(_ query: SyncQuery) throws -> SyncQueryResult {
    let context = try context()
    if case .plan = query {
      plannedSeq = context.state.position.seq
    } else if plannedSeq == 0 {
      plannedSeq = context.state.position.seq
    }
    return try context.answer(query)
  }

  package func record(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws {
    try store.record(payloads, at: now, using: &generator)
  }

  package func decide(
    _ decision: SyncDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> SyncOutcome {
    // Advances the index before the lock is taken.
    _ = try context()
    var choices = generator
    return try store.record(at: now, using: &generator) { (state, view) throws(LogError) in
      try context(state, view).decide(decision, at: now, using: &choices)
    }
  }
}

/// Keeps the index of a ledger between runs.
package final class RowIndexCache {
  private var index = RowIndex()
  private var erasures = 0

  package init() {}

  /// The backend's ids in the log up to the end of a view.
  package func index(of state: LedgerState, _ view: LogView) throws(LogError) -> RowIndex {
    // An erasure rewrites the log and moves its lines.
    if erasures != state.erasures { (index, erasures) = (RowIndex(), state.erasures) }
    try index.advance(to: view)
    return index
  }
}
