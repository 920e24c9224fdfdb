import LedgerJSON
import LedgerLog
package import LedgerModel
package import LedgerProjections

/// What was read from the backend, to be decided under the log's lock.
package struct PullRequest: Hashable, Sendable {
  /// `nil` if no rows were listed.
  package var listing: RowListing?
  /// Whether the listing has all rows.
  var isFull = false
  package var person = RemoteProfile()
  package var policy = ConflictDecision.local
  /// The user's decision on an account that was created again, or mass deletions.
  package var onReplacement: ReplacementPolicy?
  /// The account was created again.
  package var account: AccountChange?
  /// Entries whose unresolved calls were looked up in this run.
  package var reconciled: Set<EntryID> = []
  /// The last event at the previous full listing.
  var lastFullSeq: Int?
  /// The last of the events whose corrections no other device made at the same time.
  var settledSeq: Int?
  /// Whether untimed rows may be bound to unsent entries: while the backend is being rebuilt, another
  /// device may have sent them.
  var bindsUntimed = false
  /// Deleted rows that are listed again, to be taken as entries.
  var returned: Set<BackendID> = []
  /// How long listings need not show what was just made or deleted.
  var settleMilliseconds: Int64 = 0

  package init() {}

  init(_ configuration: SyncConfiguration, reconciled: Set<EntryID>, at now: Timestamp) {
    (policy, self.reconciled) = (configuration.conflicts, reconciled)
    lastFullSeq = configuration.lastListing?.fullSeq
    let settled = configuration.lastListing?.settled
    settledSeq = settled.flatMap { $0.isOver(at: now) ? $0.lastSeq : nil }
    settleMilliseconds = configuration.settleMilliseconds
  }

  /// Merges the profile in the answer to a call.
  init(answer profile: JSONObject, _ policy: ConflictDecision) {
    self.policy = policy
    person = RemoteProfile(profile: profile)
    person.isAnswer = true
  }
}

/// The result of a pull.
package struct Pulled: Hashable, Sendable {
  /// Rows that became entries, and corrections taken from rows.
  package var entries = 0
  /// Profile fields that were taken.
  package var fields = 0
  /// Entries that were deleted because their rows are missing.
  package var deleted = 0
  /// The events of these deletions; `nil` for none.
  package var deletions: ClosedRange<Seq>?
  /// Edits that turned out to have arrived, or that another device had sent.
  package var reconciled = 0
  package var suspected = 0
  /// The rows newly suspected.
  package var suspectedRows: [ListedRow] = []
  /// Rows of corrected entries that other devices should delete.
  var rowsOfOthers: Set<BackendID> = []
  /// Conflicts, decided by the policy or left open.
  package var conflicts = 0
  /// Edits whose row differs from the acknowledged values.
  package var differs = 0
  /// What these rows have, a sentence each.
  var differences: [String] = []
  /// Synced sleep sessions that are missing at the backend and stay here.
  var missingSessions = 0
  /// The last event before the decision.
  var lastSeq = 0
  /// Fields whose value is too long for an event; neither side is changed.
  package var unusable: [ProfileField] = []
  /// Set if too many entries would be deleted without the user's consent; nothing was decided.
  package var massDeletion: MassDeletion?
  /// How many deleted rows are listed again; if positive, nothing was decided.
  package var returnedRows = 0

  package struct MassDeletion: Hashable, Sendable {
    package var missing: Int
    package var live: Int
  }

  package init() {}

  mutating func add(_ other: Pulled) {
    entries += other.entries
    fields += other.fields
    deleted += other.deleted
    reconciled += other.reconciled
    suspected += other.suspected
    suspectedRows += other.suspectedRows
    rowsOfOthers.formUnion(other.rowsOfOthers)
    conflicts += other.conflicts
    differs += other.differs
    differences += other.differences
    unusable += other.unusable
  }
}

extension PullRequest {
  /// Edits that were sent or answered, or whose old row was deleted, since the previous full listing:
  /// other devices may not know of them yet.
  func recentEdits(_ state: LedgerState) -> Set<Int> {
    lastFullSeq.map { state.targets(namedAfter: $0) } ?? []
  }

  /// Those of entries that another device may have corrected at the same time.
  func unsettledEdits(_ state: LedgerState) -> Set<Int> {
    lastFullSeq.map { state.targets(namedAfter: max($0, settledSeq ?? 0)) } ?? []
  }
}

extension SyncContext {
  /// Merges the profile and decides about the rows.
  func pull(
    _ request: PullRequest, at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (payloads: [Event.Payload], pulled: Pulled) {
    let listing = request.listing ?? RowListing()
    var request = request
    let erased = try rowsOfErased(in: listing, request)
    request.returned =
      request.isFull ? try returnedRows(listing, request).subtracting(erased.map(\.row)) : []
    var (payloads, pulled) = try pull(request, listing, at: now, using: &generator)
    guard pulled.massDeletion == nil, pulled.returnedRows == 0 else { return (payloads, pulled) }
    payloads += erased.map { entry, deletion, row in
      .syncAcknowledged(
        SyncAcknowledged(
          call: .make(at: now, using: &generator), events: [deletion], status: 200,
          via: .reconciled, entry: entry, backendID: row))
    }
    return (payloads, pulled)
  }

  private func pull(
    _ request: PullRequest, _ listing: RowListing, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (payloads: [Event.Payload], pulled: Pulled) {
    let missingSessions = request.isFull ? try missingSessions(in: listing) : []
    var goneSessions: [Int] = []
    for index in missingSessions {
      let boundBy = state.binding(ofSession: index)
      if try !isNewer(boundBy, than: listing, request) { goneSessions.append(index) }
    }
    let isMissing = !missingSessions.isEmpty || listing.missing.contains { !$0.isSuspected }
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
    if request.onReplacement == nil,
      !rows.deletions.isEmpty || !goneSessions.isEmpty,
      let mass = massDeletion(rows, goneSessions, request)
    {
      var pulled = Pulled()
      pulled.massDeletion = mass
      return ([], pulled)
    }
    // With a replaced account, the profile is merged after its bindings are void.
    let merged = try request.account == nil ? merge(request.person, policy: request.policy) : nil
    var payloads = merged?.payloads ?? []
    let firstDeletion = state.nextSeq.number + payloads.count + rows.payloads.count
    rows.deleteMissing()
    payloads += rows.payloads
    var pulled = rows.result
    if request.onReplacement == .acceptDeletions {
      payloads += goneSessions.map { index in
        .sleepDeleted(
          SleepDeleted(entry: state.session(at: index).id, reason: DeletionReason.missing))
      }
      pulled.deleted += goneSessions.count
      pulled.missingSessions = missingSessions.count - goneSessions.count
    } else {
      pulled.missingSessions = missingSessions.count
    }
    if pulled.deleted > 0 {
      pulled.deletions = Seq(firstDeletion)...Seq(firstDeletion + pulled.deleted - 1)
    }
    if let merged { pulled.add(merged.pulled) }
    guard let account = request.account else {
      try pullSleep(listing, &payloads, &pulled, at: now, using: &generator)
      return (payloads, pulled)
    }
    payloads += try replacing(account, after: payloads, listing, at: now, using: &generator)
    let replaced = try after(payloads, at: now, using: &generator)
      .merge(request.person, policy: request.policy)
    pulled.add(replaced.pulled)
    payloads += replaced.payloads
    try pullSleep(listing, &payloads, &pulled, at: now, using: &generator)
    return (payloads, pulled)
  }

  private func pullSleep(
    _ listing: RowListing, _ payloads: inout [Event.Payload], _ pulled: inout Pulled,
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) throws(LogError) {
    guard listing.sessions?.isEmpty == false else { return }
    var sleep = SleepPull(
      try after(payloads, at: now, using: &generator), listing, at: now)
    try sleep.run(using: &generator)
    payloads += sleep.payloads
    pulled.add(sleep.result)
  }

  /// Deleted or missing rows that the backend lists again, as after a restored backup. Those that were
  /// bound before the last `account.replaced`, and not since, were missing then.
  private func returnedRows(
    _ listing: RowListing, _ request: PullRequest
  ) throws(LogError) -> Set<BackendID> {
    let bound = listing.boundRows(state, index)
    let ids = state.wasReplaced ? Set(bound.map(\.row.id)) : []
    let bindings = state.wasReplaced ? index.newestBindings() : [:]
    var returned = Set(
      listing.rows.map(\.id).filter { id in
        state.deletion(of: id) != nil
          || state.wasReplaced && !ids.contains(id)
            && bindings[RowIndex.hash(id)].map(state.isBeforeReplacement) == true
      })
    var others = Set(try state.rowsToDelete(texts.backendID).map(\.id))
    for suspicion in state.suspicions() where suspicion.decision != .both {
      others.formUnion(
        suspicion.backendIDs.filter { !state.isDeletedAtBackend($0, since: suspicion.seq) })
    }
    // The row of an erased entry is yet to be deleted.
    for seq in state.bindingsOfErased {
      if let id = try texts.backendID(boundBy: seq), !state.isDeletedAtBackend(id, since: seq) {
        others.insert(id)
      }
    }
    for (place, row) in bound {
      if state.isDeletedBySync(row: place) {
        returned.insert(row.id)
      } else if !state.entry(at: place).isDeleted
        || state.binding(ofRow: place).map({ state.isDeletedAtBackend(row.id, since: $0) }) != true
      {
        // The row of an entry deleted by the user exists until the backend deletes it.
        others.insert(row.id)
      }
    }
    // The person said of these that they are entries.
    returned = returned.subtracting(others).filter { !index.isAdmitted($0) }
    for id in returned where try isNewer(state.deletion(of: id), than: listing, request) {
      returned.remove(id)
    }
    return returned
  }

  /// Whether an event is so new that a listing need not show it.
  private func isNewer(
    _ seq: Seq?, than listing: RowListing, _ request: PullRequest
  ) throws(LogError) -> Bool {
    guard let seq, let listedAt = listing.listedAt else { return false }
    let age = listedAt.millisecondsSince1970 - (try texts.event(seq).event.at).millisecondsSince1970
    // The clock may have been set back a little.
    return abs(age) < request.settleMilliseconds
  }

  /// Rows of erased entries that are listed although the backend deleted them, as after a restored
  /// backup, or that an account created again has, each with the event that deleted the entry. Bound
  /// again, they are deleted again.
  private func rowsOfErased(
    in listing: RowListing, _ request: PullRequest
  ) throws(LogError) -> [(entry: EntryID, deletion: Seq, row: BackendID)] {
    let erased = state.erasedEntries()
    guard !erased.isEmpty else { return [] }
    let deletions = Dictionary(
      erased.map { ($0.entry, $0.deletions) }, uniquingKeysWith: { first, _ in first })
    let bindings = index.newestBindings()
    var found: [(entry: EntryID, deletion: Seq, row: BackendID)] = []
    for id in listing.rows.map(\.id) {
      guard let seq = bindings[RowIndex.hash(id)],
        state.isDeletedAtBackend(id, since: seq) || state.isOfEarlierAccount(seq)
          || request.account != nil,
        case .syncAcknowledged(let data) = try texts.event(seq).event.payload,
        let entry = data.entry, let deletion = deletions[entry]?.last
      else { continue }
      found.append((entry, deletion, id))
    }
    return found
  }

  /// More than twenty and more than a tenth of the live entries, or all of three or more (docs/sync.md,
  /// A backend that forgot), whether or not corrections keep some of them: without sleep sessions, which
  /// would hide that, and with them.
  ///
  /// All are gone as well if the backend lost them before the last of the others were sent, or another
  /// device has sent those again.
  ///
  /// - Parameter sessions: the missing sessions; the backend has no call that deletes one.
  private func massDeletion(
    _ pull: RowPull<Texts>, _ sessions: [Int], _ request: PullRequest
  ) -> Pulled.MassDeletion? {
    guard pull.missing.count + sessions.count >= 3 else { return nil }
    let live = state.rows.indices.filter { index in
      state.binding(ofRow: index) != nil && state.isMade(row: index)
        && !state.entry(at: index).isDeleted
    }
    let lastMissing =
      (pull.missing.map(state.binding(ofRow:)) + sessions.map(state.binding(ofSession:)))
      .compactMap(\.self).max() ?? Seq(1)
    let areGone = live.allSatisfy { index in
      let isSentSince = state.binding(ofRow: index).map { boundBy in
        boundBy > lastMissing && boundBy.number > request.lastFullSeq ?? .max
      }
      return pull.missing.contains(index) || pull.sentAgain.contains(index) || isSentSince == true
    }
    let liveSessions = boundSessions().values.count { !state.session(at: $0).isDeleted }
    let missing = pull.missing.count
    let counts = [
      (missing, live.count, areGone),
      (
        missing + sessions.count, live.count + liveSessions,
        areGone && sessions.count == liveSessions
      ),
    ]
    return counts.first { missing, live, areGone in
      missing >= 3 && areGone || missing > 20 && missing * 10 > live
    }.map { missing, live, _ in Pulled.MassDeletion(missing: missing, live: live) }
  }

  /// Rebuilds the backend from the ledger: voids all bindings except to listed or equal rows; entries
  /// without a row are then sent again.
  private func rebuild(
    _ request: PullRequest, _ listing: RowListing, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (payloads: [Event.Payload], pulled: Pulled) {
    let account =
      request.account
      ?? AccountChange(
        from: state.account.owner?.userID, to: state.account.owner?.userID,
        reason: "rows of \(listing.missing.count { !$0.isSuspected }) entries are missing")
    // A row that was deleted here is no correction by another device.
    var present = request
    present.returned = []
    var corrections = RowPull(self, present, listing, at: now)
    try corrections.takeCorrections()
    // Suspected rows may be missing, too.
    var payloads = corrections.payloads + suspectsGone(listing)
    payloads += try replacing(account, after: payloads, listing, at: now, using: &generator)
    var request = request
    request.bindsUntimed = true
    request.listing?.missing = []
    let rebuilt = try after(payloads, at: now, using: &generator)
    request.returned.subtract(listing.boundRows(rebuilt.state, rebuilt.index).map(\.row.id))
    request.returned.subtract(
      try rebuilt.state.rowsToDelete(rebuilt.texts.backendID).map(\.id))
    request.returned.subtract(rebuilt.state.openSuspicions().flatMap(\.backendIDs))
    var rows = RowPull(rebuilt, request, request.listing ?? listing, at: now)
    try rows.run(using: &generator)
    payloads += rows.payloads
    var pulled = corrections.result
    pulled.add(rows.result)
    let merged = try after(payloads, at: now, using: &generator)
      .merge(request.person, policy: request.policy)
    pulled.add(merged.pulled)
    payloads += merged.payloads
    try pullSleep(listing, &payloads, &pulled, at: now, using: &generator)
    return (payloads, pulled)
  }

  /// Voids all bindings and rebinds listed rows.
  private func replacing(
    _ account: AccountChange, after payloads: [Event.Payload], _ listing: RowListing,
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> [Event.Payload] {
    let replaced = AccountReplaced(from: account.from, to: account.to, reason: account.reason)
    var new: [Event.Payload] = [.accountReplaced(replaced)]
    let before = try after(payloads, at: now, using: &generator)
    for (place, row, edits) in try before.keptRows(listing) where !edits.isEmpty {
      new.append(
        .syncAcknowledged(
          SyncAcknowledged(
            call: .make(at: now, using: &generator), events: edits, status: 200, via: .reconciled,
            entry: EntryID(before.state.rows[place].id), backendID: row.id)))
    }
    guard replaced.isAnotherAccount, let sessions = listing.sessions else { return new }
    for item in try before.erasedSessions(notIn: sessions) {
      let deletions = item.deletions.filter {
        [.pending, .inDoubt, .held].contains(state.edits.state($0.number))
      }
      guard !deletions.isEmpty else { continue }
      new.append(
        .syncAcknowledged(SyncAcknowledged(events: deletions, via: .elided, entry: item.entry)))
    }
    return new
  }

  /// Erased sessions that another account does not list. The backend has no call that deletes a session,
  /// and these need none.
  private func erasedSessions(
    notIn listed: [ListedSession]
  ) throws(LogError) -> [LedgerState.ErasedEntry] {
    let erased = state.erasedSessions()
    guard !erased.isEmpty else { return [] }
    let ids = Set(listed.map(\.id))
    var present: Set<EntryID> = []
    for seq in state.bindingsOfErased {
      if case .syncAcknowledged(let data) = try texts.event(seq).event.payload,
        let entry = data.entry, data.backendID.map(ids.contains) == true
      {
        present.insert(entry)
      }
    }
    return erased.filter { !present.contains($0.entry) }
  }

  /// Entries whose rows are listed, with the edits that each row contains. A restored backup may have
  /// earlier rows of an entry, and so may a backend that was not asked to delete them yet: they come
  /// first, so that the last row replaces them. Without its last row, an entry's later edits are then
  /// sent again.
  private func keptRows(
    _ listing: RowListing
  ) throws(LogError) -> [(place: Int, row: ListedRow, edits: [Seq])] {
    let own = listing.boundRows(state, index).filter { place, _ in
      state.isMade(row: place) && !state.isDeletedBySync(row: place)
    }
    let bound = Set(own.map(\.row.id))
    var earlier: [(seq: Seq, place: Int, row: ListedRow, edits: [Seq])] = []
    for row in listing.rows where index.knows(row.id) && !bound.contains(row.id) {
      guard let seq = index.binding(of: row.id),
        let bound = try texts.boundEdits(by: seq), let first = bound.min(),
        let place = bound.lazy.compactMap({ state.edits.row($0.number) }).first,
        state.isMade(row: place), !state.isDeletedBySync(row: place)
      else { continue }
      // The row also has the values of the entry's first event, and of what was settled before its call;
      // below another device's correction there may be edits that were not.
      let base = state.edits(ofRow: place).first
      let isOfCall = !state.isBySync(first, ofRow: place)
      let edits = acknowledged(ofRow: place).filter { edit in
        bound.contains(edit) || edit == base || isOfCall && edit < first
      }
      earlier.append((seq, place, row, edits))
    }
    earlier.sort { $0.seq < $1.seq }
    return earlier.map { ($0.place, $0.row, $0.edits) }
      + own.map { place, row in (place, row, acknowledged(ofRow: place)) }
  }

  private func acknowledged(ofRow place: Int) -> [Seq] {
    state.edits(ofRow: place).filter { state.edits.state($0.number) == .acknowledged }
  }

  /// The context as if these were recorded.
  private func after(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> SyncContext<DryRunTexts<Texts>> {
    var ledger = DryRunLedger(
      state: state, texts: texts, index: index, dialect: dialect, zone: zone)
    if !payloads.isEmpty { ledger.record(payloads, at: now, using: &generator) }
    return ledger.context
  }
}
