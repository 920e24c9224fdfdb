import LedgerJSON
import LedgerModel
import LedgerProjections

/// `show days`: what each metric came to on each day.
enum ShowDaysCommand: Command {
  static let spec = CommandSpec(
    "show days", "show what each metric came to on each day, oldest day first",
    group: .look,
    options: [ShowOptions.type, ShowOptions.from, ShowOptions.to, ShowOptions.at],
    examples: [
      CommandExample("ledger show days --from -7d"),
      CommandExample("ledger show days --type steps --from 2025-01-01 --to 2025-01-31"),
    ],
    notes: [
      "The last value of a day is the latest by time; one without a time counts as midnight."
    ] + ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let query = try ShowOptions.query(arguments, in: ledger)
    let state = try ledger.state(arguments)
    let days = state.days(metric: query.metric, from: query.from, to: query.to)
    if console.json {
      try console.line(JSONValue.array(days.map { .object(answer($0)) }).serialized)
    } else {
      let units = state.profileView().unitSystem ?? .metric
      try DaysText(days: days, units: units, isFiltered: query.isFiltered).write(to: console)
    }
    return .done
  }

  static func answer(_ day: DayGroup) -> JSONObject {
    [
      "date": .string(day.date.description), "type": .string(day.metric.name),
      "count": JSONValue(day.count), "sum": .number(day.sum), "min": .number(day.min),
      "max": .number(day.max), "mean": .number(day.mean), "last": .number(day.last),
    ]
  }
}
