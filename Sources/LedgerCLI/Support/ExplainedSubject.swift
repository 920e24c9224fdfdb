import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// Whose life `explain` tells.
enum ExplainedSubject {
  /// An entry with all its edits, by its row.
  case entry(row: Int)
  /// One edit of the person's fields.
  case edit(Seq, Set<ProfileField>)
  case conflict(ConflictView)
  /// A call to the backend or its answer, and the edits that it was about.
  case call(Seq, CallID?, about: [Seq])
  /// Anything else; it stands for itself.
  case event(Seq, Event.Payload)

  /// - Parameter text: all digits are an event, anything else is an entry's id or its start.
  /// - Throws: a failure with exit code 4 where there is no such event or entry.
  static func find(_ text: String, _ state: LedgerState, in view: LogView) throws -> Self {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      let entry = try EntryArgument.find(text, in: state)
      return try about(entry.seq, state, in: view)
    }
    guard let seq = Int(text), (1...max(1, state.position.seq)).contains(seq) else {
      throw CommandFailure(
        .notFound, "there is no event \(text); the log ends with event \(state.position.seq)")
    }
    return try about(Seq(seq), state, in: view)
  }

  /// An event that says something of one other event is told with that one.
  private static func about(
    _ seq: Seq, _ state: LedgerState, in view: LogView
  ) throws(LogError) -> Self {
    if let row = state.edits.row(seq.number) { return .entry(row: row) }
    let payload = try view.line(seq).event().event.payload
    switch payload {
    case .profileUpdated(let data): return .edit(seq, fields(data.data.members.map(\.name)))
    case .physicalUpdated(let data): return .edit(seq, fields(data.data.members.map(\.name)))
    case .preferencesUpdated(let data): return .edit(seq, fields(data.data.members.map(\.name)))
    case .conflictDetected(let data) where EntryID(data.subject) != nil:
      let row = EntryID(data.subject).flatMap { state.row(of: $0) }
      return row.map { .entry(row: $0) } ?? .event(seq, payload)
    case .conflictDetected:
      return state.conflict(seq).map { .conflict($0) } ?? .event(seq, payload)
    case .conflictResolved(let data):
      return state.conflict(data.conflict).map { .conflict($0) } ?? .event(seq, payload)
    case .progressDeleted where state.erasedEntry(ofEdit: seq.number) != nil: return .edit(seq, [])
    case .editUndone(let data) where data.event < seq: return try about(data.event, state, in: view)
    case .eventErased(let data) where data.event < seq:
      return try about(data.event, state, in: view)
    case .duplicateSuspected(let data):
      return state.row(of: data.entry).map { .entry(row: $0) } ?? .event(seq, payload)
    case .syncAttempted(let data): return .call(seq, data.call, about: data.events)
    case .syncDeferred(let data): return .call(seq, data.call, about: data.events)
    case .syncAcknowledged(let data): return .call(seq, data.call, about: data.events)
    case .syncRejected(let data): return .call(seq, data.call, about: data.events)
    case .syncDiffered(let data): return .call(seq, data.call, about: data.events)
    case .syncHeld(let data): return .call(seq, nil, about: data.events)
    case .ledgerCreated, .progressLogged, .progressCorrected, .progressDeleted, .profilePulled,
      .progressPulled, .rowSkipped, .duplicateResolved, .editUndone, .accountSignedIn,
      .accountSignedOut, .accountReplaced, .eventErased, .logRepaired, .unknown, .erased:
      return .event(seq, payload)
    }
  }

  private static func fields(_ names: [String]) -> Set<ProfileField> {
    Set(names.compactMap { ProfileField(rawValue: $0) })
  }

  /// The edits that it is about.
  func edits(in state: LedgerState) -> [Seq] {
    switch self {
    case .entry(let row): state.allEdits(ofRow: row)
    case .edit(let seq, _), .event(let seq, _): [seq]
    case .conflict(let conflict):
      conflict.field.flatMap { state.edit(setting: $0, before: conflict.seq) }.map { [$0] } ?? []
    case .call(_, _, let events): events
    }
  }
}
