public import LedgerLog
public import LedgerModel

/// Rows at the backend that may be duplicates of an entry's row.
public struct SuspicionView: Hashable, Sendable {
  /// The event that recorded it: what the suspicion is called.
  public var seq: Seq
  /// The entry that they may repeat.
  public var entry: EntryID
  /// The rows.
  public var backendIDs: [BackendID]
  /// What a person decided; `nil` while it is open.
  public var decision: DuplicateDecision?
  /// The event by which it was decided.
  public var resolvedBy: Seq?

  /// Whether it waits for a person.
  public var isOpen: Bool { decision == nil }
}

extension SuspicionView {
  init(_ suspicion: BindingTable.Suspicion) {
    self.init(
      seq: Seq(suspicion.seq), entry: suspicion.entry, backendIDs: suspicion.backendIDs,
      decision: suspicion.resolution?.decision,
      resolvedBy: suspicion.resolution.map { Seq($0.seq) })
  }
}

/// What the backend has yet to hear of: the questions the sync projector asks of the state.
extension LedgerState {
  /// Entry rows with an edit that is open, oldest first.
  public func rowsWithOpenEdits() -> [Int] {
    var found: Set<Int> = []
    for seq in edits.seqs(where: \.isOpen) {
      if let row = edits.row(seq), isMade(rows[row]) { found.insert(row) }
    }
    return found.sorted()
  }

  /// The same, a stretch at a time: at most `limit` of them from the row `first` on.
  ///
  /// - Returns: them, and where to go on; `nil` when there are no more rows.
  public func rowsWithOpenEdits(from first: Int, limit: Int) -> (rows: [Int], next: Int?) {
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
  public func binding(ofRow index: Int) -> Seq? { Seq(exactly: Int(bound[index])) }

  /// A row at the backend that an entry has left behind by being sent anew.
  public struct SupersededRow: Hashable, Sendable {
    public var entry: EntryID
    /// The event that bound the id which is no longer used.
    public var boundBy: Seq
    /// The edits on whose behalf it is deleted.
    public var events: [Seq]
  }

  /// Left-behind rows that no answer has yet said to be gone, by entry; ``isGone(_:)`` knows by id.
  public func supersededRows() -> [SupersededRow] {
    bindings.superseded.keys.sorted().flatMap { row in
      // Edits that wait have a call of their own: an answer to this one must not cover them.
      let covered = edits(ofRow: row).last { edits.state($0.number) == .acknowledged }
      return (bindings.superseded[row] ?? []).map { boundBy in
        SupersededRow(
          entry: EntryID(rows[row].id), boundBy: Seq(boundBy), events: covered.map { [$0] } ?? [])
      }
    }
  }

  /// Rows that entries have left behind and that are to be deleted: the backend has not said that
  /// they are gone, and no entry uses them.
  ///
  /// - Parameter boundID: the backend's id that an event bound.
  public func rowsToDelete(
    _ boundID: (Seq) throws(LogError) -> BackendID?
  ) throws(LogError) -> [(row: SupersededRow, id: BackendID)] {
    var found: [(row: SupersededRow, id: BackendID)] = []
    for leftover in supersededRows() where !leftover.events.isEmpty {
      guard let id = try boundID(leftover.boundBy), !isGone(id) else { continue }
      // An entry may have been bound to a row by several events.
      let current = row(of: leftover.entry).flatMap(binding(ofRow:))
      if let current, try boundID(current) == id { continue }
      found.append((leftover, id))
    }
    return found
  }

  /// Whether the backend has said that it no longer has this row.
  public func isGone(_ id: BackendID) -> Bool { bindings.gone.contains(id.text) }

  /// Ids of rows that were suspected to be doubles: on record, and no entries of their own.
  public func suspectedIDs() -> Set<BackendID> {
    Set(bindings.suspicions.flatMap(\.backendIDs))
  }

  /// Suspected duplicates, oldest first, decided ones included.
  public func suspicions() -> [SuspicionView] { bindings.suspicions.map(SuspicionView.init) }

  /// The suspicion that an event resolved.
  public func suspicion(resolvedBy seq: Int) -> SuspicionView? {
    bindings.suspicions.first { $0.resolution?.seq == seq }.map(SuspicionView.init)
  }

  /// Rows of entries that may have more rows at the backend than the one they are bound to: sent
  /// more than once, or sent and never bound (docs/sync.md, Pulling).
  public func rowsSentInDoubt() -> [Int] {
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
