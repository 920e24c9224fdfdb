import LedgerJSON
import LedgerLog
import LedgerModel

/// What the history of profile fields says about their erasure: only what is overwritten is erased
/// (docs/log-format.md, Erasing).
extension LedgerState {
  /// The first erased line whose `event.erased` names fields that `erase` does not name together, or fields
  /// that the edit cannot have set.
  func foreignField(in runs: [ErasureRun]) -> Damage? {
    for run in runs {
      guard run.fields != nil, run.isOfFields, let first = run.taken.first?.line else { continue }
      guard let subject = run.subject else {
        return first.damage("but its event.erased names fields that no edit sets together")
      }
      let foreign = run.taken.first { line, part in
        part == .fieldEdit && line.type != "\(subject.rawValue).updated"
      }
      if let foreign {
        return foreign.line.damage("but its event.erased names fields that it cannot set")
      }
    }
    return nil
  }

  /// The first erased edit or pull of a field that had no later value: only what is overwritten is erased.
  func lostField(in runs: [ErasureRun], of view: LogView) throws(LogError) -> Damage? {
    let check = LostFieldCheck(state: self, runs: runs, view: view)
    for run in runs where run.isOfFields {
      for (line, part) in run.taken {
        if let problem = try check.problem(of: line, part, in: run) { return line.damage(problem) }
      }
    }
    return nil
  }

  /// The last event that was written with the records of an erasure: acknowledgements take the place of
  /// erased ones.
  func end(of run: ErasureRun, in view: LogView) throws(LogError) -> Int {
    var end = run.lastRecord
    while let next = Seq(exactly: end + 1), next.number <= position.seq {
      switch try view.line(next).event().event.payload {
      case .eventErased, .syncAcknowledged, .progressDeleted, .sleepDeleted: end += 1
      default: return end
      }
    }
    return end
  }

  /// The events before a seq that gave a field a value which was in force then.
  fileprivate func history(_ field: ProfileField, before seq: Int) -> [Int] {
    profile.edits(setting: field).filter { edit in
      edit < seq && (edits.state(edit) != .undone || edits.marker(edit) ?? 0 > seq)
    }
  }

  func isUndone(_ number: Int, in view: LogView) throws(LogError) -> Bool {
    for by in mentions.mentions(of: [number]) {
      guard let seq = Seq(exactly: by) else { continue }
      if case .editUndone = try view.line(seq).event().event.payload { return true }
    }
    return false
  }
}

/// Whether an erased edit or pull of profile fields had later values when it was erased.
private struct LostFieldCheck {
  private let state: LedgerState
  private let runs: [ErasureRun]
  private let view: LogView
  private let erased: [(run: ErasureRun, line: Erasures.Line, part: ErasedPart)]

  init(state: LedgerState, runs: [ErasureRun], view: LogView) {
    (self.state, self.runs, self.view) = (state, runs, view)
    erased = runs.flatMap { run in run.taken.map { (run: run, line: $0.line, part: $0.part) } }
  }

  /// Why a line may not have been erased; `nil` if it may.
  func problem(
    of line: Erasures.Line, _ part: ErasedPart, in run: ErasureRun
  ) throws(LogError) -> String? {
    if part == .fieldEdit, try !state.isUndone(line.seq, in: view),
      let problem = try problem(ofEdit: line, in: run)
    {
      return problem
    }
    let fields = run.knownFields
    if line.type == EventKind.profilePulled.rawValue, !fields.isEmpty,
      !fields.contains(where: { isOverwritten($0, after: line, in: run, byAnswers: true) }),
      try !isPulled(fields, since: 0, before: run)
    {
      return "but none of its fields had a later value"
    }
    return nil
  }

  private func problem(
    ofEdit line: Erasures.Line, in run: ErasureRun
  ) throws(LogError) -> String? {
    let fields = run.knownFields
    if let field = fields.first(where: { !isOverwritten($0, after: line, in: run) }),
      try !isPulled([field], since: line.seq, before: run)
    {
      return "but \(field.rawValue) had no later value"
    }
    if fields.count > 1, try !haveEnoughConflicts(fields, after: line, in: run) {
      return "but not all of its fields had a later value"
    }
    for field in fields {
      guard try isStillToBeSent(field, after: line, in: run) else { continue }
      return "before the backend had the later \(field.rawValue)"
    }
    if run.isOfOlderVersion, let subject = run.subject,
      !subject.fields.contains(where: { isOverwritten($0, after: line, in: run) }),
      try !isPulled(subject.fields, since: line.seq, before: run)
    {
      return "but no field of its group had a later value"
    }
    return nil
  }

  // MARK: Later values

  /// Whether a field had, or may have had, a later value than that of a line.
  ///
  /// - Parameters:
  ///   - byAnswers: whether the answer to an earlier edit counts, too.
  ///   - byConflicts: whether erased conflicts count.
  private func isOverwritten(
    _ field: ProfileField, after line: Erasures.Line, in run: ErasureRun,
    byAnswers: Bool = false, byConflicts: Bool = true
  ) -> Bool {
    let isOnRecord = state.history(field, before: run.lastRecord).contains { seq in
      seq > line.seq || byAnswers && state.edits.marker(seq) ?? 0 > line.seq
    }
    return isOnRecord || mayBeErased(field, after: line, in: run, byConflicts: byConflicts)
  }

  /// Whether another erased line may have held a later value. An erasure moves the answer to an edit
  /// after a pull, so for a pull an answer shows one, too.
  private func mayBeErased(
    _ field: ProfileField, after line: Erasures.Line, in run: ErasureRun, byConflicts: Bool
  ) -> Bool {
    erased.contains { other in
      guard other.line.seq > line.seq, other.line.seq < run.firstRecord, other.run.mayName(field),
        byConflicts || !other.line.type.hasPrefix("conflict.")
      else { return false }
      return other.line.maySetField
        || line.type == EventKind.profilePulled.rawValue && other.part == .fieldAnswer
          && other.run.lastRecord != run.lastRecord
    }
  }

  /// Whether the fields that only erased conflicts can have overwritten are no more than these conflicts.
  private func haveEnoughConflicts(
    _ fields: [ProfileField], after line: Erasures.Line, in run: ErasureRun
  ) throws(LogError) -> Bool {
    var byConflict = fields.filter { field in
      isOverwritten(field, after: line, in: run)
        && !isOverwritten(field, after: line, in: run, byConflicts: false)
    }
    let most = conflicts(after: line, in: run)
    for field in byConflict where byConflict.count > most {
      guard try isPulled([field], since: line.seq, before: run) else { continue }
      byConflict.removeAll { $0 == field }
    }
    return byConflict.count <= most
  }

  /// How many fields erased conflicts may have given a value after a line. Each conflict is about one,
  /// and a decision about that of a conflict.
  private func conflicts(after line: Erasures.Line, in run: ErasureRun) -> Int {
    let ofGroup = erased.filter { other in
      other.run.subject == run.subject && other.line.seq < run.firstRecord
    }.map(\.line)
    func count(_ kind: EventKind, after isAfter: Bool) -> Int {
      ofGroup.count { $0.type == kind.rawValue && ($0.seq > line.seq) == isAfter }
    }
    return count(.conflictDetected, after: true)
      + min(count(.conflictResolved, after: true), count(.conflictDetected, after: false))
  }

  /// Whether a pull gave one of the fields a value before the records of an erasure: an erasure moves
  /// the answer to an edit after a pull, which the fold then does not take.
  private func isPulled(
    _ fields: [ProfileField], since seq: Int, before run: ErasureRun
  ) throws(LogError) -> Bool {
    var isPulled = false
    try view.forEachEvent { recorded, _ in
      if case .profilePulled(let data) = recorded.event.payload, recorded.seq.number > seq {
        isPulled = fields.contains { data.fields[$0.rawValue] != nil }
      }
      return !isPulled && recorded.seq.number < run.firstRecord
    }
    return isPulled
  }

  // MARK: Answers

  /// Whether the backend had an erased value when it was erased, and the later one was still to be sent.
  private func isStillToBeSent(
    _ field: ProfileField, after line: Erasures.Line, in run: ErasureRun
  ) throws(LogError) -> Bool {
    let acknowledged = EventKind.syncAcknowledged.rawValue
    guard let newest = state.history(field, before: run.firstRecord).max(), newest > line.seq,
      let seq = Seq(exactly: newest),
      ErasedPart(type: try view.line(seq).event().event.payload.type) == .fieldEdit
    else { return false }
    let hasErasedAnswer = run.taken.contains { other, _ in
      other.type == acknowledged && other.seq > line.seq
    }
    if !hasErasedAnswer, try !isAcknowledged(line.seq, upTo: run.firstRecord) { return false }
    if try isAcknowledged(newest, upTo: state.end(of: run, in: view)) { return false }
    // An answer that was erased since may have been that to the later value.
    return !runs.contains { other in
      other.lastRecord > run.lastRecord
        && other.taken.contains {
          $0.line.type == acknowledged && $0.line.seq > newest && $0.line.seq < run.firstRecord
        }
    }
  }

  private func isAcknowledged(_ seq: Int, upTo end: Int) throws(LogError) -> Bool {
    for number in state.mentions.mentions(of: [seq]) where number <= end {
      guard let seq = Seq(exactly: number) else { continue }
      if case .syncAcknowledged = try view.line(seq).event().event.payload { return true }
    }
    return false
  }
}

extension ErasureRun {
  /// The group of the fields; `nil` if they are not different known fields of one group.
  var subject: ProfileSubject? {
    if isOfOlderVersion {
      let edit = taken.first { isOfFields && $0.part == .fieldEdit }?.line
      return ProfileSubject.allCases.first { "\($0.rawValue).updated" == edit?.type }
    }
    let subjects = Set(knownFields.map(\.subject))
    return Set(knownFields).count == fields?.count && subjects.count == 1 ? subjects.first : nil
  }

  var knownFields: [ProfileField] { (fields ?? []).compactMap(ProfileField.init(rawValue:)) }

  /// Whether the records name the field, or in older versions may be about it.
  func mayName(_ field: ProfileField) -> Bool {
    isOfOlderVersion ? field.subject == subject : fields?.contains(field.rawValue) == true
  }
}

extension Erasures.Line {
  /// Whether such an event can give a profile field a value.
  var maySetField: Bool {
    switch EventKind(rawValue: type) {
    case .profileUpdated, .physicalUpdated, .preferencesUpdated, .profilePulled, .conflictDetected,
      .conflictResolved:
      true
    default: false
    }
  }
}
