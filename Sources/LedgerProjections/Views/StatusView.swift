package import LedgerLog
package import LedgerModel

/// Disjoint counts of edits by state (docs/cli.md, What waits).
public struct SyncCounts: Hashable, Codable, Sendable {
  /// To be sent.
  public var pending = 0
  /// Sent, the answer lost.
  public var inDoubt = 0
  /// Not accepted by the backend yet (``HoldReason``).
  public var held = 0
  /// Refused by the backend; a correction sends them again.
  public var rejected = 0
  /// The user has to decide a conflict first.
  public var conflicts = 0

  /// Counts of 0 by default.
  public init(
    pending: Int = 0, inDoubt: Int = 0, held: Int = 0, rejected: Int = 0, conflicts: Int = 0
  ) {
    self.pending = pending
    self.inDoubt = inDoubt
    self.held = held
    self.rejected = rejected
    self.conflicts = conflicts
  }
}

/// Counts of entries by status (docs/cli.md).
package struct EntryCounts: Hashable, Sendable {
  package var live = 0
  package var deleted = 0
  /// Live, without a final answer, those in doubt included.
  package var pending = 0
  package var synced = 0
  package var failed = 0
}

extension SyncCounts {
  /// - Parameters:
  ///   - hasSubject: see ``LedgerState/hasSubject(_:)``.
  ///   - count: -1 to subtract an edit.
  @inline(__always)
  fileprivate mutating func add(
    _ edit: EditState, isInConflict: @autoclosure () -> Bool,
    hasSubject: @autoclosure () -> Bool, _ count: Int = 1
  ) {
    switch edit {
    case .none, .acknowledged, .undone: break
    case .inDoubt: inDoubt += count
    case .differed: if hasSubject() { conflicts += count }
    case .pending, .held, .rejected:
      guard hasSubject() else { return }
      if isInConflict() {
        conflicts += count
      } else if edit == .pending {
        pending += count
      } else if edit == .held {
        held += count
      } else {
        rejected += count
      }
    }
  }

  fileprivate mutating func add(
    _ seq: Int, of state: LedgerState, inConflict: Set<Int>, _ count: Int
  ) {
    add(
      state.edits.state(seq), isInConflict: inConflict.contains(seq),
      hasSubject: state.hasSubject(seq), count)
  }
}

extension EntryCounts {
  /// - Parameter count: -1 to subtract the entry.
  fileprivate mutating func add(_ row: EntryRow, of state: LedgerState, _ count: Int) {
    guard state.isMade(row) else { return }
    guard !state.resolve(row).isDeleted else {
      addDeleted(count)
      return
    }
    add(state.status(row), count)
  }

  fileprivate mutating func add(_ others: EntryCounts) {
    live += others.live
    deleted += others.deleted
    pending += others.pending
    synced += others.synced
    failed += others.failed
  }

  mutating func addDeleted(_ count: Int) { deleted += count }

  /// Counts a live entry.
  @inline(__always)
  mutating func add(_ status: EntryStatus, _ count: Int) {
    live += count
    switch status {
    case .pending, .syncing: pending += count
    case .synced: synced += count
    case .failed: failed += count
    }
  }

  /// Counts live entries by the state of their only edit.
  mutating func add(_ edits: StateCounts) {
    for state in EditState.allCases { add(EntryStatus(of: state), edits[state]) }
  }
}

extension LedgerState {
  /// The edits by status. A former row of a corrected entry that is yet to be deleted at the backend counts
  /// as one that is pending.
  ///
  /// - Parameter boundID: the row that an event bound.
  package func syncCounts(
    _ boundID: (Seq) throws(LogError) -> BackendID?
  ) throws(LogError) -> SyncCounts {
    var counts = syncCounts()
    counts.pending += try rowsToDelete(boundID).count
    return counts
  }

  /// The edits by status alone.
  package func syncCounts() -> SyncCounts {
    let inConflict = editsInConflict()
    var counts = opened?.counts.edits ?? SyncCounts()
    if let opened {
      let before = opened.counts.inConflict
      for seq in touchedEdits(inConflict) {
        counts.add(seq, of: opened.state, inConflict: before, -1)
        counts.add(seq, of: self, inConflict: inConflict, 1)
      }
    }
    addOwnEdits(to: &counts, inConflict)
    return counts
  }

  /// Counts the edits after the snapshot by state, then moves the few in conflict and takes out those of
  /// undone loggings, which have no subject. What follows a snapshot is little: each edit is checked.
  private func addOwnEdits(to counts: inout SyncCounts, _ inConflict: Set<Int>) {
    let before = edits.cells.countInSnapshot
    var states = StateCounts()
    for cell in edits.cells.own { states.count(at: cell.statePlace) }
    guard opened == nil else {
      for (place, cell) in edits.cells.own.enumerated() where cell.state != .none {
        counts.add(
          cell.state, isInConflict: inConflict.contains(before + place),
          hasSubject: cell.row == 0
            ? hasSession(before + place) : isMade(row: Int(cell.row) - 1))
      }
      return
    }
    for seq in inConflict {
      let state = edits.state(seq)
      states.count(state, -1)
      counts.add(state, isInConflict: true, hasSubject: true)
    }
    for state in EditState.allCases {
      counts.add(state, isInConflict: false, hasSubject: true, states[state])
    }
    guard states[.undone] > 0 else { return }
    for (place, cell) in edits.cells.own.enumerated() where cell.state == .undone {
      for seq in allEdits(loggedBy: place, cell) where edits.state(seq.number) != .inDoubt {
        counts.add(
          edits.state(seq.number), isInConflict: inConflict.contains(seq.number), hasSubject: true,
          -1)
      }
    }
  }

  /// The edits of the entry or session that an edit logged; empty if it logged none.
  private func allEdits(loggedBy seq: Int, _ cell: EditCell) -> [Seq] {
    if cell.row > 0, case let row = Int(cell.row) - 1 {
      return rows[row].seq == seq ? allEdits(ofRow: row) : []
    }
    guard let session = session(ofEdit: seq), sleep[session].seq == seq else { return [] }
    return allEdits(ofSession: session)
  }

  /// Edits of the snapshot that may count differently since: their state, their entry or a conflict
  /// changed.
  private func touchedEdits(_ inConflict: Set<Int>) -> Set<Int> {
    guard let opened else { return [] }
    var seqs = Set(edits.cells.changedInSnapshot)
    for row in touchedRows() where isMade(rows[row]) != opened.state.isMade(opened.state.rows[row])
    {
      seqs.formUnion(allEdits(ofRow: row).map(\.number))
    }
    for seq in sleep.isEmpty ? [] : Array(seqs) {
      if let session = session(ofEdit: seq) {
        seqs.formUnion(allEdits(ofSession: session).map(\.number))
      }
    }
    seqs.formUnion(inConflict.symmetricDifference(opened.counts.inConflict))
    return seqs.filter { $0 < edits.cells.countInSnapshot }
  }

  /// Whether an edit has a subject. Changes of an entry whose logging was undone have none and are
  /// never sent.
  @inline(__always)
  func hasSubject(_ edit: Int) -> Bool {
    edits.row(edit).map { isMade(row: $0) } ?? hasSession(edit)
  }

  /// Whether an edit without a row is not of a session whose logging was undone.
  private func hasSession(_ edit: Int) -> Bool {
    session(ofEdit: edit).map(isMade(session:)) ?? true
  }

  /// Edits that an open conflict holds back: of a profile field the current edit and earlier open ones,
  /// of an entry the open ones.
  package func editsInConflict() -> Set<Int> {
    var seqs: Set<Int> = []
    for field in ProfileField.allCases where profile.hasOpenConflict(field) {
      if let current = profile.current(field, edits) { seqs.insert(current.seq) }
      seqs.formUnion(profile.edits(setting: field).filter { edits.state($0).isOpen })
    }
    guard profile.conflicts.hasOpenOfEntries else { return seqs }
    for entry in Set(openConflicts().compactMap(\.entry)) {
      seqs.formUnion(editsInForce(of: entry).map(\.number).filter { edits.state($0).isOpen })
    }
    return seqs
  }

  package func entryCounts() -> EntryCounts {
    var counts = opened?.counts.entries ?? EntryCounts()
    if let opened {
      for row in touchedRows() {
        counts.add(opened.state.rows[row], of: opened.state, -1)
        counts.add(rows[row], of: self, 1)
      }
    }
    counts.add(RowWalk(self, withDays: false).entries)
    return counts
  }

  /// The number of edits that the backend has, those that needed no call included. Pulled entries and
  /// corrections are not edits.
  package func acknowledgedEdits() -> Int {
    var count = 0
    for cell in edits.cells where cell.state == .acknowledged { count += 1 }
    for row in rows where row.isPulled {
      if edits.state(Int(row.seq)) == .acknowledged { count -= 1 }
    }
    for change in changes where change.has(EntryChange.bySync) {
      if edits.state(Int(change.seq)) == .acknowledged { count -= 1 }
    }
    for record in sleep where record.isPulled || record.has(SleepRecord.bySync) {
      if edits.state(Int(record.seq)) == .acknowledged { count -= 1 }
    }
    return count
  }
}
