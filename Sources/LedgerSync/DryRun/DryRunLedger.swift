package import LedgerLog
package import LedgerModel
package import LedgerProjections

/// A ledger plus events that are not recorded: those of a dry run, or the first events of a decision
/// that its later events depend on.
package struct DryRunLedger<Texts: LedgerTexts>: SyncLedger {
  private var state: LedgerState
  private var index: RowIndex
  private let texts: Texts
  private let dialect: Dialect
  private let zone: LocalZone
  private var events: [RecordedEvent] = []
  /// What the run would plan, once it was queried; a dry run ends then.
  package private(set) var planRequest: PlanRequest?

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

  /// How many entries and sessions the run would delete, since their rows are missing.
  package var deletions: Int {
    events.count { recorded in
      switch recorded.event.payload {
      case .progressDeleted(let data): data.reason == DeletionReason.missing
      case .sleepDeleted(let data): data.reason == DeletionReason.missing
      default: false
      }
    }
  }

  package var context: SyncContext<DryRunTexts<Texts>> {
    SyncContext(
      state: state, texts: DryRunTexts(texts: texts, events: events), index: index,
      dialect: dialect, zone: zone)
  }

  package mutating func answer(_ query: SyncQuery) throws -> SyncQueryResult {
    guard case .plan(let request) = query else { return try context.answer(query) }
    planRequest = request
    return .plan(Plan())
  }

  /// The whole plan, in the batches in which a run makes it.
  ///
  /// - Parameters:
  ///   - request: that of the first batch.
  ///   - onCalls: receives the calls of each batch.
  /// - Returns: the plan without its calls.
  package func plan(
    _ request: PlanRequest, onCalls: ([PlannedCall]) throws -> Void
  ) throws -> Plan {
    let context = context
    var request = request
    var whole = Plan()
    var next: Int? = request.firstRow
    while let row = next {
      request.firstRow = row
      let batch = try context.plan(request)
      try onCalls(batch.calls)
      whole.add(batch)
      next = batch.next
      (request.includesPerson, request.includesLeftovers) = (false, false)
    }
    return whole
  }

  package mutating func record(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) {
    var new: [RecordedEvent] = []
    for payload in payloads {
      let event = Event(id: .make(at: now, using: &generator), at: now, by: .sync, payload: payload)
      let seq = new.last?.seq.next ?? state.nextSeq
      new.append(RecordedEvent(seq: seq, event: event, hash: ""))
    }
    events += new
    index.note(new)
    state = state.applying(unrecorded: new)
  }

  package mutating func decide(
    _ decision: SyncDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> SyncOutcome {
    let (payloads, outcome) = try context.decide(decision, at: now, using: &generator)
    record(payloads, at: now, using: &generator)
    return outcome
  }
}

/// The texts of a log and of unrecorded events after it.
package struct DryRunTexts<Texts: LedgerTexts>: LedgerTexts {
  let texts: Texts
  /// In the order of seq.
  let events: [RecordedEvent]

  private func unrecorded(_ seq: Seq) -> RecordedEvent? {
    guard let first = events.first?.seq, seq >= first else { return nil }
    let index = seq.number - first.number
    return events.indices.contains(index) ? events[index] : nil
  }

  package func salted(_ seq: Seq) throws(LogError) -> (event: RecordedEvent, salt: String) {
    if let event = unrecorded(seq) { return (event, "") }
    return try texts.salted(seq)
  }
}
