import LedgerJSON
package import LedgerLog
public import LedgerModel
public import LedgerProjections

/// The history and the sync status of the edit, entry, conflict or call that an event belongs to.
public struct Explanation: Sendable {
  /// An event with its line as stored, without the `\n`.
  public struct Line: Sendable {
    /// The event.
    public let recorded: RecordedEvent
    /// The line's bytes.
    public let bytes: [UInt8]
  }

  /// What the event belongs to.
  public let subject: ExplainedSubject
  /// The edits that it is about.
  public let edits: [Seq]
  /// The events that belong to it, oldest first.
  public let history: [Line]
  /// The sync status.
  public let status: EditStatus
  /// The entry that ``status`` is about, if it is about a single one.
  public let entry: DetailedEntry?
  /// The same of a sleep session.
  public let session: DetailedSession?
  /// Of an edit undone within the last ``mostEventsSearched`` events, the event that made it again.
  package let redoneBy: Seq?

  /// Nothing leads from an undo to what redid it, so the log is read from there. This many lines take a
  /// few milliseconds.
  private static let mostEventsSearched = 20_000

  /// - Parameters:
  ///   - seq: any event up to the state's last one.
  ///   - state: the fold of the same log.
  /// - Throws: ``LogError`` for lines that cannot be read.
  package init(of seq: Seq, _ state: LedgerState, in view: LogView) throws(LogError) {
    subject = try ExplainedSubject(seq, state, in: view)
    edits = subject.edits(in: state)
    var search = HistorySearch(subject, edits, state)
    history = try search.run(view, state)
    let row = subject.row(in: state)
    entry = try row.map { row throws(LogError) in
      try DetailedEntry(state.entry(at: row), in: view)
    }
    let index = subject.session(in: state)
    session = try index.map { index throws(LogError) in
      try DetailedSession(state.session(at: index), in: view)
    }
    let reader = EditStatusReader(state: state, view: view)
    status =
      if let row, let entry {
        try reader.status(ofRow: row, entry)
      } else if let index, let session {
        try reader.status(ofSession: index, session.backendID)
      } else {
        try reader.status(of: subject)
      }
    let undoing = history.last { line in
      if case .editUndone = line.recorded.event.payload { true } else { false }
    }
    redoneBy =
      if case .undone = status, let seq = undoing?.recorded.seq,
        state.position.seq - seq.number <= Self.mostEventsSearched
      {
        try LoggedUndoers(in: view, since: seq).byEvent[seq]?.last
      } else {
        nil
      }
  }
}

/// What an ``Explanation`` is about.
public enum ExplainedSubject: Sendable {
  /// An entry with all its edits, by its row.
  case entry(row: Int)
  /// A sleep session with all its edits, by its index.
  case session(Int)
  /// An edit of profile fields, or the deletion of an erased entry.
  case edit(Seq, Set<ProfileField>)
  /// A conflict with its decision.
  case conflict(ConflictView)
  /// A call to the backend or its answer, with the edits it was about. No call for a hold.
  case call(Seq, CallID?, about: [Seq])
  /// Any other event.
  case event(RecordedEvent)

  /// An event that concerns one other event has that event's subject.
  init(_ seq: Seq, _ state: LedgerState, in view: LogView) throws(LogError) {
    let seq = try Self.concerned(by: seq, state, in: view)
    if let row = state.edits.row(seq.number) {
      self = .entry(row: row)
      return
    }
    if let index = state.session(ofEdit: seq.number) {
      self = .session(index)
      return
    }
    let recorded = try view.line(seq).event()
    let found: Self? =
      switch recorded.event.payload {
      case .profileUpdated(let data): .edit(seq, Self.fields(data.data.members.map(\.name)))
      case .physicalUpdated(let data): .edit(seq, Self.fields(data.data.members.map(\.name)))
      case .preferencesUpdated(let data): .edit(seq, Self.fields(data.data.members.map(\.name)))
      case .conflictDetected(let data):
        if let entry = EntryID(data.subject) {
          Self(entry, state)
        } else {
          state.conflict(seq).map { .conflict($0) }
        }
      case .conflictResolved(let data): state.conflict(data.conflict).map { .conflict($0) }
      case .progressDeleted where state.erasedEntry(ofEdit: seq.number) != nil: .edit(seq, [])
      case .sleepDeleted where state.erasedSession(ofEdit: seq.number) != nil: .edit(seq, [])
      case .duplicateSuspected(let data): Self(data.entry, state)
      case .syncAttempted(let data): .call(seq, data.call, about: data.events)
      case .syncDeferred(let data): .call(seq, data.call, about: data.events)
      case .syncAcknowledged(let data): .call(seq, data.call, about: data.events)
      case .syncRejected(let data): .call(seq, data.call, about: data.events)
      case .syncDiffered(let data): .call(seq, data.call, about: data.events)
      case .syncHeld(let data): .call(seq, nil, about: data.events)
      case .ledgerCreated, .goalSet, .goalRemoved, .progressLogged, .progressCorrected,
        .progressDeleted, .profilePulled,
        .sleepLogged, .sleepCorrected, .sleepDeleted, .sleepPulled,
        .progressPulled, .rowSkipped, .duplicateResolved, .editUndone, .accountSignedIn,
        .accountSignedOut, .accountReplaced, .eventErased, .logRepaired, .unknown, .erased:
        nil
      }
    self = found ?? .event(recorded)
  }

  /// The event that an undoing or an erasure is about, at the end of a chain of these.
  private static func concerned(
    by seq: Seq, _ state: LedgerState, in view: LogView
  ) throws(LogError) -> Seq {
    var seq = seq
    while state.edits.row(seq.number) == nil, state.session(ofEdit: seq.number) == nil {
      switch try view.line(seq).event().event.payload {
      case .editUndone(let data) where data.event < seq: seq = data.event
      case .eventErased(let data) where data.event < seq: seq = data.event
      default: return seq
      }
    }
    return seq
  }

  /// The entry or session with an id.
  private init?(_ id: EntryID, _ state: LedgerState) {
    if let row = state.row(of: id) {
      self = .entry(row: row)
    } else if let index = state.session(of: id) {
      self = .session(index)
    } else {
      return nil
    }
  }

  private static func fields(_ names: [String]) -> Set<ProfileField> {
    Set(names.compactMap { ProfileField(rawValue: $0) })
  }

  fileprivate func edits(in state: LedgerState) -> [Seq] {
    switch self {
    case .entry(let row): state.allEdits(ofRow: row)
    case .session(let index): state.allEdits(ofSession: index)
    case .edit(let seq, _): [seq]
    case .event(let recorded): [recorded.seq]
    case .conflict(let conflict):
      conflict.field.flatMap { state.edit(setting: $0, before: conflict.seq) }.map { [$0] } ?? []
    case .call(_, _, let events): events
    }
  }

  /// The row of the single entry that it is about.
  fileprivate func row(in state: LedgerState) -> Int? {
    switch self {
    case .entry(let row): return row
    case .call(_, _, let events):
      let rows = Set(events.map { state.edits.row($0.number) })
      return rows.count == 1 ? rows.first ?? nil : nil
    case .session, .edit, .conflict, .event: return nil
    }
  }

  /// The index of the single session that it is about.
  fileprivate func session(in state: LedgerState) -> Int? {
    switch self {
    case .session(let index): return index
    case .call(_, _, let events):
      let sessions = Set(events.map { state.session(ofEdit: $0.number) })
      return sessions.count == 1 ? sessions.first ?? nil : nil
    case .entry, .edit, .conflict, .event: return nil
    }
  }
}

/// Finds the events that belong to a subject.
private struct HistorySearch {
  /// Events that belong to it in any case.
  private var own: Set<Int>
  /// Events whose calls, answers, undoing and erasure belong to it.
  private var followed: Set<Int>
  private var conflicts: Set<Int> = []
  /// Whether the calls and answers of a decision belong to it.
  private var followsDecisions = false
  private var entry: EntryID?
  /// The only call of interest.
  private var call: CallID?

  init(_ subject: ExplainedSubject, _ edits: [Seq], _ state: LedgerState) {
    let edits = Set(edits.map(\.number))
    own = edits
    followed = edits
    switch subject {
    case .entry(let row): add(EntryID(state.rows[row].id), state)
    case .session(let index): add(state.session(at: index).id, state)
    case .edit(let seq, let fields):
      let found = state.conflicts().filter { conflict in
        guard let field = conflict.field, fields.contains(field) else { return false }
        return state.edit(setting: field, before: conflict.seq) == seq
      }
      conflicts = Set(found.map(\.seq.number))
    case .conflict(let conflict):
      followed = []
      conflicts = [conflict.seq.number]
      followsDecisions = true
    case .call(let seq, let call, _):
      own.insert(seq.number)
      if call == nil { followed = [] }
      self.call = call
    case .event: break
    }
    own.formUnion(conflicts)
  }

  private mutating func add(_ id: EntryID, _ state: LedgerState) {
    entry = id
    conflicts = Set(state.conflicts(of: id).map(\.seq.number))
  }

  /// Reads only the lines that mention an event of the subject.
  mutating func run(
    _ view: LogView, _ state: LedgerState
  ) throws(LogError) -> [Explanation.Line] {
    var lines: [Explanation.Line] = []
    for seq in state.mentions(of: own.union(followed)) {
      guard let seq = Seq(exactly: seq) else { continue }
      let stored = try view.line(seq)
      let recorded = try stored.event()
      if belongs(recorded) {
        lines.append(Explanation.Line(recorded: recorded, bytes: stored.bytes))
      }
    }
    return lines
  }

  private mutating func belongs(_ recorded: RecordedEvent) -> Bool {
    if own.contains(recorded.seq.number) { return true }
    switch recorded.event.payload {
    case .syncAttempted(let data): return follows(data.events, data.call)
    case .syncDeferred(let data): return follows(data.events, data.call)
    case .syncAcknowledged(let data): return follows(data.events, data.call)
    case .syncRejected(let data): return follows(data.events, data.call)
    case .syncDiffered(let data): return follows(data.events, data.call)
    case .syncHeld(let data): return follows(data.events, nil)
    case .editUndone(let data): return call == nil && follows([data.event], nil)
    case .eventErased(let data): return call == nil && follows([data.event], nil)
    case .duplicateSuspected(let data): return data.entry == entry
    case .conflictResolved(let data):
      guard conflicts.contains(data.conflict.number) else { return false }
      if followsDecisions { followed.insert(recorded.seq.number) }
      return true
    case .ledgerCreated, .goalSet, .goalRemoved, .profileUpdated, .physicalUpdated,
      .preferencesUpdated, .progressLogged, .progressCorrected, .progressDeleted, .sleepLogged,
      .sleepCorrected, .sleepDeleted,
      .sleepPulled, .profilePulled, .progressPulled, .conflictDetected, .rowSkipped,
      .duplicateResolved, .accountSignedIn, .accountSignedOut, .accountReplaced,
      .logRepaired, .unknown, .erased:
      return false
    }
  }

  private func follows(_ events: [Seq], _ call: CallID?) -> Bool {
    guard self.call == nil || self.call == call else { return false }
    return events.contains { followed.contains($0.number) }
  }
}

/// An entry with the texts that only the log's lines contain.
public struct DetailedEntry: Hashable, Sendable {
  /// The entry.
  public let entry: EntryView
  /// `nil` for none.
  public let notes: String?
  /// The backend's row; `nil` if it has none.
  public let backendID: BackendID?

  /// - Throws: ``LogError`` for lines that cannot be read.
  package init(_ entry: EntryView, in view: LogView) throws(LogError) {
    self.entry = entry
    notes = try entry.notesIn.flatMap { seq throws(LogError) in try view.notes(setBy: seq) }
    backendID = try entry.boundBy.flatMap { seq throws(LogError) in try view.boundID(by: seq) }
  }
}

/// A sleep session with what only the log's lines contain.
public struct DetailedSession: Hashable, Sendable {
  /// The session.
  public let session: SleepView
  /// Its stages, notes and source.
  public let texts: SleepTexts
  /// The backend's row; `nil` if it has none.
  public let backendID: BackendID?

  /// - Throws: ``LogError`` for lines that cannot be read.
  package init(_ session: SleepView, in view: LogView) throws(LogError) {
    self.session = session
    texts = try view.texts(of: session)
    backendID = try session.boundBy.flatMap { seq throws(LogError) in try view.boundID(by: seq) }
  }
}
