import LedgerLog
import LedgerModel
import LedgerProjections

// Rows that other devices may be about to delete, or may have deleted at the same time as this one
// (docs/sync.md, Two devices, one entry).

/// Timed entries that were corrected lately.
package struct CorrectedRows: Hashable, Sendable {
  /// The days of their rows.
  var days: Set<CalendarDate> = []
  /// Whether this device has sent all their corrections since it listed rows, and has deleted their
  /// earlier rows. If one was gone already, another device has corrected its entry, too.
  var areSettled = true
  /// The last event.
  var lastSeq = 0
  /// Hashes of the ids of the rows that were listed before they were sent.
  var listedBefore: Set<UInt64> = []
}

extension SyncContext {
  /// Timed entries with corrections that were sent or answered after an event.
  ///
  /// - Parameter listedSeq: the last event when rows were listed before the corrections were sent.
  func corrected(since seq: Int, listedAt listedSeq: Int) throws(LogError) -> CorrectedRows {
    var corrected = CorrectedRows(lastSeq: state.position.seq)
    for index in Set(state.targets(namedAfter: seq).compactMap { state.edits.row($0) }) {
      guard state.isMade(row: index), let correction = lastCorrection(ofRow: index),
        case let entry = state.acknowledgedEntry(at: index), entry.moment != nil
      else { continue }
      corrected.days.insert(try key(of: entry).day)
      guard answer(to: correction) > listedSeq, try hasDeletedEarlierRows(of: index, since: seq)
      else {
        corrected.areSettled = false
        continue
      }
    }
    return corrected
  }

  /// Whether a row of an entry's moment, pulled by an event, is another entry: one that the person said is
  /// one, or pulled before it, or together with it. But if another device has deleted the entry's row
  /// since, it may have been about to when both were pulled, as far as the row may be a correction of the
  /// entry as it was then.
  func isAnotherEntry(
    _ row: ListedRow, pulledBy seq: Seq, than index: Int
  ) throws(LogError) -> Bool {
    if isDeclaredEntry(row.id, besides: index) { return true }
    let logged = state.acknowledgedEntry(at: index).seq
    guard try texts.event(logged).event.at == texts.event(seq).event.at else { return seq < logged }
    let first = try key(of: state.entry(at: index, upTo: logged))
    guard RowMoment(first) == RowMoment(row.key) || first.hasValues(of: row.key) else {
      return true
    }
    return try hasDeletedEarlierRows(of: index, since: 0)
  }

  /// Whether a person decided that a row suspected to be an entry's is another entry.
  func isDeclaredEntry(_ row: BackendID, besides index: Int) -> Bool {
    let id = EntryID(state.rows[index].id)
    return state.suspicions().contains {
      $0.decision == .both && $0.entry == id && $0.backendIDs.contains(row)
    }
  }

  private func hasDeletedEarlierRows(of index: Int, since seq: Int) throws(LogError) -> Bool {
    let own = try state.binding(ofRow: index).flatMap { seq throws(LogError) in
      try texts.backendID(boundBy: seq)
    }
    for edit in state.edits(ofRow: index) where state.edits.state(edit.number) == .acknowledged {
      guard let id = try texts.backendID(boundBy: Seq(answer(to: edit))), id != own else {
        continue
      }
      guard let deletion = state.deletion(of: id) else { return false }
      if deletion.number > seq,
        case .syncAcknowledged(let answer) = try texts.event(deletion).event.payload,
        answer.status == 404
      {
        return false
      }
    }
    return true
  }

  /// Ends the edits that the backend stored with other values, since the entry is about to take another row:
  /// with it the conflicts over the differences are closed, and nothing else would end them.
  func differencesSettled(ofRow index: Int) -> [Event.Payload] {
    let differed = state.edits(ofRow: index).filter { state.edits.state($0.number) == .differed }
    guard !differed.isEmpty else { return [] }
    return [
      .syncAcknowledged(
        SyncAcknowledged(events: differed, via: .elided, entry: state.entry(at: index).id))
    ]
  }

  /// The earlier row of an entry with the smallest id, below another device's, that is yet to be deleted:
  /// that device may have taken it and delete its own. The next listing shows which is left.
  func rowToDelete(
    of index: Int, before id: BackendID, in listing: RowListing
  ) throws(LogError) -> ListedRow? {
    let entry = EntryID(state.rows[index].id)
    let ids = Set(
      try state.rowsToDelete(texts.backendID).filter { row, _ in row.entry == entry }.map(\.id))
    guard !ids.isEmpty else { return nil }
    return listing.rows.filter { ids.contains($0.id) && $0.id.text < id.text }
      .min { $0.id.text < $1.id.text }
  }

  /// Whether a call was taken to have made the entry's row since the previous full listing. The row may
  /// instead be another device's, which is about to delete the rows before it: none of those is taken
  /// until the next full listing, and this one not deleted.
  func isNewlyReconciled(_ index: Int, _ request: PullRequest) throws(LogError) -> Bool {
    guard let boundBy = state.binding(ofRow: index), let lastFullSeq = request.lastFullSeq,
      boundBy.number > lastFullSeq,
      case .syncAcknowledged(let answer) = try texts.event(boundBy).event.payload
    else { return false }
    return answer.via == .reconciled
  }

  /// How long a conflict's row is left to the device that should delete it, at most. If it still exists
  /// after that, no device will: it came from a call that arrived twice or late, or is another entry.
  private static var longestWaitMilliseconds: Int64 { 86_400_000 }

  /// Whether a row is on record as one that another device should delete, and not shown by two full
  /// listings since.
  func isLeftToItsOwner(_ row: ListedRow, _ request: PullRequest, at now: Timestamp) -> Bool {
    guard index.hasSeen(row.id.text), !index.knows(row.id) else { return false }
    guard let conflict = state.conflicts().last(where: { $0.backendID == row.id }),
      let detected = try? texts.event(conflict.seq).event.at
    else { return true }
    if conflict.isOpen, conflict.entry.map(state.hasOpenConflict) != false { return true }
    if request.isFull, conflict.seq.number <= request.lastFullSeq ?? 0 { return false }
    let age = now.millisecondsSince1970 - detected.millisecondsSince1970
    return age < Self.longestWaitMilliseconds
  }

  /// Whether this device has just deleted another row of an entry, as a person decided, one with a larger
  /// id than the entry's row, which is missing now. Another device may have decided the other way
  /// around at the same time, and each has deleted the row that the other one kept. Only one of them
  /// has the smaller row.
  func hasDeletedLarger(
    of index: Int, _ request: PullRequest, at now: Timestamp
  ) throws(LogError) -> Bool {
    guard let boundBy = state.binding(ofRow: index),
      let gone = try texts.backendID(boundBy: boundBy)
    else { return false }
    let entry = EntryID(state.rows[index].id)
    func isRecent(_ decision: Seq) throws(LogError) -> Bool {
      if request.recentEdits(state).contains(decision.number) { return true }
      let decided = try texts.event(decision).event.at
      return now.millisecondsSince1970 - decided.millisecondsSince1970
        < Self.longestWaitMilliseconds
    }
    func isDeleted(_ id: BackendID, since seq: Seq) -> Bool {
      id.text > gone.text && state.isDeletedAtBackend(id, since: seq)
    }
    for suspicion in state.suspicions() where suspicion.entry == entry {
      guard suspicion.decision == .one, let decision = suspicion.resolvedBy,
        suspicion.backendIDs.contains(where: { isDeleted($0, since: suspicion.seq) }),
        try isRecent(decision)
      else { continue }
      return true
    }
    for conflict in state.conflicts(of: entry) where conflict.backendID == gone {
      guard let decision = conflict.resolution, decision.decision == .remote,
        let edit = state.edits(ofRow: index).last(where: { $0 < conflict.seq }),
        let before = try texts.backendID(boundBy: Seq(answer(to: edit))),
        isDeleted(before, since: Seq(answer(to: edit))), try isRecent(decision.seq)
      else { continue }
      return true
    }
    return false
  }
}
