import LedgerLog
import LedgerModel
import LedgerProjections

/// The unsent entries that equal rows without an entry. Untimed rows belong only to imported entries, and
/// to those older than the ledger, which an older backup brought; two manual entries of one day may
/// both be intended.
///
/// An import may claim a row for an entry (`claimed_backend_id`). A claim only chooses among equal
/// rows: one of a row that is not listed, or has other values, is as none.
///
/// An imported entry that was changed since may have a row with its earlier values, from another device
/// that imported the same, or from the app that made the claim. Its later edits are then sent as those of
/// any entry with a row.
struct UnsentMatches {
  private(set) var found: [(entryRow: Int, key: RowKey, row: ListedRow, edits: [Seq])] = []
  /// Untimed entries with marked edits that no row equals.
  private(set) var unmatched: [(RowKey, EntryID)] = []

  /// - Parameter unknown: loses the rows that are found.
  init<Texts: LedgerTexts>(
    _ context: SyncContext<Texts>, bindsUntimed: Bool, _ unknown: inout UnknownRows
  ) throws(LogError) {
    let state = context.state
    let createdAt = try context.texts.event(Seq(1)).event.at
    var rest: [(entryRow: Int, key: RowKey, mayMatch: Bool)] = []
    var changed: [Int] = []
    for index in state.rowsWithOpenEdits() where state.binding(ofRow: index) == nil {
      let entry = state.entry(at: index)
      guard entry.status != .syncing else { continue }
      if state.rows[index].isChanged { changed.append(index) }
      guard !entry.isDeleted, unknown.hasMoment(of: entry) else { continue }
      let key = try context.key(of: entry)
      let logged = try context.texts.event(entry.seq).event
      let isTimed = entry.moment != nil
      // Claims come first: an equal entry without one may have any of the other rows.
      if case .progressLogged(let data) = logged.payload, let claim = data.claimedBackendID,
        let row = unknown.take(claim, matching: key, isTimed: isTimed, for: entry.id)
      {
        found.append((index, key, row, state.edits(ofRow: index)))
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
        found.append((index, key, row, state.edits(ofRow: index)))
      } else if !isTimed, state.edits.marker(entry.seq.number) != nil {
        unmatched.append((key, entry.id))
      }
    }
    let matched = Set(found.map(\.entryRow))
    for index in changed where !matched.contains(index) {
      try findEarlierVersion(of: index, context, &unknown)
    }
  }

  private mutating func findEarlierVersion<Texts: LedgerTexts>(
    of index: Int, _ context: SyncContext<Texts>, _ unknown: inout UnknownRows
  ) throws(LogError) {
    let edits = context.state.edits(ofRow: index)
    guard let first = edits.first, case let logged = try context.texts.event(first).event,
      logged.by == .import, case .progressLogged(let data) = logged.payload
    else { return }
    if let claim = data.claimedBackendID,
      try takeEarlierVersion(of: index, edits, claim, context, &unknown)
    {
      return
    }
    // A deletion is about a row that the import claims: an equal one may be another device's entry.
    guard !context.state.entry(at: index).isDeleted else { return }
    _ = try takeEarlierVersion(of: index, edits, nil, context, &unknown)
  }

  /// - Parameter claim: the only row to take; `nil` for any equal one.
  private mutating func takeEarlierVersion<Texts: LedgerTexts>(
    of index: Int, _ edits: [Seq], _ claim: BackendID?, _ context: SyncContext<Texts>,
    _ unknown: inout UnknownRows
  ) throws(LogError) -> Bool {
    for (place, edit) in edits.enumerated().dropLast().reversed() {
      let version = context.state.entry(at: index, upTo: edit)
      guard !version.isDeleted, unknown.hasMoment(of: version) else { continue }
      let (key, isTimed) = (try context.key(of: version), version.moment != nil)
      let row =
        if let claim {
          unknown.take(claim, matching: key, isTimed: isTimed, for: version.id)
        } else {
          unknown.take(matching: key, isTimed: isTimed, for: version.id)
        }
      guard let row else { continue }
      found.append((index, key, row, Array(edits[...place])))
      return true
    }
    return false
  }
}
