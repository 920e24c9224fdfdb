import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// The user's decisions about the conflicts of one sleep session, and the events that carry them out.
///
/// The backend cannot change a session. Once the last open conflict is decided, the values taken from
/// the backend become a `sleep.corrected` by sync; where a local value was taken, the edits stay
/// here, held as `backend-cannot-change-sleep`.
struct SessionDecision: SubjectDecision {
  private let group: [ConflictView]
  private let session: SleepView
  private let state: LedgerState
  private let view: LogView
  private let zone: LocalZone
  private var taken: [Seq: ConflictSide] = [:]

  /// - Throws: ``ConflictRefusal`` for a session that is deleted.
  init(
    _ id: EntryID, _ seq: Seq, _ state: LedgerState, _ view: LogView, _ zone: LocalZone
  ) throws(ConflictRefusal) {
    guard let index = state.session(of: id), !state.session(at: index).isDeleted else {
      throw .entryIsDeleted(seq)
    }
    session = state.session(at: index)
    (self.state, self.view, self.zone) = (state, view, zone)
    let since = session.boundBy ?? session.seq
    group = state.conflicts(of: id).filter {
      $0.seq > since && $0.detected == .open && $0.replacedBy == nil
    }
  }

  var open: [Seq] { group.filter(\.isOpen).map(\.seq) }

  mutating func take(_ side: ConflictSide, of seq: Seq) throws(ConflictRefusal) {
    guard let conflict = group.first(where: { $0.seq == seq }) else {
      throw .isSettled(seq, by: session.boundBy ?? session.seq)
    }
    if let resolution = conflict.resolution { throw .entryIsDecided(seq, resolution.decision) }
    taken[seq] = side
    guard side == .remote else { return }
    let values = correction()
    let start = values?.start ?? session.start
    let end = values?.end ?? session.end
    guard values != nil, start.secondsSince1970 < end.secondsSince1970 else {
      throw .unusable(conflict)
    }
  }

  func records() throws -> [DecisionRecord] {
    var resolved: [DecisionRecord] = []
    for conflict in group {
      guard let side = taken[conflict.seq] else { continue }
      let value = side == .remote ? conflict.remote : try state.localValue(of: conflict, in: view)
      resolved.append(
        .init(
          .user,
          .conflictResolved(
            ConflictResolved(conflict: conflict.seq, decision: side.decision, value: value))))
    }
    let isLast = group.allSatisfy { !$0.isOpen || taken[$0.seq] != nil }
    guard isLast, !resolved.isEmpty, var values = correction(),
      values != SleepCorrected(entry: session.id)
    else { return resolved }
    // Those of another period cannot be right.
    if values.start != nil || values.end != nil, session.stagesIn != nil { values.stages = [] }
    return resolved + [.init(.sync, .sleepCorrected(values))]
  }

  /// The values taken from the backend; `nil` if a session cannot have one of them.
  private func correction() -> SleepCorrected? {
    var values = SleepCorrected(entry: session.id)
    for conflict in group where side(of: conflict) == .remote {
      let text = conflict.remote.string
      switch conflict.fieldName {
      case "start", "end":
        guard let instant = text.flatMap({ Timestamp(rfc3339: $0) }),
          let moment = ZonedTimestamp(instant, in: zone)
        else { return nil }
        if conflict.fieldName == "start" { values.start = moment } else { values.end = moment }
      case "notes" where conflict.remote.isNull: values.notes = .clear
      case "notes":
        guard let text else { return nil }
        values.notes = text.isEmpty ? .clear : .set(text)
      default: return nil
      }
    }
    return values
  }

  private func side(of conflict: ConflictView) -> ConflictSide? {
    taken[conflict.seq] ?? (conflict.resolution?.decision == .remote ? .remote : nil)
  }
}
