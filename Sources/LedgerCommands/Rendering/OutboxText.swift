import LedgerJSON
import LedgerModel
import LedgerProjections

/// `show sync` for people.
struct OutboxText {
  let outbox: Outbox

  func write(to console: Console) throws(OutputFailure) {
    guard !outbox.items.isEmpty else {
      return try console.line("Nothing waits for the backend.")
    }
    var table = Table([
      .left("what"), .left("state"), .left("events", shrinks: true), .left("why", shrinks: true),
    ])
    for item in outbox.items {
      table.add(
        .init(words(item.subject)), .init(item.state.words, item.state.style),
        .init(Self.numbers(item.events), .dim),
        .init(item.text ?? ""))
    }
    try console.write(table)
    for advice in advice { console.note(advice, .dim) }
  }

  /// One item may be of thousands of edits, and a column as wide as all their numbers would be little
  /// but blanks in all the other rows.
  private static func numbers(_ events: [Seq]) -> String {
    let shown = events.prefix(12).map { "#\($0)" }.joined(separator: " ")
    let more = events.count - 12
    return more > 0 ? "\(shown) and \(NumberText.count(more)) more" : shown
  }

  private func words(_ subject: Outbox.Subject) -> String {
    switch subject {
    case .profile(let subject): subject.rawValue
    case .entry(_, let metric): metric.words
    case .erasedEntry: "erased entry"
    }
  }

  private var advice: [String] {
    let states = Set(outbox.items.map(\.state))
    var advice: [String] = []
    if states.contains(.pending) || states.contains(.inDoubt) {
      advice.append("send them: ledger sync")
    }
    if states.contains(.rejected) { advice.append("correct what was rejected, and sync again") }
    if states.contains(.conflict) { advice.append("decide the conflicts: ledger conflicts") }
    return advice
  }
}

extension Outbox.State {
  var words: String {
    switch self {
    case .inDoubt: "in doubt"
    case .pending, .held, .rejected, .conflict: rawValue
    }
  }

  var style: Paint.Style {
    switch self {
    case .pending: .dim
    case .inDoubt, .held: .yellow
    case .rejected, .conflict: .red
    }
  }
}

extension Outbox.Item {
  var json: JSONObject {
    var object = JSONObject()
    switch subject {
    case .profile(let subject): object["subject"] = .string(subject.rawValue)
    case .entry(let id, _), .erasedEntry(let id):
      object["subject"] = "progress"
      object["entry"] = .string(id.description)
    }
    object["events"] = .array(events.map { JSONValue($0.number) })
    object["state"] = .string(state.rawValue)
    if let text { object[state == .held ? "reason" : "message"] = .string(text) }
    return object
  }
}
