public import LedgerJSON
package import LedgerLog
public import LedgerModel
public import LedgerProjections

/// The result of comparing acknowledged values with the backend (docs/cli.md, Comparing with the backend).
public struct BackendAudit: Hashable, Sendable {
  /// A value or row that differs between both sides.
  public struct Difference: Hashable, Sendable {
    /// What differs.
    public enum Kind: Hashable, Sendable {
      /// A field of an entry (`quantity`, `moment`, `notes`, `type`) or of a sleep session (`start`,
      /// `end`, `notes`, `source_id`), a profile field, or `user_id`.
      case value(String)
      /// The backend has no row for an acknowledged entry.
      case missingRow
      /// The backend has a row without a live entry.
      case unknownRow
      /// The backend has a suspected duplicate, not decided yet.
      case suspectedDuplicate
      /// The backend has an unreadable row.
      case unreadableRow
    }

    /// What differs.
    public var kind: Kind
    /// The entry concerned; `nil` for profile fields and rows without an entry.
    public var entry: EntryID?
    /// The backend's row; `nil` for profile fields.
    public var backendID: BackendID?
    /// The acknowledged value; `null` for none.
    public var here: JSONValue
    /// The backend's value; `null` for none.
    public var there: JSONValue

    init(
      _ kind: Kind, entry: EntryID? = nil, backendID: BackendID? = nil, here: JSONValue = .null,
      there: JSONValue = .null
    ) {
      self.kind = kind
      self.entry = entry
      self.backendID = backendID
      self.here = here
      self.there = there
    }

    /// The name in the JSON answer; `row` for whole rows.
    public var field: String {
      switch kind {
      case .value(let name): name
      case .missingRow, .unknownRow: "row"
      case .suspectedDuplicate: "duplicate"
      case .unreadableRow: "unreadable"
      }
    }
  }

  /// The number of compared entries and profile fields.
  public var checked = 0
  /// Profile fields first, then rows.
  public var differences: [Difference] = []
  /// Fields with an acknowledged value that the API cannot read back.
  public var unreadable: [ProfileField] = []
  /// Edits that are not acknowledged and rows still to be deleted; they were not compared.
  public var unsentEdits = 0

  /// Whether nothing differs.
  public var isOK: Bool { differences.isEmpty }

  /// Whether acknowledged entries have no row.
  package var hasMissingRows: Bool { differences.contains { $0.kind == .missingRow } }

  init() {}

  /// Drops rows that another reading of the backend had.
  package mutating func removeMissing(unlessIn other: BackendAudit) {
    let missing = Set(other.differences.filter { $0.kind == .missingRow })
    differences.removeAll { $0.kind == .missingRow && !missing.contains($0) }
  }
}

/// Why the backend could not be compared with the ledger.
public enum BackendAuditFailure: LedgerError, Hashable, Sendable {
  /// The session is over: sign in again.
  case signedOut(reason: String)
  /// A part could not be read.
  ///
  /// - Parameter mayPass: whether trying again later may help: not after a refusal.
  case unread(part: String, reason: String, mayPass: Bool)
  /// The ledger changed during each of several attempts.
  case ledgerChanged

  /// Stable, for programs.
  public var code: String {
    switch self {
    case .signedOut: "signed-out"
    case .unread: "not-read"
    case .ledgerChanged: "ledger-changed"
    }
  }

  public var description: String {
    switch self {
    case .signedOut(let reason): reason
    case .unread(let part, let reason, _): "\(part) could not be read: \(reason)"
    case .ledgerChanged: "the ledger changed while it was compared with the backend"
    }
  }
}

extension SyncContext {
  /// Compares acknowledged values with the backend, by the rules for answers (docs/sync.md, What an
  /// answer means).
  ///
  /// - Throws: only if the log cannot be read.
  package func audit(_ reading: BackendReading) throws(LogError) -> BackendAudit {
    var comparison = AuditComparison(self, reading)
    let counts = try summary().counts
    comparison.audit.unsentEdits =
      counts.pending + counts.inDoubt + counts.held + counts.rejected
    comparison.comparePerson()
    try comparison.compareRows()
    try comparison.compareSleep()
    comparison.addConflicts()
    return comparison.audit
  }
}

/// See ``SyncContext/audit(_:)``.
private struct AuditComparison<Texts: LedgerTexts> {
  private let context: SyncContext<Texts>
  private let person: RemoteProfile
  private let listing: RowListing
  var audit = BackendAudit()

  private var state: LedgerState { context.state }

  init(_ context: SyncContext<Texts>, _ reading: BackendReading) {
    self.context = context
    person = reading.person
    var listing = reading.listing
    // A backend without a listing of sleep has no session.
    listing.sessions = listing.sessions ?? []
    self.listing = listing
  }

  // MARK: Profile

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
      // A name is never cleared: an answer without one does not have the member.
      let mayBeLeftOut = field.mayBeUnreadable || field == .name && document != nil
      guard there != nil || !mayBeLeftOut else {
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

  /// The agreed value, or the current one if its own or a later call was answered with another value.
  private func acknowledged(_ field: ProfileField) -> JSONValue? {
    if let current = state.profile.current(field, state.edits) {
      let edit = state.edits.state(current.seq)
      let isKept = edit == .acknowledged && state.profile.hasOpenConflict(field)
      if edit == .differed || isKept { return current.value }
    }
    return state.profile.agreed(field)
  }

  // MARK: Rows

  mutating func compareRows() throws(LogError) {
    var explained: Set<UInt64> = []
    for (place, row) in listing.boundRows(state, context.index) where isExpected(place) {
      if explained.insert(RowIndex.hash(row.id)).inserted {
        try compare(place, row)
      } else {
        // The backend answered two calls with one row.
        let entry = state.acknowledgedEntry(at: place)
        audit.checked += 1
        audit.differences.append(
          .init(
            .missingRow, entry: entry.id, backendID: row.id,
            here: .object(try context.key(of: entry).json)))
      }
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

  // MARK: Sleep

  /// Sessions deleted or erased here stay at the backend, which cannot delete one.
  mutating func compareSleep() throws(LogError) {
    let sessions = listing.sessions ?? []
    guard !sessions.isEmpty || !state.hasNoSleep else { return }
    let bound = context.boundSessions()
    let erased = Set(state.erasedSessions().map(\.entry))
    for row in sessions {
      if let index = bound[RowIndex.hash(row.id)] {
        // One whose logging is held was kept as it is here by a decision, and is an unsent edit.
        guard !state.session(at: index).isDeleted,
          state.edits.state(state.session(at: index).seq.number) != .held
        else { continue }
        audit.checked += 1
        let session = state.acknowledgedSession(at: index)
        let found = try state.sleepValues(session, at: index, context.texts)
          .differences(from: row.json)
        audit.differences += found.map { difference in
          .init(
            .value(difference.field), entry: session.id, backendID: row.id,
            here: difference.local, there: difference.remote)
        }
      } else if !context.index.knows(row.id), !row.isAny(of: erased) {
        audit.differences.append(
          .init(
            .unknownRow, backendID: row.id, there: .object(SleepValues.recordable(row.json))))
      }
    }
    let hidden = state.sessions.filter { index in
      guard let seq = state.binding(ofSession: index),
        let other = context.index.hash(boundBy: seq).flatMap({ bound[$0] }), other != index
      else { return false }
      return !state.session(at: index).isDeleted
    }
    // The backend answered the calls of two sessions with one row.
    for index in try context.missingSessions(in: listing) + hidden {
      audit.checked += 1
      let session = state.acknowledgedSession(at: index)
      let id = try state.binding(ofSession: index).flatMap { seq throws(LogError) in
        try context.texts.backendID(boundBy: seq)
      }
      audit.differences.append(
        .init(
          .missingRow, entry: session.id, backendID: id,
          here: .object(try state.sleepValues(session, at: index, context.texts).body)))
    }
  }

  /// Values in an open conflict, whether they differ by the rules for answers or not: a person has to
  /// decide between them.
  mutating func addConflicts() {
    for conflict in state.openConflicts() {
      let (kind, entry) = (BackendAudit.Difference.Kind.value(conflict.fieldName), conflict.entry)
      guard !audit.differences.contains(where: { $0.kind == kind && $0.entry == entry }) else {
        continue
      }
      audit.differences.append(
        .init(
          kind, entry: entry, backendID: conflict.backendID, here: conflict.local,
          there: conflict.remote))
    }
  }

  /// Whether the backend should have the row of an entry.
  private func isExpected(_ place: Int) -> Bool {
    guard state.isMade(row: place), state.binding(ofRow: place) != nil else { return false }
    let entry = state.entry(at: place)
    // A refused deletion leaves a row that no entry has.
    return !entry.isDeleted || entry.status == .pending || entry.status == .syncing
  }

  private mutating func compare(_ place: Int, _ row: ListedRow) throws(LogError) {
    audit.checked += 1
    let entry = state.acknowledgedEntry(at: place)
    let key = try context.key(of: entry)
    var found = key.compare(with: row)
    if !found.differences.isEmpty || found.rounded != nil, let boundBy = entry.boundBy,
      let agreed = try context.texts.agreedQuantity(boundBy: boundBy)
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

  /// Missing rows, except those of entries that are deleted here.
  private mutating func findMissing() throws(LogError) {
    for place in state.rows.indices where isExpected(place) {
      guard let boundBy = state.binding(ofRow: place),
        let hash = context.index.hash(boundBy: boundBy),
        !listing.hashes.contains(hash), !state.entry(at: place).isDeleted,
        case let entry = state.acknowledgedEntry(at: place),
        try Listing.everything.has(context.key(of: entry).day)
      else { continue }
      audit.checked += 1
      audit.differences.append(
        .init(
          .missingRow, entry: entry.id, backendID: try context.texts.backendID(boundBy: boundBy),
          here: .object(try context.key(of: entry).json)))
    }
  }

  /// Rows still to be deleted: old rows of corrected entries, duplicates, rows of erased entries. Not
  /// those of corrected entries whose deletion was refused.
  private func awaitingDeletion() throws(LogError) -> Set<UInt64> {
    var bindings: [Seq] = []
    for row in state.supersededRows() where try !wasRefused(row) { bindings.append(row.boundBy) }
    let isErasedPending = state.erasedEntries().contains { entry in
      entry.deletions.contains { !state.edits.state($0.number).isFailed }
    }
    if isErasedPending { bindings += state.bindingsOfErased }
    var ids: [(id: BackendID, since: Seq)] = []
    for seq in bindings {
      if let id = try context.texts.backendID(boundBy: seq) { ids.append((id, seq)) }
    }
    for suspicion in state.suspicions()
    where suspicion.decision == .one
      && suspicion.resolvedBy.map(state.isOfEarlierAccount) == false
    {
      ids += suspicion.backendIDs.map { ($0, suspicion.seq) }
    }
    return Set(
      ids.filter { !state.isDeletedAtBackend($0.id, since: $0.since) }.map { RowIndex.hash($0.id) })
  }

  /// Whether the last call for these edits was refused.
  private func wasRefused(_ row: LedgerState.SupersededRow) throws(LogError) -> Bool {
    guard let edit = row.events.last else { return false }
    for seq in state.mentions(of: [edit.number]).reversed() where seq > edit.number {
      switch try context.texts.event(Seq(seq)).event.payload {
      case .syncRejected(let data) where data.events.contains(edit): return true
      case .syncAcknowledged(let data) where data.events.contains(edit): return false
      default: continue
      }
    }
    return false
  }

  private func suspects() -> [BackendID: EntryID] {
    var suspects: [BackendID: EntryID] = [:]
    for suspicion in state.suspicions() where suspicion.isOpen {
      for id in suspicion.backendIDs { suspects[id] = suspicion.entry }
    }
    return suspects
  }

  /// Entries by the id hashes of their rows; live entries take precedence.
  private func boundEntries() -> [UInt64: EntryID] {
    var entries: [UInt64: EntryID] = [:]
    for place in state.rows.indices where state.isMade(row: place) {
      guard let seq = state.binding(ofRow: place), let hash = context.index.hash(boundBy: seq)
      else { continue }
      if entries[hash] == nil || isExpected(place) { entries[hash] = EntryID(state.rows[place].id) }
    }
    return entries
  }
}

extension ProfileField {
  /// Height and sex cannot be read back, nor can the birth date on every server.
  fileprivate var mayBeUnreadable: Bool { subject == .physical }
}

extension RowKey {
  /// A row with these values.
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string(metric.name), "quantity": .number(quantity),
      "date": .string(Timestamp(millisecondsSince1970: second * 1000).rfc3339Seconds),
    ]
    if !notes.isEmpty { object["notes"] = .string(notes) }
    return object
  }
}
