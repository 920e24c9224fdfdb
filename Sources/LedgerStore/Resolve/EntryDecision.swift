import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// The user's decisions about the conflicts of one entry, and the events that carry them out.
///
/// The backend's row differs from the entry in some fields. Once the last open conflict is decided:
///
/// | the row | decided | appended after the decision |
/// |---|---|---|
/// | is the entry's own | all local | nothing: the fold makes the edits pending again |
/// | is the entry's own | all remote | `progress.corrected` by sync with the row's values |
/// | is the entry's own | mixed | `progress.corrected` by user with the values taken from the row |
/// | is another one | all remote | `progress.corrected` by sync with the row's values and its id |
/// | is another one | some local | the same, then `progress.corrected` by user with the local values |
/// | is deleted | local | nothing: the fold makes the edits pending again |
/// | is deleted | remote | `progress.deleted` by sync |
///
/// Edits that the backend has not acknowledged override a correction by sync. So unsent corrections
/// of only decided fields are elided first. If other unsent edits remain, the values taken from the
/// row become a correction by the user, which overrides those edits and is sent with them.
struct EntryDecision: SubjectDecision {
  /// The conflicts detected since the entry was bound to its row, oldest first; decided together.
  private let group: [ConflictView]
  private let state: LedgerState
  private let view: LogView
  private let zone: LocalZone
  private let index: Int
  private let entry: EntryView
  private var taken: [Seq: (side: ConflictSide, remote: RemoteValue)] = [:]

  /// - Parameter seq: a conflict of the entry.
  /// - Throws: ``ConflictRefusal`` for an entry that is deleted.
  init(
    _ id: EntryID, _ seq: Seq, _ state: LedgerState, _ view: LogView, _ zone: LocalZone
  ) throws(ConflictRefusal) {
    guard let index = state.row(of: id), !state.entry(at: index).isDeleted else {
      throw .entryIsDeleted(seq)
    }
    (self.state, self.view, self.zone, self.index) = (state, view, zone, index)
    entry = state.entry(at: index)
    let since = entry.boundBy ?? entry.seq
    group = state.conflicts(of: id).filter {
      $0.seq > since && $0.detected == .open && $0.replacedBy == nil
    }
  }

  var open: [Seq] { group.filter(\.isOpen).map(\.seq) }

  mutating func take(_ side: ConflictSide, of seq: Seq) throws(ConflictRefusal) {
    guard let conflict = state.conflict(seq) else {
      throw .noConflict(seq, last: state.position.seq)
    }
    if let resolution = conflict.resolution { throw .entryIsDecided(seq, resolution.decision) }
    if let later = conflict.replacedBy {
      guard state.conflict(later)?.isOpen == true else { throw .isSettled(seq, by: later) }
      throw .waitsForLater(seq, later: later)
    }
    guard conflict.detected == .open else { throw .entryIsDecided(seq, conflict.detected) }
    let remote = try RemoteValue(conflict, of: entry, zone)
    if side == .remote {
      switch remote {
      case .fixed: throw ConflictRefusal.typeIsFixed(seq)
      case .unusable: throw ConflictRefusal.unusable(conflict)
      case .values: break
      }
    }
    taken[seq] = (side, remote)
  }

  func records() throws -> [DecisionRecord] {
    var resolved: [DecisionRecord] = []
    for conflict in group {
      guard let side = taken[conflict.seq]?.side else { continue }
      let value = side == .remote ? conflict.remote : try state.localValue(of: conflict, in: view)
      let data = ConflictResolved(conflict: conflict.seq, decision: side.decision, value: value)
      resolved.append(.init(.user, .conflictResolved(data)))
    }
    let isLast = group.allSatisfy { !$0.isOpen || taken[$0.seq] != nil }
    return try resolved + (isLast && !resolved.isEmpty ? carriedOut() : [])
  }

  // MARK: Carrying out

  private struct Field {
    var side: ConflictSide
    var conflict: ConflictView
    var remote: ProgressCorrected
  }

  private func carriedOut() throws -> [DecisionRecord] {
    if let deletion = group.last(where: \.isOverDeletion) { return overDeletion(deletion) }
    let fields = try decidedFields()
    let own = try entry.boundBy.flatMap { seq throws(LogError) in try view.boundID(by: seq) }
    // Of several rows, the last one seen has a conflict for each field that differs.
    let row = group.last?.backendID ?? own
    return row == nil || row == own
      ? overOwnRow(fields, row ?? own) : try overOtherRow(fields, row)
  }

  private func decidedFields() throws(ConflictRefusal) -> [Field] {
    var fields: [Field] = []
    for conflict in group {
      let side: ConflictSide
      let remote: RemoteValue
      if let taken = taken[conflict.seq] {
        (side, remote) = taken
      } else {
        side = conflict.resolution?.decision == .remote ? .remote : .local
        remote = try RemoteValue(conflict, of: entry, zone)
      }
      guard case .values(let correction) = remote else { continue }
      fields.append(Field(side: side, conflict: conflict, remote: correction))
    }
    return fields
  }

  private func overDeletion(_ conflict: ConflictView) -> [DecisionRecord] {
    guard taken[conflict.seq]?.side == .remote else { return [] }
    let deletion = ProgressDeleted(entry: entry.id, reason: "deleted at the backend")
    return [.init(.sync, .progressDeleted(deletion))]
  }

  private func overOwnRow(_ fields: [Field], _ row: BackendID?) -> [DecisionRecord] {
    let remote = fields.filter { $0.side == .remote }
    guard !remote.isEmpty else { return [] }
    let values = merged(remote.map(\.remote))
    let hasLocal = group.count > remote.count
    guard let elided = elidable(remote), !hasLocal else {
      return [.init(.user, .progressCorrected(values))]
    }
    return [elision(of: elided), correction(values, row)].compactMap(\.self)
  }

  private func overOtherRow(_ fields: [Field], _ row: BackendID?) throws -> [DecisionRecord] {
    let ofRow = fields.filter { $0.conflict.backendID == row }
    let elided = elidable(fields)
    var back: [ProgressCorrected] = []
    for field in fields {
      if field.side == .local {
        if let value = try localCorrection(of: field) { back.append(value) }
      } else if field.conflict.backendID != row || elided == nil {
        back.append(field.remote)
      }
    }
    let values = merged(back)
    let isSentAgain = values != ProgressCorrected(entry: entry.id)
    return [
      elision(of: elided ?? []), correction(merged(ofRow.map(\.remote)), row),
      isSentAgain ? DecisionRecord(.user, .progressCorrected(values)) : nil,
    ].compactMap(\.self)
  }

  /// Unsent corrections of only these fields; `nil` if there is another unsent edit.
  private func elidable(_ fields: [Field]) -> [Seq]? {
    let open = state.edits(ofRow: index).filter { state.edits.state($0.number).isOpen }
    let decided = Set(fields.map(\.conflict.fieldName))
    for seq in open {
      guard state.edits.state(seq.number) != .inDoubt,
        let changed = state.changedFields(by: seq, ofRow: index), changed.isSubset(of: decided)
      else { return nil }
    }
    return open
  }

  private func elision(of events: [Seq]) -> DecisionRecord? {
    guard !events.isEmpty else { return nil }
    return DecisionRecord(
      .sync, .syncAcknowledged(SyncAcknowledged(events: events, via: .elided, entry: entry.id)))
  }

  private func correction(_ values: ProgressCorrected, _ row: BackendID?) -> DecisionRecord {
    var values = values
    values.backendID = row
    return DecisionRecord(.sync, .progressCorrected(values))
  }

  private func merged(_ parts: [ProgressCorrected]) -> ProgressCorrected {
    var merged = ProgressCorrected(entry: entry.id)
    for part in parts {
      merged.quantity = part.quantity ?? merged.quantity
      merged.date = part.date ?? merged.date
      merged.moment = part.moment ?? merged.moment
      merged.notes = part.notes ?? merged.notes
    }
    return merged
  }

  // MARK: Local values

  private func localCorrection(of field: Field) throws(LogError) -> ProgressCorrected? {
    var correction = ProgressCorrected(entry: entry.id)
    switch field.conflict.fieldName {
    case "quantity": correction.quantity = entry.quantity
    case "moment": (correction.date, correction.moment) = (entry.date, entry.moment)
    case "notes": correction.notes = try notes().map { .set($0) } ?? .clear
    default: return nil
    }
    return correction
  }

  private func notes() throws(LogError) -> String? {
    try entry.notesIn.flatMap { seq throws(LogError) in try view.notes(setBy: seq) }
  }
}

extension ConflictView {
  /// Whether the entry's row was deleted, although a person decided to keep it.
  fileprivate var isOverDeletion: Bool { fieldName == "entry" && remote == "deleted" }
}

/// The backend's value of a field in conflict, converted for an entry.
private enum RemoteValue {
  /// A correction of that field; empty if the row as a whole is in conflict.
  case values(ProgressCorrected)
  /// The field never changes.
  case fixed
  /// An entry cannot have the value.
  case unusable

  init(
    _ conflict: ConflictView, of entry: EntryView, _ zone: LocalZone
  ) throws(ConflictRefusal) {
    var correction = ProgressCorrected(entry: entry.id)
    switch (conflict.fieldName, conflict.remote) {
    case ("type", _):
      self = .fixed
      return
    case ("entry", _): break
    case ("quantity", .number(let quantity)) where entry.metric.accepts(quantity):
      correction.quantity = quantity
    case ("moment", .string(let text)):
      guard let moment = Self.moment(text, of: entry, zone) else {
        self = .unusable
        return
      }
      (correction.date, correction.moment) = moment
    case ("notes", .null): correction.notes = .clear
    case ("notes", .string(let text)): correction.notes = text.isEmpty ? .clear : .set(text)
    case ("quantity", _), ("moment", _), ("notes", _):
      self = .unusable
      return
    default:
      throw .unknownField(conflict.seq, name: "\(conflict.fieldName) of an entry")
    }
    self = .values(correction)
  }

  /// A bare date keeps the entry's time. Midnight UTC means a day without a time; an entry that has a
  /// time cannot lose it and takes 00:00 UTC of that day, which the backend treats as the same.
  private static func moment(
    _ text: String, of entry: EntryView, _ zone: LocalZone
  ) -> (date: CalendarDate, moment: ZonedTime?)? {
    if let date = CalendarDate(text) { return (date, nil) }
    guard let instant = Timestamp(rfc3339: text), let utc = instant.utc else { return nil }
    if utc.time == .midnight {
      return (utc.date, entry.moment.map { _ in ZonedTime(time: .midnight, zone: .utc) })
    }
    return zone.localTime(at: instant).map { wall in
      (wall.date, ZonedTime(time: wall.time, zone: wall.zone))
    }
  }
}

extension LedgerState {
  /// The fields that a correction sets, by their names in conflicts; `nil` for other edits.
  fileprivate func changedFields(by seq: Seq, ofRow index: Int) -> Set<String>? {
    guard let change = chain(of: rows[index]).first(where: { Int($0.seq) == seq.number }),
      !change.has(EntryChange.deletes)
    else { return nil }
    var fields: Set<String> = []
    if !change.quantity.isNaN { fields.insert("quantity") }
    if change.day != .min || change.time >= 0 { fields.insert("moment") }
    if change.has(EntryChange.setsNotes | EntryChange.clearsNotes) { fields.insert("notes") }
    return fields
  }
}

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
