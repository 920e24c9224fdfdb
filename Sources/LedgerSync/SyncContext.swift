import LedgerJSON
public import LedgerLog
package import LedgerModel
package import LedgerProjections

/// Answers the machine's queries and makes its decisions from one state of the log. It writes
/// nothing: a decision is returned as events.
package struct SyncContext<Texts: LedgerTexts> {
  package let state: LedgerState
  package let texts: Texts
  let index: RowIndex
  let dialect: Dialect
  /// The ledger's, for the dates of pulled entries.
  let zone: LocalZone

  package init(
    state: LedgerState, texts: Texts, index: RowIndex, dialect: Dialect,
    zone: LocalZone
  ) {
    self.state = state
    self.texts = texts
    self.index = index
    self.dialect = dialect
    self.zone = zone
  }

  /// - Throws: only if the log cannot be read.
  package func answer(_ query: SyncQuery) throws(LogError) -> SyncQueryResult {
    switch query {
    case .startingState: return .startingState(try startingState())
    case .unlisted(let hashes): return .unlisted(hashes.contains { !index.isOnRecord($0) })
    case .missing(let listed):
      let (missing, boundAt) = try missing(from: listed)
      return .missing(missing, boundAt: boundAt)
    case .plan(let request): return .plan(try plan(request))
    case .corrected(let seq, let listed):
      return .corrected(try corrected(since: seq, listedAt: listed))
    case .summary: return .summary(try summary())
    }
  }

  /// - Throws: only if the log cannot be read.
  package func plan(_ request: PlanRequest = PlanRequest()) throws(LogError) -> Plan {
    var plan = try Planner.plan(state, texts: texts, dialect: dialect, request)
    if request.wantsBoundRows, plan.calls.contains(where: \.createsRow) {
      plan.boundRows = boundRows
    }
    return plan
  }

  func summary() throws(LogError) -> SyncSummary {
    SyncSummary(
      counts: try state.syncCounts(texts.backendID), openConflicts: state.openConflicts().count,
      openSuspicions: state.openSuspicions().count)
  }

  /// - Throws: only if the log cannot be read.
  package func decide(
    _ decision: SyncDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (payloads: [Event.Payload], outcome: SyncOutcome) {
    switch decision {
    case .reconcile(let calls, let rows):
      let (payloads, reconciliation) = reconcile(calls, rows)
      return (payloads, .reconciled(reconciliation))
    case .pull(let request):
      var (payloads, pulled) = try pull(request, at: now, using: &generator)
      pulled.lastSeq = state.position.seq
      return (payloads, .pulled(pulled))
    }
  }
}

/// A question of the machine to the log.
package enum SyncQuery: Hashable, Sendable {
  case startingState
  /// Whether any row with one of these id hashes is not on record.
  case unlisted(Set<UInt64>)
  /// Entries whose rows are not among those listed, given as id hashes.
  case missing(listed: Set<UInt64>)
  case plan(PlanRequest)
  /// Timed entries with corrections that were sent or answered after an event, and whether that was
  /// after the rows were listed.
  case corrected(since: Int, listedAt: Int)
  case summary
}

package enum SyncQueryResult: Hashable, Sendable {
  case startingState(StartingState)
  case unlisted(Bool)
  /// With the time of the newest answer that bound one of them.
  case missing([MissingRow], boundAt: Timestamp?)
  case plan(Plan)
  case corrected(CorrectedRows)
  case summary(SyncSummary)
}

/// What is left to do when a run ends.
package struct SyncSummary: Hashable, Sendable {
  package var counts = SyncCounts()
  package var openConflicts = 0
  package var openSuspicions = 0
}

/// A decision made under the log's lock, so that no edit comes in between.
package enum SyncDecision: Hashable, Sendable {
  case reconcile([UnresolvedCall], [ListedRow])
  case pull(PullRequest)
}

package enum SyncOutcome: Hashable, Sendable {
  case reconciled(Reconciliation)
  case pulled(Pulled)
}

/// Access to what the state does not hold: notes, the backend's ids, methods of attempts. They are
/// read from the log when needed, and the chain link of each line is checked.
package protocol LedgerTexts {
  /// An event, and its salt; that of an erased event is empty.
  func salted(_ seq: Seq) throws(LogError) -> (event: RecordedEvent, salt: String)
}

extension LogView: LedgerTexts {
  package func salted(_ seq: Seq) throws(LogError) -> (event: RecordedEvent, salt: String) {
    let line = try checkedLine(seq)
    return (try line.event(), try line.salt())
  }
}

/// For plans, which go through a log in order.
extension NearbyLines: LedgerTexts {
  package func salted(_ seq: Seq) throws(LogError) -> (event: RecordedEvent, salt: String) {
    let line = try checkedLine(seq)
    return (try line.event(), try line.salt())
  }
}

extension LedgerTexts {
  package func event(_ seq: Seq) throws(LogError) -> RecordedEvent { try salted(seq).event }

  /// The notes that an event set.
  package func notes(in seq: Seq) throws(LogError) -> String? {
    try event(seq).event.payload.entryNotes
  }

  /// The backend's id that an event bound to an entry.
  package func backendID(boundBy seq: Seq) throws(LogError) -> BackendID? {
    try event(seq).event.payload.backendID
  }

  /// The edits whose values are in the row that an event bound.
  func boundEdits(by seq: Seq) throws(LogError) -> [Seq]? {
    switch try event(seq).event.payload {
    case .syncAcknowledged(let data): data.events
    case .syncDiffered(let data): data.events
    case .progressPulled, .progressCorrected: [seq]
    default: nil
    }
  }

  /// The quantity at the backend, if it rounded the one that was sent.
  func agreedQuantity(boundBy seq: Seq) throws(LogError) -> Double? {
    switch try event(seq).event.payload {
    case .syncAcknowledged(let data): data.remote?["quantity"]?.number
    default: nil
    }
  }
}
