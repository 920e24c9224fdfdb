public import LedgerModel

/// What is still to be said of entries whose content was erased: their rows at the backend go.
extension LedgerState {
  /// An erased entry, with the deletions of it that count, oldest first.
  public struct ErasedEntry: Hashable, Sendable {
    public var entry: EntryID
    public var deletions: [Seq]
  }

  /// Erased entries that were deleted since, or in the same act.
  public func erasedEntries() -> [ErasedEntry] {
    guard erasures > 0 else { return [] }
    var found: [ErasedEntry] = []
    var places: [LedgerUUID: Int] = [:]
    for change in changes where isOfErased(change) {
      let seq = Seq(Int(change.seq))
      if let place = places[change.id] {
        found[place].deletions.append(seq)
      } else {
        places[change.id] = found.count
        found.append(ErasedEntry(entry: EntryID(change.id), deletions: [seq]))
      }
    }
    return found
  }

  /// The erased entry that an edit asks the deletion of; `nil` for any other edit.
  public func erasedEntry(ofEdit seq: Int) -> EntryID? {
    guard erasures > 0, edits.row(seq) == nil else { return nil }
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].seq < seq { low = middle + 1 } else { high = middle }
    }
    guard low < changes.count, changes[low].seq == seq, isOfErased(changes[low]) else { return nil }
    return EntryID(changes[low].id)
  }

  private func isOfErased(_ change: EntryChange) -> Bool {
    guard change.row == .max, change.has(EntryChange.deletes) else { return false }
    switch edits.state(Int(change.seq)) {
    case .none, .undone: return false
    case .pending, .inDoubt, .acknowledged, .rejected, .held, .differed: return true
    }
  }

  /// The answers that bound ids to entries erased since: what is left of them is what to delete.
  public var bindingsOfErased: [Seq] { bindings.ofErased.map { Seq($0) } }
}
