import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// Finds the lines that one life is made of, in one pass from its first edit on.
struct LifeSearch {
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

  mutating func run(_ view: LogView) throws(LogError) -> [Line] {
    guard let first = shown.filter({ $0 > 0 }).min() else { return [] }
    let offset = try view.line(Seq(first)).offsetBytes
    var scan = EventScan(
      from: try view.position(behind: offset) ?? .start, offsetBytes: offset, checks: .form)
    var search = self
    var lines: [Line] = []
    try view.forEachWindow(from: offset) { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        guard search.mayBelong(envelope, in: window) else { return }
        let recorded = try EventReader.event(envelope, in: window)
        guard search.belongs(recorded) else { return }
        let bytes = window.extracting(envelope.start..<envelope.end).withUnsafeBytes { Array($0) }
        lines.append(Line(recorded: recorded, bytes: bytes))
      }
    }
    return lines
  }

  /// Whether a line is worth decoding.
  private func mayBelong(_ envelope: Envelope, in bytes: RawSpan) -> Bool {
    if shown.contains(envelope.seq) { return true }
    guard !envelope.isErased else { return false }
    let type = envelope.type.lowerBound
    if bytes.holds("sync.", at: type) {
      return !followed.isEmpty && EventsMember.mayName(followed, envelope.data, in: bytes)
    }
    return bytes.holds("conflict.", at: type) || bytes.holds("duplicate.", at: type)
      || bytes.holds("edit.", at: type) || bytes.holds("event.", at: type)
  }

  private mutating func belongs(_ recorded: RecordedEvent) -> Bool {
    if shown.contains(recorded.seq.number) { return true }
    switch recorded.event.payload {
    case .syncAttempted(let data): return follows(data.events, data.call)
    case .syncDeferred(let data): return follows(data.events, data.call)
    case .syncAcknowledged(let data): return follows(data.events, data.call)
    case .syncRejected(let data): return follows(data.events, data.call)
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
      .accountSignedIn, .accountSignedOut, .logRepaired, .unknown, .erased:
      return false
    }
  }

  private func follows(_ events: [Seq], _ call: CallID?) -> Bool {
    guard self.call == nil || self.call == call else { return false }
    return events.contains { followed.contains($0.number) }
  }
}
