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
  /// A goal in force, without which an earlier one would be.
  case goalInForce(Seq)
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
    case .inForce, .goalInForce: "in-force"
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
public struct ErasureOutcome: Sendable {
  /// What was erased, in the order it was named.
  public var erasures: [Erasure]
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
  /// Plans erasing events; changes nothing.
  ///
  /// - Throws: ``EraseRefusal``; `LogError`.
  public func erasures(of seqs: [Seq]) throws -> [Erasure] {
    let view = try view()
    try removeWrongSnapshot(of: view)
    return try Self.erasures(of: seqs, in: view)
  }

  /// A snapshot looks up an entry's events faster than a state in memory.
  ///
  /// - Precondition: the snapshot is right; see ``removeWrongSnapshot(of:)``.
  private static func erasures(of seqs: [Seq], in view: LogView) throws -> [Erasure] {
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
  public func erase(
    _ seqs: [Seq], reason: String, holding syncLock: FileLock, at now: Timestamp,
    using generator: inout some RandomNumberGenerator,
    onBytes: (@Sendable (_ count: Int) -> Void)? = nil
  ) throws -> ErasureOutcome {
    let length = reason.unicodeScalars.count
    guard (1...EventErased.mostReasonCharacters).contains(length) else {
      throw EraseRefusal.badReason(characters: length)
    }
    defer { withExtendedLifetime(syncLock) {} }
    let copied = try view()
    try removeWrongSnapshot(of: copied)
    var erasures = try Self.erasures(of: seqs, in: copied)
    var copy: ErasedCopy? = try ErasedCopy(
      of: copied, without: erasures.lines, isLocked: log.holdsLock, onBytes)
    let outcome = try transaction(from: .verifiedState) { transaction in
      let (state, view) = try transaction.ledger()
      if try view.endBytes != copied.endBytes || !copied.isCurrent() {
        erasures = try Self.erasures(of: seqs, in: view)
      }
      if try copy?.holds(erasures.lines) != true {
        // Its temporary file is removed first.
        copy = nil
        copy = try ErasedCopy(of: view, without: erasures.lines, isLocked: true, onBytes)
      }
      let sweep = try FolderSweep(directory, repeating: erasures.flatMap(\.texts))
      try sweep.removeCopies()
      let events = erasures.payloads(reason: reason).map { by, payload in
        Event(payload, by: by, at: now, using: &generator)
      }
      let appended = try transaction.replaceLog(
        by: copy!.log, without: copy!.missing(of: erasures.lines), recording: events,
        using: &generator
      ) { view in
        let after = try copy!.state(at: view)
        try erasures.checkOthersUnchanged(from: state, to: after)
        if let damage = try after.erasureDamage(in: view) { throw LogError.damaged(damage) }
        return after
      }
      return ErasureOutcome(
        erasures: erasures, recorded: appended.events, lines: appended.lines,
        removedCopies: sweep.copies, foreignFiles: sweep.foreignFiles, repairs: transaction.repairs)
    }
    keepSnapshot()
    // It may repeat quantities; the next run lists all rows.
    try? AtomicFile.remove(directory.listing)
    // The copy was verified whole, and what was appended to it.
    if let state = folded {
      VerificationRecord.keep(
        .init(state.position, offsetBytes: state.offsetBytes, at: now), in: directory)
    }
    return outcome
  }

  /// The erasure removed the snapshot.
  private func keepSnapshot() {
    guard !log.holdsLock, let state = folded, let view = try? view(),
      Snapshot.pays(after: state.position.seq, of: state.position.seq)
    else { return }
    Snapshot.keep(state, of: view)
  }
}

/// A copy of the log without the content of some events, verified and folded.
private struct ErasedCopy {
  let log: LogReplacement
  private var folded: LedgerState

  init(
    of view: LogView, without seqs: Set<Int>, isLocked: Bool = false,
    _ onBytes: (@Sendable (Int) -> Void)?
  ) throws(LogError) {
    log = try LogReplacement(of: view, without: seqs, isLocked: isLocked, onBytes: onBytes)
    var options = Replay.Options(verifies: true)
    options.onBytes = onBytes
    options.isForSnapshot = true
    // Their records are still to be written.
    options.checksErasures = false
    let outcome = try Replay.run(log.view, options)
    if let damage = outcome.damage { throw .damaged(damage) }
    folded = outcome.state
  }

  /// Whether it is still a copy of the log, and up to its end lacks exactly these events.
  func holds(_ seqs: Set<Int>) throws(LogError) -> Bool {
    try log.isCurrent() && seqs.subtracting(missing(of: seqs)) == log.erased
  }

  /// Those of the events that it does not have yet.
  func missing(of seqs: Set<Int>) -> Set<Int> { seqs.filter { $0 > folded.position.seq } }

  /// The state at the end of the completed copy.
  mutating func state(at view: LogView) throws(LogError) -> LedgerState {
    try Replay.advance(&folded, to: view, verifies: true)
    return folded
  }
}

extension [Erasure] {
  /// The seqs of all events that lose their content.
  fileprivate var lines: Set<Int> { Set(flatMap { $0.seqs.map(\.number) }) }

  fileprivate func payloads(reason: String) -> [(Event.Actor, Event.Payload)] {
    var recorded: Set<Seq> = []
    var payloads: [(Event.Actor, Event.Payload)] = []
    for erasure in self {
      // One line may belong to two entries.
      for seq in erasure.seqs where recorded.insert(seq).inserted {
        let record = EventErased(
          event: seq, reason: reason, entry: erasure.entry,
          fields: erasure.entry == nil ? erasure.fields : nil)
        payloads.append((.user, .eventErased(record)))
      }
    }
    payloads += flatMap { $0.bindings.map { (.sync, .syncAcknowledged($0)) } }
    for erasure in self where erasure.queuesDeletion {
      guard let entry = erasure.entry else { continue }
      let deletion: Event.Payload =
        erasure.isSession
        ? .sleepDeleted(SleepDeleted(entry: entry))
        : .progressDeleted(ProgressDeleted(entry: entry))
      payloads.append((.user, deletion))
    }
    return payloads
  }

  /// The state of what was not erased must be the same.
  fileprivate func checkOthersUnchanged(
    from before: LedgerState, to after: LedgerState
  ) throws(EraseRefusal) {
    var erased = lines
    for erasure in self { erased.formUnion(erasure.mentions) }
    let areEditsSame = (1...before.position.seq).allSatisfy { seq in
      before.edits.state(seq) == after.edits.state(seq) || erased.contains(seq)
    }
    let isProfileSame = ProfileField.allCases.allSatisfy { field in
      before.profile.current(field, before.edits)?.value
        == after.profile.current(field, after.edits)?.value
        && before.profile.agreed(field) == after.profile.agreed(field)
        && before.profile.hasOpenConflict(field) == after.profile.hasOpenConflict(field)
    }
    guard areEditsSame, isProfileSame else { throw .entangled(self[0].subject) }
    let (goals, left) = (Set(before.goalSeqs), Set(after.goalSeqs))
    guard left.isSubset(of: goals) else {
      throw .goalInForce(goals.subtracting(left).min() ?? self[0].subject)
    }
  }
}
