import LedgerLog
public import LedgerModel
import LedgerProjections
import LedgerStore

/// A row that the backend had, and that a listing of everything does not show.
public struct MissingRow: Hashable, Sendable {
  /// The entry that it is of, or is suspected to repeat.
  public var entry: EntryID
  /// The event that bound its id, or suspected it.
  var boundBy: Seq
  /// Whether it is suspected to repeat the entry.
  var isSuspected = false
  /// The hash of its id.
  var hash: UInt64
  /// Where to look again before it is believed.
  var day: CalendarDate
}

/// What listings have shown of the backend's rows.
public struct RowListing: Hashable, Sendable {
  /// Newest first.
  var rows: [ListedRow] = []
  var unreadable: [UnreadableRow] = []
  /// Hashes of the ids of all rows, those included that cannot be read.
  var hashes: Set<UInt64> = []
  /// Entries whose rows it does not show; only a listing of all rows can tell.
  var missing: [MissingRow] = []
  /// Hashes of the ids that a second listing of the missing rows' days has shown.
  var listedAgain: Set<UInt64> = []

  mutating func add(_ page: ListingPage) {
    rows += page.rows
    unreadable += page.unreadable
    hashes.formUnion(page.hashes)
  }

  /// The entry rows that are bound to listed rows, in the order of the log.
  func boundRows(_ state: LedgerState, _ index: RowIndex) -> [(index: Int, row: ListedRow)] {
    let listed = Dictionary(
      rows.map { (RowIndex.hash($0.id), $0) }, uniquingKeysWith: { first, _ in first })
    var found: [(index: Int, row: ListedRow)] = []
    for entry in state.rows.indices {
      if let seq = state.binding(ofRow: entry), let hash = index.hash(boundBy: seq),
        let row = listed[hash]
      {
        found.append((entry, row))
      }
    }
    return found
  }

  /// Listed rows of live entries that were pulled and never edited.
  func pulledRows(
    _ state: LedgerState, _ index: RowIndex
  ) -> [(index: Int, seq: Int, row: ListedRow)] {
    boundRows(state, index).compactMap { entry, row in
      let facts = state.rows[entry]
      guard facts.isPulled, !facts.isChanged, state.isMade(row: entry) else { return nil }
      return (entry, Int(facts.seq), row)
    }
  }
}

extension ListingPage {
  /// Hashes of the ids of its rows.
  var hashes: [UInt64] {
    rows.map { RowIndex.hash($0.id) } + unreadable.compactMap(\.id).map(RowIndex.hash)
  }
}

extension SyncContext {
  /// Rows of live entries, and suspected ones, that the backend has had and that were not listed.
  ///
  /// - Parameter listed: hashes of all ids that a listing of everything showed.
  func missing(from listed: Set<UInt64>) throws(LogError) -> [MissingRow] {
    var missing: [MissingRow] = []
    for (place, row) in state.rows.enumerated() {
      guard let boundBy = state.binding(ofRow: place), let hash = index.hash(boundBy: boundBy),
        !listed.contains(hash), state.isMade(row: place)
      else { continue }
      let entry = state.entry(at: place)
      guard !entry.isDeleted, state.edits.state(Int(row.seq)) != .undone else { continue }
      let key = try key(of: state.acknowledgedEntry(at: place))
      missing.append(MissingRow(entry: entry.id, boundBy: boundBy, hash: hash, day: key.day))
    }
    for suspicion in state.openSuspicions() {
      for hash in suspicion.backendIDs.map(RowIndex.hash) where !listed.contains(hash) {
        missing.append(
          MissingRow(
            entry: suspicion.entry, boundBy: suspicion.seq, isSuspected: true, hash: hash,
            day: Listing.everything.from))
      }
    }
    return missing
  }

  /// Suspected rows that neither listing shows: there is nothing left to decide about them.
  func suspectsGone(_ listing: RowListing) -> [Event.Payload] {
    let gone = Set(listing.missing.filter(\.isSuspected).map(\.hash))
      .subtracting(listing.listedAgain)
    guard !gone.isEmpty else { return [] }
    return state.openSuspicions().flatMap { suspicion in
      suspicion.backendIDs.filter { gone.contains(RowIndex.hash($0)) }.map { id in
        .syncAcknowledged(
          SyncAcknowledged(
            events: [suspicion.seq], status: 404, via: .reconciled, entry: suspicion.entry,
            backendID: id))
      }
    }
  }

  /// Rows that cannot be read, each named once in the log.
  func rowsSkipped(in listing: RowListing) -> [Event.Payload] {
    var seen: Set<String> = []
    return listing.unreadable.filter { row in
      seen.insert(row.identity).inserted && !index.hasSeen(row.identity)
    }.map { row in
      .rowSkipped(
        RowSkipped(backendID: row.id, field: row.field, value: row.value, reason: row.reason))
    }
  }
}
