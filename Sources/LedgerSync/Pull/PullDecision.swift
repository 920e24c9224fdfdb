import LedgerLog
public import LedgerModel
public import LedgerProjections

/// What was read of the backend, to be decided upon under the log's lock.
public struct PullRequest: Hashable, Sendable {
  /// `nil` where no rows were listed.
  public var listing: RowListing?
  /// Whether the listing has all rows.
  var isFull = false
  public var person = RemotePerson()
  public var policy = ConflictDecision.local
  /// How a person wants an account that was created again, or mass deletions, to be handled.
  public var onReplacement: ReplacementPolicy?
  /// The account was created again.
  public var account: AccountChange?
  /// Entries whose lost answers were looked into in this run.
  public var settled: Set<EntryID> = []
  /// The last event when all rows were listed before.
  var lastFullSeq: Int?
  /// Whether rows without a time are matched with unsent entries, too: a backend that is rebuilt has
  /// them from another device's run.
  var bindsUntimed = false
  /// Rows that were deleted and are listed again, to be taken as entries.
  var returned: Set<BackendID> = []

  public init() {}
}

/// What became of listed rows and fields.
public struct Pulled: Hashable, Sendable {
  /// Rows that became entries, and corrections taken from rows.
  public var entries = 0
  /// Fields of the person that were taken over.
  public var fields = 0
  /// Entries that were deleted because their rows are gone.
  public var deleted = 0
  /// The events that delete them, which are recorded together; `nil` for none.
  public var deletions: ClosedRange<Seq>?
  /// Edits whose lost answer showed up, or that another device had sent.
  public var reconciled = 0
  public var suspected = 0
  /// Conflicts that were decided by the policy or left open.
  public var conflicts = 0
  /// Edits whose row has other values than were acknowledged.
  public var differs = 0
  /// The last event before the decision.
  var lastSeq = 0
  /// Fields whose value is longer than an event can hold; they stay as they are on both sides.
  public var unusable: [ProfileField] = []
  /// So many entries would be deleted, of so many, that a person has to say so; nothing was decided.
  public var massDeletion: MassDeletion?
  /// So many rows that were deleted are listed again that nothing was decided.
  public var returnedRows = 0

  public struct MassDeletion: Hashable, Sendable {
    public var missing: Int
    public var live: Int
  }

  public init() {}

  mutating func add(_ other: Pulled) {
    entries += other.entries
    fields += other.fields
    deleted += other.deleted
    reconciled += other.reconciled
    suspected += other.suspected
    conflicts += other.conflicts
    differs += other.differs
    unusable += other.unusable
  }
}

extension PullRequest {
  /// Edits that were sent or answered since all rows were listed before, or whose old row was deleted
  /// since: only after that do all other devices know of them.
  func recentEdits(_ state: LedgerState) -> Set<Int> {
    lastFullSeq.map { state.targets(namedAfter: $0) } ?? []
  }
}

extension SyncContext {
  /// Decides what a pull comes to: the fields of the person and the rows.
  func pull(
    _ request: PullRequest, at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (payloads: [Event.Payload], pulled: Pulled) {
    let listing = request.listing ?? RowListing()
    var request = request
    request.returned = request.isFull ? try returnedRows(listing) : []
    let isMissing = listing.missing.contains { !$0.isSuspected }
    if request.onReplacement == .resend,
      request.account != nil || isMissing || !request.returned.isEmpty
    {
      return try rebuild(request, listing, at: now, using: &generator)
    }
    if request.onReplacement == nil, !request.returned.isEmpty {
      var pulled = Pulled()
      pulled.returnedRows = request.returned.count
      return ([], pulled)
    }
    var rows = RowPull(self, request, listing, at: now)
    try rows.run(using: &generator)
    if request.onReplacement == nil, let mass = massDeletion(rows.deletions.count) {
      var pulled = Pulled()
      pulled.massDeletion = mass
      return ([], pulled)
    }
    // A profile of an account that was created again is merged when its bindings are void.
    let merged = try request.account == nil ? merge(request.person, policy: request.policy) : nil
    var payloads = merged?.payloads ?? []
    let firstDeletion = state.nextSeq.number + payloads.count + rows.payloads.count
    rows.deleteMissing()
    payloads += rows.payloads
    var pulled = rows.result
    if pulled.deleted > 0 {
      pulled.deletions = Seq(firstDeletion)...Seq(firstDeletion + pulled.deleted - 1)
    }
    if let merged { pulled.add(merged.pulled) }
    guard let account = request.account else { return (payloads, pulled) }
    payloads += try replacing(account, after: payloads, listing, at: now, using: &generator)
    let replaced = try after(payloads, at: now, using: &generator)
      .merge(request.person, policy: request.policy)
    pulled.add(replaced.pulled)
    return (payloads + replaced.payloads, pulled)
  }

  /// Rows that the backend had deleted, or that were gone from it, and that it lists again: a backup
  /// was restored.
  private func returnedRows(_ listing: RowListing) throws(LogError) -> Set<BackendID> {
    var returned = Set(listing.rows.map(\.id).filter { state.isGone($0) })
    var others = state.suspectedIDs()
    others.formUnion(try state.rowsToDelete(texts.backendID).map(\.id))
    for (place, row) in listing.boundRows(state, index) {
      if state.isDeletedBySync(row: place) {
        returned.insert(row.id)
      } else if !state.entry(at: place).isDeleted || !state.isGone(row.id) {
        // A row of an entry that a person deleted is there until the backend has deleted it.
        others.insert(row.id)
      }
    }
    return returned.subtracting(others)
  }

  /// More than twenty and a tenth of what is live, or all of three or more (docs/sync.md, A backend
  /// that forgot).
  private func massDeletion(_ missing: Int) -> Pulled.MassDeletion? {
    guard missing >= 3 else { return nil }
    let live = state.rows.indices.count { index in
      state.binding(ofRow: index) != nil && state.isMade(row: index)
        && !state.entry(at: index).isDeleted
    }
    guard missing == live || missing > 20 && missing * 10 > live else { return nil }
    return Pulled.MassDeletion(missing: missing, live: live)
  }

  /// The backend is rebuilt from the ledger: bindings are void, except those to rows that are listed,
  /// and those that equal rows give; what is then without a row is sent again.
  private func rebuild(
    _ request: PullRequest, _ listing: RowListing, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (payloads: [Event.Payload], pulled: Pulled) {
    let account =
      request.account
      ?? AccountChange(
        from: state.account.owner?.userID, to: state.account.owner?.userID,
        reason: "rows of \(listing.missing.count { !$0.isSuspected }) entries are gone")
    var payloads = try replacing(account, after: [], listing, at: now, using: &generator)
    var request = request
    request.bindsUntimed = true
    request.listing?.missing = []
    let rebuilt = try after(payloads, at: now, using: &generator)
    request.returned.subtract(listing.boundRows(rebuilt.state, rebuilt.index).map(\.row.id))
    var rows = RowPull(rebuilt, request, request.listing ?? listing, at: now)
    try rows.run(using: &generator)
    payloads += rows.payloads
    var pulled = rows.result
    let merged = try after(payloads, at: now, using: &generator)
      .merge(request.person, policy: request.policy)
    pulled.add(merged.pulled)
    return (payloads + merged.payloads, pulled)
  }

  /// Voids all bindings, and binds again what is listed.
  private func replacing(
    _ account: AccountChange, after payloads: [Event.Payload], _ listing: RowListing,
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> [Event.Payload] {
    var new: [Event.Payload] = [
      .accountReplaced(
        AccountReplaced(from: account.from, to: account.to, reason: account.reason))
    ]
    let before = try after(payloads, at: now, using: &generator)
    for (place, row, edits) in try before.keptRows(listing) where !edits.isEmpty {
      new.append(
        .syncAcknowledged(
          SyncAcknowledged(
            call: .make(at: now, using: &generator), events: edits, status: 200, via: .reconciled,
            entry: EntryID(before.state.rows[place].id), backendID: row.id)))
    }
    return new
  }

  /// The entries whose rows are listed, with the edits that each row has. A backend that restored an
  /// old backup may have an earlier row of an entry: then its later edits are to be sent again.
  private func keptRows(
    _ listing: RowListing
  ) throws(LogError) -> [(place: Int, row: ListedRow, edits: [Seq])] {
    var kept: [(place: Int, row: ListedRow, edits: [Seq])] = []
    var places: Set<Int> = []
    for (place, row) in listing.boundRows(state, index)
    where state.isMade(row: place) && !state.isDeletedBySync(row: place) {
      places.insert(place)
      let edits = state.edits(ofRow: place).filter { state.edits.state($0.number) == .acknowledged }
      kept.append((place, row, edits))
    }
    let bound = Set(kept.map(\.row.id))
    for row in listing.rows where index.knows(row.id) && !bound.contains(row.id) {
      guard let seq = index.binding(of: row.id),
        let edits = try texts.boundEdits(by: seq),
        let place = edits.lazy.compactMap({ state.edits.row($0.number) }).first,
        state.isMade(row: place), !state.isDeletedBySync(row: place),
        places.insert(place).inserted
      else { continue }
      kept.append((place, row, edits))
    }
    return kept
  }

  /// The ledger as it would be with these recorded.
  private func after(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> SyncContext<ForeseenTexts<Texts>> {
    var foreseen = DryRunLedger(state: state, texts: texts, index: index)
    if !payloads.isEmpty { foreseen.add(payloads, at: now, using: &generator) }
    return foreseen.desk(dialect, zone)
  }
}
