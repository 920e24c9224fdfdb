import LedgerJSON
public import LedgerLog
import LedgerModel
import LedgerProjections

extension SyncContext {
  /// Compares acknowledged values with what the backend has. Equal is what the contract counts as
  /// equal (docs/sync.md, What an answer means); edits that the backend has not acknowledged do not
  /// count.
  ///
  /// - Throws: only when the log cannot be read.
  public func audit(_ reading: BackendReading) throws(LogError) -> BackendAudit {
    var comparison = AuditComparison(self, reading)
    let counts = try standing().counts
    comparison.audit.unsentEdits =
      counts.pending + counts.inDoubt + counts.held + counts.rejected
    comparison.comparePerson()
    try comparison.compareRows()
    return comparison.audit
  }
}

/// See ``SyncContext/audit(_:)``.
private struct AuditComparison<Texts: LedgerTexts> {
  private let desk: SyncContext<Texts>
  private let person: RemotePerson
  private let listing: RowListing
  var audit = BackendAudit()

  private var state: LedgerState { desk.state }

  init(_ desk: SyncContext<Texts>, _ reading: BackendReading) {
    self.desk = desk
    person = reading.person
    listing = reading.listing
  }

  // MARK: The person

  mutating func comparePerson() {
    let theirs = person.profile?["user_id"]?.string ?? state.account.current?.userID
    if let mine = state.account.owner?.userID, let theirs {
      audit.checked += 1
      if mine != theirs {
        audit.differences.append(
          .init(.value("user_id"), here: .string(mine), there: .string(theirs)))
      }
    }
    for field in ProfileField.allCases {
      guard let here = acknowledged(field) else { continue }
      let document = field.subject == .preferences ? person.preferences : person.profile
      let there = document?[field.rawValue]
      guard there != nil || !field.mayBeUnreadable else {
        if !here.isNothing { audit.unreadable.append(field) }
        continue
      }
      audit.checked += 1
      if !here.isSameField(as: there) {
        audit.differences.append(
          .init(.value(field.rawValue), here: here, there: (there ?? .null).rounded))
      }
    }
  }

  /// The value that both sides agreed on, or the one that was sent and answered with another.
  private func acknowledged(_ field: ProfileField) -> JSONValue? {
    if let current = state.profile.current(field, state.edits),
      state.edits.state(current.seq) == .differed
    {
      return current.value
    }
    return state.profile.agreed(field)
  }

  // MARK: Rows

  mutating func compareRows() throws(LogError) {
    var explained: Set<UInt64> = []
    for (place, row) in listing.boundRows(state, desk.index) where isExpected(place) {
      explained.insert(RowIndex.hash(row.id))
      try compare(place, row)
    }
    try findMissing()
    try explained.formUnion(awaitingDeletion())
    let suspects = suspects()
    var entries = boundEntries()
    for row in listing.rows where !explained.contains(RowIndex.hash(row.id)) {
      let suspect = suspects[row.id]
      audit.differences.append(
        .init(
          suspect == nil ? .unknownRow : .suspectedDuplicate,
          entry: suspect ?? entries[RowIndex.hash(row.id)], backendID: row.id,
          there: .object(row.json)))
    }
    for row in listing.unreadable {
      var there: JSONObject = ["reason": .string("\(row.field): \(row.reason)")]
      if let value = row.value { there[row.field] = value.rounded }
      audit.differences.append(
        .init(
          .unreadableRow, entry: row.id.flatMap { entries.removeValue(forKey: RowIndex.hash($0)) },
          backendID: row.id, there: .object(there)))
    }
  }

  /// Whether the backend is known to have the row of an entry: not after a deletion that it
  /// acknowledged.
  private func isExpected(_ place: Int) -> Bool {
    guard state.isMade(row: place), state.binding(ofRow: place) != nil else { return false }
    let entry = state.entry(at: place)
    return !entry.isDeleted || entry.status != .synced
  }

  private mutating func compare(_ place: Int, _ row: ListedRow) throws(LogError) {
    audit.checked += 1
    let entry = state.acknowledgedEntry(at: place)
    let key = try desk.key(of: entry)
    var found = key.compare(with: row)
    if !found.differences.isEmpty || found.rounded != nil, let boundBy = entry.boundBy,
      let agreed = try desk.texts.agreedQuantity(boundBy: boundBy)
    {
      found = key.compare(with: row, agreed: agreed)
    }
    for difference in found.differences {
      audit.differences.append(
        .init(
          .value(difference.field), entry: entry.id, backendID: row.id, here: difference.local,
          there: difference.remote))
    }
  }

  /// A row that is gone while its deletion waits here needs no mention.
  private mutating func findMissing() throws(LogError) {
    for place in state.rows.indices where isExpected(place) {
      guard let boundBy = state.binding(ofRow: place), let hash = desk.index.hash(boundBy: boundBy),
        !listing.hashes.contains(hash), !state.entry(at: place).isDeleted
      else { continue }
      audit.checked += 1
      let entry = state.acknowledgedEntry(at: place)
      audit.differences.append(
        .init(
          .missingRow, entry: entry.id, backendID: try desk.texts.backendID(boundBy: boundBy),
          here: .object(try desk.key(of: entry).json)))
    }
  }

  /// Rows that this ledger has yet to delete: old rows of corrected entries, duplicates, rows of
  /// erased entries.
  private func awaitingDeletion() throws(LogError) -> Set<UInt64> {
    var bindings = state.supersededRows().map(\.boundBy)
    if !state.erasedEntries().isEmpty { bindings += state.bindingsOfErased }
    var ids: [BackendID] = []
    for seq in bindings {
      if let id = try desk.texts.backendID(boundBy: seq) { ids.append(id) }
    }
    for suspicion in state.suspicions() where suspicion.decision == .one {
      ids += suspicion.backendIDs
    }
    return Set(ids.filter { !state.isGone($0) }.map(RowIndex.hash))
  }

  private func suspects() -> [BackendID: EntryID] {
    var suspects: [BackendID: EntryID] = [:]
    for suspicion in state.suspicions() where suspicion.isOpen {
      for id in suspicion.backendIDs { suspects[id] = suspicion.entry }
    }
    return suspects
  }

  /// Entries by the hashes of the ids they are bound to; a live one rather than a deleted one.
  private func boundEntries() -> [UInt64: EntryID] {
    var entries: [UInt64: EntryID] = [:]
    for place in state.rows.indices where state.isMade(row: place) {
      guard let seq = state.binding(ofRow: place), let hash = desk.index.hash(boundBy: seq)
      else { continue }
      if entries[hash] == nil || isExpected(place) { entries[hash] = EntryID(state.rows[place].id) }
    }
    return entries
  }
}

extension ProfileField {
  /// Height and sex cannot be read back, and not every server shows the birth date.
  fileprivate var mayBeUnreadable: Bool { subject == .physical }
}

extension RowKey {
  /// The row that an entry with these values has.
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string(metric.name), "quantity": .number(quantity),
      "date": .string(Timestamp(millisecondsSince1970: second * 1000).rfc3339Seconds),
    ]
    if !notes.isEmpty { object["notes"] = .string(notes) }
    return object
  }
}
