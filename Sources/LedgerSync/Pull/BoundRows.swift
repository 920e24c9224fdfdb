import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

extension SyncContext {
  /// Compares the listed rows of entries with the acknowledged values. The user decides about
  /// differences.
  ///
  /// - Parameter rebound: entries that this pull has bound to other rows.
  /// - Returns: the events, and what they tell of.
  func differences(
    from listing: RowListing, except rebound: Set<Int>
  ) throws(LogError) -> (payloads: [Event.Payload], pulled: Pulled) {
    var payloads: [Event.Payload] = []
    var pulled = Pulled()
    let units = state.profileView().unitSystem ?? .metric
    for (place, row) in listing.boundRows(state, index) {
      guard state.isMade(row: place), !rebound.contains(place),
        !state.hasOpenConflict(of: EntryID(state.rows[place].id))
      else { continue }
      let entry = state.entry(at: place)
      let isSynced = entry.status == .synced
      guard isSynced ? !entry.isDeleted : entry.status == .pending, let boundBy = entry.boundBy
      else { continue }
      let key = try key(of: isSynced ? entry : state.acknowledgedEntry(at: place))
      var found = key.compare(with: row)
      guard !found.differences.isEmpty || found.rounded != nil else { continue }
      if let agreed = try texts.agreedQuantity(boundBy: boundBy) {
        found = key.compare(with: row, agreed: agreed)
      }
      guard !found.differences.isEmpty else { continue }
      guard isSynced else {
        let overwritten = try overwritten(entry, found.differences, row)
        pulled.conflicts += overwritten.count
        payloads += overwritten
        continue
      }
      // Those that another device's values have overridden would override these once they are decided.
      let overridden = state.overriddenBySync(place)
      let edits = state.edits(ofRow: place).filter {
        state.edits.state($0.number) == .acknowledged && !overridden.contains($0)
      }
      pulled.differs += edits.count
      pulled.differences += found.differences.map { $0.sentence(about: entry, units) }
      payloads.append(
        .syncDiffered(
          SyncDiffered(
            events: edits, status: 200, via: .reconciled, entry: entry.id, backendID: row.id,
            remote: row.json)))
      payloads += found.differences.map { difference in
        .conflictDetected(
          ConflictDetected(
            subject: entry.id.description, field: difference.field, local: difference.local,
            remote: difference.remote, decision: .open, backendID: row.id))
      }
    }
    return (payloads, pulled)
  }

  /// Records values of a row that an unsent edit of its entry is about to replace or delete, each once.
  private func overwritten(
    _ entry: EntryView, _ differences: [ValueDifference], _ row: ListedRow
  ) throws(LogError) -> [Event.Payload] {
    let current = try key(of: entry).compare(with: row).differences
    let known = state.conflicts(of: entry.id).filter { $0.backendID == row.id }
    return differences.compactMap { difference in
      let isKnown = known.contains {
        $0.fieldName == difference.field && $0.remote == difference.remote
      }
      let edited = current.first { $0.field == difference.field }
      guard !isKnown, entry.isDeleted || edited != nil else { return nil }
      return .conflictDetected(
        ConflictDetected(
          subject: entry.id.description, field: difference.field, base: difference.local,
          local: edited?.local ?? difference.local, remote: difference.remote, decision: .local,
          backendID: row.id))
    }
  }
}

extension ValueDifference {
  /// Says what a listed row has.
  fileprivate func sentence(about entry: EntryView, _ units: UnitSystem) -> String {
    "\(entry.metric.name) of \(entry.date): the backend has \(words(of: entry.metric, in: units))"
      + (field == RowField.moment.rawValue ? "; check the setting backend.dialect" : "")
  }
}

extension RowKey {
  /// The backend's quantity, if it was rounded.
  func agreed(with row: ListedRow) -> JSONObject? {
    QuantityMatch(sent: quantity, got: row.key.quantity) == .rounded
      ? ["quantity": JSONValue.number(row.key.quantity).rounded] : nil
  }
}

extension SyncContext {
  /// The date and time of a row in the ledger's zone.
  func wall(of row: ListedRow) -> (date: CalendarDate, moment: ZonedTime?)? {
    guard row.hasTime else { return row.moment.utc.map { ($0.date, nil) } }
    return zone.localTime(at: row.moment).map { wall in
      (wall.date, ZonedTime(time: wall.time, zone: wall.zone))
    }
  }

  /// A listed row that may belong to the entry: a suspected duplicate of it or of its moment, or an
  /// earlier row that is yet to be deleted. If two devices decide at the same time, each
  /// deletes the row that the other one keeps.
  ///
  /// - Parameter taken: rows that were given to other entries.
  func formerRow(
    of index: Int, _ key: RowKey, _ hasTime: Bool, in listing: RowListing,
    except taken: Set<BackendID>
  ) throws(LogError) -> ListedRow? {
    let entry = EntryID(state.rows[index].id)
    var own: Set<BackendID> = []
    var suspected: Set<BackendID> = []
    for suspicion in state.suspicions() where suspicion.decision != .both {
      if suspicion.entry == entry { own.formUnion(suspicion.backendIDs) }
      if suspicion.isOpen { suspected.formUnion(suspicion.backendIDs) }
    }
    for (leftover, id) in try state.rowsToDelete(texts.backendID) where leftover.entry == entry {
      own.insert(id)
    }
    guard !own.isEmpty || !suspected.isEmpty else { return nil }
    let found = listing.rows.filter { row in
      guard !taken.contains(row.id) else { return false }
      return own.contains(row.id) && (row.hasTime || !hasTime)
        || hasTime && row.hasTime && RowMoment(row.key) == RowMoment(key)
          && suspected.contains(row.id)
    }
    for row in found.sorted(by: { $0.id.text < $1.id.text })
    where try !belongsToAnother(row.id, than: entry) { return row }
    return nil
  }

  /// Whether a live entry other than this one has the row: it was a duplicate, and is an entry now.
  private func belongsToAnother(_ id: BackendID, than entry: EntryID) throws(LogError) -> Bool {
    guard let seq = index.binding(of: id),
      let bound = try texts.event(seq).event.payload.entryID, bound != entry,
      let place = state.row(of: bound)
    else { return false }
    return state.binding(ofRow: place) == seq && !state.entry(at: place).isDeleted
  }
}

extension SyncContext {
  /// Entries whose rows neither listing shows and whose binding has not changed since.
  func confirmedMissing(in listing: RowListing) -> [Int] {
    var found: [Int] = []
    for row in listing.missing
    where !row.isSuspected && !listing.listedAgain.contains(row.hash) {
      guard let index = state.row(of: row.entry), state.binding(ofRow: index) == row.boundBy,
        !state.entry(at: index).isDeleted
      else { continue }
      // An unresolved call may have created another row: it is reconciled first.
      let edits = state.edits(ofRow: index)
      let isInDoubt = edits.contains { state.edits.state($0.number) == .inDoubt }
      if !isInDoubt { found.append(index) }
    }
    return found
  }

  /// Whether a conflict between local corrections and the deletion of the row is recorded.
  func isDeletionOnRecord(_ entry: EntryView) -> Bool {
    state.conflicts().contains { conflict in
      conflict.subject == entry.id.description && conflict.fieldName == "entry"
        && conflict.seq > entry.boundBy ?? entry.seq
    }
  }

  /// Rows that the user declared to be duplicates of entries whose own rows are equal and have larger
  /// ids, at most one an entry.
  func smallerDuplicates(
    in listing: RowListing
  ) throws(LogError) -> [(index: Int, row: ListedRow, key: RowKey)] {
    var duplicates: [EntryID: Set<BackendID>] = [:]
    for suspicion in state.suspicions() where suspicion.decision == .one {
      duplicates[suspicion.entry, default: []].formUnion(
        suspicion.backendIDs.filter { !state.isDeletedAtBackend($0, since: suspicion.seq) })
    }
    var found: [(index: Int, row: ListedRow, key: RowKey)] = []
    for (entry, ids) in duplicates.sorted(by: { $0.key.description < $1.key.description }) {
      guard let place = state.row(of: entry), let boundBy = state.binding(ofRow: place),
        state.isMade(row: place), !state.entry(at: place).isDeleted,
        !state.hasOpenConflict(of: entry), let own = try texts.backendID(boundBy: boundBy),
        listing.hashes.contains(RowIndex.hash(own))
      else { continue }
      let base = state.acknowledgedEntry(at: place)
      let key = try key(of: base)
      let equal = listing.rows.filter { row in
        ids.contains(row.id) && row.id.text < own.text
          && index.binding(of: row.id) == nil && key.matches(row.key)
          && row.hasTime == (base.moment != nil)
      }
      if let smallest = equal.min(by: { $0.id.text < $1.id.text }) {
        found.append((place, smallest, key))
      }
    }
    return found
  }
}
