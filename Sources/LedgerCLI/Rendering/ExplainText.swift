import LedgerModel
import LedgerProjections

/// `explain` for people: what it is, a dated line an event, and where it stands.
struct ExplainText {
  let subject: ExplainedSubject
  let lines: [EventHistory.Line]
  let standing: EditStatus
  let state: LedgerState
  let words: EventText
  let times: TimeText

  /// As it is shown on a console, line by line.
  func lines(on console: Console) -> [String] {
    var shown: [String] = []
    let width = console.isTerminal ? console.width : nil
    if let entry {
      shown.append(console.paint.bold(words(of: entry)))
      shown.append(console.paint.dim("entry \(entry.id)"))
    }
    let life = HistoryText(
      lines, hasManyEdits: subject.edits(in: state).count > 1, words: words, times: times)
    let numberWidth = max(3, lines.map { "\($0.recorded.seq)".count }.max() ?? 0)
    for line in lines {
      let event = line.recorded.event
      let (text, style) = life.sentence(event)
      let number = "\(line.recorded.seq)"
      let when = times.second(event.at)
      let taken = numberWidth + 2 + when.count + 2
      let lead =
        String(repeating: " ", count: numberWidth - number.count)
        + "\(console.paint.dim(number))  \(when)  "
      for (index, row) in wrapped(text, at: width.map { $0 - taken }).enumerated() {
        let margin = index == 0 ? lead : String(repeating: " ", count: taken)
        shown.append(margin + console.paint.apply(style, row))
      }
      if case .syncRejected(let data) = event.payload, let body = data.body {
        // What was sent, so that it can be compared with what the backend says of it.
        let margin = String(repeating: " ", count: taken)
        shown += PrettyJSON.lines(body).map { margin + escapedForTerminal($0) }
      }
    }
    return shown + standingLines(on: console, width)
  }

  private func standingLines(on console: Console, _ width: Int?) -> [String] {
    let status = standing.status.words
    let rows = wrapped("\(status): \(standing.why)", at: width)
    let first = rows.first?.dropFirst(status.count) ?? ""
    return [console.paint.apply(standing.status.style, status) + first] + rows.dropFirst()
  }

  private func wrapped(_ text: String, at width: Int?) -> [String] {
    let shown = escapedForTerminal(text)
    guard let width else { return [shown] }
    return LedgerCLI.wrapped(shown, width: max(16, width))
  }

  /// The entry as it is now.
  private var entry: EntryView? {
    guard case .entry(let row) = subject, state.isMade(row: row) else { return nil }
    return state.entry(at: row)
  }

  private func words(of entry: EntryView) -> String {
    let quantities = QuantityText(units: state.profileView().unitSystem ?? .metric)
    let time = entry.moment.map { " \($0.shortText)" } ?? ""
    return "\(entry.metric.words) \(quantities.words(entry.quantity, of: entry.metric)) on "
      + "\(entry.date)\(time)" + (entry.isDeleted ? ", deleted" : "")
  }
}
