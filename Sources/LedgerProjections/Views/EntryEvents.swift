package import LedgerLog
package import LedgerModel

/// The events that may be about some entries, found for all of these together: a state in memory has no order
/// of ids or of references, so that each search would walk all of them.
package struct EntryEvents {
  private let state: LedgerState
  private let rows: [LedgerUUID: [Int]]
  private let sessions: [LedgerUUID: [Int]]
  /// The events that name an event, for those that are about the entries.
  private let naming: [Int: [Int]]
  /// Events that name their entry only by its id, and what refers to them.
  private let byID: [EntryID: [Int]]

  /// - Throws: ``LogError`` if lines that name an entry only by its id cannot be read.
  package init(
    of ids: Set<EntryID>, _ state: LedgerState, in view: LogView
  ) throws(LogError) {
    let uuids = Set(ids.map(\.uuid))
    self.state = state
    rows = state.allRows(ofEach: uuids)
    sessions = state.allSessions(ofEach: uuids)
    var edits: Set<Int> = []
    for row in rows.values.joined() {
      edits.formUnion(state.allEdits(ofRow: row).map(\.number))
    }
    for session in sessions.values.joined() {
      edits.formUnion(state.allEdits(ofSession: session).map(\.number))
    }
    for id in ids { edits.formUnion(state.conflicts(of: id).map(\.seq.number)) }
    naming = state.mentions(ofEach: edits.union([0]))
    var byID: [EntryID: [Int]] = [:]
    for number in Self.mentions(of: [0], naming, upTo: state.position.seq) {
      guard let seq = Seq(exactly: number),
        let id = try view.line(seq).event().event.payload.entryID, ids.contains(id)
      else { continue }
      byID[id, default: []].append(number)
    }
    self.byID = byID
  }

  /// The edits of an entry that is no session, undone ones included.
  package func edits(ofEntry id: EntryID) -> [Seq] {
    (rows[id.uuid] ?? []).flatMap { state.allEdits(ofRow: $0) }
  }

  /// The edits of a sleep session, undone ones included.
  package func edits(ofSession id: EntryID) -> [Seq] {
    (sessions[id.uuid] ?? []).flatMap { state.allEdits(ofSession: $0) }
  }

  /// The seqs of all events that may be about an entry, oldest first.
  package func mentions(of id: EntryID) -> [Int] {
    var seqs = Set((edits(ofEntry: id) + edits(ofSession: id)).map(\.number))
    for conflict in state.conflicts(of: id) { seqs.insert(conflict.seq.number) }
    seqs.formUnion(Self.mentions(of: seqs, naming, upTo: state.position.seq))
    return seqs.union(byID[id] ?? []).sorted()
  }

  /// The events that name one of these, directly or through others, oldest first. An answer may name an
  /// event that the log does not have.
  private static func mentions(
    of seqs: Set<Int>, _ naming: [Int: [Int]], upTo last: Int
  ) -> [Int] {
    var found: Set<Int> = []
    var asked = Array(seqs)
    while let target = asked.popLast() {
      for by in naming[target] ?? [] where by <= last && found.insert(by).inserted {
        asked.append(by)
      }
    }
    return found.sorted()
  }
}

extension LedgerState {
  /// The events that name each of these, and those that name these in turn.
  fileprivate func mentions(ofEach seqs: Set<Int>) -> [Int: [Int]] {
    var naming: [Int: [Int]] = [:]
    var asked = seqs
    while !asked.isEmpty {
      let found = mentions.mentions(ofEach: asked)
      naming.merge(found) { first, _ in first }
      asked = Set(found.values.joined()).filter { naming[$0] == nil }
    }
    return naming
  }

  /// As ``allRows(of:)`` for each id.
  fileprivate func allRows(ofEach ids: Set<LedgerUUID>) -> [LedgerUUID: [Int]] {
    var found: [LedgerUUID: [Int]] = [:]
    let marks = ids.reduce(UInt64(0)) { $0 | 1 << ($1.low & 63) }
    let (first, own) = (rows.countInSnapshot, rows.own)
    for place in own.indices.reversed() where marks >> (own[place].id.low & 63) & 1 != 0 {
      guard ids.contains(own[place].id) else { continue }
      found[own[place].id, default: []].append(first + place)
    }
    guard let opened else { return found }
    for id in ids { found[id, default: []] += opened.rows(of: id).reversed() }
    return found
  }

  /// As ``allSessions(of:)`` for each id.
  fileprivate func allSessions(ofEach ids: Set<LedgerUUID>) -> [LedgerUUID: [Int]] {
    var found: [LedgerUUID: [Int]] = [:]
    for place in sleep.indices.reversed() {
      guard sleep[place].isSession, ids.contains(sleep[place].id) else { continue }
      found[sleep[place].id, default: []].append(place)
    }
    return found
  }
}

extension Event.Payload {
  /// The row at the backend that it binds to an entry or a session, or reports deleted.
  package var backendID: BackendID? {
    switch self {
    case .syncAcknowledged(let data): data.backendID
    case .syncDiffered(let data): data.backendID
    case .progressPulled(let data): data.backendID
    case .sleepPulled(let data): data.backendID
    case .progressCorrected(let data): data.backendID
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressDeleted, .sleepLogged, .sleepCorrected, .sleepDeleted, .syncAttempted,
      .syncDeferred, .syncRejected, .syncHeld, .rowSkipped, .profilePulled, .conflictDetected,
      .conflictResolved, .duplicateSuspected, .duplicateResolved, .goalSet, .goalRemoved,
      .editUndone, .accountSignedIn, .accountSignedOut, .accountReplaced, .eventErased,
      .logRepaired, .unknown, .erased:
      nil
    }
  }

  /// The notes that it gives an entry.
  package var entryNotes: String? {
    switch self {
    case .progressLogged(let data): data.notes
    case .progressPulled(let data): data.notes
    case .progressCorrected(let data): data.notes?.value
    case .sleepLogged(let data): data.notes
    case .sleepPulled(let data): data.notes
    case .sleepCorrected(let data): data.notes?.value
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated,
      .progressDeleted, .sleepDeleted, .syncAttempted, .syncDeferred, .syncAcknowledged,
      .syncRejected, .syncHeld, .syncDiffered, .rowSkipped, .profilePulled, .conflictDetected,
      .conflictResolved, .duplicateSuspected, .duplicateResolved, .goalSet, .goalRemoved,
      .editUndone, .accountSignedIn, .accountSignedOut, .accountReplaced, .eventErased,
      .logRepaired, .unknown, .erased:
      nil
    }
  }

  /// The entry that it names by its id; `nil` for a conflict, which names its subject.
  package var entryID: EntryID? {
    switch self {
    case .progressLogged(let data): data.entry
    case .progressPulled(let data): data.entry
    case .progressCorrected(let data): data.entry
    case .progressDeleted(let data): data.entry
    case .sleepLogged(let data): data.entry
    case .sleepPulled(let data): data.entry
    case .sleepCorrected(let data): data.entry
    case .sleepDeleted(let data): data.entry
    case .syncAcknowledged(let data): data.entry
    case .syncDiffered(let data): data.entry
    case .duplicateSuspected(let data): data.entry
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .syncAttempted,
      .syncDeferred, .syncRejected, .syncHeld, .rowSkipped, .profilePulled, .conflictDetected,
      .conflictResolved, .duplicateResolved, .goalSet, .goalRemoved, .editUndone, .accountSignedIn,
      .accountSignedOut, .accountReplaced, .eventErased, .logRepaired, .unknown, .erased:
      nil
    }
  }
}
