import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// Undoing edits of sleep sessions, as of entries.
extension UndoPlanner {
  func undoSessionLogging(_ seq: Seq) throws -> Undoing {
    guard let logged = state.session(ofEdit: seq.number) else { throw UndoRefusal.isErased(seq) }
    let index = try sessionLoggedAgain(logged)
    let session = state.session(at: index)
    guard !session.isDeleted else {
      throw UndoRefusal.entryIsDeleted(seq, by: state.deletion(ofSession: index))
    }
    let edits = state.edits(ofSession: index)
    let way = way(edits)
    if way == .cancelled, index == logged {
      return cancelLogging(seq, corrections: edits.count - 1)
    }
    return Undoing(
      seq, way == .cancelled ? .compensated : way, .sleepDeleted(SleepDeleted(entry: session.id)))
  }

  /// Restores the previous values where no later correction has changed them.
  func undoCorrection(_ data: SleepCorrected, _ seq: Seq) throws -> Undoing {
    let index = try liveSession(seq)
    guard let corrected = state.session(ofEdit: seq.number) else { throw UndoRefusal.isErased(seq) }
    var remarks: [String] = []
    let later = try Set([index, corrected]).flatMap { try corrections(ofSession: $0, after: seq) }
    let left = data.without(later, &remarks)
    let way = way([seq])
    if way == .cancelled { return cancel(seq, remarks: remarks) }
    let before = state.session(at: corrected, upTo: Seq(seq.number - 1))
    let texts = try texts(of: before)
    var back = SleepCorrected(entry: state.session(at: index).id)
    if left.start != nil { back.start = before.start }
    if left.end != nil { back.end = before.end }
    if left.stages != nil { back.stages = texts.stages }
    if left.notes != nil { back.notes = texts.notes.map { .set($0) } ?? .clear }
    guard back.data.members.count > 1 else { throw UndoRefusal.nothingLeft(seq, why: remarks) }
    return Undoing(seq, way, .sleepCorrected(back), remarks: remarks)
  }

  func undoDeletion(_ data: SleepDeleted, _ seq: Seq) throws -> Undoing {
    guard let index = state.session(ofEdit: seq.number) else {
      throw state.erasedSession(ofEdit: seq.number) == nil
        ? UndoRefusal.nothingLeft(seq, why: ["the ledger has no such session"])
        : UndoRefusal.isErased(seq)
    }
    guard state.isMade(session: index) else { throw UndoRefusal.entryIsUndone(seq) }
    let way = way([seq])
    if way == .cancelled {
      let texts = try texts(of: state.session(at: index))
      try checkIsSingle(texts.source, texts.sourceID, seq)
      return cancel(seq)
    }
    return Undoing(
      seq, way, .sleepLogged(try copy(ofSession: index, in: seq)),
      remarks: ["the session has a new id and a new number, that of the new event"])
  }

  /// Makes a cancelled edit again, unchanged.
  ///
  /// - Parameter target: the cancelled edit.
  func redo(_ payload: Event.Payload, _ target: Seq, _ undo: Seq) throws -> Undoing? {
    switch payload {
    case .sleepLogged:
      guard let index = state.session(ofEdit: target.number) else {
        throw UndoRefusal.isErased(target)
      }
      return Undoing(
        undo, .redone, .sleepLogged(try copy(ofSession: index, in: undo)),
        remarks: ["the session has a new id and a new number, that of the new event"])
    case .sleepCorrected(let data): return try redoCorrection(data, target, undo)
    case .sleepDeleted(var data):
      data.entry = state.session(at: try remadeSession(target)).id
      return Undoing(undo, .redone, .sleepDeleted(data))
    default: return nil
    }
  }

  /// Corrects again what no later correction has set.
  private func redoCorrection(
    _ data: SleepCorrected, _ target: Seq, _ undo: Seq
  ) throws -> Undoing {
    let index = try remadeSession(target)
    let indices = [index] + (state.session(ofEdit: target.number).map { [$0] } ?? [])
    let later = try Set(indices).flatMap { try corrections(ofSession: $0, after: target) }.filter {
      try isLater($0.seq, than: target, undoneBy: undo)
    }
    var remarks: [String] = []
    let left = data.without(later, &remarks)
    let again = SleepCorrected(
      entry: state.session(at: index).id, start: left.start, end: left.end, stages: left.stages,
      notes: left.notes)
    guard again.data.members.count > 1 else { throw UndoRefusal.nothingLeft(undo, why: remarks) }
    return Undoing(undo, .redone, .sleepCorrected(again), remarks: remarks)
  }

  /// The corrections in force after an event, newest first, without those that were undone and those
  /// that undid them.
  private func corrections(
    ofSession index: Int, after seq: Seq
  ) throws -> [(seq: Seq, data: SleepCorrected)] {
    var settled: Set<Seq> = []
    var found: [(seq: Seq, data: SleepCorrected)] = []
    for edit in state.edits(ofSession: index).reversed() where edit > seq {
      guard !settled.contains(edit),
        case .sleepCorrected(let data) = try recorded(edit).event.payload
      else { continue }
      if let undone = try undoneEdit(by: edit) {
        settled.insert(undone)
      } else {
        found.append((edit, data))
      }
    }
    return found
  }

  /// The session of an edit, or the one that it was made again as.
  private func remadeSession(_ seq: Seq) throws -> Int {
    guard let index = state.session(ofEdit: seq.number), !state.isMade(session: index),
      let logged = state.edits(ofSession: index).first, let again = try remaking(of: logged)
    else { return try liveSession(seq) }
    return try liveSession(again)
  }

  private func liveSession(_ seq: Seq) throws -> Int {
    guard let logged = state.session(ofEdit: seq.number) else { throw UndoRefusal.isErased(seq) }
    guard state.isMade(session: logged) else { throw UndoRefusal.entryIsUndone(seq) }
    let index = try sessionLoggedAgain(logged)
    guard !state.session(at: index).isDeleted else {
      throw UndoRefusal.entryIsDeleted(seq, by: state.deletion(ofSession: index))
    }
    return index
  }

  /// The session as which a deleted one was logged again by undoing its deletion; itself if it was not.
  func sessionLoggedAgain(_ index: Int) throws(LogError) -> Int {
    var index = index
    while state.session(at: index).isDeleted, let deletion = state.deletion(ofSession: index),
      var logging = try undoer(of: deletion), let copy = state.session(ofEdit: logging.number)
    {
      // A cancelled one counts as what it was made again as.
      if !state.isMade(session: copy) { logging = try remaking(of: logging) ?? logging }
      guard let next = state.session(ofEdit: logging.number), next != index else { break }
      index = next
    }
    return index
  }

  /// A session with the same values under a new id. It keeps its source.
  private func copy(ofSession index: Int, in undone: Seq) throws -> SleepLogged {
    guard let id = newEntry else { preconditionFailure("no id for the new session") }
    let session = state.session(at: index)
    let texts = try texts(of: session)
    try checkIsSingle(texts.source, texts.sourceID, undone)
    return SleepLogged(
      entry: id, start: session.start, end: session.end, stages: texts.stages, notes: texts.notes,
      source: texts.source, sourceID: texts.sourceID)
  }

  /// Of events that are not recorded yet, too.
  private func texts(of session: SleepView) throws(LogError) -> SleepTexts {
    try SleepTexts(of: session) { seq throws(LogError) in try recorded(seq).event.payload }
  }
}

extension SleepCorrected {
  /// The fields that no later correction has set; the others get a remark.
  fileprivate func without(
    _ later: [(seq: Seq, data: SleepCorrected)], _ remarks: inout [String]
  ) -> Self {
    var left = self
    func isLatest(_ name: String, _ sets: (SleepCorrected) -> Bool) -> Bool {
      guard let change = later.first(where: { sets($0.data) }) else { return true }
      remarks.append("\(name) as it is, event \(change.seq) has changed it since")
      return false
    }
    if start != nil, !isLatest("the start stays", { $0.start != nil }) { left.start = nil }
    if end != nil, !isLatest("the end stays", { $0.end != nil }) { left.end = nil }
    if stages != nil, !isLatest("the stages stay", { $0.stages != nil }) { left.stages = nil }
    if notes != nil, !isLatest("the notes stay", { $0.notes != nil }) { left.notes = nil }
    return left
  }
}
