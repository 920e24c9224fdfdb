public import LedgerJSON
package import LedgerLog
public import LedgerModel

/// The edits without a final answer, grouped by subject and state. Each is in exactly one item; a row
/// that is yet to be deleted is an item of its own, with edits that were acknowledged.
public struct Outbox: Hashable, Sendable {
  /// Why an edit is in the outbox.
  public enum State: String, CaseIterable, Sendable {
    /// The next sync sends it.
    case pending
    /// It was sent and its answer lost; the next sync resolves it.
    case inDoubt = "in_doubt"
    /// The backend does not take it yet.
    case held
    /// The backend refused it; a correction sends it again.
    case rejected
    /// The user has to decide a conflict first.
    case conflict
  }

  /// What an edit is about.
  public enum Subject: Hashable, Sendable {
    /// A group of profile fields.
    case profile(ProfileSubject)
    /// An entry and its metric.
    case entry(EntryID, Metric)
    /// A sleep session.
    case session(EntryID)
    /// An erased entry whose row the backend still has.
    case erasedEntry(EntryID)
    /// An erased sleep session that the backend still has.
    case erasedSession(EntryID)
    /// Rows that the user declared to be duplicates of an entry, to be deleted.
    case duplicates(EntryID)
    /// The row that an entry had before a correction, to be deleted.
    case formerRow(EntryID)
  }

  /// Edits of one subject in the same state.
  public struct Item: Hashable, Identifiable, Sendable {
    /// Identifies an item among all; stays while its state changes.
    public struct ID: Hashable, Sendable {
      /// What is to be sent.
      public var subject: Subject
      /// Its oldest edit.
      public var oldest: Seq
    }

    /// What is to be sent.
    public var subject: Subject
    /// Why it has not been sent.
    public var state: State
    /// The backend's message for rejected edits, the code of a `HoldReason` for held ones; `nil`
    /// otherwise.
    public var text: String?
    /// Its edits, at least one, oldest first.
    public var events: [Seq]
    /// The HTTP status of the rejection; `nil` otherwise.
    public var status: Int?
    /// The rejected request body, as far as it is on record.
    public var body: JSONValue?
    /// The event that logged the entry; `nil` for profile fields.
    public var logged: Seq?
    /// The conflicts to decide first, oldest first.
    public var conflicts: [ConflictView] = []
    /// Whether the next sync settles it without a call: it was deleted before it was sent.
    public var needsNoCall = false

    public var id: ID { ID(subject: subject, oldest: events[0]) }

    /// `nil` for profile fields.
    public var entry: EntryID? {
      switch subject {
      case .profile: nil
      case .entry(let id, _), .session(let id), .erasedEntry(let id), .erasedSession(let id),
        .duplicates(let id), .formerRow(let id):
        id
      }
    }
  }

  /// In the order of their oldest edits.
  public private(set) var items: [Item] = []

  /// - Parameters:
  ///   - view: the log that was folded; reasons and messages are read from it.
  ///   - states: only edits in these states.
  ///   - limit: the most items; those in a state other than `pending` take precedence.
  ///   - editsPerItem: the most edits that are added to an item once the limit of items is reached; the
  ///     edits before that are all listed. Only with a limit.
  package init(
    _ state: LedgerState, in view: LogView, of states: Set<State> = Set(State.allCases),
    limit: Int = .max, editsPerItem: Int = .max
  ) throws(LogError) {
    var builder = OutboxBuilder(state, view, limit: limit, editsPerItem: editsPerItem)
    let others = states.subtracting([.pending])
    if limit == .max {
      try builder.addEdits(in: states)
    } else {
      // Counts tell whether a pass over all edits would find any.
      if !others.isEmpty, state.syncCounts().haveOther { try builder.addEdits(in: others) }
      if states.contains(.pending) { try builder.addEdits(in: [.pending]) }
    }
    items = builder.items
    if limit < .max { items.sort { $0.events[0] < $1.events[0] } }
    if states.contains(.pending) {
      for (row, _) in try state.rowsToDelete(view.boundID) where items.count < limit {
        items.append(Item(subject: .formerRow(row.entry), state: .pending, events: row.events))
      }
    }
    addConflicts(state)
  }

  private mutating func addConflicts(_ state: LedgerState) {
    guard items.contains(where: { $0.state == .conflict }) else { return }
    var bySubject: [String: [ConflictView]] = [:]
    for conflict in state.openConflicts() {
      bySubject[conflict.subject, default: []].append(conflict)
    }
    for place in items.indices where items[place].state == .conflict {
      switch items[place].subject {
      case .profile(let subject): items[place].conflicts = bySubject[subject.rawValue] ?? []
      case .entry(let id, _), .session(let id):
        items[place].conflicts = bySubject[id.description] ?? []
      case .erasedEntry, .erasedSession, .duplicates, .formerRow: break
      }
    }
  }

}

extension SyncCounts {
  /// Whether edits are in another state than `pending`.
  fileprivate var haveOther: Bool { inDoubt + held + rejected + conflicts > 0 }
}

/// Groups the edits of an outbox.
private struct OutboxBuilder {
  private struct Key: Hashable {
    var subject: Outbox.Subject
    var state: Outbox.State
    var text: String?
  }

  private(set) var items: [Outbox.Item] = []
  private let state: LedgerState
  private let view: LogView
  private let limit: Int
  private let editsPerItem: Int
  private let conflicts: Set<Int>
  private var places: [Key: Int] = [:]
  /// The number of edits in all items.
  private var addedCount = 0

  init(_ state: LedgerState, _ view: LogView, limit: Int, editsPerItem: Int) {
    (self.state, self.view, self.limit, self.editsPerItem) = (state, view, limit, editsPerItem)
    conflicts = state.editsInConflict()
  }

  /// Adds the edits in these states, oldest first, until one would need an item beyond the limit.
  mutating func addEdits(in states: Set<Outbox.State>) throws(LogError) {
    let first = items.count
    // Those that wait for a decision are in any of these states.
    let wanted = EditStates(states.map(\.withoutConflict))
    let named = states.contains(.conflict) ? conflicts : []
    for range in state.edits.ranges(holding: wanted, and: named) {
      for seq in range where !(try add(seq, in: states)) {
        return try addLaterEdits(ofItemsFrom: first, after: seq, in: states)
      }
    }
  }

  /// Later edits of the items that there are.
  private mutating func addLaterEdits(
    ofItemsFrom first: Int, after seq: Int, in states: Set<Outbox.State>
  ) throws(LogError) {
    // Several items may have the same subject.
    for subject in Set(items[first...].map(\.subject)) {
      let before = addedCount
      // A log may have logged one id twice, as two metrics: each is a subject of its own.
      for edit in edits(of: subject, after: seq) where self.subject(ofEdit: edit) == subject {
        guard addedCount - before < editsPerItem else { break }
        _ = try add(edit, in: states)
      }
    }
  }

  /// Oldest first. Those of the profile, which may be very many, are read one by one.
  private func edits(of subject: Outbox.Subject, after seq: Int) -> AnySequence<Int> {
    if case .profile(let subject) = subject {
      return AnySequence(state.profile.edits(of: subject, after: seq))
    }
    return AnySequence(Set(edits(ofEntry: subject)).filter { $0 > seq }.sorted())
  }

  private func edits(ofEntry subject: Outbox.Subject) -> [Int] {
    switch subject {
    case .entry(let id, _):
      state.allRows(of: id.uuid).flatMap { state.edits(ofRow: $0).map(\.number) }
    case .session(let id):
      state.allSessions(of: id).flatMap { state.edits(ofSession: $0).map(\.number) }
    case .erasedEntry(let id):
      state.erasedEntries().first { $0.entry == id }?.deletions.map(\.number) ?? []
    case .erasedSession(let id):
      state.erasedSessions().first { $0.entry == id }?.deletions.map(\.number) ?? []
    case .duplicates: state.bindings.suspicions.compactMap { $0.resolution?.seq }
    case .profile, .formerRow: []
    }
  }

  private func subject(ofEdit number: Int) -> Outbox.Subject? {
    Outbox.Subject(ofEdit: number, in: state)
      ?? state.profile.subject(ofEdit: number).map(Outbox.Subject.profile)
  }

  /// - Returns: false if the edit needs an item beyond the limit.
  private mutating func add(_ number: Int, in states: Set<Outbox.State>) throws(LogError) -> Bool {
    let edit = state.edits.state(number)
    guard edit.needsCall, let seq = Seq(exactly: number), state.isWaiting(number),
      let itemState = Outbox.State(edit, isInConflict: conflicts.contains(number)),
      states.contains(itemState),
      let subject = subject(ofEdit: number)
    else { return true }
    var item = Outbox.Item(subject: subject, state: itemState, events: [])
    try item.readAnswer(state.edits.marker(number), in: view)
    let key = Key(subject: subject, state: itemState, text: item.text)
    let place = places[key] ?? items.count
    if place == items.count {
      guard place < limit else { return false }
      places[key] = place
      item.logged = state.logging(ofEdit: number)
      item.needsNoCall = itemState == .pending && state.isDeletedUnsent(edit: number)
      items.append(item)
    }
    items[place].events.append(seq)
    addedCount += 1
    // Of several rejected calls the last one counts.
    (items[place].status, items[place].body) = (item.status, item.body)
    return true
  }
}

extension Outbox.Item {
  /// Reasons, messages and bodies stay in the log, in the marker's line.
  fileprivate mutating func readAnswer(_ marker: Int?, in view: LogView) throws(LogError) {
    guard state == .held || state == .rejected, let seq = marker.flatMap({ Seq(exactly: $0) })
    else { return }
    switch try view.line(seq).event().event.payload {
    case .syncHeld(let data): text = data.reason
    case .syncRejected(let data): (text, status, body) = (data.message, data.status, data.body)
    default: break
    }
  }
}

extension LedgerState {
  /// The event that logged the entry or session of an edit.
  package func logging(ofEdit seq: Int) -> Seq? {
    if let row = edits.row(seq) { return Seq(Int(rows[row].seq)) }
    return session(ofEdit: seq).map { Seq(Int(sleep[$0].seq)) }
  }

  /// Whether an edit's entry or session is deleted, and the backend never had it.
  package func isDeletedUnsent(edit: Int) -> Bool {
    if let row = edits.row(edit) {
      return binding(ofRow: row) == nil && entry(at: row).isDeleted
        && self.edits(ofRow: row).allSatisfy { edits.attempts($0.number) == 0 }
    }
    return session(ofEdit: edit).map { index in
      binding(ofSession: index) == nil && session(at: index).isDeleted
        && self.edits(ofSession: index).allSatisfy { edits.attempts($0.number) == 0 }
    } ?? false
  }

  /// An edit in doubt needs an answer even if the logging of its entry was undone since.
  fileprivate func isWaiting(_ edit: Int) -> Bool {
    edits.state(edit) == .inDoubt || hasSubject(edit)
  }
}

extension Outbox.Subject {
  /// The entry of an edit.
  fileprivate init?(ofEdit seq: Int, in state: LedgerState) {
    guard let row = state.edits.row(seq).map({ state.rows[$0] }) else {
      if let session = state.session(ofEdit: seq) {
        self = .session(EntryID(state.sleep[session].id))
      } else if let id = state.erasedEntry(ofEdit: seq) {
        self = .erasedEntry(id)
      } else if let id = state.erasedSession(ofEdit: seq) {
        self = .erasedSession(id)
      } else if let suspicion = state.suspicion(resolvedBy: seq) {
        self = .duplicates(suspicion.entry)
      } else {
        return nil
      }
      return
    }
    self = .entry(EntryID(row.id), row.metric)
  }
}

extension Outbox.State {
  /// The state of an edit that no open conflict holds back.
  fileprivate var withoutConflict: EditState {
    switch self {
    case .pending: .pending
    case .inDoubt: .inDoubt
    case .held: .held
    case .rejected: .rejected
    case .conflict: .differed
    }
  }

  fileprivate init?(_ state: EditState, isInConflict: Bool) {
    switch state {
    case .none, .acknowledged, .undone: return nil
    case .inDoubt: self = .inDoubt
    case .pending: self = isInConflict ? .conflict : .pending
    case .held: self = isInConflict ? .conflict : .held
    case .rejected: self = isInConflict ? .conflict : .rejected
    case .differed: self = .conflict
    }
  }
}

// MARK: Queries of the sync projector

extension LedgerState {
  /// Entry rows with an open edit, oldest first.
  package func rowsWithOpenEdits() -> [Int] {
    var found: Set<Int> = []
    for seq in edits.seqs(where: \.isOpen) {
      if let row = edits.row(seq), isMade(rows[row]) { found.insert(row) }
    }
    return found.sorted()
  }

  /// At most `limit` entry rows with an open edit, from the row `first` on.
  ///
  /// - Returns: the rows and the row to continue from; `nil` at the end.
  package func rowsWithOpenEdits(from first: Int, limit: Int) -> (rows: [Int], next: Int?) {
    var found: [Int] = []
    for index in first..<max(first, rows.count) {
      if found.count == limit { return (found, index) }
      if isMade(rows[index]), isOpen(rows[index]) { found.append(index) }
    }
    return (found, nil)
  }

  private func isOpen(_ row: EntryRow) -> Bool {
    if edits.state(Int(row.seq)).isOpen { return true }
    return row.lastChange != 0 && chain(of: row).contains { edits.state(Int($0.seq)).isOpen }
  }

  /// The event that bound the backend's id to the entry of a row.
  package func binding(ofRow index: Int) -> Seq? { Seq(exactly: Int(bound[index])) }

  /// A backend row that an entry had before it was sent again.
  package struct SupersededRow: Hashable, Sendable {
    package var entry: EntryID
    /// The event that bound the unused id.
    package var boundBy: Seq
    /// The edits for which it is deleted.
    package var events: [Seq]
  }

  /// Superseded rows that no answer reports as deleted, by entry; ``isDeletedAtBackend(_:)``
  /// checks by id.
  package func supersededRows() -> [SupersededRow] {
    bindings.superseded.keys.sorted().flatMap { row in
      // Open edits have their own call; an answer to this one must not acknowledge them.
      let covered = edits(ofRow: row).last { edits.state($0.number) == .acknowledged }
      return (bindings.superseded[row] ?? []).map { boundBy in
        SupersededRow(
          entry: EntryID(rows[row].id), boundBy: Seq(boundBy), events: covered.map { [$0] } ?? [])
      }
    }
  }

  /// Superseded rows to be deleted: not reported as deleted, and used by no entry.
  ///
  /// - Parameter boundID: the backend's id that an event bound.
  package func rowsToDelete(
    _ boundID: (Seq) throws(LogError) -> BackendID?
  ) throws(LogError) -> [(row: SupersededRow, id: BackendID)] {
    var found: [(row: SupersededRow, id: BackendID)] = []
    for superseded in supersededRows() where !superseded.events.isEmpty {
      guard let id = try boundID(superseded.boundBy),
        !isDeletedAtBackend(id, since: superseded.boundBy)
      else { continue }
      // Several events may have bound an entry to the same row.
      let current = row(of: superseded.entry).flatMap(binding(ofRow:))
      if let current, try boundID(current) == id { continue }
      found.append((superseded, id))
    }
    return found
  }

  /// The last event that reported a row as deleted at the backend.
  package func deletion(of id: BackendID) -> Seq? {
    bindings.deletions[id.text].flatMap(Seq.init(exactly:))
  }

  /// Whether the backend reported a row as deleted after an event, which bound or suspected it. A
  /// restored backup may have it again, and then a later event binds or suspects it.
  package func isDeletedAtBackend(_ id: BackendID, since seq: Seq) -> Bool {
    deletion(of: id).map { $0 > seq } ?? false
  }

  /// Whether the account was ever replaced.
  package var wasReplaced: Bool { bindings.replacedAt > 0 }

  /// Whether an event precedes the last `account.replaced`. Other devices may have an entry logged
  /// before, and send it again as well.
  package func isBeforeReplacement(_ seq: Seq) -> Bool { seq.number < bindings.replacedAt }

  /// Whether an event precedes the last `account.replaced` by another account, which has none of the rows
  /// known before unless it lists them.
  package func isOfEarlierAccount(_ seq: Seq) -> Bool { seq.number < bindings.newAccountAt }

  /// Whether an entry with a row was sent again after `account.replaced`.
  package func isSentAgain(row: Int) -> Bool {
    guard isBeforeReplacement(Seq(Int(rows[row].seq))), bound[row] != 0 else { return false }
    return edits(ofRow: row).contains { edits.attempts($0.number) > 0 }
  }

  /// Rows of entries that may have further rows at the backend: sent more than once, or sent and never
  /// bound (docs/sync.md, Pulling).
  package func rowsSentInDoubt() -> [Int] {
    rows.indices.filter { index in
      let row = rows[index]
      guard isMade(row), !row.isPulled || row.lastChange != 0 else {
        return false
      }
      var sent = edits.attempts(Int(row.seq))
      for change in chain(of: row) where !change.has(EntryChange.deletes) {
        sent = max(sent, edits.attempts(Int(change.seq)))
      }
      return sent > 1 || sent == 1 && bound[index] == 0
    }
  }
}

// MARK: Erased entries, whose backend rows are to be deleted

extension LedgerState {
  /// An erased entry and its deletions that are not undone, oldest first.
  package struct ErasedEntry: Hashable, Sendable {
    package var entry: EntryID
    package var deletions: [Seq]

    /// - Parameter deletions: oldest first.
    static func grouped(
      _ deletions: some Sequence<(entry: EntryID, seq: Seq)>
    ) -> [ErasedEntry] {
      var found: [ErasedEntry] = []
      var places: [EntryID: Int] = [:]
      for (entry, seq) in deletions {
        if let place = places[entry] {
          found[place].deletions.append(seq)
        } else {
          places[entry] = found.count
          found.append(ErasedEntry(entry: entry, deletions: [seq]))
        }
      }
      return found
    }
  }

  /// Erased entries that were deleted when or after they were erased.
  package func erasedEntries() -> [ErasedEntry] {
    guard erasures > 0 else { return [] }
    return ErasedEntry.grouped(
      changes.lazy.filter(isOfErased).map { (EntryID($0.id), Seq(Int($0.seq))) })
  }

  /// The erased entry that an edit deletes; `nil` for other edits.
  package func erasedEntry(ofEdit seq: Int) -> EntryID? {
    guard erasures > 0, edits.row(seq) == nil else { return nil }
    let index = changes.partitioningIndex { $0.seq >= seq }
    guard index < changes.count, changes[index].seq == seq, isOfErased(changes[index])
    else { return nil }
    return EntryID(changes[index].id)
  }

  private func isOfErased(_ change: EntryChange) -> Bool {
    guard change.row == .max, change.has(EntryChange.deletes) else { return false }
    switch edits.state(Int(change.seq)) {
    case .none, .undone: return false
    case .pending, .inDoubt, .acknowledged, .rejected, .held, .differed: return true
    }
  }

  /// The answers that bound ids to entries erased since, whose rows are to be deleted.
  package var bindingsOfErased: [Seq] { bindings.ofErased.map { Seq($0) } }
}
