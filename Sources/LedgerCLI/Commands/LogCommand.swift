import LedgerLog
import LedgerModel
import LedgerProjections

/// `log`: the events themselves.
enum LogCommand: Command {
  static let spec = CommandSpec(
    "log", "show the events, newest first",
    group: .look,
    options: [
      .value("entry", "ENTRY", "only what concerns this entry, its edits' answers included"),
      .value(
        "type", "TYPE", "only this type, or family of types: progress.logged, sync",
        hint: .words(LogFilter.knownTypes)),
      .value("since", "SEQ|TIME", "only events from there on"),
      .value("until", "SEQ|TIME", "only events up to there"),
      .value("count", "N", short: "n", "only the last N of these"),
      .flag("graph", "draw beside them what went to the backend, and what became of each edit"),
    ],
    examples: [
      CommandExample("ledger log -n 20"),
      CommandExample("ledger log --entry 17", "the life of the entry that event 17 logged"),
      CommandExample("ledger log --type progress --since yesterday"),
      CommandExample("ledger log --graph -n 20"),
      CommandExample("ledger log --json --since 100", "the stored lines, oldest first"),
    ],
    notes: [
      "With --json the lines leave as they are stored, byte for byte, oldest first, and nothing is "
        + "printed where none matches.",
      "ENTRY is the number of the event that logged it, or a unique start of its id. TIME is a day "
        + "(all of it), a moment such as 2025-01-31T08:00, or yesterday, -3d, -12h, '2 weeks ago', "
        + "'last monday'; it is compared with the moment each event was recorded.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let count = try arguments.integer("count", in: 0 ... .max)
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
    filter.entry = try arguments.option("entry").map {
      text in try ledger.ask { try EntryArgument.find(text, in: $0).id }
    }
    filter.since = try arguments.option("since").map {
      try ledger.moment($0, of: "--since", as: .start)
    }
    filter.until = try arguments.option("until").map {
      try ledger.moment($0, of: "--until", as: .end)
    }
    return filter
  }

  private static func writeLines(
    _ filter: LogFilter, _ count: Int?, of ledger: ReadLedger, to console: Console
  ) throws {
    guard count == nil, filter.entry == nil else {
      for place in try places(filter, count, in: ledger) {
        let line = try ledger.view.line(at: place.offsetBytes, count: place.count)
        try console.write(bytes: line.bytes + [0x0A])
      }
      return
    }
    var failure: OutputFailure?
    let search = LogSearch(ledger.view, filter)
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
    let places = try places(filter, count, in: ledger)
    guard let last = places.last else {
      try console.line("No event matches.")
      if let hint = filter.hint { console.note(hint, .dim) }
      return
    }
    let graph =
      isGraph ? LogGraph(try ledger.state(), isUnicode: console.drawsUnicode) : nil
    let text = LogText(
      zone: try ledger.zone(), names: EntryNames(ledger),
      newest: last.seq, graph: graph, console: console)
    try text.writeHeader()
    for place in places.reversed() {
      let line = try ledger.view.line(at: place.offsetBytes, count: place.count)
      try text.write(line.event())
    }
    for line in try graph?.legend(device: ledger.device()) ?? [] {
      for row in wrapped(line, width: console.width, hanging: 2) { console.note(row, .dim) }
    }
  }

  /// Where the wanted lines stand, oldest first. The last few are looked for from the end.
  private static func places(
    _ filter: LogFilter, _ count: Int?, in ledger: ReadLedger
  ) throws -> [LogSearch.Place] {
    if let entry = filter.entry {
      var search = EntrySearch(entry)
      return try search.places(filter, in: ledger).suffix(count ?? .max)
    }
    let view = ledger.view
    if filter.takesAll, let count, count <= 1000 {
      return try view.lastLines(count).map {
        LogSearch.Place(seq: $0.seq, offsetBytes: $0.offsetBytes, count: $0.bytes.count)
      }
    }
    let search = LogSearch(view, filter)
    if let count {
      do throws(LogError) {
        return try search.last(count)
      } catch {
        // Only a pass from the start knows the number of a wrong line.
        guard case .damaged = error else { throw error }
      }
    }
    var places: [LogSearch.Place] = []
    let wanted = count ?? .max
    try search.run { _, matches in
      places += matches.places
      if wanted < places.count / 2 { places.removeFirst(places.count - wanted) }
      return true
    }
    return places.suffix(wanted)
  }
}
