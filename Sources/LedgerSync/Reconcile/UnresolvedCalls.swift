import LedgerJSON
package import LedgerLog
package import LedgerModel
package import LedgerProjections

/// A POST whose answer was lost: the backend may have created a row.
package struct UnresolvedCall: Hashable, Sendable {
  package var entry: EntryID
  /// The newest attempt.
  package var call: CallID
  package var attemptSeq: Seq
  package var attemptedAt: Timestamp
  /// The edits it sent.
  package var events: [Seq]
  /// The values it sent.
  package var key: RowKey
  package var isTimed: Bool

  /// Where its row would be listed: on its day or one next to it.
  var listing: Listing { .around(key.day, key.metric) }
}

/// What a run needs to know of the log when it begins.
package struct StartingState: Hashable, Sendable {
  /// Oldest attempt first.
  package var unresolved: [UnresolvedCall] = []
  /// Until when the backend asked to wait.
  package var notBefore: Timestamp?
  package var openEdits = 0
  /// The `user_id` of the account that the ledger belongs to.
  package var ownerUserID: String?
  /// The `user_id` of the account that is signed in.
  package var currentUserID: String?
  /// The values of profile fields that both sides last agreed on.
  var agreed: [ProfileField: AgreedValue] = [:]
  /// Whether there are sleep sessions that the backend should have.
  package var hasSessions = false
  /// Whether all rows have to be listed: one of them is to become an entry, or is to be deleted in
  /// favor of one that another device may have deleted.
  package var needsAllRows = false
  /// Whether corrections of timed entries with a row are to be sent.
  package var hasCorrections = false

  /// A value, and when it was recorded.
  struct AgreedValue: Hashable, Sendable {
    var value: JSONValue
    var at: Timestamp
  }

  package init() {}

  var lastAttemptAt: Timestamp? { unresolved.map(\.attemptedAt).max() }

  /// The fields by which the backend is known to have had a profile.
  var agreedProfile: [AgreedValue] {
    ProfileSubject.profile.fields.compactMap { agreed[$0] }.filter { !$0.value.isNothing }
  }

  /// - Parameter other: a wait that the log does not have.
  /// - Returns: `nil` for no wait. More than an hour came from a wrong clock (docs/sync.md, What an
  ///   answer means).
  package func retryAfterSeconds(at now: Timestamp, orUntil other: Timestamp?) -> Int? {
    guard let notBefore = [notBefore, other].compactMap(\.self).max() else { return nil }
    let milliseconds = notBefore.millisecondsSince1970 - now.millisecondsSince1970
    guard milliseconds > 0, milliseconds <= 3_600_000 else { return nil }
    return Int((milliseconds + 999) / 1000)
  }
}

/// The result of looking up unresolved calls (docs/sync.md, What an answer means).
package struct Reconciliation: Hashable, Sendable {
  /// How many edits had arrived.
  package var reconciled = 0
  /// Entries that the backend does not have: they may be sent again.
  package var notFound: Set<EntryID> = []
  package var suspected = 0

  package init() {}
}

extension SyncContext {
  private var reader: AttemptReader<Texts> { AttemptReader(state: state, texts: texts) }

  package func key(of entry: EntryView) throws(LogError) -> RowKey { try reader.key(of: entry) }

  func startingState() throws(LogError) -> StartingState {
    var start = StartingState()
    start.unresolved = try unresolvedCalls()
    start.notBefore = state.notBefore
    let counts = state.syncCounts()
    start.openEdits = counts.pending + counts.inDoubt
    start.ownerUserID = state.account.owner?.userID
    start.currentUserID = state.account.current?.userID
    for field in ProfileField.allCases {
      guard let value = state.profile.agreed(field),
        let seq = state.profile.agreedAt(field).flatMap({ Seq(exactly: $0) })
      else { continue }
      start.agreed[field] = .init(value: value, at: try texts.event(seq).event.at)
    }
    start.hasSessions = state.sessions.contains {
      state.binding(ofSession: $0) != nil && !state.session(at: $0).isDeleted
    }
    start.needsAllRows =
      index.hasAdmitted
      || state.suspicions().contains { suspicion in
        suspicion.resolvedBy.map { state.edits.state($0.number).isOpen } ?? false
      }
    start.hasCorrections = state.rowsWithOpenEdits().contains { row in
      state.binding(ofRow: row) != nil && !state.entry(at: row).isDeleted
        && state.acknowledgedEntry(at: row).moment != nil
    }
    if !start.needsAllRows {
      // A listing of all decides whether the backend has one.
      start.needsAllRows = state.sessionsWithOpenEdits().contains {
        state.session(at: $0).isDeleted && state.binding(ofSession: $0) == nil
      }
    }
    if !start.needsAllRows {
      start.needsAllRows = try !state.rowsToDelete(texts.backendID).isEmpty
    }
    return start
  }

  /// Oldest attempt first.
  func unresolvedCalls() throws(LogError) -> [UnresolvedCall] {
    var calls: [UnresolvedCall] = []
    for row in state.rowsWithOpenEdits() {
      if let call = try reader.unresolvedCall(ofRow: row) { calls.append(call) }
    }
    return calls.sorted { $0.attemptSeq < $1.attemptSeq }
  }

  /// Binds rows to calls. Further equal rows are suspected to be duplicates.
  ///
  /// - Parameters:
  ///   - calls: those whose days were listed completely.
  ///   - listed: the rows of those days.
  func reconcile(
    _ calls: [UnresolvedCall], _ listed: [ListedRow]
  ) -> (payloads: [Event.Payload], reconciliation: Reconciliation) {
    var reconciliation = Reconciliation()
    var payloads: [Event.Payload] = []
    // Oldest row first: the backend lists newest first.
    var candidates = UnknownRows(
      listed.reversed().filter { !index.knows($0.id) && !index.isAdmitted($0.id) },
      state.openConflicts())
    var found: [UnresolvedCall] = []
    for call in calls.filter(isStillUnresolved).sorted(by: { $0.attemptSeq < $1.attemptSeq }) {
      guard
        let row = candidates.take(
          matching: call.key, isTimed: call.isTimed, for: call.entry)
      else {
        reconciliation.notFound.insert(call.entry)
        continue
      }
      payloads.append(Self.reconciled(call, row))
      reconciliation.reconciled += call.events.count
      found.append(call)
    }
    for call in found {
      var rows: [BackendID] = []
      while let row = candidates.take(
        matching: call.key, isTimed: call.isTimed, for: call.entry)
      {
        rows.append(row.id)
      }
      guard !rows.isEmpty else { continue }
      reconciliation.suspected += rows.count
      payloads.append(
        .duplicateSuspected(DuplicateSuspected(entry: call.entry, backendIDs: rows)))
    }
    return (payloads, reconciliation)
  }

  static func reconciled(_ call: UnresolvedCall, _ row: ListedRow) -> Event.Payload {
    .syncAcknowledged(
      SyncAcknowledged(
        call: call.call, events: call.events, status: 200, via: .reconciled, entry: call.entry,
        backendID: row.id, remote: call.key.agreed(with: row)))
  }

  /// Another process may have reconciled it meanwhile.
  private func isStillUnresolved(_ call: UnresolvedCall) -> Bool {
    call.events.contains { seq in
      state.edits.state(seq.number) == .inDoubt
        && state.edits.marker(seq.number) == call.attemptSeq.number
    }
  }
}

/// Reads from the log what an attempt sent.
struct AttemptReader<Texts: LedgerTexts> {
  let state: LedgerState
  let texts: Texts

  /// The unanswered POST of an entry. An unanswered DELETE is sent again.
  func unresolvedCall(ofRow row: Int) throws(LogError) -> UnresolvedCall? {
    for seq in state.edits(ofRow: row) where state.edits.state(seq.number) == .inDoubt {
      guard let marker = state.edits.marker(seq.number).flatMap(Seq.init(exactly:)) else {
        continue
      }
      let recorded = try texts.event(marker)
      guard case .syncAttempted(let attempt) = recorded.event.payload,
        attempt.method == WireRequest.Method.post.rawValue
      else { continue }
      let values = state.entry(at: row, carriedBy: attempt.events, attempt: marker)
      return UnresolvedCall(
        entry: values.id, call: attempt.call, attemptSeq: marker, attemptedAt: recorded.event.at,
        events: attempt.events, key: try key(of: values), isTimed: values.moment != nil)
    }
    return nil
  }

  func key(of entry: EntryView) throws(LogError) -> RowKey {
    let notes = try entry.notesIn.map { seq throws(LogError) in try texts.notes(in: seq) }
    return RowKey(entry, notes: (notes ?? nil) ?? "")
  }
}

extension RowKey {
  /// What an entry with these values looks like in a listing.
  init(_ entry: EntryView, notes: String) {
    let moment = entry.moment ?? ZonedTime(time: .midnight, zone: .utc)
    self.init(
      metric: entry.metric, moment: moment.instant(on: entry.date), quantity: entry.quantity,
      notes: notes)
  }
}
