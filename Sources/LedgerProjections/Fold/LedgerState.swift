public import LedgerLog
public import LedgerModel

/// Everything the views are made of, folded from the log's first line to some seq.
///
/// There is one fold: a whole log is one batch, or several joined in order; what is appended later
/// is one more. Folding a prefix and then the rest gives what folding everything gives.
///
/// Invariants: `rows` are in the order of `seq`, and `bound` is as long; every change with a row stands
/// in that row's chain, newest first; `edits` reaches to `position.seq`.
public struct LedgerState: Sendable {
  /// The last event folded.
  public internal(set) var position = ChainPosition.start
  /// Where the next line begins in the log.
  public internal(set) var offsetBytes = 0
  public internal(set) var tally = Tally()
  public internal(set) var rows = Column<EntryRow>()
  /// For each row, the event that bound the backend's id to the entry; 0 for none. Apart from the
  /// rows, since answers come in no order that a processor foresees: so many more fit its cache.
  var bound = Column<UInt32>()
  var changes = Column<EntryChange>()
  public internal(set) var edits = EditTable()
  public internal(set) var profile = ProfileTable()
  public internal(set) var account = AccountTable()
  var bindings = BindingTable()
  var mentions = MentionTable()
  /// The latest moment before which the backend has ever asked not to be called.
  public internal(set) var notBefore: Timestamp?
  /// What the lines folded are summed up to, without a gap; `nil` where nobody asked for it.
  var blocks: Column<LineBlock>?
  /// How often an `event.erased` was folded: what was folded before may hold what was erased since.
  public internal(set) var erasures = 0
  /// The erased lines and the records folded, but for those of a snapshot: their rule was checked
  /// before it was written.
  package internal(set) var erasureLog = Erasures()
  /// The snapshot that the state's columns still lie in; `nil` for a state that is whole.
  var opened: OpenedSnapshot?

  public init() {}
}

extension LedgerState {
  /// Joins the next stretch of the log. The only place where events get their meaning.
  ///
  /// - Parameters:
  ///   - batch: is left without its columns, which are moved.
  ///   - rowsByID: the newest row of every entry, where a batch is one event and going through all
  ///     rows for it would not do.
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
    beginChanges(from: firstChange, firstErasure: firstErasure(upTo: batch))
    profile.begin(&batch.person, &edits)
    erasureLog.append(batch.erasures)
    mentions.reserve(batch.marks.count)
    for mark in batch.marks { mentions.add(Int(mark.target), by: Int(mark.by)) }
    apply(batch.marks, batch.others)
  }

  /// What was pulled came with its backend's id.
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
        // Of an erased entry only the row at the backend is left, and this asks for its deletion.
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

  /// Where the log first says that something was erased; only behind it an entry can be missing that
  /// a deletion names. 0 for somewhere in what was folded before.
  private func firstErasure(upTo batch: ColumnBatch) -> Int? {
    if erasures > 0 { return 0 }
    return batch.others.first { if case .eventErased = $0.payload { true } else { false } }?.seq
  }

  /// Answers and rare events take turns as the log has them: whether a pulled field is taken hangs
  /// on how far each edit of ours had come by then, not on how far it came later. A person's edits
  /// were begun before both.
  private mutating func apply(_ marks: [Mark], _ others: [OtherEvent]) {
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
    // An answer that names what the log did not have yet says nothing.
    for mark in marks where mark.target < mark.by {
      edits.mark(Int(mark.target), mark.state, by: Int(mark.by))
      guard mark.binds else { continue }
      if let row = edits.row(Int(mark.target)) {
        bind(row, by: mark.by)
        if bindings.replacements > 0 { askDeletionAgain(ofRow: row, boundBy: mark.by) }
      } else {
        bindings.noteErased(boundBy: Int(mark.by))
      }
    }
  }

  /// The backend no longer has a row. Where an edit other than a deletion was the reason, it was the
  /// one that the entry had left behind.
  private mutating func noteGone(_ id: BackendID, for events: [Seq]) {
    bindings.gone.insert(id.text)
    bindings.clear(id)
    guard let row = events.compactMap({ edits.row($0.number) }).first else { return }
    let deletions = chain(of: rows[row]).filter { $0.has(EntryChange.deletes) }
    guard !deletions.contains(where: { events.contains(Seq(Int($0.seq))) }) else { return }
    bindings.tidy(row: row)
  }

  /// A second id for an entry leaves the first one's row at the backend to be deleted.
  private mutating func bind(_ row: Int, by seq: UInt32) {
    let earlier = bound[row]
    guard earlier != seq else { return }
    if profile.conflicts.hasOpenOfEntries {
      profile.closeConflicts(of: EntryID(rows[row].id), by: Seq(Int(seq)))
    }
    if earlier != 0 { bindings.supersede(row: row, boundBy: Int(earlier)) }
    bound[row] = seq
  }

  /// A row that a new account still has of an entry deleted here: its deletion is to be sent again.
  private mutating func askDeletionAgain(ofRow row: Int, boundBy seq: UInt32) {
    for change in chain(of: rows[row]) where change.has(EntryChange.deletes) {
      let edit = Int(change.seq)
      guard !change.has(EntryChange.bySync), change.seq < seq,
        edits.state(edit) == .acknowledged
      else { continue }
      edits.restart(edit, .pending, by: Int(seq))
    }
  }

  /// A person decided a conflict: once all that were detected together are decided, edits that the
  /// backend has with other values are sent again, or are what the backend has.
  private mutating func settleDiffered(_ conflict: Seq) {
    guard let subject = profile.conflicts[conflict]?.subject else { return }
    var seqs: [Int] = []
    if let entry = EntryID(subject) {
      seqs = row(of: entry).map { edits(ofRow: $0).map(\.number) } ?? []
    } else if let group = ProfileSubject(rawValue: subject) {
      // What is to be sent of a group is an edit of its own, made by the decision.
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

  /// The account was created again: the backend has nothing of what came before, until later events
  /// say what it has.
  private mutating func replaceAccount(_ data: AccountReplaced, at seq: Seq) {
    account.belong(to: data.to)
    bindings.replaceAccount()
    for row in rows.indices where Int(rows[row].seq) < seq.number {
      if bound[row] != 0, Int(bound[row]) < seq.number { bound[row] = 0 }
      // Changes of the same batch are here already, those included that come later in the log.
      let isDeleted = chain(of: rows[row]).contains { change in
        change.has(EntryChange.deletes) && Int(change.seq) < seq.number
          && edits.state(Int(change.seq)) != .undone
      }
      guard isMade(rows[row]), !isDeleted else { continue }
      for edit in edits(ofRow: row) where edit < seq {
        switch edits.state(edit.number) {
        case .acknowledged, .inDoubt, .differed:
          edits.restart(edit.number, .pending, by: seq.number)
        case .none, .pending, .rejected, .held, .undone: break
        }
      }
    }
    // Where the account is the same, its rows alone are gone.
    if data.from == nil || data.from != data.to { profile.replaceAccount(at: seq, &edits) }
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
      if data.isOfDeletion, let id = data.backendID { noteGone(id, for: data.events) }
    case .ledgerCreated(let data): account.ledger = data.ledger
    case .accountSignedIn(let data): account.signIn(data, at: seq)
    case .accountSignedOut: account.current = nil
    case .accountReplaced(let data): replaceAccount(data, at: seq)
    case .duplicateSuspected(let data):
      mentions.add(0, by: seq.number)
      bindings.suspect(
        .init(seq: seq.number, entry: data.entry, backendIDs: data.backendIDs, resolution: nil))
    case .duplicateResolved(let data):
      mentions.add(data.suspicion.number, by: seq.number)
      // The deletion of rows is due; those that become entries need no call.
      if bindings.resolve(data, by: seq.number) {
        edits.begin(seq.number, as: data.decision == .one ? .pending : .acknowledged, row: nil)
      }
    case .eventErased(let data):
      mentions.add(data.event.number, by: seq.number)
      erasures += 1
    case .syncDeferred(let data): notBefore = [notBefore, data.notBefore].compactMap(\.self).max()
    case .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressDeleted, .progressPulled, .syncAttempted, .syncRejected, .syncHeld, .rowSkipped,
      .editUndone, .logRepaired, .unknown, .erased:
      break
    }
  }
}

/// Whose ledger this is, and who is signed in.
public struct AccountTable: Sendable {
  public internal(set) var ledger: LedgerID?
  /// The account of the first sign-in, to which the ledger belongs for good.
  public internal(set) var owner: AccountSignedIn?
  /// Who is signed in, as far as the log knows.
  public internal(set) var current: AccountSignedIn?

  mutating func signIn(_ data: AccountSignedIn, at seq: Seq) {
    if let first = owner {
      // The user id may become known later than the account.
      if first.userID == nil, first.account == data.account, first.origin == data.origin {
        owner?.userID = data.userID
      }
    } else {
      owner = data
    }
    current = data
  }

  /// The account was created again. Its `user_id` may become known later, too: until then the old one
  /// must not be taken for it.
  mutating func belong(to userID: String?) {
    owner?.userID = userID
    current?.userID = userID
  }
}
