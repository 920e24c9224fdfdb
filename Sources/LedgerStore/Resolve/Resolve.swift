import LedgerJSON
package import LedgerLog
public import LedgerModel
public import LedgerProjections

/// Why a conflict is not decided.
public enum ConflictRefusal: LedgerError, Hashable, Sendable {
  /// The event is no conflict, or does not exist; `last` is the log's last one.
  case noConflict(Seq, last: Int)
  /// A field that this version does not have.
  case unknownField(Seq, name: String)
  /// The field already has that side's value.
  case isDecided(Seq, ConflictSide, field: ProfileField)
  /// A conflict over an entry is decided only once; afterwards the entry can be corrected.
  case entryIsDecided(Seq, ConflictDecision)
  /// A later conflict over the same field is open and would override the decision.
  case waitsForLater(Seq, later: Seq)
  /// A later event settled it: the entry has another row, or a later conflict replaced it.
  case isSettled(Seq, by: Seq)
  /// The entry was deleted or undone, so its values no longer matter.
  case entryIsDeleted(Seq)
  /// An entry's type never changes, so only the local side can be taken.
  case typeIsFixed(Seq)
  /// The field cannot have the backend's value.
  case unusableValue(Seq, field: String, value: String)

  /// Stable, for programs.
  public var code: String {
    switch self {
    case .noConflict: "no-conflict"
    case .unknownField: "unknown-field"
    case .isDecided, .entryIsDecided: "already-decided"
    case .waitsForLater: "overtaken"
    case .isSettled: "already-settled"
    case .entryIsDeleted: "entry-deleted"
    case .typeIsFixed: "type-is-fixed"
    case .unusableValue: "unusable-value"
    }
  }

  public var description: String {
    switch self {
    case .noConflict(let seq, let last) where seq.number > last:
      "there is no event \(seq); the log ends with event \(last)"
    case .noConflict(let seq, _): "event \(seq) is not a conflict"
    case .unknownField(let seq, let name):
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
      "the backend's \(field) in conflict \(seq) is \(value), which cannot be taken"
    }
  }
}

extension ConflictRefusal {
  /// For a backend's value; an object replaces a value too long to record.
  static func unusable(_ conflict: ConflictView) -> ConflictRefusal {
    let value =
      conflict.remote.object == nil ? conflict.remote.serialized : "a value that is too long"
    return .unusableValue(conflict.seq, field: conflict.fieldName, value: value)
  }
}

/// The result of deciding all open conflicts.
public struct ResolveAllOutcome: Sendable {
  /// Oldest first.
  public var decided: [Seq] = []
  /// Why conflicts that cannot take that side stay open.
  public var skipped: [ConflictRefusal] = []
  package var appended = LedgerStore.Outcome()

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
  /// Records the user's decision of a conflict; that of an entry's last open conflict also appends the
  /// events that carry it out (``EntryDecision``).
  ///
  /// - Parameter zone: the zone that a moment taken from the backend is recorded in.
  /// - Throws: ``ConflictRefusal`` with nothing written; ``LogError``.
  package func resolve(
    _ conflict: Seq, taking side: ConflictSide, in zone: LocalZone = .current, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    try transaction(from: .verifiedState) { transaction in
      let (state, view) = try transaction.ledger()
      let records = try state.records(deciding: conflict, taking: side, in: zone, view)
      return try transaction.append(records, at: now, using: &generator)
    }
  }

  /// Records the same decision about every open conflict, in one durable write.
  ///
  /// - Parameter zone: the zone that a moment taken from the backend is recorded in.
  /// - Returns: what was decided; conflicts that cannot take that side are skipped.
  /// - Throws: ``LogError``.
  package func resolveAll(
    taking side: ConflictSide, in zone: LocalZone = .current, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> ResolveAllOutcome {
    try transaction(from: .verifiedState) { transaction in
      let (state, view) = try transaction.ledger()
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
        var decision = try state.decision(of: entry, conflict.seq, in: zone, view)
        for seq in decision.open {
          outcome.note(seq) { () throws(ConflictRefusal) in try decision.take(side, of: seq) }
        }
        records += try decision.records()
      }
      outcome.decided.sort()
      guard !records.isEmpty else { return outcome }
      outcome.appended = try transaction.append(records, at: now, using: &generator)
      return outcome
    }
  }
}

extension LedgerStore.Transaction {
  fileprivate mutating func append(
    _ records: [DecisionRecord], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> LedgerStore.Outcome {
    let events = records.map { Event($0.payload, by: $0.by, at: now, using: &generator) }
    return try append(events, using: &generator)
  }
}

/// The decisions about the conflicts of an entry or a sleep session.
protocol SubjectDecision {
  /// The open conflicts, oldest first.
  var open: [Seq] { get }
  /// Decides one of the conflicts.
  mutating func take(_ side: ConflictSide, of seq: Seq) throws(ConflictRefusal)
  /// The decisions as events and, once no conflict is open, what carries them out.
  func records() throws -> [DecisionRecord]
}

/// An event of a decision and its actor.
struct DecisionRecord {
  var by: Event.Actor
  var payload: Event.Payload

  init(_ by: Event.Actor, _ payload: Event.Payload) {
    (self.by, self.payload) = (by, payload)
  }
}

extension LedgerState {
  /// The decision and the events that carry it out.
  fileprivate func records(
    deciding seq: Seq, taking side: ConflictSide, in zone: LocalZone, _ view: LogView
  ) throws -> [DecisionRecord] {
    guard let entry = conflict(seq)?.entry else {
      return [.init(.user, .conflictResolved(try resolution(of: seq, taking: side)))]
    }
    var decision = try decision(of: entry, seq, in: zone, view)
    try decision.take(side, of: seq)
    return try decision.records()
  }

  /// - Parameter seq: a conflict of the entry or sleep session.
  fileprivate func decision(
    of id: EntryID, _ seq: Seq, in zone: LocalZone, _ view: LogView
  ) throws(ConflictRefusal) -> any SubjectDecision {
    hasSession(id)
      ? try SessionDecision(id, seq, self, view, zone)
      : try EntryDecision(id, seq, self, view, zone)
  }

  /// The value that the decision `local` takes now, which may have been edited since the conflict was
  /// found.
  func localValue(of conflict: ConflictView, in view: LogView) throws(LogError) -> JSONValue {
    func notes(_ seq: Seq?) throws(LogError) -> JSONValue {
      try seq.flatMap { seq throws(LogError) in try view.notes(setBy: seq) }.map { .string($0) }
        ?? .null
    }
    if let field = conflict.field { return typedValue(of: conflict, field) }
    guard let id = conflict.entry else { return conflict.local }
    if let entry = row(of: id).map({ entry(at: $0) }) {
      switch conflict.fieldName {
      case "quantity": return .number(entry.quantity)
      case "moment":
        let moment = entry.moment ?? ZonedTime(time: .midnight, zone: .utc)
        return .string(moment.instant(on: entry.date).rfc3339Seconds)
      case "notes": return try notes(entry.notesIn)
      default: return conflict.local
      }
    }
    guard let session = session(of: id).map({ session(at: $0) }) else { return conflict.local }
    switch conflict.fieldName {
    case "start": return .string(session.start.timestamp.rfc3339Seconds)
    case "end": return .string(session.end.timestamp.rfc3339Seconds)
    case "notes": return try notes(session.notesIn)
    default: return conflict.local
    }
  }

  /// A conflict with the local value that a decision takes or took: that of now while it is open, and the
  /// one that was kept.
  package func withLocalValue(
    _ conflict: ConflictView, in view: LogView
  ) throws(LogError) -> ConflictView {
    var conflict = conflict
    if conflict.isOpen {
      conflict.local = try localValue(of: conflict, in: view)
    } else if let resolution = conflict.resolution, resolution.decision == .local,
      case .conflictResolved(let data) = try view.line(resolution.seq).event().event.payload
    {
      conflict.local = data.value ?? .null
    }
    return conflict
  }

  private func typedValue(of conflict: ConflictView, _ field: ProfileField) -> JSONValue {
    profile.lastTyped(field, after: conflict.seq, edits) ?? conflict.local
  }

  /// The decision of a conflict over a profile field.
  fileprivate func resolution(
    of seq: Seq, taking side: ConflictSide
  ) throws(ConflictRefusal) -> ConflictResolved {
    guard let conflict = conflict(seq) else {
      throw .noConflict(seq, last: position.seq)
    }
    guard let field = conflict.field else {
      throw .unknownField(seq, name: "\(conflict.fieldName) of \(conflict.subject)")
    }
    if let open = profile.openConflict(field), open > seq {
      throw .waitsForLater(seq, later: open)
    }
    let value =
      switch side {
      case .remote: conflict.remote
      case .local: typedValue(of: conflict, field)
      }
    if side == .remote, case .object = value { throw .unusable(conflict) }
    let state = profile.state(ofSetting: field, to: value, before: .max, edits)
    guard conflict.decision != side.decision || state != nil else {
      throw .isDecided(seq, side, field: field)
    }
    return ConflictResolved(conflict: seq, decision: side.decision, value: value)
  }
}

// MARK: Suspected duplicates

/// Why suspected duplicates are not decided.
public enum SuspicionRefusal: LedgerError, Hashable, Sendable {
  /// The event is no suspicion, or does not exist; `last` is the log's last one.
  case noSuspicion(Seq, last: Int)
  /// The rows may already be deleted, or be entries.
  case isDecided(Seq, DuplicateDecision, by: Seq)

  /// Stable, for programs.
  public var code: String {
    switch self {
    case .noSuspicion: "no-suspicion"
    case .isDecided: "already-decided"
    }
  }

  public var description: String {
    switch self {
    case .noSuspicion(let seq, let last) where seq.number > last:
      "there is no event \(seq); the log ends with event \(last)"
    case .noSuspicion(let seq, _): "event \(seq) is not a suspected duplicate"
    case .isDecided(let seq, let decision, let later):
      "suspicion \(seq) is decided already, by event \(later): \(decision.rawValue)"
    }
  }
}

extension LedgerStore {
  /// Records the user's decision about suspected duplicates.
  ///
  /// - Parameter decision: after `one` the next sync deletes the suspected rows; after `both` the next
  ///   full listing makes entries of them.
  /// - Throws: ``SuspicionRefusal`` with nothing written; ``LogError``.
  package func resolve(
    suspicion seq: Seq, taking decision: DuplicateDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    try transaction(from: .verifiedState) { transaction in
      let state = try transaction.ledger().state
      guard let suspicion = state.suspicions().first(where: { $0.seq == seq }) else {
        throw SuspicionRefusal.noSuspicion(seq, last: state.position.seq)
      }
      if let decided = suspicion.decision, let later = suspicion.resolvedBy {
        throw SuspicionRefusal.isDecided(seq, decided, by: later)
      }
      let records = Self.records([suspicion], decision)
      return try transaction.append(records, at: now, using: &generator)
    }
  }

  /// Records the same decision about all open suspicions, in one durable write.
  ///
  /// - Throws: ``LogError``.
  package func resolveAllSuspicions(
    taking decision: DuplicateDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    try transaction(from: .verifiedState) { transaction in
      let records = Self.records(try transaction.ledger().state.openSuspicions(), decision)
      guard !records.isEmpty else { return Outcome(repairs: transaction.repairs) }
      return try transaction.append(records, at: now, using: &generator)
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
