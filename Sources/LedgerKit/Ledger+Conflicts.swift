public import LedgerLog
public import LedgerModel
public import LedgerProjections
public import LedgerStore

/// What a person has to decide.
extension Ledger {
  /// Open conflicts, oldest first: over fields of the person, which there are
  /// only where ``SyncConfiguration/conflicts`` leaves them open, and over entries (``ConflictView/entry``)
  /// that the backend has with other values than were sent.
  ///
  /// - Throws: `LogError`, damage to the log included.
  public func openConflicts() throws(LogError) -> [ConflictView] {
    try state().openConflicts()
  }

  /// Records a person's decision. One over a field of the person can be made again, the other way.
  ///
  /// - Parameters:
  ///   - conflict: ``ConflictView/seq``.
  ///   - side: whose value is to stay; that of ``ConflictSide/local`` is sent by the next sync.
  /// - Throws: ``ConflictRefusal`` with nothing written; `LogError`.
  public func resolve(_ conflict: Seq, taking side: ConflictSide) throws {
    var generator = generator()
    _ = try local.resolve(
      conflict, taking: side, in: environment.zone, at: moment(), using: &generator)
  }

  /// Records the same decision about all open conflicts, in one durable write.
  ///
  /// - Parameter side: whose values are to stay.
  /// - Returns: what was decided, and the conflicts that cannot take that side, which stay open.
  /// - Throws: `LogError`, damage to the log included.
  @discardableResult
  public func resolveAll(taking side: ConflictSide) throws -> ResolveAllOutcome {
    var generator = generator()
    return try local.resolveAll(
      taking: side, in: environment.zone, at: moment(), using: &generator)
  }

  /// Open suspected duplicates, oldest first: rows of the backend that may be
  /// the same measurement as an entry, and that no view counts.
  ///
  /// - Throws: `LogError`, damage to the log included.
  public func suspicions() throws(LogError) -> [SuspicionView] {
    try state().openSuspicions()
  }

  /// Records what a person says of suspected duplicates.
  ///
  /// - Parameters:
  ///   - suspicion: ``SuspicionView/seq``.
  ///   - decision: `one` has the next sync delete the suspected rows; `both` lets them be entries.
  /// - Throws: ``SuspicionRefusal`` with nothing written; `LogError`.
  public func resolve(suspicion: Seq, taking decision: DuplicateDecision) throws {
    var generator = generator()
    _ = try local.resolve(
      suspicion: suspicion, taking: decision, at: moment(), using: &generator)
  }
}
