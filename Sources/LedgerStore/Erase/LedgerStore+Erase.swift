public import LedgerLog
public import LedgerModel
public import LedgerPlatform
import LedgerProjections

/// What an erasure has come to.
public struct ErasureOutcome: Sendable {
  public var erasure: Erasure
  /// What was recorded: `event.erased` for each event, then what belongs to the act.
  public var recorded: [RecordedEvent]
  /// The same, as stored.
  public var lines: [UInt8]
  /// Copies that were removed, as paths inside the ledger's folder.
  public var removedCopies: [String]
  /// Files beside the log that repeat it and are not the ledger's.
  public var strangers: [String]
  public var repairs: [LogSession.Repair]
}

extension LedgerStore {
  /// What erasing an event would come to; nothing is changed.
  ///
  /// - Throws: ``EraseRefusal``; `LogError`.
  public func erasure(of seq: Seq) throws -> Erasure {
    try Erasure.decide(seq, state(), in: LogView.open(directory))
  }

  /// Removes the content of an event, and of all that belongs to it, for good; its place and its
  /// proof stay (docs/log-format.md, Hash chain).
  ///
  /// 1. Copies in `quarantine/` go first: were they left for last, a crash would leave them with
  ///    nobody knowing what they hold. 2. The log is replaced.
  ///
  /// - Parameters:
  ///   - reason: all that the log will tell; 1 to 500 characters.
  ///   - syncLock: `sync.lock`, held by the caller: no run may be about to send what goes.
  ///   - onBytes: told now and then how many bytes more have been read. The log is read three times:
  ///     to copy it, to verify the copy, and to fold it.
  /// - Throws: ``EraseRefusal`` with nothing written; `LogError`.
  public func erase(
    _ seq: Seq, reason: String, holding syncLock: FileLock, at now: Timestamp,
    using generator: inout some RandomNumberGenerator,
    onBytes: (@Sendable (_ count: Int) -> Void)? = nil
  ) throws -> ErasureOutcome {
    let length = reason.unicodeScalars.count
    guard (1...500).contains(length) else { throw EraseRefusal.badReason(characters: length) }
    defer { withExtendedLifetime(syncLock) {} }
    // A long fold is done before the lock is taken; under it only what came in between.
    _ = try state()
    return try log.withSession { session in
      let view = try session.view()
      let state = try catchUp(to: view)
      let erasure = try Erasure.decide(seq, state, in: view)
      let sweep = try FolderSweep(directory, repeating: erasure.texts)
      try sweep.removeCopies()
      let events = erasure.payloads(reason: reason).map { by, payload in
        Event(id: .make(at: now, using: &generator), at: now, by: by, payload: payload)
      }
      let appended = try session.erase(
        Set(erasure.seqs.map(\.number)), recording: events, using: &generator,
        onBytes: onBytes
      ) { view in
        try erasure.checkOthersUnchanged(state, in: view, onBytes)
      }
      forget()
      return ErasureOutcome(
        erasure: erasure, recorded: appended.events, lines: appended.lines,
        removedCopies: sweep.copies, strangers: sweep.strangers, repairs: session.repairs)
    }
  }
}

extension Erasure {
  fileprivate func payloads(reason: String) -> [(Actor, Event.Payload)] {
    var payloads = seqs.map { seq -> (Actor, Event.Payload) in
      let record = EventErased(
        event: seq, reason: reason, entry: entry, fields: entry == nil ? fields : nil)
      return (.user, .eventErased(record))
    }
    payloads += bindings.map { (.sync, .syncAcknowledged($0)) }
    if queuesDeletion, let entry {
      payloads.append((.user, .progressDeleted(ProgressDeleted(entry: entry))))
    }
    return payloads
  }

  /// Folds the new log before it counts: what was not erased must mean what it meant.
  fileprivate func checkOthersUnchanged(
    _ before: LedgerState, in view: LogView, _ onBytes: (@Sendable (Int) -> Void)?
  ) throws {
    var options = Replay.Options(verifies: false)
    options.onBytes = onBytes
    let outcome = try Replay.run(view, options)
    if let damage = outcome.damage { throw LogError.damaged(damage) }
    let after = outcome.state
    let gone = Set(seqs.map(\.number))
    let own = Set(entry.map { before.mentions(ofEntry: $0) } ?? [])
    let areEditsSame = (1...before.position.seq).allSatisfy { seq in
      gone.contains(seq) || own.contains(seq) || before.edits.state(seq) == after.edits.state(seq)
    }
    let arePersonsSame = ProfileField.allCases.allSatisfy { field in
      before.profile.current(field, before.edits)?.value
        == after.profile.current(field, after.edits)?.value
        && before.profile.agreed(field) == after.profile.agreed(field)
        && before.profile.hasOpenConflict(field) == after.profile.hasOpenConflict(field)
    }
    guard areEditsSame, arePersonsSame else { throw EraseRefusal.entangled(subject) }
  }
}
