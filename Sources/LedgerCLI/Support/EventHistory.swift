import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// Finds the lines that one life is made of.
struct EventHistory {
  /// An event of it, with its line as it is stored.
  struct Line {
    var recorded: RecordedEvent
    var bytes: [UInt8]
  }

  /// Lines that belong to it whatever they say.
  private var shown: Set<Int>
  /// Events whose calls, answers, undoing and erasure belong to it.
  private var followed: Set<Int>
  private var conflicts: Set<Int> = []
  /// Whether a decision's own way to the backend belongs to it.
  private var followsDecisions = false
  private var entry: EntryID?
  /// The only call that is of interest.
  private var call: CallID?

  init(_ subject: ExplainedSubject, _ state: LedgerState) {
    let edits = Set(subject.edits(in: state).map(\.number))
    shown = edits
    followed = edits
    switch subject {
    case .entry(let row):
      entry = EntryID(state.rows[row].id)
      let name = state.rows[row].id.description
      conflicts = Set(state.conflicts().filter { $0.subject == name }.map(\.seq.number))
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
      shown.insert(seq.number)
      if call == nil { followed = [] }
      self.call = call
    case .event: break
    }
    shown.formUnion(conflicts)
  }

  /// - Parameter state: knows which events name which, so that only those are looked at.
  mutating func run(_ view: LogView, _ state: LedgerState) throws(LogError) -> [Line] {
    var lines: [Line] = []
    for seq in state.mentions(of: shown.union(followed)) {
      guard let seq = Seq(exactly: seq) else { continue }
      let stored = try view.line(seq)
      let recorded = try stored.event()
      if belongs(recorded) { lines.append(Line(recorded: recorded, bytes: stored.bytes)) }
    }
    return lines
  }

  private mutating func belongs(_ recorded: RecordedEvent) -> Bool {
    if shown.contains(recorded.seq.number) { return true }
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
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressCorrected, .progressDeleted, .profilePulled, .progressPulled, .conflictDetected,
      .rowSkipped, .duplicateResolved, .accountSignedIn, .accountSignedOut, .accountReplaced,
      .logRepaired, .unknown, .erased:
      return false
    }
  }

  private func follows(_ events: [Seq], _ call: CallID?) -> Bool {
    guard self.call == nil || self.call == call else { return false }
    return events.contains { followed.contains($0.number) }
  }
}
