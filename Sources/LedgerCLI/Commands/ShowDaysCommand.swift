import LedgerJSON
import LedgerModel
import LedgerProjections

/// `show days`: what each metric came to on each day.
enum ShowDaysCommand: Command {
  static let spec = CommandSpec(
    "show days", "show what each metric came to on each day, oldest day first",
    group: .look,
    options: [
      ShowOptions.type, ShowOptions.from, ShowOptions.to,
      .flag("calendar", "a grid of weeks instead: how much was logged on each day"),
      ShowOptions.at,
    ],
    examples: [
      CommandExample("ledger show days --from -7d"),
      CommandExample("ledger show days --type steps --from 2025-01-01 --to 2025-01-31"),
      CommandExample("ledger show days --calendar", "the last year, week by week"),
    ],
    notes: [
      "The last value of a day is the latest by time; one without a time counts as midnight.",
      "On a terminal whose locale is UTF-8, days are drawn as well: what adds up as bars from 0, "
        + "anything else between its lowest and its highest day. Into a pipe go the numbers alone.",
      "--calendar shows the year up to today, or the days from --from to --to; weeks begin on Monday. "
        + "With --json: [{\"date\",\"count\"}], days with entries only.",
    ] + ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let query = try ShowOptions.query(arguments, in: ledger)
    let state = try ledger.state(arguments)
    let days = state.days(metric: query.metric, from: query.from, to: query.to)
    if arguments.flag("calendar") {
      try writeCalendar(
        days, query, today: { try ledger.zone().today(at: LocalZone.now()) }, console)
      return .done
    }
    if console.json {
      try console.line(JSONValue.array(days.map { .object(answer($0)) }).serialized)
    } else {
      let units = state.profileView().unitSystem ?? .metric
      try DaysText(days: days, units: units, isFiltered: query.isFiltered).write(to: console)
    }
    return .done
  }

  private static func writeCalendar(
    _ days: [DayGroup], _ query: ProgressQuery, today: () throws -> CalendarDate, _ console: Console
  ) throws {
    var counts: [CalendarDate: Int] = [:]
    for day in days { counts[day.date, default: 0] += day.count }
    guard !console.json else {
      let answer = counts.sorted { $0.key < $1.key }.map { date, count in
        JSONValue.object(["date": .string(date.description), "count": JSONValue(count)])
      }
      return try console.line(JSONValue.array(answer).serialized)
    }
    let today = try today()
    let newest = days.last?.date ?? today
    // A ledger that nothing was logged in for a year would show an empty one.
    let last = query.to ?? (newest < today.adding(days: -364) ? newest : max(newest, today))
    let year = last.adding(days: 1 - last.weekday - 52 * 7)
    let first = query.from.map { max($0, days.first?.date ?? $0) } ?? year
    let calendar = ActivityCalendar(
      counts: counts.filter { $0.key >= first && $0.key <= last }, first: min(first, last),
      last: last, isUnicode: console.drawsUnicode)
    for line in calendar.lines(width: console.width, paint: console.paint) {
      try console.line(line)
    }
  }

  static func answer(_ day: DayGroup) -> JSONObject {
    [
      "date": .string(day.date.description), "type": .string(day.metric.name),
      "count": JSONValue(day.count), "sum": .number(day.sum), "min": .number(day.min),
      "max": .number(day.max), "mean": .number(day.mean), "last": .number(day.last),
    ]
  }
}
