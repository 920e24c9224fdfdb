import LedgerModel

/// What the events of one life say, told of it alone.
struct HistoryText {
  let words: EventText
  let times: TimeText
  /// Whether several edits are told of, so that every call and answer has to say which it means.
  let hasManyEdits: Bool
  /// Calls whose answer came.
  private let answered: Set<CallID>

  init(
    _ lines: [EventHistory.Line], hasManyEdits: Bool, words: EventText, times: TimeText
  ) {
    self.words = words
    self.times = times
    self.hasManyEdits = hasManyEdits
    answered = Set(
      lines.compactMap { line in
        switch line.recorded.event.payload {
        case .syncDeferred(let data): data.call
        case .syncRejected(let data): data.call
        case .syncDiffered(let data): data.call
        case .syncAcknowledged(let data) where data.via == .response: data.call
        default: nil
        }
      })
  }

  func sentence(_ event: Event) -> (text: String, style: Paint.Style?) {
    switch event.payload {
    case .progressLogged: ("logged \(words.sentence(event))", nil)
    case .syncAttempted(let data): attempted(data)
    case .syncDeferred(let data): (deferred(data), .yellow)
    case .syncAcknowledged(let data): (acknowledged(data), .green)
    case .syncRejected(let data):
      ("rejected\(list(data.events)) (\(data.status)): \(data.message)", .red)
    case .syncHeld(let data):
      (
        "held\(list(data.events)) (\(data.reason)): \(SyncText.advice(onHold: data.reason))",
        .yellow
      )
    case .duplicateSuspected(let data):
      (
        "more rows at the backend may be this entry: "
          + data.backendIDs.map(\.text).joined(separator: ", "), .yellow
      )
    case .conflictDetected: (words.sentence(event), .red)
    case .erased(let type, _): ("\(type), its content erased", .dim)
    default: (words.sentence(event), nil)
    }
  }

  private func attempted(_ data: SyncAttempted) -> (String, Paint.Style?) {
    let isAnswered = answered.contains(data.call)
    let text =
      "\(data.method) \(data.path)\(list(data.events))"
      + (data.attempt > 1 ? ", attempt \(data.attempt)" : "")
    return (text + (isAnswered ? "" : "; no answer came"), isAnswered ? nil : .yellow)
  }

  private func deferred(_ data: SyncDeferred) -> String {
    SyncText.words(data.reason) + (data.status.map { " (\($0))" } ?? "") + list(data.events)
      + (data.notBefore.map { ", not before \(times.second($0))" } ?? "")
  }

  private func acknowledged(_ data: SyncAcknowledged) -> String {
    let status = data.status.map { " (\($0))" } ?? ""
    let row = data.backendID.map { " as \($0)" } ?? ""
    let gone = data.backendID.map { "\($0)" } ?? "its row"
    let list = list(data.events)
    return switch (data.via, data.status) {
    case (.elided, _): "nothing left to send\(list)"
    case (.reconciled, _): "found at the backend\(list)\(row), which settles the doubt"
    case (.response, 204): "the backend deleted \(gone)\(list)\(status)"
    case (.response, 404): "the backend no longer had \(gone)\(list)\(status)"
    case (.response, _): "acknowledged\(list)\(status)\(row)"
    }
  }

  private func list(_ events: [Seq]) -> String {
    hasManyEdits || events.count > 1 ? " for \(SyncText.list(events))" : ""
  }
}
