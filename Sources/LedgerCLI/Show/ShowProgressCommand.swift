import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

enum ShowProgressCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "show progress", "show what was logged, newest first, corrections applied",
    group: .look,
    options: [
      ShowOptions.metric, ShowOptions.from, ShowOptions.to,
      .value("limit", "N", aliases: ["count"], short: "n", ShowOptions.limitHelp),
      .value("offset", "N", "skip this many"),
      .value("notes", "TEXT", "only entries whose notes contain this, in any case"), ShowOptions.at,
    ],
    examples: [
      CommandExample("ledger show progress"),
      CommandExample("ledger show progress --metric weight --from -30d"),
      CommandExample("ledger show progress --notes 'after the run'"),
      CommandExample("ledger show progress --limit 100 --offset 100 --json", "the second hundred"),
    ],
    notes: ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let limit = try arguments.integer("limit", in: 1...Int(Int32.max)) ?? 20
    let offset = try arguments.integer("offset", in: 0...Int(Int32.max)) ?? 0
    let ledger = try ReadLedger(arguments, console)
    var query = try ShowOptions.query(arguments, in: ledger)
    (query.limit, query.offset, query.text) = (limit, offset, arguments.option("notes"))
    let (found, units, inConflict, hasSessions) = try ledger.ask(arguments) { state in
      // JSON states how many entries match, and to count them all may take the whole log.
      let bounded = console.json ? nil : try state.boundedProgress(query, in: ledger.view)
      return (
        try bounded ?? (page: state.progress(query, in: ledger.view), hasTotal: true),
        state.profileView().unitSystem ?? .metric,
        Set(state.openConflicts().compactMap(\.entry)),
        query.metric ?? .sleepHours == .sleepHours
          && state.sleep(from: query.from, to: query.to, limit: 0).total > 0
      )
    }
    let page = found.page
    let entries = try page.entries.map { entry throws(LogError) in
      try DetailedEntry(entry, in: ledger.view)
    }
    try console.answer(answer(page, entries)) {
      let text = ProgressText(
        page: page, hasTotal: found.hasTotal, entries: entries, units: units,
        inConflict: inConflict, zone: try ledger.zone(), isFiltered: query.isFiltered,
        hasSessions: hasSessions)
      try text.write(to: console)
    }
    return .done
  }

  static func answer(_ page: ProgressPage, _ entries: [DetailedEntry]) -> JSONObject {
    JSONObject([
      "entries": entries.map(\.json), "total": page.total, "limit": page.limit,
      "offset": page.offset,
    ])
  }
}

extension DetailedEntry {
  var json: JSONObject {
    JSONObject([
      "entry": entry.id, "backend_id": backendID, "type": entry.metric,
      "quantity": entry.quantity, "date": entry.date, "time": entry.moment?.time,
      "zone": entry.moment?.zone, "notes": notes, "status": entry.status.rawValue,
      "reason": entry.failure?.rawValue, "seq": entry.seq,
    ])
  }
}

extension ProgressQuery {
  var isFiltered: Bool { metric != nil || from != nil || to != nil || text != nil }
}

private struct ProgressText {
  let page: ProgressPage
  /// Whether the page counts the matches of all pages; otherwise there are more.
  let hasTotal: Bool
  let entries: [DetailedEntry]
  let units: UnitSystem
  let inConflict: Set<EntryID>
  let zone: LocalZone
  let isFiltered: Bool
  /// Whether there are sleep sessions, which are no entries.
  let hasSessions: Bool

  func write(to console: Console) throws(OutputFailure) {
    guard !entries.isEmpty else { return try writeEmpty(to: console) }
    // A narrow terminal has no space for notes.
    let hasNotes =
      entries.contains { $0.notes != nil } && (!console.isTerminal || console.width >= 78)
    try console.write(table(hasNotes: hasNotes))
    let last = page.offset + entries.count
    guard page.total > entries.count else { return }
    let range = "\(NumberText.count(page.offset + 1)) to \(NumberText.count(last))"
    console.note(
      (hasTotal ? "\(range) of \(NumberText.count(page.total))" : "\(range), and there are more")
        + (last < page.total ? "; go on with --offset \(last)" : ""), .dim)
  }

  private func table(hasNotes: Bool) -> Table {
    let quantities = QuantityText(units: units)
    let columns: [Table.Column] = [
      .right("#"), .left("date"), .left("time").leaving(1), .left("metric", shrinks: true),
      .right("quantity"), .left("").leaving(3), .left("status").leaving(2),
    ]
    var table = Table(columns + (hasNotes ? [.left("notes", shrinks: true)] : []))
    for shown in entries {
      let entry = shown.entry
      let time = entry.moment.map { $0.minuteText + $0.offsetIfNeeded(on: entry.date, home: zone) }
      let cells: [Table.Cell] = [
        .init(entry.seq.description, .dim), .init(entry.date.description),
        .init(time ?? ""), .init(entry.metric.words),
        .init(quantities.number(entry.quantity, of: entry.metric)),
        .init(quantities.unit(of: entry.metric)),
        entry.status.cell(entry.failure, isInConflict: inConflict.contains(entry.id)),
      ]
      table.add(cells + (hasNotes ? [.init(shown.notes ?? "")] : []))
    }
    return table
  }

  private func writeEmpty(to console: Console) throws(OutputFailure) {
    if page.total > 0 {
      try console.line("There are \(counted(page.total, "entry", "entries")), fewer than --offset.")
    } else if hasSessions {
      try console.line("No entry matches; sleep sessions are in a view of their own.")
      console.note("see them with: ledger show sleep", .dim)
    } else if isFiltered {
      try console.line("No entry matches.")
    } else {
      try console.line("There are no entries.")
      console.note("begin with one: ledger append weight 75.5kg", .dim)
    }
  }
}

extension EntryStatus {
  /// - Parameter isInConflict: whether an open conflict holds it back, whatever its edits' states.
  func cell(_ failure: FailureReason?, isInConflict: Bool) -> Table.Cell {
    isInConflict
      ? Table.Cell(FailureReason.conflict.rawValue, .red)
      : Table.Cell(failure?.rawValue ?? rawValue, style)
  }

  private var style: Paint.Style {
    switch self {
    case .synced: .dim
    case .pending, .syncing: .yellow
    case .failed: .red
    }
  }
}
