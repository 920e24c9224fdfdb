import LedgerJSON
import LedgerLog
public import LedgerModel

/// A side of a conflict.
public enum ConflictSide: String, CaseIterable, Sendable {
  /// What was said here.
  case local
  /// What the backend had.
  case remote

  var decision: ConflictDecision { self == .local ? .local : .remote }
}

/// Why a conflict is not decided.
public enum ConflictRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The event is no conflict, or there is no such event; `last` is the log's last one.
  case noConflict(Seq, last: Int)
  /// It is over something that this version has no fields for.
  case foreign(Seq, name: String)
  /// The field has that side's value already.
  case isDecided(Seq, ConflictSide, field: ProfileField)
  /// A later conflict over the same field is open, and would hide the decision.
  case waitsForLater(Seq, later: Seq)

  public var description: String {
    switch self {
    case .noConflict(let seq, let last) where seq.number > last:
      "there is no event \(seq); the log ends with event \(last)"
    case .noConflict(let seq, _): "event \(seq) is no conflict"
    case .foreign(let seq, let name):
      "conflict \(seq) is over \(name), which this version cannot decide"
    case .isDecided(let seq, let side, let field):
      "conflict \(seq) is decided that way already: \(field.rawValue) has the \(side.rawValue) value"
    case .waitsForLater(let seq, let later):
      "conflict \(seq) was overtaken by conflict \(later) over the same field, which is open"
    }
  }
}

extension LocalLedger {
  /// Records a person's decision, made under the lock: of two at once, the second one meets the
  /// first.
  ///
  /// - Throws: ``ConflictRefusal`` with nothing written; ``LogError``.
  public func resolve(
    _ conflict: Seq, taking side: ConflictSide, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    // A long fold is done before the lock is taken; under it only what came in between.
    _ = try state()
    return try log.withSession { session in
      let state = try catchUp(to: session.view())
      let resolved = try state.resolution(of: conflict, taking: side)
      let event = Event(
        id: .make(at: now, using: &generator), at: now, by: .user,
        payload: .conflictResolved(resolved))
      let appended = try session.append([event], using: &generator)
      return Outcome(
        edits: appended.events.map { .appended($0) }, lines: appended.lines,
        repairs: session.repairs)
    }
  }
}

extension LedgerState {
  /// The decision for a side, as an event.
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
