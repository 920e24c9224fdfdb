import LedgerJSON
import LedgerLog
public import LedgerModel
public import LedgerProjections

/// Why a conflict is not decided.
public enum ConflictRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The event is no conflict, or there is no such event; `last` is the log's last one.
  case noConflict(Seq, last: Int)
  /// It is over something that this version has no fields for.
  case foreign(Seq, name: String)
  /// The field has that side's value already.
  case isDecided(Seq, ConflictSide, field: ProfileField)
  /// A conflict over an entry is decided once; afterwards the entry is corrected like any other.
  case entryIsDecided(Seq, ConflictDecision)
  /// A later conflict over the same field is open, and would hide the decision.
  case waitsForLater(Seq, later: Seq)
  /// A later event settled it: the entry has another row, or a later conflict took its place.
  case isSettled(Seq, by: Seq)
  /// The entry was deleted or undone, so its values no longer matter.
  case entryIsDeleted(Seq)
  /// An entry's type never changes, so only the local side can be taken.
  case typeIsFixed(Seq)
  /// The backend's value is none that the field can have.
  case unusableValue(Seq, field: String, value: String)

  public var description: String {
    switch self {
    case .noConflict(let seq, let last) where seq.number > last:
      "there is no event \(seq); the log ends with event \(last)"
    case .noConflict(let seq, _): "event \(seq) is no conflict"
    case .foreign(let seq, let name):
      "conflict \(seq) is over \(name), which this version cannot decide"
    case .isDecided(let seq, let side, let field):
      "conflict \(seq) is decided that way already: \(field.rawValue) has the \(side.rawValue) value"
    case .entryIsDecided(let seq, let decision):
      "conflict \(seq) is decided already: the \(decision.rawValue) value was taken"
    case .waitsForLater(let seq, let later):
      "conflict \(seq) was overtaken by conflict \(later) over the same field, which is open"
    case .isSettled(let seq, let later): "conflict \(seq) was settled by event \(later)"
    case .entryIsDeleted(let seq): "the entry of conflict \(seq) is deleted"
    case .typeIsFixed(let seq):
      "conflict \(seq) is over the type of an entry, which cannot change: only the local type can "
        + "be taken"
    case .unusableValue(let seq, let field, let value):
      "the backend's \(field) in conflict \(seq) is \(value), which an entry cannot have"
    }
  }
}

/// What deciding all open conflicts came to.
public struct ResolveAllOutcome: Sendable {
  /// The conflicts that are decided now, oldest first.
  public var decided: [Seq] = []
  /// The conflicts that cannot take that side, and why; they stay open.
  public var skipped: [ConflictRefusal] = []
  /// What was appended.
  public var appended = LedgerStore.Outcome()

  fileprivate mutating func note(_ seq: Seq, _ decide: () throws(ConflictRefusal) -> Void) {
    do throws(ConflictRefusal) {
      try decide()
      decided.append(seq)
    } catch {
      skipped.append(error)
    }
  }
}

extension LedgerStore {
  /// Records a person's decision, made under the lock: of two at once, the second one meets the
  /// first.
  ///
  /// The decision of the last open conflict of an entry appends what makes it true as well
  /// (``EntryDecision``).
  ///
  /// - Parameter zone: the zone that a moment taken from the backend is recorded in.
  /// - Throws: ``ConflictRefusal`` with nothing written; ``LogError``.
  public func resolve(
    _ conflict: Seq, taking side: ConflictSide, in zone: LocalZone = .current, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    // A long fold is done before the lock is taken; under it only what came in between.
    _ = try state()
    return try log.withSession { session in
      let view = try session.view()
      let state = try catchUp(to: view)
      let records = try state.records(deciding: conflict, taking: side, in: zone, view)
      return try Self.append(records, to: &session, at: now, using: &generator)
    }
  }

  /// Records the same decision about every open conflict, in one durable write.
  ///
  /// - Parameter zone: the zone that a moment taken from the backend is recorded in.
  /// - Returns: what was decided; conflicts that cannot take that side are skipped.
  /// - Throws: ``LogError``.
  public func resolveAll(
    taking side: ConflictSide, in zone: LocalZone = .current, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> ResolveAllOutcome {
    _ = try state()
    return try log.withSession { session in
      let view = try session.view()
      let state = try catchUp(to: view)
      var outcome = ResolveAllOutcome()
      var records: [DecisionRecord] = []
      var entries: Set<EntryID> = []
      for conflict in state.openConflicts() {
        guard let entry = conflict.entry else {
          outcome.note(conflict.seq) { () throws(ConflictRefusal) in
            let resolved = try state.resolution(of: conflict.seq, taking: side)
            records.append(.init(.user, .conflictResolved(resolved)))
          }
          continue
        }
        guard entries.insert(entry).inserted else { continue }
        var decision = try EntryDecision(entry, conflict.seq, state, view, zone)
        for seq in decision.open {
          outcome.note(seq) { () throws(ConflictRefusal) in try decision.take(side, of: seq) }
        }
        records += try decision.records()
      }
      outcome.decided.sort()
      guard !records.isEmpty else { return outcome }
      outcome.appended = try Self.append(records, to: &session, at: now, using: &generator)
      return outcome
    }
  }

  static func append(
    _ records: [DecisionRecord], to session: inout LogSession, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> Outcome {
    let events = records.map { record in
      Event(
        id: .make(at: now, using: &generator), at: now, by: record.by, payload: record.payload)
    }
    let appended = try session.append(events, using: &generator)
    return Outcome(
      edits: appended.events.map { .appended($0) }, lines: appended.lines,
      repairs: session.repairs)
  }
}

/// An event of a decision, and who records it.
struct DecisionRecord {
  var by: Actor
  var payload: Event.Payload

  init(_ by: Actor, _ payload: Event.Payload) {
    (self.by, self.payload) = (by, payload)
  }
}

extension LedgerState {
  /// The decision for a side with all that it appends.
  fileprivate func records(
    deciding seq: Seq, taking side: ConflictSide, in zone: LocalZone, _ view: LogView
  ) throws -> [DecisionRecord] {
    guard let entry = conflict(seq)?.entry else {
      return [.init(.user, .conflictResolved(try resolution(of: seq, taking: side)))]
    }
    var decision = try EntryDecision(entry, seq, self, view, zone)
    try decision.take(side, of: seq)
    return try decision.records()
  }

  /// The decision for a side of a conflict over a field of the person, as an event.
  func resolution(
    of seq: Seq, taking side: ConflictSide
  ) throws(ConflictRefusal) -> ConflictResolved {
    guard let conflict = conflict(seq) else {
      throw .noConflict(seq, last: position.seq)
    }
    guard let field = conflict.field else {
      throw .foreign(seq, name: "\(conflict.fieldName) of \(conflict.subject)")
    }
    if let open = profile.openConflict(field), open > seq {
      throw .waitsForLater(seq, later: open)
    }
    let value =
      switch side {
      case .remote: conflict.remote
      case .local: profile.lastTyped(field, after: seq, edits) ?? conflict.local
      }
    let state = profile.state(ofSetting: field, to: value, before: .max, edits)
    guard conflict.decision != side.decision || state != nil else {
      throw .isDecided(seq, side, field: field)
    }
    return ConflictResolved(conflict: seq, decision: side.decision, value: value)
  }
}
