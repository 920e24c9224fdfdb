public import LedgerLog
public import LedgerModel
public import LedgerProjections

/// A ledger with what a run would have recorded on top of it, for who wants to see what would be
/// sent. Nothing is written.
public struct ForeseenLedger: Sendable {
  public private(set) var state: LedgerState
  public private(set) var index: RowIndex
  private let view: LogView
  private var events: [RecordedEvent] = []

  public init(state: LedgerState, view: LogView, index: RowIndex) {
    self.state = state
    self.view = view
    self.index = index
  }

  /// What the log says, and what is foreseen.
  public func desk(_ dialect: Dialect) -> SyncDesk<ForeseenTexts> {
    SyncDesk(
      state: state, texts: ForeseenTexts(view: view, events: events), index: index,
      dialect: dialect)
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

/// Texts of a log, and of what is foreseen behind its end.
public struct ForeseenTexts: LedgerTexts, Sendable {
  let view: LogView
  /// In the order of seq.
  let events: [RecordedEvent]

  private func foreseen(_ seq: Seq) -> RecordedEvent? {
    guard let first = events.first?.seq, seq >= first else { return nil }
    let index = seq.number - first.number
    return events.indices.contains(index) ? events[index] : nil
  }

  public func event(_ seq: Seq) throws(LogError) -> RecordedEvent {
    if let event = foreseen(seq) { return event }
    return try view.event(seq)
  }

  public func salt(of seq: Seq) throws(LogError) -> String {
    foreseen(seq) == nil ? try view.salt(of: seq) : ""
  }
}
