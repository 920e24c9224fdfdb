public import LedgerLog
public import LedgerModel
public import LedgerProjections

/// How what the program itself finds out gets into the log.
extension LedgerStore {
  /// Appends events that need no rule to be accepted, in one durable write.
  public func record(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) {
    guard !payloads.isEmpty else { return }
    let events = payloads.map { Event($0, at: now, using: &generator) }
    _ = try log.append(events, using: &generator)
  }

  /// Appends what a decision comes to. It is made by the ledger as it is under the log's lock, so
  /// that no edit comes in between; keep it short. The state it is given is the verified one.
  ///
  /// - Returns: what the decision says besides.
  /// - Throws: ``LogError``.
  public func record<Outcome>(
    at now: Timestamp, using generator: inout some RandomNumberGenerator,
    deciding: (LedgerState, LogView) throws(LogError) -> (
      payloads: [Event.Payload], outcome: Outcome
    )
  ) throws -> Outcome {
    // A long fold is done before the lock is taken; under it only what came in between.
    _ = try verifiedState()
    return try log.withSession { session in
      let view = try session.view()
      let (payloads, outcome) = try deciding(try catchUp(to: view, verifies: true), view)
      let events = payloads.map { Event($0, at: now, using: &generator) }
      if !events.isEmpty { _ = try session.append(events, using: &generator) }
      return outcome
    }
  }
}

extension Event {
  fileprivate init(
    _ payload: Payload, at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) {
    self.init(
      id: .make(at: now, using: &generator), at: now, by: payload.recorder, payload: payload)
  }
}

extension Event.Payload {
  /// Who records it (docs/log-format.md, Events).
  fileprivate var recorder: Actor {
    switch self {
    case .accountSignedIn, .accountSignedOut, .ledgerCreated, .logRepaired: .system
    // A person said that the backend is to be rebuilt, or obeyed.
    case .accountReplaced: .user
    default: .sync
    }
  }
}
