import LedgerLog
public import LedgerModel
public import LedgerProjections
public import LedgerStore

/// Decisions of the user: conflicts, suspected duplicates, undo and erase.
extension Ledger {
  /// Open conflicts, oldest first: over profile fields, if ``SyncConfiguration/conflicts`` leaves them
  /// open, and over entries (``ConflictView/entry``) that the backend stored with other values. Their
  /// local values are those of now, which ``ConflictSide/local`` keeps.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func openConflicts() throws -> [ConflictView] {
    let (state, view) = (try state(), try local.view())
    return try state.openConflicts().map { try state.withLocalValue($0, in: view) }
  }

  /// Records a decision. One over a profile field can be changed later.
  ///
  /// - Parameters:
  ///   - conflict: ``ConflictView/seq``.
  ///   - side: whose value to keep; the next sync sends that of ``ConflictSide/local``.
  /// - Throws: ``ConflictRefusal`` with nothing written; `LogError`.
  public func resolve(conflict: Seq, taking side: ConflictSide) async throws {
    var generator = generator()
    try await write {
      _ = try local.resolve(
        conflict, taking: side, in: environment.zone, at: moment(), using: &generator)
    }
  }

  /// Records the same decision for all open conflicts, in one durable write.
  ///
  /// - Parameter side: whose values to keep.
  /// - Returns: what was decided, and the conflicts that cannot take that side and stay open.
  /// - Throws: `LogError`, including damage to the log.
  @discardableResult
  public func resolveAll(taking side: ConflictSide) async throws -> ResolveAllOutcome {
    var generator = generator()
    return try await write {
      try local.resolveAll(
        taking: side, in: environment.zone, at: moment(), using: &generator)
    }
  }

  /// Open suspected duplicates, oldest first: rows of the backend that may be the same measurement as
  /// an entry. Views do not count them.
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func suspicions() throws -> [SuspicionView] {
    try state().openSuspicions()
  }

  /// Records a decision about suspected duplicates.
  ///
  /// - Parameters:
  ///   - suspicion: ``SuspicionView/seq``.
  ///   - decision: with `one`, the next sync deletes the suspected rows; with `both`, they become
  ///     entries.
  /// - Throws: ``SuspicionRefusal`` with nothing written; `LogError`.
  public func resolve(suspicion: Seq, taking decision: DuplicateDecision) async throws {
    var generator = generator()
    try await write {
      _ = try local.resolve(
        suspicion: suspicion, taking: decision, at: moment(), using: &generator)
    }
  }

  // MARK: Undo and erase

  /// Permanently removes the content of an event and of all related events.
  ///
  /// - Parameters:
  ///   - seq: the event, or one that created its entry.
  ///   - reason: kept in the log; 1 to 500 characters.
  ///   - lockWaitSeconds: how long to wait for a running sync.
  /// - Returns: the erased events, and what the backend still has of them.
  /// - Throws: ``EraseRefusal`` with nothing written; `LogError`; `CancellationError` while waiting
  ///   for a sync.
  @discardableResult
  public func erase(
    _ seq: Seq, reason: String, lockWaitSeconds: Int = 30
  ) async throws -> Erasure {
    try await erase([seq], reason: reason, lockWaitSeconds: lockWaitSeconds)[0]
  }

  /// As ``erase(_:reason:lockWaitSeconds:)-(Seq,_,_)``, of many events while the log is rewritten once.
  ///
  /// - Parameters:
  ///   - seqs: the events; each is erased with its entry.
  ///   - reason: kept in the log; 1 to 500 characters.
  ///   - lockWaitSeconds: how long to wait for a running sync.
  /// - Returns: what was erased, in the order of `seqs`.
  /// - Throws: ``EraseRefusal`` with nothing written; `LogError`; `CancellationError` while waiting
  ///   for a sync.
  @discardableResult
  public func erase(
    _ seqs: [Seq], reason: String, lockWaitSeconds: Int = 30
  ) async throws -> [Erasure] {
    try await environment.expiringActivity.run(reason: "Erasing from the ledger") {
      try await self.eraseLocked(seqs, reason, lockWaitSeconds)
    }
  }

  private func eraseLocked(
    _ seqs: [Seq], _ reason: String, _ lockWaitSeconds: Int
  ) async throws -> [Erasure] {
    let lock = try await SyncLock.acquire(directory, waitSeconds: lockWaitSeconds)
    var generator = generator()
    return try await write {
      try local.erase(seqs, reason: reason, holding: lock, at: moment(), using: &generator).erasures
    }
  }

  /// Undoes an edit with a new event: cancels an unsent edit, compensates a sent one.
  ///
  /// - Parameter seq: `nil` for the user's newest edit that can be undone.
  /// - Returns: the sequence numbers of the new events.
  /// - Throws: ``UndoRefusal`` with nothing written; `LogError`.
  @discardableResult
  public func undo(_ seq: Seq? = nil) async throws -> [Seq] {
    var generator = generator()
    let outcome = try await write {
      let now = moment()
      return try local.undo(
        seq, at: now, today: environment.zone.today(at: now), using: &generator)
    }
    return outcome.appended.edits.map(\.seq)
  }

  /// Makes again the edit that was undone last, or the several that were undone together. Repeated, it
  /// goes one undoing further back, up to the user's newest other edit, goal, decision or erasure.
  ///
  /// - Returns: the sequence numbers of the new events.
  /// - Throws: ``UndoRefusal`` with nothing written; `LogError`.
  @discardableResult
  public func redo() async throws -> [Seq] {
    var generator = generator()
    let outcome = try await write {
      let now = moment()
      return try local.redo(at: now, today: environment.zone.today(at: now), using: &generator)
    }
    return outcome.appended.edits.map(\.seq)
  }

  /// Undoes several edits in one durable write, such as deletions pulled from the backend.
  ///
  /// - Parameter selection: individual edits, which must all be undone, and ranges, of which every
  ///   edit is undone that can be.
  /// - Returns: the sequence numbers of the new events.
  /// - Throws: ``UndoRefusal`` with nothing written; `LogError`.
  @discardableResult
  public func undo(_ selection: UndoSelection) async throws -> [Seq] {
    var generator = generator()
    let outcome = try await write {
      let now = moment()
      return try local.undo(
        selection, at: now, today: environment.zone.today(at: now), using: &generator)
    }
    return outcome.appended.edits.map(\.seq)
  }
}
