import LedgerLog
public import LedgerModel
public import LedgerProjections

/// Why suspected duplicates are not decided.
public enum SuspicionRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The event suspects nothing, or there is no such event; `last` is the log's last one.
  case noSuspicion(Seq, last: Int)
  /// A person has decided: the rows may be deleted, or entries, by now.
  case isDecided(Seq, DuplicateDecision, by: Seq)

  public var description: String {
    switch self {
    case .noSuspicion(let seq, let last) where seq.number > last:
      "there is no event \(seq); the log ends with event \(last)"
    case .noSuspicion(let seq, _): "event \(seq) is no suspected duplicate"
    case .isDecided(let seq, let decision, let later):
      "suspicion \(seq) is decided already, by event \(later): \(decision.rawValue)"
    }
  }
}

extension LedgerStore {
  /// Records what a person says of suspected duplicates, made under the lock.
  ///
  /// - Parameter decision: `one` has the next sync delete the suspected rows; `both` has the next
  ///   full listing make entries of them.
  /// - Throws: ``SuspicionRefusal`` with nothing written; ``LogError``.
  public func resolve(
    suspicion seq: Seq, taking decision: DuplicateDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    _ = try state()
    return try log.withSession { session in
      let state = try catchUp(to: session.view())
      guard let suspicion = state.suspicions().first(where: { $0.seq == seq }) else {
        throw SuspicionRefusal.noSuspicion(seq, last: state.position.seq)
      }
      if let decided = suspicion.decision, let later = suspicion.resolvedBy {
        throw SuspicionRefusal.isDecided(seq, decided, by: later)
      }
      let records = Self.records([suspicion], decision)
      return try Self.append(records, to: &session, at: now, using: &generator)
    }
  }

  /// Records the same of all suspected duplicates that wait for a person, in one durable write.
  ///
  /// - Throws: ``LogError``.
  public func resolveAllSuspicions(
    taking decision: DuplicateDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    _ = try state()
    return try log.withSession { session in
      let records = Self.records(try catchUp(to: session.view()).openSuspicions(), decision)
      guard !records.isEmpty else { return Outcome(repairs: session.repairs) }
      return try Self.append(records, to: &session, at: now, using: &generator)
    }
  }

  private static func records(
    _ suspicions: [SuspicionView], _ decision: DuplicateDecision
  ) -> [DecisionRecord] {
    suspicions.map { suspicion in
      DecisionRecord(
        .user,
        .duplicateResolved(DuplicateResolved(suspicion: suspicion.seq, decision: decision)))
    }
  }
}

extension LedgerState {
  /// Suspected duplicates that wait for a person, oldest first.
  public func openSuspicions() -> [SuspicionView] { suspicions().filter(\.isOpen) }
}
