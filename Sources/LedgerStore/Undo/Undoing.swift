import LedgerJSON
import LedgerLog
public import LedgerModel
import LedgerProjections

/// What undoing an edit comes to: one new event, never a change of the log.
///
/// An edit that was never sent is cancelled: `edit.undone`, and it counts as never made. One that
/// the backend has, or may have, is compensated by an edit that puts back what was before. Such an
/// edit says which event it undoes, in a member of its own that readers pass over: `undoes`.
public struct Undoing: Hashable, Sendable {
  public enum Way: Hashable, Sendable {
    /// Nothing of it was sent, and nothing will be.
    case cancelled
    /// The backend has it.
    case compensated
    /// A call for it went out, or may be going out now: it is treated as if the backend had it.
    case compensatedInDoubt
    /// What was undone is made again.
    case madeAgain
  }

  /// What is undone.
  public var target: Seq
  public var way: Way
  public var payload: Event.Payload
  /// What cannot be put back, and why: one sentence each, without a full stop.
  public var remarks: [String] = []

  static let member = "undoes"

  init(_ target: Seq, _ way: Way, _ payload: Event.Payload, remarks: [String] = []) {
    self.target = target
    self.way = way
    self.payload = way == .cancelled ? payload : payload.undoing(target)
    self.remarks = remarks
  }
}

extension Event.Payload {
  /// The event that this one takes back; `nil` for one that takes nothing back.
  public var undone: Seq? {
    if case .editUndone(let data) = self { return data.event }
    return data[Undoing.member]?.integer.flatMap { Seq(exactly: $0) }
  }

  fileprivate func undoing(_ target: Seq) -> Event.Payload {
    let mark = JSONObject(members: [
      .init(name: Undoing.member, value: JSONValue(target.number))
    ])
    func marked<Data: EventData>(_ data: Data) -> Data {
      var data = data
      data.unknown = mark
      return data
    }
    return switch self {
    case .profileUpdated(let data): .profileUpdated(marked(data))
    case .physicalUpdated(let data): .physicalUpdated(marked(data))
    case .preferencesUpdated(let data): .preferencesUpdated(marked(data))
    case .progressLogged(let data): .progressLogged(marked(data))
    case .progressCorrected(let data): .progressCorrected(marked(data))
    case .progressDeleted(let data): .progressDeleted(marked(data))
    default: self
    }
  }
}

/// Decides what undoing comes to, from the ledger as it is.
struct UndoPlanner {
  private(set) var state: LedgerState
  let view: LogView
  /// Whether a run of the projector goes on: then what was not sent may be on its way by now.
  let isSyncing: Bool
  /// For the next entry that is logged again.
  var newEntry: EntryID?
  /// Events behind the log's end that are not recorded yet.
  private var pending: [RecordedEvent] = []
  /// For each event that was undone, the events of the log that say so, oldest first; `nil` where
  /// the log is asked each time.
  private var undoers: [Seq: [Seq]]?

  init(state: LedgerState, view: LogView, isSyncing: Bool, newEntry: EntryID? = nil) {
    (self.state, self.view, self.isSyncing, self.newEntry) = (state, view, isSyncing, newEntry)
  }

  /// Takes events for recorded, so that what is undone next builds on them.
  mutating func foresee(_ events: [RecordedEvent]) {
    pending += events
    state = state.applying(unrecorded: events)
  }

  /// An event of the log, or one that is foreseen.
  func recorded(_ seq: Seq) throws(LogError) -> RecordedEvent {
    if let first = pending.first?.seq, seq >= first {
      return pending[seq.number - first.number]
    }
    return try view.line(seq).event()
  }

  func undo(_ seq: Seq) throws -> Undoing {
    guard seq.number <= state.position.seq else {
      throw UndoRefusal.noSuchEvent(seq, last: state.position.seq)
    }
    let recorded = try recorded(seq)
    if let later = try undoer(of: seq) { throw UndoRefusal.isUndone(seq, by: later) }
    return try plan(recorded)
  }

  /// - Parameter recorded: an event that was not undone yet.
  func plan(_ recorded: RecordedEvent) throws -> Undoing {
    let seq = recorded.seq
    if case .editUndone(let data) = recorded.event.payload { return try redo(data.event, seq) }
    try checkIsEdit(recorded)
    switch recorded.event.payload {
    case .progressLogged(let data): return try undoLogging(data, seq)
    case .progressCorrected(let data): return try undoCorrection(data, seq)
    case .progressDeleted(let data): return try undoDeletion(data, seq)
    default: return try undoFields(recorded)
    }
  }

  /// The event that has taken another one back, and was not taken back itself.
  private func undoer(of seq: Seq) throws(LogError) -> Seq? {
    let foreseen = pending.filter { $0.event.payload.undone == seq }.map(\.seq)
    let logged: [Seq: [Seq]]
    if let undoers { logged = undoers } else { logged = try loggedUndoers(since: seq) }
    let found = foreseen + (logged[seq] ?? [])
    // What was cancelled stays so, also once it was made again as another edit.
    if state.edits.state(seq.number) == .undone { return found.max() }
    // One that was cancelled itself, or taken back by a later one, counts no more.
    for later in found.sorted(by: >) where state.edits.state(later.number) != .undone {
      if try undoer(of: later) == nil { return later }
    }
    return nil
  }

  /// Finds the undoers of all events from one on in one pass.
  mutating func learnUndoers(since seq: Seq) throws(LogError) {
    undoers = try loggedUndoers(since: seq)
  }

  private func loggedUndoers(since seq: Seq) throws(LogError) -> [Seq: [Seq]] {
    var found: [Seq: [Seq]] = [:]
    try view.walkBackward { (window, _, envelope) throws(LineFault) in
      guard envelope.seq > seq.number, envelope.mayUndo(in: window) else { return }
      let payload = try EventReader.payload(envelope, in: window)
      if let undone = payload.undone { found[undone, default: []].append(Seq(envelope.seq)) }
    } goesOn: { before in
      before.seq > seq.number
    }
    return found
  }

  /// The edit that an event put things back from; `nil` for one that did not, and for one that took
  /// back an undoing, which is an edit like others.
  func takenBack(by seq: Seq) throws(LogError) -> Seq? {
    guard let undone = try recorded(seq).event.payload.undone,
      try recorded(undone).event.payload.undone == nil
    else { return nil }
    return undone
  }

  /// Whether a call for it went out, or may be going out.
  func way(_ edits: [Seq]) -> Undoing.Way {
    let states = edits.map { state.edits.state($0.number) }
    if states.contains(.inDoubt) { return .compensatedInDoubt }
    if states.contains(.acknowledged) { return .compensated }
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
      .progressCorrected, .progressDeleted, .editUndone:
      guard recorded.event.by == .sync || recorded.event.by == .system else { return }
      // A deletion taken from the backend: undoing it logs the entry again.
      if case .progressDeleted = recorded.event.payload { return }
      throw .notAnEdit(seq, why: "sync recorded it, because the backend had changed")
    case .progressPulled:
      throw .notAnEdit(
        seq, why: "the entry came from the backend; 'ledger append deletion \(seq)' deletes it")
    case .conflictResolved(let data):
      throw .notAnEdit(
        seq, why: "'ledger resolve \(data.conflict) --take local|remote' decides it anew")
    case .eventErased: throw .notAnEdit(seq, why: "what was erased is gone for good")
    case .profilePulled:
      throw .notAnEdit(seq, why: "it is what the backend had; edit the fields instead")
    case .duplicateResolved:
      throw .notAnEdit(seq, why: "the backend may have deleted the rows already")
    case .ledgerCreated, .syncAttempted, .syncDeferred, .syncAcknowledged, .syncRejected, .syncHeld,
      .syncDiffered, .rowSkipped, .conflictDetected, .duplicateSuspected, .accountSignedIn,
      .accountSignedOut, .accountReplaced, .logRepaired, .unknown:
      throw .notAnEdit(seq, why: "it is \(recorded.event.payload.type)")
    }
  }
}
