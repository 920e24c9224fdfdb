import LedgerLog
package import LedgerModel
import LedgerProjections

/// A row that the backend had and that a full listing does not show.
package struct MissingRow: Hashable, Sendable {
  /// The entry that it belongs to, or is suspected to duplicate.
  package var entry: EntryID
  /// The event that bound or suspected it.
  var boundBy: Seq
  /// Whether it is a suspected duplicate.
  var isSuspected = false
  /// Of its id.
  var hash: UInt64
  /// The day to list again for confirmation.
  var day: CalendarDate
}

/// The rows that listings have shown.
package struct RowListing: Hashable, Sendable {
  /// Newest first.
  var rows: [ListedRow] = []
  /// Newest first; `nil` if they were not listed.
  var sessions: [ListedSession]?
  var unreadable: [UnreadableRow] = []
  /// Hashes of the ids of all rows, including unreadable ones.
  var hashes: Set<UInt64> = []
  /// Entries whose rows a full listing does not show.
  var missing: [MissingRow] = []
  /// When the listing began.
  var listedAt: Timestamp?
  /// Hashes of the ids that a second listing of the missing rows' days has shown.
  var listedAgain: Set<UInt64> = []

  var count: Int { rows.count + (sessions?.count ?? 0) + unreadable.count }

  /// What to list to confirm the missing rows.
  var listingsOfMissing: [Listing] {
    missing.contains(where: \.isSuspected)
      ? [.everything] : Listing.days(Set(missing.map(\.day)))
  }

  mutating func add(_ other: RowListing) {
    if !other.rows.isEmpty { rows += other.rows }
    if let others = other.sessions { sessions = (sessions ?? []) + others }
    unreadable += other.unreadable
    hashes.formUnion(other.hashes)
  }

  /// Adds a second listing of some days, whose rows that are new may replace missing ones.
  mutating func addAgain(_ other: RowListing) {
    listedAgain = other.hashes
    rows += other.rows.filter { !hashes.contains(RowIndex.hash($0.id)) }
    hashes.formUnion(other.hashes)
  }

  mutating func add(_ page: ListingPage) {
    rows += page.rows
    if !page.sessions.isEmpty { sessions = (sessions ?? []) + page.sessions }
    unreadable += page.unreadable
    hashes.formUnion(page.hashes)
  }

  /// Entry rows that are bound to listed rows, in log order.
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
  /// Hashes of the ids of all rows that entries have, those whose deletion is yet to be sent included.
  var boundRows: Set<UInt64> {
    var hashes: Set<UInt64> = []
    for place in state.rows.indices {
      guard let seq = state.binding(ofRow: place), let hash = index.hash(boundBy: seq) else {
        continue
      }
      let entry = state.rows[place].isChanged ? state.entry(at: place) : nil
      if let entry, entry.isDeleted, entry.status == .synced { continue }
      hashes.insert(hash)
    }
    return hashes
  }

  /// Rows of live entries and suspected rows that the backend had and that were not listed.
  ///
  /// - Parameter listed: hashes of all ids in a full listing.
  /// - Returns: the rows, and the time of the newest answer that bound one of them: a pulled row has been
  ///   listed.
  func missing(
    from listed: Set<UInt64>
  ) throws(LogError) -> (rows: [MissingRow], boundAt: Timestamp?) {
    var missing: [MissingRow] = []
    var lastAnswer: Seq?
    for (place, row) in state.rows.enumerated() {
      guard let boundBy = state.binding(ofRow: place), let hash = index.hash(boundBy: boundBy),
        !listed.contains(hash), state.isMade(row: place)
      else { continue }
      let entry = state.entry(at: place)
      guard !entry.isDeleted, state.edits.state(Int(row.seq)) != .undone else { continue }
      let key = try key(of: state.acknowledgedEntry(at: place))
      guard Listing.everything.has(key.day) else { continue }
      missing.append(MissingRow(entry: entry.id, boundBy: boundBy, hash: hash, day: key.day))
      if !row.isPulled || row.isChanged { lastAnswer = max(lastAnswer ?? boundBy, boundBy) }
    }
    for suspicion in state.openSuspicions() {
      for hash in suspicion.backendIDs.map(RowIndex.hash) where !listed.contains(hash) {
        missing.append(
          MissingRow(
            entry: suspicion.entry, boundBy: suspicion.seq, isSuspected: true, hash: hash,
            day: Listing.everything.from))
      }
    }
    let boundAt =
      if let lastAnswer { try texts.event(lastAnswer).event.at } else { Timestamp?.none }
    return (missing, boundAt)
  }

  /// Closes suspicions of rows that neither listing shows.
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

  /// Closes open conflicts over missing rows of an entry. If the entry's own row is listed, the person
  /// decided on the device that had made the other row. If the entry has no row since the account was
  /// created again, the new account has neither. A later conflict over the same field
  /// closes the earlier one; with it, one that this had closed while open is open again if its row is
  /// still there.
  ///
  /// - Parameter listing: a full one.
  func conflictsGone(_ listing: RowListing) -> [Event.Payload] {
    state.openConflicts().compactMap { conflict in
      guard let id = conflict.backendID, !listing.hashes.contains(RowIndex.hash(id)),
        let row = conflict.entry.flatMap(state.row(of:))
      else { return nil }
      let own = state.binding(ofRow: row).flatMap { index.hash(boundBy: $0) }
      guard own.map(listing.hashes.contains) ?? state.isBeforeReplacement(conflict.seq) else {
        return nil
      }
      let earlier = state.conflicts().last { other in
        other.seq < conflict.seq && other.subject == conflict.subject
          && other.fieldName == conflict.fieldName && other.decision == .open
          && other.backendID.map { RowIndex.hash($0) }.map { hash in
            hash != own && listing.hashes.contains(hash)
          } == true
      }
      return .conflictDetected(
        ConflictDetected(
          subject: conflict.subject, field: conflict.fieldName, local: conflict.local,
          remote: (earlier ?? conflict).remote, decision: earlier == nil ? .local : .open,
          backendID: earlier?.backendID ?? id))
    }
  }

  /// Records unreadable rows, each once.
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
