public import LedgerModel

/// What those ask who tell the life of one edit.
extension LedgerState {
  /// All edits of an entry, oldest first, those that were undone included.
  public func allEdits(ofRow index: Int) -> [Seq] {
    let row = rows[index]
    return [Seq(Int(row.seq))] + chain(of: row).map { Seq(Int($0.seq)) }.reversed()
  }

  /// Whether the entry of a row counts; one whose logging was undone does not.
  @inline(__always)
  public func isMade(row index: Int) -> Bool {
    edits.state(rows.pick(index, or: 0) { Int($0.seq) }) != .undone
  }

  /// Whether a change of an entry was recorded by sync.
  public func isBySync(_ seq: Seq, ofRow index: Int) -> Bool {
    chain(of: rows[index]).contains { Int($0.seq) == seq.number && $0.has(EntryChange.bySync) }
  }

  /// Whether an entry was deleted by sync, and not by a person.
  public func isDeletedBySync(row index: Int) -> Bool {
    let deletions = chain(of: rows[index]).filter {
      $0.has(EntryChange.deletes) && edits.state(Int($0.seq)) != .undone
    }
    return !deletions.isEmpty && deletions.allSatisfy { $0.has(EntryChange.bySync) }
  }

  /// The edit of a person that had set the field before an event.
  public func edit(setting field: ProfileField, before seq: Seq) -> Seq? {
    profile.lastTyped(field, before: seq, edits)
  }

  /// The event whose value the field has now.
  public func setter(of field: ProfileField) -> Seq? {
    profile.current(field, edits).flatMap { Seq(exactly: $0.seq) }
  }
}
