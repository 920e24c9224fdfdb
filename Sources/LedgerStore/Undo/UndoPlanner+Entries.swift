import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

extension UndoPlanner {
  func undoLogging(_ data: ProgressLogged, _ seq: Seq) throws -> Undoing {
    guard let row = state.edits.row(seq.number) else { throw UndoRefusal.isErased(seq) }
    let entry = state.entry(at: row)
    guard !entry.isDeleted else {
      throw UndoRefusal.entryIsDeleted(seq, by: deletion(ofRow: row))
    }
    let edits = state.edits(ofRow: row)
    let way = way(edits)
    if way == .cancelled {
      let corrections = edits.count - 1
      let remark =
        corrections == 1
        ? "its correction goes with it" : "its \(corrections) corrections go with it"
      return cancel(seq, remarks: corrections > 0 ? [remark] : [])
    }
    return Undoing(seq, way, .progressDeleted(ProgressDeleted(entry: data.entry)))
  }

  /// Back to the values before, where no later correction has changed them again.
  func undoCorrection(_ data: ProgressCorrected, _ seq: Seq) throws -> Undoing {
    let row = try liveRow(seq)
    let way = way([seq])
    if way == .cancelled { return cancel(seq) }
    let before = state.entry(at: row, upTo: Seq(seq.number - 1))
    let later = try changes(ofRow: row, after: seq)
    var back = ProgressCorrected(entry: data.entry)
    var remarks: [String] = []
    /// Whether a field is to be put back: nothing may have changed it since.
    func isOurs(_ name: String, _ sets: (EntryChange) -> Bool) -> Bool {
      guard let change = later.first(where: sets) else { return true }
      remarks.append("\(name) as it is, event \(change.seq) has changed it since")
      return false
    }
    if data.quantity != nil, isOurs("the quantity stays", { !$0.quantity.isNaN }) {
      back.quantity = before.quantity
    }
    if data.date != nil, isOurs("the date stays", { $0.day != .min }) { back.date = before.date }
    if data.moment != nil, isOurs("the time stays", { $0.time >= 0 }) {
      back.moment = before.moment
      if before.moment == nil {
        remarks.append(
          "the time stays, since nothing can take it from an entry: delete the entry and log it "
            + "anew for the day")
      }
    }
    let setsNotes = EntryChange.setsNotes | EntryChange.clearsNotes
    if data.notes != nil, isOurs("the notes stay", { $0.has(setsNotes) }) {
      back.notes = try notes(of: before).map { .set($0) } ?? .clear
    }
    guard back.data.members.count > 1 else { throw UndoRefusal.nothingLeft(seq, why: remarks) }
    return Undoing(seq, way, .progressCorrected(back), remarks: remarks)
  }

  /// A deletion that the backend has heard of is for good there; the entry is logged anew.
  func undoDeletion(_ data: ProgressDeleted, _ seq: Seq) throws -> Undoing {
    guard let row = state.edits.row(seq.number) else {
      throw state.erasedEntry(ofEdit: seq.number) == nil
        ? UndoRefusal.nothingLeft(seq, why: ["there was no such entry then"])
        : UndoRefusal.isErased(seq)
    }
    guard state.isMade(row: row) else { throw UndoRefusal.entryIsUndone(seq) }
    let way = way([seq])
    if way == .cancelled { return cancel(seq) }
    return Undoing(
      seq, way, .progressLogged(try anew(row)),
      remarks: ["the entry has a new id: to the backend it is another one"])
  }

  /// What was cancelled is made again, as it was.
  func redo(_ target: Seq, _ undo: Seq) throws -> Undoing {
    let recorded = try recorded(target)
    switch recorded.event.payload {
    case .progressLogged:
      guard let row = state.edits.row(target.number) else { throw UndoRefusal.isErased(target) }
      return Undoing(
        undo, .madeAgain, .progressLogged(try anew(row)), remarks: ["the entry has a new id"])
    case .progressCorrected(let data):
      _ = try liveRow(target)
      return Undoing(undo, .madeAgain, .progressCorrected(data))
    case .progressDeleted(let data):
      _ = try liveRow(target)
      return Undoing(undo, .madeAgain, .progressDeleted(data))
    case .profileUpdated, .physicalUpdated, .preferencesUpdated:
      return try redoFields(recorded, undo)
    case .erased: throw UndoRefusal.isErased(target)
    default: throw UndoRefusal.notAnEdit(undo, why: "it names event \(target), which is no edit")
    }
  }

  // MARK: Looking

  /// Changes that count, newest first, but for those that were taken back and what took them back.
  private func changes(ofRow row: Int, after seq: Seq) throws -> [EntryChange] {
    let later = state.chain(of: state.rows[row]).filter {
      $0.seq > seq.number && state.edits.state(Int($0.seq)) != .undone
    }
    var settled: Set<Seq> = []
    var counting: [EntryChange] = []
    for change in later {
      let changed = Seq(Int(change.seq))
      if settled.contains(changed) { continue }
      if let undone = try takenBack(by: changed) {
        settled.insert(undone)
      } else {
        counting.append(change)
      }
    }
    return counting
  }

  private func liveRow(_ seq: Seq) throws -> Int {
    guard let row = state.edits.row(seq.number) else { throw UndoRefusal.isErased(seq) }
    guard state.isMade(row: row) else { throw UndoRefusal.entryIsUndone(seq) }
    guard !state.entry(at: row).isDeleted else {
      throw UndoRefusal.entryIsDeleted(seq, by: deletion(ofRow: row))
    }
    return row
  }

  private func deletion(ofRow row: Int) -> Seq? {
    state.chain(of: state.rows[row]).first {
      $0.has(EntryChange.deletes) && state.edits.state(Int($0.seq)) != .undone
    }.flatMap { Seq(exactly: Int($0.seq)) }
  }

  /// An entry with the values of a row, under a new id: the old one is spent. It keeps its source, by
  /// which an import finds what it brought in.
  private func anew(_ row: Int) throws -> ProgressLogged {
    let entry = state.entry(at: row)
    guard let id = newEntry else { preconditionFailure("there is an id for a new entry") }
    var logged = ProgressLogged(
      entry: id, metric: entry.metric, quantity: entry.quantity, date: entry.date,
      moment: entry.moment, notes: try notes(of: entry))
    if case .progressLogged(let data) = try recorded(entry.seq).event.payload {
      (logged.source, logged.sourceID) = (data.source, data.sourceID)
    }
    return logged
  }

  private func notes(of entry: EntryView) throws(LogError) -> String? {
    guard let seq = entry.notesIn else { return nil }
    return try recorded(seq).event.payload.entryNotes
  }
}
