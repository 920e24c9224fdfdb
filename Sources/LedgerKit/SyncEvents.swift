import LedgerLog
public import LedgerModel
public import LedgerSync
import Synchronization

/// What a sync run does.
public enum SyncEvent: Sendable {
  /// A run has begun; ``ended(_:)`` or ``failed(_:)`` follows.
  case began
  /// How far a stage of the run is.
  case progress(SyncProgress)
  /// The backend has the values of these edits.
  case acknowledged([Seq])
  /// The backend has rejected these edits; see ``Ledger/outbox()``.
  case rejected([Seq])
  /// So many values were taken from the backend.
  case pulled(Int)
  /// So many conflicts were found, of which some may need a decision; see ``Ledger/openConflicts()``.
  case conflicts(Int)
  /// So many suspected duplicates were found; see ``Ledger/suspicions()``.
  case suspicions(Int)
  /// The run has ended, with its report.
  case ended(SyncReport)
  /// The run ended with an error: a `LogError`, or `CancellationError`.
  case failed(any Error)
}

extension Ledger {
  /// What the sync runs of this instance do from now on, including those of
  /// ``watch(over:options:schedule:wake:onRun:onDamage:)``. What is acknowledged, rejected or found is in
  /// the log already.
  ///
  /// Ends when the task is canceled. A listener that is a thousand events behind loses the oldest.
  public nonisolated func syncEvents() -> AsyncStream<SyncEvent> { syncEventSource.stream() }
}

/// Sends the events of runs to all listeners.
final class SyncEventSource: Sendable {
  private struct Listeners {
    var continuations: [Int: AsyncStream<SyncEvent>.Continuation] = [:]
    var count = 0
  }

  private static let mostEvents = 1_000
  private let listeners = Mutex(Listeners())

  func stream() -> AsyncStream<SyncEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SyncEvent.self, bufferingPolicy: .bufferingNewest(Self.mostEvents))
    let id = listeners.withLock { listeners in
      listeners.count += 1
      listeners.continuations[listeners.count] = continuation
      return listeners.count
    }
    continuation.onTermination = { [weak self] _ in
      self?.listeners.withLock { $0.continuations[id] = nil }
    }
    return stream
  }

  func send(_ event: SyncEvent) {
    for listener in listeners.withLock({ Array($0.continuations.values) }) {
      listener.yield(event)
    }
  }
}

/// A ledger that reports what a run records.
struct ReportingLedger: SyncLedger {
  private(set) var stored: StoredLedger
  private let events: SyncEventSource

  init(_ stored: StoredLedger, to events: SyncEventSource) {
    self.stored = stored
    self.events = events
  }

  mutating func answer(_ query: SyncQuery) throws -> SyncQueryResult { try stored.answer(query) }

  func record(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws {
    try stored.record(payloads, at: now, using: &generator)
    var (acknowledged, rejected): ([Seq], [Seq]) = ([], [])
    var differing = 0
    for payload in payloads {
      switch payload {
      case .syncAcknowledged(let data): acknowledged += data.events
      case .syncRejected(let data): rejected += data.events
      case .syncDiffered: differing += 1
      default: break
      }
    }
    if !acknowledged.isEmpty { events.send(.acknowledged(acknowledged)) }
    if !rejected.isEmpty { events.send(.rejected(rejected)) }
    if differing > 0 { events.send(.conflicts(differing)) }
  }

  func decide(
    _ decision: SyncDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> SyncOutcome {
    let outcome = try stored.decide(decision, at: now, using: &generator)
    switch outcome {
    case .pulled(let pulled):
      let values = pulled.entries + pulled.fields + pulled.deleted
      if values > 0 { events.send(.pulled(values)) }
      if pulled.conflicts + pulled.differs > 0 {
        events.send(.conflicts(pulled.conflicts + pulled.differs))
      }
      if pulled.suspected > 0 { events.send(.suspicions(pulled.suspected)) }
    case .reconciled(let reconciliation):
      if reconciliation.suspected > 0 { events.send(.suspicions(reconciliation.suspected)) }
    }
    return outcome
  }
}
