import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// Decides how an edit is undone, from the current ledger.
struct UndoPlanner {
  private(set) var state: LedgerState
  let view: LogView
  /// Whether a sync runs: unsent edits may be in flight.
  private let isSyncing: Bool
  /// For the next entry that is logged again.
  var newEntry: EntryID?
  /// Events that follow the log's end but are not recorded yet.
  private var planned: [RecordedEvent] = []
  /// Those since the edits to undo; `nil` to search the log as far as asked.
  private var undoers: LoggedUndoers?
  private let recent = RecentUndoers()
  let loggings = SourceLoggings()
  private let redoes = LoggedRedoes()

  init(
    state: LedgerState, view: LogView, isSyncing: Bool, newEntry: EntryID? = nil,
    undoers: LoggedUndoers? = nil
  ) {
    (self.state, self.view, self.isSyncing, self.newEntry) = (state, view, isSyncing, newEntry)
    self.undoers = undoers
  }

  /// Treats events as recorded, so that the next undo builds on them.
  mutating func assume(_ events: [RecordedEvent]) {
    planned += events
    state = state.applying(unrecorded: events)
  }

  /// An event of the log or a planned one.
  func recorded(_ seq: Seq) throws(LogError) -> RecordedEvent {
    if let first = planned.first?.seq, seq >= first {
      return planned[seq.number - first.number]
    }
    return try view.line(seq).event()
  }

  func undo(_ seq: Seq) throws -> Undoing {
    guard seq.number <= state.position.seq else {
      throw UndoRefusal.noSuchEvent(seq, last: state.position.seq)
    }
    let recorded = try recorded(seq)
    if let later = try lastUndoer(of: seq) {
      throw try undoneEdit(by: later) == nil
        ? UndoRefusal.isRedone(seq, as: later) : .isUndone(seq, by: later)
    }
    return try plan(recorded)
  }

  /// The event that undoes another one, or of several, each of which undoes the one before, the last.
  private func lastUndoer(of seq: Seq) throws(LogError) -> Seq? {
    var last: Seq?
    while let later = try undoer(of: last ?? seq) { last = later }
    return last
  }

  /// - Parameter recorded: an event that is not undone.
  func plan(_ recorded: RecordedEvent) throws -> Undoing {
    let seq = recorded.seq
    if case .editUndone(let data) = recorded.event.payload {
      guard data.event < seq else {
        throw UndoRefusal.notAnEdit(seq, .undoingOfOther(data.event))
      }
      if try !self.recorded(data.event).event.payload.setsFields {
        try state.requireEntry(ofEdit: data.event)
      }
      return try redo(data.event, seq)
    }
    if !recorded.event.payload.setsFields { try state.requireEntry(ofEdit: seq) }
    try checkIsEdit(recorded)
    if recorded.event.payload.setsValues, way([seq]) == .cancelled,
      let edit = try undoneEdit(by: seq),
      try isAnEarlierEditRedone(than: edit, since: seq)
    {
      return try redo(edit, seq)
    }
    switch recorded.event.payload {
    case .progressLogged: return try undoLogging(seq)
    case .progressCorrected(let data): return try undoCorrection(data, seq)
    case .progressDeleted(let data): return try undoDeletion(data, seq)
    case .sleepLogged: return try undoSessionLogging(seq)
    case .sleepCorrected(let data): return try undoCorrection(data, seq)
    case .sleepDeleted(let data): return try undoDeletion(data, seq)
    default: return try undoFields(recorded)
    }
  }

  /// The event that undoes another one and is not undone itself.
  func undoer(of seq: Seq) throws(LogError) -> Seq? { try undoersInForce(of: [seq])[seq] }

  /// For each of these events that is undone, the event that undoes it and is not undone itself.
  func undoersInForce(of seqs: [Seq]) throws(LogError) -> [Seq: Seq] {
    guard let first = seqs.min() else { return [:] }
    let logged = try loggedUndoers(since: first)
    // Those of the events, of these, and so on.
    var undoers: [Seq: [Seq]] = [:]
    var open = seqs
    while let next = open.popLast() {
      let found =
        planned.filter { $0.undone == next }.map(\.seq) + (logged.byEvent[next] ?? [])
      guard undoers.updateValue(found, forKey: next) == nil else { continue }
      open += found
    }
    // An undoer follows what it undoes, so that the last one is decided first.
    var inForce: [Seq: Seq] = [:]
    var undone: Set<Seq> = []
    for (event, found) in undoers.sorted(by: { $0.key > $1.key }) {
      // An undoer that was itself undone does not count; a cancelled one does once it was made again.
      let counting = found.filter { !undone.contains($0) }
      if !counting.isEmpty { undone.insert(event) }
      // A cancelled edit stays cancelled even if it was made again as another edit.
      let isCancelled = state.edits.state(event.number) == .undone
      inForce[event] = isCancelled ? found.max() : counting.max()
    }
    return inForce
  }

  private func loggedUndoers(since seq: Seq) throws(LogError) -> LoggedUndoers {
    for known in [undoers, recent.undoers] {
      if let known, known.since <= seq { return known }
    }
    // A search asks from the newest to the oldest: twice as far each time.
    let last = try view.lastLine()?.seq ?? seq.number
    let since = Seq(max(1, min(seq.number, 2 * seq.number - last)))
    let found = try LoggedUndoers(in: view, since: since)
    recent.undoers = found
    return found
  }

  /// Finds the undoers of all events from `seq` on in one pass.
  mutating func indexUndoers(since seq: Seq) throws(LogError) {
    undoers = try LoggedUndoers(in: view, since: seq)
  }

  /// The edit that an event undoes; `nil` if it undoes none, or redoes one: a redo is a plain edit.
  func undoneEdit(by seq: Seq) throws(LogError) -> Seq? {
    var chain: [(event: Seq, undone: Seq)] = []
    var next = seq
    while redoes.isUndoing[next] == nil, let undone = try recorded(next).undone {
      chain.append((next, undone))
      next = undone
    }
    guard let first = chain.first?.undone else {
      return redoes.isUndoing[seq] == true ? try recorded(seq).undone : nil
    }
    var isUndoing = redoes.isUndoing[next] ?? false
    for (event, _) in chain.reversed() {
      isUndoing.toggle()
      // Planned events are replaced by other ones in another plan.
      if planned.first.map({ event < $0.seq }) ?? true { redoes.isUndoing[event] = isUndoing }
    }
    return isUndoing ? first : nil
  }

  /// Whether a change in force came after an edit that was undone, so that redoing this one leaves it as it
  /// is. A redo counts as the edit that it made again.
  func isLater(_ change: Seq, than edit: Seq, undoneBy undo: Seq) throws(LogError) -> Bool {
    // A value of the backend recorded before the undoing did not replace that of an unsent edit.
    guard try recorded(change).event.by != .sync else { return change > undo }
    return try original(of: change) > original(of: edit)
  }

  /// Whether an edit before one was redone after this one was compensated: without the compensation the
  /// value of that redo would show.
  private func isAnEarlierEditRedone(than edit: Seq, since undo: Seq) throws -> Bool {
    let logged = try LoggedUndoers(in: view, since: undo).byEvent.values.joined()
    let first = try original(of: edit)
    return try (logged + planned.filter { $0.undone != nil }.map(\.seq)).contains { later in
      try undoneEdit(by: later) == nil && original(of: later) < first
    }
  }

  /// The edit that a redo, or a redo of a redo, made again; the edit itself if it is none.
  private func original(of seq: Seq) throws(LogError) -> Seq {
    var seq = seq
    while let undo = try recorded(seq).undone, try undoneEdit(by: seq) == nil,
      let edit = try recorded(undo).undone
    {
      seq = edit
    }
    return seq
  }

  /// How edits are undone, depending on whether they were sent or may be in flight.
  func way(_ edits: [Seq]) -> Undoing.Way {
    let states = edits.map { state.edits.state($0.number) }
    if edits.contains(where: { state.edits.mayHaveArrived($0.number) }) {
      return .compensatedInDoubt
    }
    // A row with other values than were sent is a row, too.
    if states.contains(.acknowledged) || states.contains(.differed) { return .compensated }
    return isSyncing ? .compensatedInDoubt : .cancelled
  }

  func cancel(_ seq: Seq, remarks: [String] = []) -> Undoing {
    Undoing(seq, .cancelled, .editUndone(EditUndone(event: seq)), remarks: remarks)
  }

  private func checkIsEdit(_ recorded: RecordedEvent) throws(UndoRefusal) {
    let seq = recorded.seq
    switch recorded.event.payload {
    case .erased: throw .isErased(seq)
    case .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressCorrected, .progressDeleted, .sleepLogged, .sleepCorrected, .sleepDeleted,
      .editUndone:
      guard recorded.event.by == .sync || recorded.event.by == .system else { return }
      switch recorded.event.payload {
      // Deleted at the backend: undoing that logs the entry or session again.
      case .progressDeleted, .sleepDeleted: return
      default: throw .notAnEdit(seq, .backendChange)
      }
    case .progressPulled, .sleepPulled: throw .notAnEdit(seq, .pulledEntry)
    case .conflictResolved(let data):
      throw .notAnEdit(seq, .conflictDecision(conflict: data.conflict))
    case .goalSet, .goalRemoved: throw .notAnEdit(seq, .goal)
    case .eventErased: throw .notAnEdit(seq, .erasure)
    case .profilePulled: throw .notAnEdit(seq, .pulledProfile)
    case .duplicateResolved: throw .notAnEdit(seq, .duplicateDecision)
    case .ledgerCreated, .syncAttempted, .syncDeferred, .syncAcknowledged, .syncRejected, .syncHeld,
      .syncDiffered, .rowSkipped, .conflictDetected, .duplicateSuspected, .accountSignedIn,
      .accountSignedOut, .accountReplaced, .logRepaired, .unknown:
      throw .notAnEdit(seq, .other(type: recorded.event.payload.type))
    }
  }

  /// An undone edit would leave the conflict with a value that the ledger has no more. A conflict before the
  /// edit is over an earlier value.
  func checkConflicts(
    _ seq: Seq, _ concerns: (ConflictView) -> Bool
  ) throws(UndoRefusal) {
    let conflicts = state.openConflicts().filter { $0.seq > seq }
    guard let conflict = conflicts.first(where: concerns) else { return }
    throw .isInConflict(seq, conflict: conflict.seq)
  }

  // MARK: Entries

  private func undoLogging(_ seq: Seq) throws -> Undoing {
    guard let logged = state.edits.row(seq.number) else { throw UndoRefusal.isErased(seq) }
    let row = try rowLoggedAgain(logged)
    let entry = state.entry(at: row)
    guard !entry.isDeleted else {
      throw UndoRefusal.entryIsDeleted(seq, by: deletion(ofRow: row))
    }
    let edits = state.edits(ofRow: row)
    let way = way(edits)
    if way == .cancelled, row == logged {
      return cancelLogging(seq, corrections: edits.count - 1)
    }
    return Undoing(
      seq, way == .cancelled ? .compensated : way,
      .progressDeleted(ProgressDeleted(entry: entry.id)))
  }

  func cancelLogging(_ seq: Seq, corrections: Int) -> Undoing {
    let remark =
      corrections == 1
      ? "its correction goes with it" : "its \(corrections) corrections go with it"
    return cancel(seq, remarks: corrections > 0 ? [remark] : [])
  }

  /// Restores the previous values where no later correction has changed them.
  private func undoCorrection(_ data: ProgressCorrected, _ seq: Seq) throws -> Undoing {
    let row = try liveRow(seq)
    let entry = state.entry(at: row).id
    try checkConflicts(seq) { $0.entry == entry }
    guard let corrected = state.edits.row(seq.number) else { throw UndoRefusal.isErased(seq) }
    var remarks: [String] = []
    let later = try Set([row, corrected]).flatMap { try changes(ofRow: $0, after: seq) }
    let left = data.without(later, &remarks)
    let way = way([seq])
    if way == .cancelled { return cancel(seq, remarks: remarks) }
    let before = state.entry(at: corrected, upTo: Seq(seq.number - 1))
    var back = ProgressCorrected(entry: entry)
    if left.quantity != nil { back.quantity = before.quantity }
    if left.date != nil { back.date = before.date }
    if left.moment != nil {
      back.moment = before.moment
      if before.moment == nil {
        remarks.append(
          "the time stays, since nothing can take it from an entry: delete the entry and log it "
            + "again for the day")
      }
    }
    if left.notes != nil { back.notes = try notes(of: before).map { .set($0) } ?? .clear }
    guard back.data.members.count > 1 else { throw UndoRefusal.nothingLeft(seq, why: remarks) }
    return Undoing(seq, way, .progressCorrected(back), remarks: remarks)
  }

  /// A deletion that the backend knows is final there; the entry is logged again.
  private func undoDeletion(_ data: ProgressDeleted, _ seq: Seq) throws -> Undoing {
    guard let row = state.edits.row(seq.number) else {
      throw state.erasedEntry(ofEdit: seq.number) == nil
        ? UndoRefusal.nothingLeft(seq, why: ["the ledger has no such entry"])
        : UndoRefusal.isErased(seq)
    }
    guard state.isMade(row: row) else { throw UndoRefusal.entryIsUndone(seq) }
    if let kept = try correctionKept(of: state.entry(at: row).id) {
      throw UndoRefusal.isCorrectedElsewhere(seq, kept: kept)
    }
    let way = way([seq])
    if way == .cancelled {
      if case .progressLogged(let data) = try recorded(state.entry(at: row).seq).event.payload {
        try checkIsSingle(data.source, data.sourceID, seq)
      }
      return cancel(seq)
    }
    // Only the whole log shows whether it was sent to an earlier account, too.
    try state.requireAll()
    return Undoing(
      seq, way, .progressLogged(try copy(ofRow: row, in: seq)),
      remarks: [
        "the entry has a new id and a new number, that of the new event: to the backend it is another "
          + "one"
      ])
  }

  /// The live entry that another device's correction of a deleted one became: the correction won.
  private func correctionKept(of deleted: EntryID) throws(LogError) -> Seq? {
    for conflict in state.conflicts(of: deleted) where conflict.keptOverDeletion {
      // It is pulled with the conflict.
      let pulled = Seq(conflict.seq.number + 1)
      guard pulled.number <= state.position.seq,
        case .progressPulled(let data) = try recorded(pulled).event.payload,
        data.backendID == conflict.backendID, let row = state.edits.row(pulled.number)
      else { continue }
      let entry = state.entry(at: try rowLoggedAgain(row))
      if !entry.isDeleted { return entry.seq }
    }
    return nil
  }

  /// Makes a cancelled edit again, unchanged.
  private func redo(_ target: Seq, _ undo: Seq) throws -> Undoing {
    let recorded = try recorded(target)
    switch recorded.event.payload {
    case .progressLogged:
      guard let row = state.edits.row(target.number) else { throw UndoRefusal.isErased(target) }
      return Undoing(
        undo, .redone, .progressLogged(try copy(ofRow: row, in: undo)),
        remarks: ["the entry has a new id and a new number, that of the new event"])
    case .progressCorrected(let data): return try redoCorrection(data, target, undo)
    case .progressDeleted(var data):
      data.entry = EntryID(state.rows[try remadeRow(target)].id)
      return Undoing(undo, .redone, .progressDeleted(data))
    case .profileUpdated, .physicalUpdated, .preferencesUpdated:
      return try redoFields(recorded, undo)
    case .erased: throw UndoRefusal.isErased(target)
    case .editUndone where try original(of: target) != target:
      return try redo(original(of: target), undo)
    default:
      if let again = try redo(recorded.event.payload, target, undo) { return again }
      throw UndoRefusal.notAnEdit(undo, .undoingOfOther(target))
    }
  }

  /// Corrects again what no later change has set.
  private func redoCorrection(
    _ data: ProgressCorrected, _ target: Seq, _ undo: Seq
  ) throws -> Undoing {
    let rows = [try remadeRow(target)] + (state.edits.row(target.number).map { [$0] } ?? [])
    let later = try Set(rows).flatMap { try changes(ofRow: $0, after: target) }.filter {
      try isLater(Seq(Int($0.seq)), than: target, undoneBy: undo)
    }
    var remarks: [String] = []
    let left = data.without(later, &remarks)
    let again = ProgressCorrected(
      entry: EntryID(state.rows[rows[0]].id), quantity: left.quantity, date: left.date,
      moment: left.moment, notes: left.notes)
    guard again.data.members.count > 1 else { throw UndoRefusal.nothingLeft(undo, why: remarks) }
    return Undoing(undo, .redone, .progressCorrected(again), remarks: remarks)
  }

  /// Changes in force, newest first, without those that were undone and those that undid them.
  private func changes(ofRow row: Int, after seq: Seq) throws -> [EntryChange] {
    let later = state.chain(of: state.rows[row]).filter {
      $0.seq > seq.number && state.edits.state(Int($0.seq)) != .undone
    }
    var settled: Set<Seq> = []
    var counting: [EntryChange] = []
    for change in later {
      let changed = Seq(Int(change.seq))
      if settled.contains(changed) { continue }
      if let undone = try undoneEdit(by: changed) {
        settled.insert(undone)
      } else {
        counting.append(change)
      }
    }
    return counting
  }

  /// The row of an edit's entry, or of the one that it was made again as.
  private func remadeRow(_ seq: Seq) throws -> Int {
    guard let row = state.edits.row(seq.number), !state.isMade(row: row),
      let again = try remaking(of: Seq(Int(state.rows[row].seq)))
    else { return try liveRow(seq) }
    return try liveRow(again)
  }

  /// The event that made an undone one again, the last one if it was undone and made again since.
  func remaking(of seq: Seq) throws(LogError) -> Seq? {
    let logged = try LoggedUndoers(in: view, since: seq).byEvent
    func last(undoing seq: Seq) -> Seq? {
      (planned.filter { $0.undone == seq }.map(\.seq) + (logged[seq] ?? [])).max()
    }
    var again: Seq?
    var next = seq
    while let undo = last(undoing: next), let redo = last(undoing: undo) {
      (again, next) = (redo, redo)
    }
    return again
  }

  private func liveRow(_ seq: Seq) throws -> Int {
    guard let logged = state.edits.row(seq.number) else { throw UndoRefusal.isErased(seq) }
    guard state.isMade(row: logged) else { throw UndoRefusal.entryIsUndone(seq) }
    let row = try rowLoggedAgain(logged)
    guard !state.entry(at: row).isDeleted else {
      throw UndoRefusal.entryIsDeleted(seq, by: deletion(ofRow: row))
    }
    return row
  }

  /// The row as which a deleted entry was logged again by undoing its deletion; the entry's own if it
  /// was not.
  func rowLoggedAgain(_ row: Int) throws(LogError) -> Int {
    var row = row
    while state.entry(at: row).isDeleted, let deletion = deletion(ofRow: row),
      var logging = try undoer(of: deletion), let copy = state.edits.row(logging.number)
    {
      // A cancelled one counts as what it was made again as.
      if !state.isMade(row: copy) { logging = try remaking(of: logging) ?? logging }
      guard let next = state.edits.row(logging.number), next != row else { break }
      row = next
    }
    return row
  }

  /// The event that deleted an entry.
  func deletion(ofRow row: Int) -> Seq? {
    state.chain(of: state.rows[row]).first {
      $0.has(EntryChange.deletes) && state.edits.state(Int($0.seq)) != .undone
    }.flatMap { Seq(exactly: Int($0.seq)) }
  }

  /// An entry with the values of a row under a new id, since ids are not reused. It keeps its source,
  /// by which an import recognizes its entries.
  ///
  /// - Parameter undone: the event whose undoing needs the copy.
  private func copy(ofRow row: Int, in undone: Seq) throws -> ProgressLogged {
    let entry = state.entry(at: row)
    guard let id = newEntry else { preconditionFailure("no id for the new entry") }
    var logged = ProgressLogged(
      entry: id, metric: entry.metric, quantity: entry.quantity, date: entry.date,
      moment: entry.moment, notes: try notes(of: entry))
    if case .progressLogged(let data) = try recorded(entry.seq).event.payload {
      (logged.source, logged.sourceID) = (data.source, data.sourceID)
      try checkIsSingle(data.source, data.sourceID, undone)
    }
    return logged
  }

  private func notes(of entry: EntryView) throws(LogError) -> String? {
    guard let seq = entry.notesIn else { return nil }
    return try recorded(seq).event.payload.entryNotes
  }
}

extension ProgressCorrected {
  /// The fields that no later change has set; the others get a remark.
  fileprivate func without(_ later: [EntryChange], _ remarks: inout [String]) -> Self {
    var left = self
    func isLatest(_ name: String, _ sets: (EntryChange) -> Bool) -> Bool {
      guard let change = later.first(where: sets) else { return true }
      remarks.append("\(name) as it is, event \(change.seq) has changed it since")
      return false
    }
    if quantity != nil, !isLatest("the quantity stays", { !$0.quantity.isNaN }) {
      left.quantity = nil
    }
    if date != nil, !isLatest("the date stays", { $0.day != .min }) { left.date = nil }
    if moment != nil, !isLatest("the time stays", { $0.time >= 0 }) { left.moment = nil }
    let setsNotes = EntryChange.setsNotes | EntryChange.clearsNotes
    if notes != nil, !isLatest("the notes stay", { $0.has(setsNotes) }) { left.notes = nil }
    return left
  }
}
