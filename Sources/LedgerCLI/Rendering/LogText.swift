import LedgerModel

/// `log` for people: a row an event, newest first, written as it is read.
struct LogText {
  private let times: TimeText
  private let words: EventWords
  private let console: Console
  private let numberWidth: Int
  /// The columns that are left for what happened; `nil` where lines may be long.
  private let roomForWords: Int?
  private let isWide: Bool
  /// Beside a graph, a narrow terminal has no room for times.
  private let hasTimes: Bool
  private let graph: LogGraph?

  private static let timeWidth = 16
  private static let actorWidth = 6
  private static let entryWidth = 13

  init(
    zone: LocalZone, names: EntryNames, newest: Int, graph: LogGraph? = nil, console: Console
  ) {
    self.graph = graph
    times = TimeText(zone: zone)
    words = EventWords(names: names)
    self.console = console
    numberWidth = max(3, String(newest).count)
    let width = console.isTerminal ? console.width : nil
    isWide = width.map { $0 >= (graph == nil ? 90 : 110) } ?? true
    hasTimes = graph == nil || (width ?? .max) >= 60
    let lanes = graph == nil ? 0 : LogGraph.width + 2
    let taken = lanes + numberWidth + 2 + (hasTimes ? Self.timeWidth + 2 : 0)
    let more = isWide ? Self.actorWidth + 2 + Self.entryWidth + 2 : 0
    roomForWords = width.map { max(16, $0 - taken - more) }
  }

  func writeHeader() throws(OutputFailure) {
    let lanes = graph == nil ? nil : String(repeating: " ", count: LogGraph.width)
    try console.line(
      console.paint.dim(
        row(lanes: lanes, number: "seq", time: "time", actor: "by", entry: "entry", "what")))
  }

  func write(_ recorded: RecordedEvent) throws(OutputFailure) {
    let event = recorded.event
    let text = escapedForTerminal(words.sentence(event))
    // What became of it is worth more than the end of a long text.
    let outcome = graph?.outcome(recorded).map { " \($0)" } ?? ""
    let room = roomForWords.map { max(8, $0 - displayWidth(outcome)) }
    let paint = console.paint
    let step = graph?.step(recorded)
    let lanes = step.flatMap { step in
      graph.map { paint.apply($0.style(step), $0.lanes(step)) }
    }
    try console.line(
      row(
        lanes: lanes, number: paint.dim(left(recorded.seq.description, numberWidth)),
        time: times.minute(event.at), actor: event.by.rawValue,
        entry: words.entry(event).map { EntryText.short($0) } ?? "",
        paint.apply(event.payload.style, room.map { truncated(text, columns: $0) } ?? text)
          + paint.dim(outcome)))
  }

  private func row(
    lanes: String?, number: String, time: String, actor: String, entry: String, _ words: String
  ) -> String {
    var cells = (lanes.map { [$0] } ?? []) + [left(number, numberWidth)]
    if hasTimes { cells.append(right(time, Self.timeWidth)) }
    if isWide {
      cells.append(right(actor, Self.actorWidth))
      cells.append(console.paint.dim(right(entry, Self.entryWidth)))
    }
    return (cells + [words]).joined(separator: "  ")
  }

  private func left(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private func right(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension Event.Payload {
  /// What a person should see first: what went wrong, and what waits for them.
  fileprivate var style: Paint.Style? {
    switch self {
    case .syncRejected, .syncDiffered, .conflictDetected: .red
    case .syncHeld, .syncDeferred, .rowSkipped, .duplicateSuspected, .accountReplaced, .logRepaired:
      .yellow
    case .syncAttempted, .syncAcknowledged, .unknown, .erased: .dim
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressCorrected, .progressDeleted, .profilePulled, .progressPulled, .conflictResolved,
      .duplicateResolved, .editUndone, .accountSignedIn, .accountSignedOut, .eventErased:
      nil
    }
  }
}
