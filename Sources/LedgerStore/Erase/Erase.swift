public import LedgerLog
public import LedgerModel
public import LedgerPlatform
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
  /// The backend has this value until a later one is sent.
  case notReplaced(Seq, ProfileField)
  /// A field of it is in an open conflict.
  case inConflict(Seq, ProfileField)
  /// Events that other values depend on contain its values.
  case entangled(Seq)
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
    case .inForce: "in-force"
    case .notReplaced: "not-replaced"
    case .inConflict: "in-conflict"
    case .entangled: "entangled"
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
    case .notReplaced(let seq, let field):
      "the backend still has the \(field.rawValue) of event \(seq), until the later one is sent; "
        + "nothing was erased"
    case .inConflict(let seq, let field):
      "\(field.rawValue) of event \(seq) is in a conflict that waits for a decision; nothing was "
        + "erased"
    case .entangled(let seq):
      "answers of the backend that other values depend on also contain what event \(seq) set; "
        + "nothing was erased"
    case .notContent(let seq, let type):
      "event \(seq) is \(type): it records what this program did, and contains nothing that you "
        + "logged"
    case .newerVersion(let seq):
      "event \(seq) was written by a newer version, and only that can erase it"
    case .badReason(let count):
      count == 0
        ? "the reason is empty; say why, since the log keeps nothing else"
        : "the reason has \(count) characters; it may have 500"
    }
  }
}

/// The result of an erasure.
public struct ErasureOutcome: Sendable {
  public var erasure: Erasure
  /// `event.erased` for each event, then what else the erasure recorded.
  public var recorded: [RecordedEvent]
  /// The same, as stored.
  public var lines: [UInt8]
  /// Removed copies, as paths relative to the ledger's directory.
  public var removedCopies: [String]
  /// Files in the ledger's directory that repeat the content and do not belong to the ledger.
  public var foreignFiles: [String]
  public var repairs: [LogRepair]
}

extension LedgerStore {
  /// Plans erasing an event; changes nothing.
  ///
  /// - Throws: ``EraseRefusal``; `LogError`.
  public func erasure(of seq: Seq) throws -> Erasure {
    try Erasure(of: seq, state(), in: LogView.open(directory))
  }

  /// Permanently removes the content of an event and of all that belongs to it; its position and its
  /// hash stay (docs/log-format.md, Hash chain).
  ///
  /// Copies in `quarantine/` are removed before the log is replaced: otherwise a crash in between
  /// would leave copies that no later erasure recognizes.
  ///
  /// - Parameters:
  ///   - reason: recorded in the log; 1 to 500 characters.
  ///   - syncLock: `sync.lock`, held by the caller, so that no sync sends the content meanwhile.
  ///   - onBytes: called now and then with the number of bytes read since. The log is read three
  ///     times: to copy it, to verify the copy, and to fold it.
  /// - Throws: ``EraseRefusal`` with nothing written; `LogError`.
  public func erase(
    _ seq: Seq, reason: String, holding syncLock: FileLock, at now: Timestamp,
    using generator: inout some RandomNumberGenerator,
    onBytes: (@Sendable (_ count: Int) -> Void)? = nil
  ) throws -> ErasureOutcome {
    let length = reason.unicodeScalars.count
    guard (1...500).contains(length) else { throw EraseRefusal.badReason(characters: length) }
    defer { withExtendedLifetime(syncLock) {} }
    return try transaction(from: .state) { transaction in
      let (state, view) = try transaction.ledger()
      let erasure = try Erasure(of: seq, state, in: view)
      let sweep = try FolderSweep(directory, repeating: erasure.texts)
      try sweep.removeCopies()
      let events = erasure.payloads(reason: reason).map { by, payload in
        Event(payload, by: by, at: now, using: &generator)
      }
      let appended = try transaction.erase(
        erasure.seqs, recording: events, using: &generator, onBytes: onBytes
      ) { view in
        try erasure.checkOthersUnchanged(state, in: view, onBytes)
      }
      return ErasureOutcome(
        erasure: erasure, recorded: appended.events, lines: appended.lines,
        removedCopies: sweep.copies, foreignFiles: sweep.foreignFiles, repairs: transaction.repairs)
    }
  }
}

extension Erasure {
  fileprivate func payloads(reason: String) -> [(Event.Actor, Event.Payload)] {
    var payloads = seqs.map { seq -> (Event.Actor, Event.Payload) in
      let record = EventErased(
        event: seq, reason: reason, entry: entry, fields: entry == nil ? fields : nil)
      return (.user, .eventErased(record))
    }
    payloads += bindings.map { (.sync, .syncAcknowledged($0)) }
    if queuesDeletion, let entry {
      let deletion: Event.Payload =
        isSession
        ? .sleepDeleted(SleepDeleted(entry: entry))
        : .progressDeleted(ProgressDeleted(entry: entry))
      payloads.append((.user, deletion))
    }
    return payloads
  }

  /// Folds the new log before it replaces the old one: the state of what was not erased must be the
  /// same.
  fileprivate func checkOthersUnchanged(
    _ before: LedgerState, in view: LogView, _ onBytes: (@Sendable (Int) -> Void)?
  ) throws {
    var options = Replay.Options(verifies: false)
    options.onBytes = onBytes
    let outcome = try Replay.run(view, options)
    if let damage = outcome.damage { throw LogError.damaged(damage) }
    let after = outcome.state
    let erased = Set(seqs.map(\.number))
    let own = Set(entry.map { before.mentions(ofEntry: $0) } ?? [])
    let areEditsSame = (1...before.position.seq).allSatisfy { seq in
      erased.contains(seq) || own.contains(seq) || before.edits.state(seq) == after.edits.state(seq)
    }
    let isProfileSame = ProfileField.allCases.allSatisfy { field in
      before.profile.current(field, before.edits)?.value
        == after.profile.current(field, after.edits)?.value
        && before.profile.agreed(field) == after.profile.agreed(field)
        && before.profile.hasOpenConflict(field) == after.profile.hasOpenConflict(field)
    }
    guard areEditsSame, isProfileSame else { throw EraseRefusal.entangled(subject) }
  }
}
