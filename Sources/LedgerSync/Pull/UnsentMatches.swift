import LedgerLog
import LedgerModel
import LedgerProjections

/// The unsent entries that equal rows without an entry. Untimed rows belong only to imported entries, and
/// to those older than the ledger, which an older backup brought; two manual entries of one day may
/// both be intended.
///
/// An import may claim a row for an entry (`claimed_backend_id`). A claim only chooses among equal
/// rows: one of a row that is not listed, or has other values, is as none.
struct UnsentMatches {
  private(set) var found: [(entryRow: Int, key: RowKey, row: ListedRow)] = []
  /// Untimed entries with marked edits that no row equals.
  private(set) var unmatched: [(RowKey, EntryID)] = []

  /// - Parameter unknown: loses the rows that are found.
  init<Texts: LedgerTexts>(
    _ context: SyncContext<Texts>, bindsUntimed: Bool, _ unknown: inout UnknownRows
  ) throws(LogError) {
    let state = context.state
    let createdAt = try context.texts.event(Seq(1)).event.at
    var rest: [(entryRow: Int, key: RowKey, mayMatch: Bool)] = []
    for index in state.rowsWithOpenEdits() where state.binding(ofRow: index) == nil {
      let entry = state.entry(at: index)
      guard !entry.isDeleted, entry.status != .syncing, unknown.hasMoment(of: entry)
      else { continue }
      let key = try context.key(of: entry)
      let logged = try context.texts.event(entry.seq).event
      let isTimed = entry.moment != nil
      // Claims come first: an equal entry without one may have any of the other rows.
      if case .progressLogged(let data) = logged.payload, let claim = data.claimedBackendID,
        let row = unknown.take(claim, matching: key, isTimed: isTimed, for: entry.id)
      {
        found.append((index, key, row))
      } else {
        let isSentAgain =
          state.isBeforeReplacement(entry.seq) && state.edits.marker(entry.seq.number) != nil
        let mayBeSent = isSentAgain || logged.by == .import || logged.at < createdAt
        rest.append((index, key, isTimed || bindsUntimed || mayBeSent))
      }
    }
    for (index, key, mayMatch) in rest where mayMatch {
      let entry = state.entry(at: index)
      let isTimed = entry.moment != nil
      if let row = unknown.take(matching: key, isTimed: isTimed, for: entry.id) {
        found.append((index, key, row))
      } else if !isTimed, state.edits.marker(entry.seq.number) != nil {
        unmatched.append((key, entry.id))
      }
    }
  }
}
