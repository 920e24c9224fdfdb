import LedgerLog
import LedgerModel
import LedgerProjections

/// Entries here that a row may repeat, for the moments of unknown rows only.
struct SentEntries {
  /// Values that calls of entries carried that may have made more than one row.
  private(set) var mayRepeat = RowTable<EntryID>()
  /// Values of timed entries that have a row of their own, or had one until they were deleted.
  private(set) var own = RowTable<EntryID>()
  /// Timed entries that were deleted here, by metric and moment.
  private(set) var deleted: [RowMoment: EntryID] = [:]

  init(
    _ desk: SyncDesk<some LedgerTexts>, repeatedBy unknown: UnknownRows
  ) throws(LogError) {
    let state = desk.state
    for row in state.rowsSentInDoubt() {
      for seq in state.edits(ofRow: row) {
        let values = state.entry(at: row, upTo: seq)
        if unknown.hasMoment(of: values) { mayRepeat.add(try desk.key(of: values), values.id) }
      }
    }
    for index in state.rows.indices where state.isMade(row: index) {
      let entry = state.entry(at: index)
      guard entry.moment != nil, entry.boundBy != nil, unknown.hasMoment(of: entry)
      else { continue }
      let key = try desk.key(of: entry)
      own.add(key, entry.id)
      if entry.isDeleted, !state.isDeletedBySync(row: index) { deleted[RowMoment(key)] = entry.id }
    }
  }
}
