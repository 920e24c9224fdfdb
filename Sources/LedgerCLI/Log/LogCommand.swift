import LedgerLog
import LedgerModel
import LedgerProjections

enum LogCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "log", "show the events, newest first",
    group: .look,
    options: [
      .value("entry", "ENTRY", "only what concerns this entry, its edits' answers included"),
      .value(
        "type", "TYPE", "only this type, or family of types: progress.logged, sync",
        hint: .words(LogFilter.knownTypes)),
      .value(
        "metric", "METRIC", allowed: Metric.names, "only edits of this metric and its goals",
        normalize: { Metric(spoken: $0)?.name ?? $0 }),
      .value(
        "by", "WHO", allowed: Event.Actor.allCases.map(\.rawValue),
        "only events of the person, of imports, of syncs or of the ledger itself"),
      .value("from", "SEQ|TIME", aliases: ["since"], "only events from there on"),
      .value("to", "SEQ|TIME", aliases: ["until"], "only events up to there"),
      .value("limit", "N", aliases: ["count"], short: "n", "only the last N of these"),
      .flag("graph", "draw a graph of the calls to the backend and the outcome of each edit"),
    ],
    examples: [
      CommandExample("ledger log -n 20"),
      CommandExample("ledger log --entry 17", "the history of the entry that event 17 logged"),
      CommandExample("ledger log --metric weight --from yesterday"),
      CommandExample("ledger log --by import --type progress", "what imports logged"),
      CommandExample("ledger log --graph -n 20"),
      CommandExample("ledger log --json --from 100", "the stored lines, oldest first"),
    ],
    notes: [
      "With --json the lines leave as they are stored, byte for byte, oldest first, and nothing is "
        + "printed where none matches.",
      "ENTRY is the number of the event that logged it, or a unique start of its id. TIME is a day "
        + "(all of it), a moment such as 2025-01-31T08:00, or yesterday, -3d, -12h, '2 weeks ago', "
        + "'last monday'; it is compared with the moment each event was recorded.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let count = try arguments.integer("limit", in: 1 ... .max)
    try arguments.exclude("graph", "json")
    let ledger = try ReadLedger(arguments, console)
    let filter = try filter(arguments, in: ledger)
    if console.json {
      try writeLines(filter, count, of: ledger, to: console)
    } else {
      try writeText(filter, count, isGraph: arguments.flag("graph"), of: ledger, to: console)
    }
    return .done
  }

  private static func filter(
    _ arguments: ParsedArguments, in ledger: ReadLedger
  ) throws -> LogFilter {
    var filter = LogFilter()
    filter.type = arguments.option("type")
    filter.actor = arguments.option("by").flatMap(Event.Actor.init)
    filter.metric = arguments.option("metric").flatMap { Metric(name: $0) }.map {
      MetricFilter(metric: $0, names: EntryNames(ledger))
    }
    filter.entry = try arguments.option("entry").map {
      text in try ledger.ask { try EntryArgument.find(text, in: $0, of: ledger.view).id }
    }
    filter.from = try arguments.option("from").map {
      try ledger.moment($0, of: "--from", as: .start)
    }
    filter.to = try arguments.option("to").map {
      try ledger.moment($0, of: "--to", as: .end)
    }
    if let first = filter.from, let last = filter.to, first.isKnownAfter(last) {
      throw UsageError.badValue(
        option: "--from", value: arguments.option("from") ?? "",
        why: .expected("an event or time not after --to \(arguments.option("to") ?? "")"))
    }
    return filter
  }

  private static func writeLines(
    _ filter: LogFilter, _ count: Int?, of ledger: ReadLedger, to console: Console
  ) throws {
    let search = LogSearch(ledger.view, filter)
    guard count == nil, filter.entry == nil else {
      let places =
        try places(filter, count, in: ledger) ?? search.last(count ?? .max)
      for place in places {
        let line = try ledger.view.line(at: place.offsetBytes, count: place.count)
        try console.write(bytes: line.bytes + [0x0A])
      }
      return
    }
    var failure: OutputFailure?
    try search.run { window, matches in
      do throws(OutputFailure) {
        for run in matches.runs {
          try window.extracting(run).withUnsafeBytes { (bytes) throws(OutputFailure) in
            try console.write(bytes: bytes)
          }
        }
      } catch {
        failure = error
      }
      return failure == nil
    }
    if let failure { throw failure }
  }

  private static func writeText(
    _ filter: LogFilter, _ count: Int?, isGraph: Bool, of ledger: ReadLedger,
    to console: Console
  ) throws {
    var text: LogText?
    try forEachFromNewest(filter, count, in: ledger) { events in
      guard let newest = events.first else { return }
      if text == nil {
        let graph = isGraph ? try LogGraph(ledger, isUnicode: console.drawsUnicode) : nil
        text = LogText(
          zone: try ledger.zone(), names: EntryNames(ledger), ids: ShortIDs(ledger),
          newest: newest.seq, graph: graph, console: console)
      }
      try text?.write(events)
    }
    guard let text else {
      try console.line("No event matches.")
      if let hint = filter.hint { console.note(hint, .dim) }
      return
    }
    try text.writeLegend(device: ledger.device)
  }

  /// Calls `body` with the matching events in blocks, the last of them first, while the search for
  /// earlier ones is still to come: a reader who has seen enough ends it.
  private static func forEachFromNewest(
    _ filter: LogFilter, _ count: Int?, in ledger: ReadLedger,
    _ body: ([RecordedEvent]) throws -> Void
  ) throws {
    if let places = try places(filter, count, in: ledger) {
      try body(
        places.reversed().map { place in
          try ledger.view.line(at: place.offsetBytes, count: place.count).event()
        })
      return
    }
    var left = count ?? .max
    guard left > 0 else { return }
    var failure: (any Error)?
    try LogSearch(ledger.view, filter).runBackward { (window, _, envelope) throws(LineFault) in
      try EventReader.event(envelope, in: window)
    } while: { events in
      do {
        try body(events.suffix(left).reversed())
        left -= min(left, events.count)
      } catch {
        failure = error
      }
      return left > 0 && failure == nil
    }
    if let failure { throw failure }
  }

  /// The last matching lines, oldest first, if they are found without a search; else `nil`.
  private static func places(
    _ filter: LogFilter, _ count: Int?, in ledger: ReadLedger
  ) throws -> [LogSearch.Place]? {
    if let entry = filter.entry {
      var search = EntrySearch(entry)
      return try search.places(filter, in: ledger).suffix(count ?? .max)
    }
    guard filter.takesAll, let count, count <= 1000 else { return nil }
    return try ledger.view.lastLines(count).map {
      LogSearch.Place(seq: $0.seq, offsetBytes: $0.offsetBytes, count: $0.bytes.count)
    }
  }
}

/// `log` as text: one row per event, newest first, streamed.
private struct LogText {
  private let times: TimeText
  private let words: EventText
  private let ids: ShortIDs
  private let console: Console
  private let numberWidth: Int
  /// Columns left for the sentence; `nil` for no limit.
  private let roomForWords: Int?
  private let isWide: Bool
  /// A narrow terminal has no space for times: the words need it, in several lines if they are long.
  private let hasTimes: Bool
  private let graph: LogGraph?
  private var hasHeader = false

  private static let timeWidth = 16
  private static let actorWidth = 6
  private static let entryWidth = 13

  init(
    zone: LocalZone, names: EntryNames, ids: ShortIDs, newest: Seq, graph: LogGraph? = nil,
    console: Console
  ) {
    self.graph = graph
    times = TimeText(zone: zone)
    words = EventText(names: names, home: zone)
    self.ids = ids
    self.console = console
    numberWidth = max(3, newest.description.count)
    let width = console.isTerminal ? console.width : nil
    isWide = width.map { $0 >= (graph == nil ? 90 : 110) } ?? true
    hasTimes = (width ?? .max) >= 60
    let lanes = graph == nil ? 0 : LogGraph.width + 2
    let taken = lanes + numberWidth + 2 + (hasTimes ? Self.timeWidth + 2 : 0)
    let more = isWide ? Self.actorWidth + 2 + Self.entryWidth + 2 : 0
    roomForWords = width.map { max(16, $0 - taken - more) }
  }

  /// The ids of a block are known before its first row, so that its columns are in line.
  mutating func write(_ events: [RecordedEvent]) throws {
    let entries = isWide ? events.map { words.entry($0.event).map(ids.text) ?? "" } : []
    if !hasHeader {
      try writeHeader()
      hasHeader = true
    }
    for (index, event) in events.enumerated() {
      try write(event, entry: isWide ? entries[index] : "")
    }
  }

  private func writeHeader() throws(OutputFailure) {
    let lanes = graph == nil ? nil : String(repeating: " ", count: LogGraph.width)
    try console.line(
      console.paint.dim(
        row(lanes: lanes, number: "seq", time: "time", actor: "by", entry: "entry", "what")))
  }

  private func write(_ recorded: RecordedEvent, entry: String) throws {
    let event = recorded.event
    let text = escapedForTerminal(words.sentence(recorded, showsValuesBefore: true))
    // The outcome has priority over the end of a long sentence.
    let drawn = try graph?.row(recorded)
    let outcome = drawn?.outcome.map { " \($0)" } ?? ""
    let room = roomForWords.map { room in
      max(8, room - displayWidth(outcome) - (isWide ? ids.columnWidth - Self.entryWidth : 0))
    }
    let paint = console.paint
    let lanes = drawn.flatMap { drawn in
      graph.map { paint.apply($0.style(drawn.step), $0.lanes(drawn.step)) }
    }
    guard hasTimes || graph != nil else {
      let indent = numberWidth + 2
      let lead = "\(left(recorded.seq.description, numberWidth))  "
      let width = console.width - indent
      for (index, line) in wrapped(text, width: width).enumerated() {
        let margin = index == 0 ? paint.dim(lead) : String(repeating: " ", count: indent)
        try console.line(
          margin + paint.apply(event.payload.style, truncated(line, columns: width)))
      }
      return
    }
    try console.line(
      row(
        lanes: lanes, number: paint.dim(left(recorded.seq.description, numberWidth)),
        time: times.minute(event.at), actor: event.by.rawValue,
        entry: entry,
        paint.apply(event.payload.style, room.map { truncated(text, columns: $0) } ?? text)
          + paint.dim(outcome)))
  }

  /// Explains the graph, if there is one.
  func writeLegend(device: () throws -> String) throws {
    for line in try graph?.legend(device: device()) ?? [] {
      for row in wrapped(line, width: console.width, hanging: 2) { console.note(row, .dim) }
    }
  }

  private func row(
    lanes: String?, number: String, time: String, actor: String, entry: String, _ words: String
  ) -> String {
    var cells = (lanes.map { [$0] } ?? []) + [left(number, numberWidth)]
    if hasTimes { cells.append(right(time, Self.timeWidth)) }
    if isWide {
      cells.append(right(actor, Self.actorWidth))
      cells.append(console.paint.dim(right(entry, ids.columnWidth)))
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
  /// Highlights errors and events that need attention.
  fileprivate var style: Paint.Style? {
    switch self {
    case .syncRejected, .syncDiffered, .conflictDetected: .red
    case .syncHeld, .syncDeferred, .rowSkipped, .duplicateSuspected, .accountReplaced, .logRepaired:
      .yellow
    case .syncAttempted, .syncAcknowledged, .unknown, .erased: .dim
    case .ledgerCreated, .goalSet, .goalRemoved, .profileUpdated, .physicalUpdated,
      .preferencesUpdated, .progressLogged,
      .progressCorrected, .progressDeleted, .sleepLogged, .sleepCorrected, .sleepDeleted,
      .sleepPulled, .profilePulled, .progressPulled, .conflictResolved,
      .duplicateResolved, .editUndone, .accountSignedIn, .accountSignedOut, .eventErased:
      nil
    }
  }
}
