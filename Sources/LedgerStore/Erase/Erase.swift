public import LedgerLog
public import LedgerModel
package import LedgerPlatform
public import LedgerProjections

/// Why something is not erased; nothing was written.
public enum EraseRefusal: LedgerError, Hashable, Sendable {
  /// There is no such event; with the last seq.
  case noSuchEvent(Seq, last: Int)
  /// It was erased before.
  case isErased(Seq)
  /// One edit of an entry; only whole entries are erased.
  case isPartOfEntry(Seq, logged: Seq)
  /// A correction or deletion of an entry that the ledger does not have.
  case hasNoEntry(Seq)
  /// It was sent and its answer is unknown.
  case inDoubt(Seq)
  /// A profile edit that the backend has not acknowledged.
  case notAcknowledged(Seq)
  /// A value that it set is current.
  case inForce(Seq, ProfileField)
  /// A goal in force, without which an earlier one would be.
  case goalInForce(Seq)
  /// The backend has this value until a later one is sent.
  case notReplaced(Seq, ProfileField)
  /// A field of it is in an open conflict.
  case inConflict(Seq, ProfileField)
  /// Events that other values depend on contain its values.
  case entangled(Seq)
  /// The lines that stay would contradict its erasure, for which every reader would call the log
  /// damaged; with what they would say.
  case contradicted(Seq, Damage)
  /// Not user data.
  case notContent(Seq, type: String)
  /// It is of a newer version than this program reads.
  case newerVersion(Seq)
  /// The reason is empty or too long.
  case badReason(characters: Int)

  /// Stable, for programs.
  public var code: String {
    switch self {
    case .noSuchEvent: "unknown-event"
    case .isErased: "already-erased"
    case .isPartOfEntry: "part-of-entry"
    case .hasNoEntry: "unknown-entry"
    case .inDoubt: "in-doubt"
    case .notAcknowledged: "not-acknowledged"
    case .inForce, .goalInForce: "in-force"
    case .notReplaced: "not-replaced"
    case .inConflict: "in-conflict"
    case .entangled: "entangled"
    case .contradicted: "contradicted"
    case .notContent: "not-content"
    case .newerVersion: "newer-version"
    case .badReason: "bad-reason"
    }
  }

  public var description: String {
    switch self {
    case .noSuchEvent(let seq, let last):
      "there is no event \(seq); the log ends with event \(last)"
    case .isErased(let seq): "event \(seq) is already erased"
    case .isPartOfEntry(let seq, let logged):
      "event \(seq) is one edit of the entry that event \(logged) logged, and an entry is erased as "
        + "a whole"
    case .hasNoEntry(let seq):
      "event \(seq) is an edit of an entry that this ledger does not have, and only whole entries "
        + "are erased"
    case .inDoubt(let seq):
      "event \(seq) was sent and its answer is unknown, so the backend may or may not have it; "
        + "nothing was erased"
    case .notAcknowledged(let seq):
      "event \(seq) still has to be sent; nothing was erased"
    case .inForce(let seq, let field):
      "\(field.rawValue) still has the value that event \(seq) gave it; nothing was erased"
    case .goalInForce(let seq):
      "the goal of event \(seq) is in force, and without it the one that it replaced would be; nothing "
        + "was erased"
    case .notReplaced(let seq, let field):
      "the backend still has the \(field.rawValue) of event \(seq), until the later one is sent; "
        + "nothing was erased"
    case .inConflict(let seq, let field):
      "\(field.rawValue) of event \(seq) is in a conflict that waits for a decision; nothing was "
        + "erased"
    case .entangled(let seq):
      "answers of the backend that other values depend on also contain what event \(seq) set; "
        + "nothing was erased"
    case .contradicted(let seq, let damage):
      "without event \(seq) the log would count as damaged"
        + (damage.line.map { " at line \($0)" } ?? "") + " (\(damage.problem)), since other lines "
        + "do not fit its erasure; nothing was erased"
    case .notContent(let seq, let type):
      "event \(seq) is \(type): it records what this program did, and contains nothing that you "
        + "logged"
    case .newerVersion(let seq):
      "event \(seq) was written by a newer version, and only that can erase it"
    case .badReason(let count):
      count == 0
        ? "the reason is empty; say why, since the log keeps nothing else"
        : "the reason has \(count) characters; it may have \(EventErased.mostReasonCharacters)"
    }
  }
}

/// The result of an erasure.
package struct ErasureOutcome: Sendable {
  /// What was erased, in the order it was named.
  package var erasures: [Erasure]
  /// `event.erased` for each event, then what else the erasure recorded.
  package var recorded: [RecordedEvent]
  /// The same, as stored.
  package var lines: [UInt8]
  /// Removed copies, as paths relative to the ledger's directory.
  package var removedCopies: [String]
  /// Files in the ledger's directory that repeat the content and do not belong to the ledger.
  package var foreignFiles: [String]
  package var repairs: [LogRepair]
}

extension LedgerStore {
  /// Plans erasing events; changes nothing.
  ///
  /// - Throws: ``EraseRefusal``; `LogError`.
  package func erasures(of seqs: [Seq]) throws -> [Erasure] {
    let view = try view()
    try removeWrongSnapshot(of: view)
    return try Self.erasures(of: seqs, in: view)
  }

  /// A snapshot looks up an entry's events faster than a state in memory.
  ///
  /// - Precondition: the snapshot is right; see ``removeWrongSnapshot(of:)``.
  static func erasures(of seqs: [Seq], in view: LogView) throws -> [Erasure] {
    try FoldedLog(view, keepsSnapshot: false).ask { try Erasure.all(of: seqs, $0, in: view) }
  }

  /// Folds the log's own lines, and removes the snapshot if they say otherwise.
  private func removeWrongSnapshot(of view: LogView) throws {
    let state = try catchUp(to: view, keepsSnapshot: true, verifies: true)
    let audit = SnapshotAudit(view, state)
    guard audit.isWrong else { return }
    _ = try log.withSession { _ in
      try logErrors { () throws(IOFailure) in try directory.removeSnapshot(audit.file) }
    }
  }

  /// Permanently removes the content of events and of all that belongs to them; their positions and
  /// hashes stay (docs/log-format.md, Hash chain). The log is rewritten once; other processes can
  /// append meanwhile.
  ///
  /// Copies in `quarantine/` are removed before the log is replaced: otherwise a crash in between
  /// would leave copies that no later erasure recognizes.
  ///
  /// - Parameters:
  ///   - reason: recorded in the log; 1 to 500 characters.
  ///   - syncLock: `sync.lock`, held by the caller, so that no sync sends the content meanwhile.
  ///   - onBytes: called now and then with the number of bytes read since. The log is read twice: to
  ///     copy it, and to verify and fold the copy.
  /// - Throws: ``EraseRefusal`` with nothing written; `LogError`.
  package func erase(
    _ seqs: [Seq], reason: String, holding syncLock: FileLock, at now: Timestamp,
    using generator: inout some RandomNumberGenerator,
    onBytes: (@Sendable (_ count: Int) -> Void)? = nil
  ) throws -> ErasureOutcome {
    let length = reason.unicodeScalars.count
    guard (1...EventErased.mostReasonCharacters).contains(length) else {
      throw EraseRefusal.badReason(characters: length)
    }
    defer { withExtendedLifetime(syncLock) {} }
    try removeWrongSnapshot(of: view())
    var prepared = PreparedErasure(seqs, reason: reason, at: now, onBytes)
    var outcome: ErasureOutcome?
    for attempt in 1...Self.mostAttempts where outcome == nil {
      try prepare(&prepared, using: &generator)
      outcome = try replaceLog(
        by: &prepared, preparesAgain: attempt == Self.mostAttempts, using: &generator)
    }
    keepSnapshot()
    // It may repeat quantities; the next run lists all rows.
    try? Folder.remove(directory.listing, on: directory.disk)
    // The copy was verified whole, and what was appended to it.
    if let state = folded, let view = try? view() {
      VerificationRecord.keep(
        .init(
          state.position, offsetBytes: state.offsetBytes, at: now, of: try? view.file.identity()),
        in: directory)
    }
    return outcome!
  }

  /// How often an erasure is prepared without the lock and again because something was appended meanwhile.
  /// The last time that happens under the lock, so that it ends.
  private static let mostAttempts = 4

  private func prepare(
    _ prepared: inout PreparedErasure, using generator: inout some RandomNumberGenerator
  ) throws {
    let view = try view()
    let state = try catchUp(to: view, verifies: true)
    try prepared.update(to: view, state, isLocked: log.holdsLock, using: &generator)
  }

  /// Puts the copy in the log's place.
  ///
  /// - Parameter preparesAgain: whether to do so under the lock if that is needed.
  /// - Returns: `nil` if the erasure is to be prepared again, with nothing written.
  private func replaceLog(
    by prepared: inout PreparedErasure, preparesAgain: Bool,
    using generator: inout some RandomNumberGenerator
  ) throws -> ErasureOutcome? {
    // The longer the log, the longer it takes to free these, which no writer has to wait for.
    let snapshot = try? OpenFile(directory.snapshot, .read, on: directory.disk)
    var before: LedgerState?
    defer { withExtendedLifetime((snapshot, before)) {} }
    let repairs: [LogRepair]? = try transaction(from: .verifiedState) { transaction in
      let (state, view) = try transaction.ledger()
      before = state
      if preparesAgain {
        try prepared.update(to: view, state, isLocked: true, using: &generator)
      } else {
        guard try prepared.isComplete(upTo: view, state.position) else { return nil }
      }
      try prepared.removeCopies()
      try transaction.replaceLog(by: prepared.replacement, prepared.stateAfterErasure)
      return transaction.repairs
    }
    guard let repairs else { return nil }
    let recorded = prepared.replacement.recorded
    return ErasureOutcome(
      erasures: prepared.erasures, recorded: recorded.events, lines: recorded.lines,
      removedCopies: prepared.removedCopies, foreignFiles: prepared.foreignFiles, repairs: repairs)
  }

  /// The erasure removed the snapshot.
  private func keepSnapshot() {
    guard !log.holdsLock, let state = folded, let view = try? view(),
      Snapshot.pays(after: state.position.seq)
    else { return }
    Snapshot.keep(state, of: view)
  }
}
