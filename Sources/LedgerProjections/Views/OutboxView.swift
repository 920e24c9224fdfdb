public import LedgerModel

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

  /// A row at the backend that an entry has left behind by being sent anew.
  public struct SupersededRow: Hashable, Sendable {
    public var entry: EntryID
    /// The event that bound the id which is no longer used.
    public var boundBy: Seq
    /// The edits on whose behalf it is deleted.
    public var events: [Seq]
  }

  /// Left-behind rows that no answer has yet said to be gone; ``isGone(_:)`` knows by id.
  public func supersededRows() -> [SupersededRow] {
    bindings.superseded.map { row, boundBy in
      let corrections = edits(ofRow: row).dropFirst()
      let covered = corrections.isEmpty ? edits(ofRow: row) : Array(corrections)
      return SupersededRow(
        entry: EntryID(rows[row].id), boundBy: Seq(boundBy), events: covered.suffix(1))
    }
  }

  /// Whether the backend has said that it no longer has this row.
  public func isGone(_ id: BackendID) -> Bool { bindings.gone.contains(id.text) }
}
