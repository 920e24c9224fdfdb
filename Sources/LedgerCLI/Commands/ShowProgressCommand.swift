import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// `show progress`: live entries, newest first.
enum ShowProgressCommand: Command {
  static let spec = CommandSpec(
    "show progress", "show what was logged, newest first, corrections applied",
    group: .look,
    options: [
      ShowOptions.type, ShowOptions.from, ShowOptions.to,
      .value("limit", "N", short: "n", "at most so many, 1 to 100 (default: 20)"),
      .value("offset", "N", "leave out the first so many"), ShowOptions.at,
    ],
    examples: [
      CommandExample("ledger show progress"),
      CommandExample("ledger show progress --type weight --from -30d"),
      CommandExample("ledger show progress --limit 100 --offset 100 --json", "the second hundred"),
    ],
    notes: ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let limit = try arguments.integer("limit", in: 1...100) ?? 20
    let offset = try arguments.integer("offset", in: 0...Int(Int32.max)) ?? 0
    let ledger = try ReadLedger(arguments, console)
    var query = try ShowOptions.query(arguments, in: ledger)
    (query.limit, query.offset) = (limit, offset)
    let (page, units) = try ledger.ask(arguments) { state in
      (state.progress(query), state.profileView().unitSystem ?? .metric)
    }
    let entries = try page.entries.map { entry throws(LogError) in
      try ShownEntry(entry, in: ledger.view)
    }
    if console.json {
      try console.line(answer(page, entries).serialized)
    } else {
      try ProgressText(page: page, entries: entries, units: units, isFiltered: query.isFiltered)
        .write(to: console)
    }
    return .done
  }

  static func answer(_ page: ProgressPage, _ entries: [ShownEntry]) -> JSONObject {
    [
      "entries": .array(entries.map { .object($0.json) }), "total": JSONValue(page.total),
      "limit": JSONValue(page.limit), "offset": JSONValue(page.offset),
    ]
  }
}

/// An entry with the texts that only the log's lines hold.
struct ShownEntry {
  let entry: EntryView
  let notes: String?
  let backendID: BackendID?

  init(_ entry: EntryView, in view: LogView) throws(LogError) {
    self.entry = entry
    notes = try entry.notesIn.flatMap { seq throws(LogError) in try view.notes(setBy: seq) }
    backendID = try entry.boundBy.flatMap { seq throws(LogError) in try view.boundID(by: seq) }
  }

  var json: JSONObject {
    var object = JSONObject()
    object["entry"] = .string(entry.id.description)
    object["backend_id"] = backendID.map { .string($0.text) }
    object["type"] = .string(entry.metric.name)
    object["quantity"] = .number(entry.quantity)
    object["date"] = .string(entry.date.description)
    object["time"] = entry.moment.map { .string($0.time.description) }
    object["zone"] = entry.moment.map { .string($0.zone.description) }
    object["notes"] = notes.map { .string($0) }
    object["status"] = .string(entry.status.rawValue)
    object["reason"] = entry.failure.map { .string($0.rawValue) }
    object["seq"] = JSONValue(entry.seq.number)
    return object
  }
}

extension ProgressQuery {
  var isFiltered: Bool { metric != nil || from != nil || to != nil }
}
