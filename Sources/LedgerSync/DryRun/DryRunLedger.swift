public import LedgerLog
public import LedgerModel
public import LedgerProjections

/// A ledger with events on top of it that are not recorded: those of a dry run, or the first ones of a
/// decision that later ones of it build on.
public struct DryRunLedger<Texts: LedgerTexts> {
  public private(set) var state: LedgerState
  public private(set) var index: RowIndex
  private let texts: Texts
  private var events: [RecordedEvent] = []

  public init(state: LedgerState, texts: Texts, index: RowIndex) {
    self.state = state
    self.texts = texts
    self.index = index
  }

  /// What the log says, and what is foreseen.
  public func desk(
    _ dialect: Dialect, _ zone: LocalZone = .current
  ) -> SyncContext<ForeseenTexts<Texts>> {
    SyncContext(
      state: state, texts: ForeseenTexts(texts: texts, events: events), index: index,
      dialect: dialect, zone: zone)
  }

  /// Takes a decision's events for recorded.
  public mutating func add(
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
    state = state.foreseeing(new)
  }
}

/// Texts of a log, and of events on top of it.
public struct ForeseenTexts<Texts: LedgerTexts>: LedgerTexts {
  let texts: Texts
  /// In the order of seq.
  let events: [RecordedEvent]

  private func foreseen(_ seq: Seq) -> RecordedEvent? {
    guard let first = events.first?.seq, seq >= first else { return nil }
    let index = seq.number - first.number
    return events.indices.contains(index) ? events[index] : nil
  }

  public func event(_ seq: Seq) throws(LogError) -> RecordedEvent {
    if let event = foreseen(seq) { return event }
    return try texts.event(seq)
  }

  public func salt(of seq: Seq) throws(LogError) -> String {
    foreseen(seq) == nil ? try texts.salt(of: seq) : ""
  }
}
