package import LedgerLog
package import LedgerModel

/// The state that all views are computed from: the log folded from its first line to some seq.
///
/// A log is folded as one batch or as several in order; lines appended later are another batch. Folding
/// a prefix and then the rest equals folding everything.
///
/// Invariants: `rows` are in the order of `seq`; `bound` has as many elements; every change with a row
/// is in that row's chain, newest first; the last cell of `edits` is that of `position.seq`.
package struct LedgerState: Sendable {
  /// The last event folded.
  package internal(set) var position = ChainPosition.start
  /// Offset of the next line in the log.
  package internal(set) var offsetBytes = 0
  package internal(set) var tally = Tally()
  package internal(set) var rows = Column<EntryRow>()
  /// For each row, the event that bound the backend's id to the entry; 0 for none. Separate from the
  /// rows because answers access it in random order: more of it fits the cache.
  var bound = Column<UInt32>()
  var changes = Column<EntryChange>()
  /// Sleep sessions and their changes, in the order of seq.
  var sleep = Column<SleepRecord>()
  package internal(set) var edits = EditTable()
  package internal(set) var profile = ProfileTable()
  package internal(set) var account = AccountTable()
  package var bindings = BindingTable()
  var goalTable = GoalTable()
  var mentions = MentionTable()
  /// The latest moment before which the backend asked not to be called.
  package internal(set) var notBefore: Timestamp?
  /// Summaries of all folded lines, without a gap; `nil` if not requested.
  var blocks: Column<LineBlock>?
  /// The number of `event.erased` folded; events folded before one may have been erased since.
  package internal(set) var erasures = 0
  /// The erased lines and their records, without those of a snapshot, which were checked before it was
  /// written.
  package internal(set) var erasureLog = Erasures()
  /// The snapshot that the columns are read from; `nil` for a state that is fully in memory.
  var opened: OpenedSnapshot?

  package init() {}
}

extension LedgerState {
  /// Folds the next batch. The only place that interprets events.
  ///
  /// - Parameters:
  ///   - batch: its columns are moved out.
  ///   - rowsByID: the newest row of every entry; for batches of one event, which would otherwise walk
  ///     all rows.
  mutating func apply(_ batch: inout ColumnBatch, rowsByID: [LedgerUUID: Int]? = nil) {
    batch.beginEdits()
    edits.take(&batch.edits, rowsBefore: rows.count)
    let firstChange = changes.count
    tally.add(batch.tally)
    rows.take(&batch.rows)
    bindPulled(areThere: batch.tally.hasPulledEntries)
    changes.take(&batch.changes)
    if let rowsByID {
      EntryJoin.link(&changes, from: firstChange, to: &rows, by: rowsByID)
    } else {
      EntryJoin.link(&changes, from: firstChange, to: &rows, opened)
    }
    let firstErasure = firstErasure(upTo: batch)
    beginChanges(from: firstChange, firstErasure: firstErasure)
    takeSleep(&batch.sleep, firstErasure: firstErasure)
    profile.begin(&batch.profile, &edits)
    erasureLog.append(batch.erasures)
    mentions.reserve(batch.marks.count)
    for mark in batch.marks { mentions.add(Int(mark.target), by: Int(mark.by)) }
    apply(batch.marks, batch.others)
  }

  /// Folds what the profile depends on, in a state without entries.
  ///
  /// - Parameters:
  ///   - profileEdits: moved out.
  ///   - seq: the last event of the log.
  mutating func foldProfile(
    _ profileEdits: inout ProfileEdits, _ marks: [Mark], _ others: [RareEvent], upTo seq: Int
  ) {
    edits = EditTable(unknownUpTo: seq)
    profile.begin(&profileEdits, &edits)
    apply(marks, others)
  }

  /// Binds pulled entries to the backend's ids that came with them.
  private mutating func bindPulled(areThere: Bool) {
    let first = bound.count
    bound.extend(to: rows.count, with: 0)
    guard areThere else { return }
    for row in first..<rows.count where rows[row].isPulled { bound[row] = rows[row].seq }
  }

  private mutating func beginChanges(from first: Int, firstErasure: Int?) {
    for change in changes[first...] {
      guard change.row != .max else {
        mentions.add(0, by: Int(change.seq))
        // Of an erased entry only the backend's row is left; this edit deletes it.
        if change.has(EntryChange.deletes), !change.has(EntryChange.bySync),
          let firstErasure, change.seq > firstErasure
        {
          edits.begin(Int(change.seq), as: .pending, row: nil)
        }
        continue
      }
      let state: EditState = change.has(EntryChange.bySync) ? .acknowledged : .pending
      edits.begin(Int(change.seq), as: state, row: Int(change.row))
    }
  }

  /// The seq of the first `event.erased`; only a deletion after it can name a missing entry. 0 if it
  /// is in an earlier batch.
  private func firstErasure(upTo batch: ColumnBatch) -> Int? {
    if erasures > 0 { return 0 }
    return batch.others.first { if case .eventErased = $0.payload { true } else { false } }?.seq
  }

  /// Folds answers and rare events in log order: whether a pulled field is taken depends on the states
  /// of edits at that moment. Profile edits were begun before both.
  private mutating func apply(_ marks: [Mark], _ others: [RareEvent]) {
    var next = 0
    for place in others.indices {
      let seq = others[place].seq
      let before = marks[next...].prefix { Int($0.by) <= seq }
      apply(before)
      next = before.endIndex
      apply(others[place].payload, at: Seq(seq))
    }
    apply(marks[next...])
  }

  private mutating func apply(_ marks: ArraySlice<Mark>) {
    // An answer that names a later event is ignored.
    for mark in marks where mark.target < mark.by {
      edits.mark(Int(mark.target), mark.state, by: Int(mark.by))
      guard mark.binds else { continue }
      if let row = edits.row(Int(mark.target)) {
        bind(row, by: mark.by)
        if bindings.replacedAt > 0 { reopenDeletions(ofRow: row, boundBy: mark.by) }
      } else if let session = session(ofEdit: Int(mark.target)) {
        bind(session: session, by: mark.by)
      } else {
        bindings.noteErased(boundBy: Int(mark.by))
      }
    }
  }

  /// Records that the backend deleted a row. If the call was not for a deletion, it was a row that the
  /// entry no longer used.
  private mutating func recordDeletedRow(_ id: BackendID, for events: [Seq], by seq: Seq) {
    bindings.deletions[id.text] = seq.number
    bindings.clear(id)
    guard let row = events.compactMap({ edits.row($0.number) }).first else { return }
    let deletions = chain(of: rows[row]).filter { $0.has(EntryChange.deletes) }
    guard !deletions.contains(where: { events.contains(Seq(Int($0.seq))) }) else { return }
    bindings.forgetReplaced(row: row)
  }

  /// Binds a backend id to an entry. The row of an earlier id is then to be deleted.
  private mutating func bind(_ row: Int, by seq: UInt32) {
    let earlier = bound[row]
    guard earlier != seq else { return }
    if profile.conflicts.hasOpenOfEntries {
      profile.closeConflicts(of: EntryID(rows[row].id), by: Seq(Int(seq)))
    }
    if earlier != 0 { bindings.supersede(row: row, boundBy: Int(earlier)) }
    bound[row] = seq
  }

  /// The backend has a row of an entry deleted here, so the deletion is sent again.
  private mutating func reopenDeletions(ofRow row: Int, boundBy seq: UInt32) {
    for change in chain(of: rows[row]) where change.has(EntryChange.deletes) {
      let edit = Int(change.seq)
      guard !change.has(EntryChange.bySync), change.seq < seq,
        edits.state(edit) == .acknowledged
      else { continue }
      edits.restart(edit, .pending, by: Int(seq))
    }
  }

  /// Once a person has decided all conflicts that were detected together, differing edits are sent
  /// again or count as acknowledged.
  private mutating func settleDiffered(_ conflict: Seq) {
    guard let subject = profile.conflicts[conflict]?.subject else { return }
    var seqs: [Int] = []
    if let entry = EntryID(subject) {
      seqs = editsInForce(of: entry).map(\.number)
    } else if let group = ProfileSubject(rawValue: subject) {
      // For a group, the decision itself is the edit to send.
      seqs = profile.edits(of: group)
    }
    let differed = seqs.filter { edits.state($0) == .differed }
    let since = differed.compactMap { edits.marker($0) }.max() ?? 0
    let detected = profile.conflicts.all(of: subject).filter { $0.seq.number > since }
    guard !detected.contains(where: \.isOpen) else { return }
    let isSentAgain =
      EntryID(subject) != nil && detected.contains { $0.resolution?.decision == .local }
    for edit in differed {
      edits.restart(edit, isSentAgain ? .pending : .acknowledged, by: conflict.number)
    }
  }

  /// The account was created again: the backend has none of the earlier data, unless later events say
  /// otherwise.
  private mutating func replaceAccount(_ data: AccountReplaced, at seq: Seq) {
    account.replaceUserID(with: data.to)
    bindings.replaceAccount(at: seq.number, isNew: data.isAnotherAccount)
    for row in rows.indices where Int(rows[row].seq) < seq.number {
      if bound[row] != 0, Int(bound[row]) < seq.number { bound[row] = 0 }
      // Later changes of the same batch are linked already.
      let isDeleted = chain(of: rows[row]).contains { change in
        change.has(EntryChange.deletes) && Int(change.seq) < seq.number
          && edits.state(Int(change.seq)) != .undone
      }
      guard isMade(rows[row]), !isDeleted else { continue }
      let overridden = overriddenBySync(row, before: seq)
      for edit in edits(ofRow: row) where edit < seq && !overridden.contains(edit) {
        if edits.state(edit.number).isRestarted {
          edits.restart(edit.number, .pending, by: seq.number)
        }
      }
    }
    replaceAccountOfSleep(at: seq)
    // The same account lost only its rows.
    if data.from == nil || data.from != data.to { profile.replaceAccount(at: seq, &edits) }
  }

  /// Corrections of an entry that one from another device has overridden since they were acknowledged,
  /// or dropped by a decision. Sent again, they would override that one.
  package func overriddenBySync(_ row: Int, before seq: Seq? = nil) -> Set<Seq> {
    let changes = chain(of: rows[row]).filter { Int($0.seq) < seq?.number ?? .max }
    guard let taken = changes.first(where: \.isCorrectedElsewhere) else { return [] }
    return Set(
      changes.filter { change in
        !change.has(EntryChange.bySync) && edits.state(Int(change.seq)) == .acknowledged
          && order(of: change) < Int(taken.seq)
      }.map { Seq(Int($0.seq)) })
  }

  private mutating func apply(_ payload: Event.Payload, at seq: Seq) {
    switch payload {
    case .profilePulled(let data): profile.pull(data.fields, at: seq, &edits)
    case .conflictDetected(let data): profile.detect(data, at: seq, &edits)
    case .conflictResolved(let data):
      mentions.add(data.conflict.number, by: seq.number)
      profile.resolve(data, at: seq, &edits)
      settleDiffered(data.conflict)
    case .progressCorrected(let data):
      if let row = edits.row(seq.number) { bind(row, by: UInt32(seq.number)) }
      if let id = data.backendID { bindings.clear(id) }
    case .syncDiffered(let data): if data.entry == nil { profile.agree(data.remote, at: seq) }
    case .syncAcknowledged(let data):
      if data.events.isEmpty { mentions.add(0, by: seq.number) }
      if let remote = data.remote { profile.agree(remote, at: seq) }
      if data.isOfDeletion, let id = data.backendID {
        recordDeletedRow(id, for: data.events, by: seq)
      } else if data.isOfErasedRow, let id = data.backendID,
        !data.events.contains(where: { session(ofEdit: $0.number) != nil })
      {
        // The correction that had withdrawn it is erased.
        bindings.clear(id)
      }
    case .ledgerCreated(let data): account.ledger = data.ledger
    case .accountSignedIn(let data): account.signIn(data)
    case .accountSignedOut: account.current = nil
    case .accountReplaced(let data): replaceAccount(data, at: seq)
    case .duplicateSuspected(let data):
      mentions.add(0, by: seq.number)
      bindings.suspect(
        .init(seq: seq.number, entry: data.entry, backendIDs: data.backendIDs, resolution: nil))
    case .duplicateResolved(let data):
      mentions.add(data.suspicion.number, by: seq.number)
      // `one` deletes the other rows; rows that become entries need no call.
      if bindings.resolve(data, by: seq.number) {
        edits.begin(seq.number, as: data.decision == .one ? .pending : .acknowledged, row: nil)
      }
    case .eventErased(let data):
      mentions.add(data.event.number, by: seq.number)
      goalTable.erase(data.event)
      erasures += 1
    case .goalSet, .goalRemoved: goalTable.add(payload, at: seq)
    case .syncDeferred(let data): notBefore = [notBefore, data.notBefore].compactMap(\.self).max()
    case .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressDeleted, .progressPulled, .syncAttempted, .syncRejected, .syncHeld, .rowSkipped,
      .editUndone, .logRepaired, .sleepLogged, .sleepCorrected, .sleepDeleted, .sleepPulled,
      .unknown, .erased:
      break
    }
  }

  // MARK: Events that are not in the log

  /// The state as if these events were recorded now; writes nothing.
  ///
  /// - Precondition: their seqs continue at ``nextSeq``.
  package func applying(unrecorded events: [RecordedEvent]) -> LedgerState {
    guard let last = events.last else { return self }
    precondition(events[0].seq.number == edits.lastSeq + 1, "the seqs continue the state")
    var batch = ColumnBatch(after: edits.lastSeq)
    batch.lastSeq = last.seq.number
    for recorded in events {
      batch.add(recorded.event.payload, seq: recorded.seq.number, by: recorded.event.by)
    }
    var state = self
    state.apply(&batch)
    return state
  }

  /// The seq of the next event.
  package var nextSeq: Seq { Seq(edits.lastSeq + 1) }

  // MARK: Blocks

  /// Appends the blocks of the batch that was folded last. Blocks are joined while they are short, so
  /// events appended one by one share a block.
  ///
  /// - Parameter next: `nil` if that batch was not summarized. Then all blocks are dropped, since they
  ///   must not have a gap.
  mutating func join(_ next: [LineBlock]?) {
    guard var next else {
      blocks = nil
      return
    }
    guard let count = blocks?.count, let first = next.first else { return }
    let firstEnd = next.count > 1 ? Int(next[1].startBytes) : offsetBytes
    if count > 0, var last = blocks?[count - 1], firstEnd - Int(last.startBytes) <= LineBlock.bytes
    {
      last.join(first)
      blocks?[count - 1] = last
      next.removeFirst()
    }
    blocks?.take(&next)
  }
}

/// Counts of a log's events, and instants.
package struct Tally: Hashable, Sendable {
  var known = [Int](repeating: 0, count: EventKind.allCases.count)
  /// Counts of event types that this version does not know.
  package internal(set) var unknown: [String: Int] = [:]
  package var erased = 0
  package var firstAt: Timestamp?
  package var lastAt: Timestamp?
  /// The instant of the newest event of the sync projector.
  package var lastSyncAt: Timestamp?

  /// Counts by type, known types in the order of docs/log-format.md, then unknown ones by name.
  package var byType: [(type: String, count: Int)] {
    let knownCounts = EventKind.allCases.indices.filter { known[$0] > 0 }
      .map { (type: EventKind.allCases[$0].rawValue, count: known[$0]) }
    return knownCounts + unknown.sorted { $0.key < $1.key }.map { (type: $0.key, count: $0.value) }
  }

  package var unknownCount: Int { unknown.values.reduce(0, +) }

  func count(of kind: EventKind) -> Int { known[KindIndex(kind).value] }

  var hasPulledEntries: Bool { known[KindIndex.pulled.value] > 0 }

  mutating func count(_ index: KindIndex, _ number: Int = 1) { known[index.value] += number }

  mutating func count(_ payload: Event.Payload) {
    if case .erased = payload { erased += 1 }
    if let kind = EventKind(rawValue: payload.type) {
      count(KindIndex(kind))
    } else {
      unknown[payload.type, default: 0] += 1
    }
  }

  mutating func add(_ later: Tally) {
    for index in known.indices { known[index] += later.known[index] }
    if !later.unknown.isEmpty { unknown.merge(later.unknown, uniquingKeysWith: +) }
    erased += later.erased
    firstAt = firstAt ?? later.firstAt
    lastAt = later.lastAt ?? lastAt
    lastSyncAt = later.lastSyncAt ?? lastSyncAt
  }
}

/// The index of a kind in `EventKind.allCases`.
struct KindIndex: Hashable, Sendable {
  let value: Int

  init(_ kind: EventKind) {
    // Cheaper than building a dictionary in every process that folds.
    value = EventKind.allCases.firstIndex(of: kind)!
  }

  static let logged = KindIndex(.progressLogged)
  static let pulled = KindIndex(.progressPulled)
  static let corrected = KindIndex(.progressCorrected)
  static let deleted = KindIndex(.progressDeleted)
  static let acknowledged = KindIndex(.syncAcknowledged)
  static let attempted = KindIndex(.syncAttempted)
  static let rejected = KindIndex(.syncRejected)
  static let profile = KindIndex(.profileUpdated)
  static let physical = KindIndex(.physicalUpdated)
  static let preferences = KindIndex(.preferencesUpdated)
  static let signedOut = KindIndex(.accountSignedOut)
  static let session = KindIndex(.sleepLogged)
}
