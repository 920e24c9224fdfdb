import LedgerJSON
import LedgerModel
import LedgerProjections

enum ShowDaysCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "show days", "show what each metric came to on each day, oldest day first",
    group: .look,
    options: [
      ShowOptions.metrics, ShowOptions.from, ShowOptions.to,
      .value(
        "by", "PERIOD", allowed: ["day"] + CalendarPeriod.allCases.map(\.rawValue),
        "weeks, months or years instead of days"),
      .value(
        "limit", "N", aliases: ["count"], short: "n",
        "at most this many of the newest days or periods"),
      .flag("calendar", "a grid of weeks instead: how much was logged on each day"),
      ShowOptions.at,
    ],
    examples: [
      CommandExample("ledger show days --from -7d"),
      CommandExample("ledger show days --metric steps --from 2025-01-01 --to 2025-01-31"),
      CommandExample("ledger show days --by week --metric steps", "and this week against the last"),
      CommandExample("ledger show days --by month -n 3", "the last three months"),
      CommandExample("ledger show days --metric weight --metric steps", "side by side"),
      CommandExample("ledger show days --calendar", "the last year, week by week"),
    ],
    notes: [
      "The last value of a day is the latest by time; one without a time counts as midnight.",
      "On a terminal whose locale is UTF-8, days are drawn as well: what adds up as bars from 0, "
        + "anything else between its lowest and its highest day; goals follow. --by and a pipe get the "
        + "numbers alone.",
      "--by compares each period with the one before: by the sum of a day with entries where a "
        + "metric adds up, else by the mean of a day. Weeks begin on Monday; --from and --to take whole "
        + "periods. With --json: [{\"from\",\"to\","
        + "\"type\",\"days\",\"count\",\"sum\",\"min\",\"max\",\"mean\", \"last\",\"typical\",\"before\"?}].",
      "--calendar shows the year up to today, or the days from --from to --to, of more than a year those "
        + "since the first entry; weeks begin on Monday. "
        + "With --json: [{\"date\",\"count\"}], days with entries only.",
    ] + ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try arguments.exclude("by", "calendar")
    try arguments.exclude("limit", "calendar")
    let limit = try arguments.integer("limit", in: 1...Int(Int32.max)) ?? .max
    let ledger = try ReadLedger(arguments, console)
    let metrics = ShowOptions.metrics(arguments)
    let chosen = try ShowOptions.days(arguments, in: ledger)
    let period = arguments.option("by").flatMap(CalendarPeriod.init)
    let range = period?.whole(chosen.from, chosen.to) ?? chosen
    // The first period is compared with the one before it.
    let before = period.flatMap { period in
      range.from.flatMap { $0 > .first ? period.whole($0.adding(days: -1), nil).from : nil }
    }
    let query = ProgressQuery(
      metric: metrics.count == 1 ? metrics[0] : nil, from: before ?? range.from, to: range.to)
    let today = try ledger.zone().today(at: console.now())
    let (all, units) = try ledger.ask(arguments) { state in
      let newestDay = state.newest(ProgressQuery(metric: query.metric, to: query.to))?.date
      let all = newest(limit, period, query, last: newestDay ?? today) { from in
        state.days(metric: query.metric, from: from, to: query.to)
      } isWanted: {
        metrics.isEmpty || metrics.contains($0.metric)
      }
      return (all, state.profileView().unitSystem ?? .metric)
    }
    var days = metrics.isEmpty ? all : all.filter { metrics.contains($0.metric) }
    if arguments.flag("calendar") {
      try writeCalendar(days, query, today: today, console)
      return .done
    }
    let isFiltered = query.isFiltered || !metrics.isEmpty
    if let period {
      let isEmpty = all.isEmpty && !isFiltered
      var groups = PeriodGroup.groups(of: days, by: period)
      if let first = range.from { groups.removeAll { $0.total.date < first } }
      groups.keepLast(limit) { $0.total.date }
      try console.answer(groups.map(answer)) {
        try PeriodsText(
          groups: groups, period: period, quantities: QuantityText(units: units), isEmpty: isEmpty
        ).write(to: console)
      }
      return .done
    }
    days.keepLast(limit, \.date)
    try console.answer(days.map(answer)) {
      let text = DaysText(days: days, units: units, isFiltered: isFiltered)
      if metrics.count < 2 || days.isEmpty {
        try text.write(to: console)
      } else {
        try console.write(sideBySide(days, metrics, QuantityText(units: units)))
        try text.draw(on: console)
      }
      guard console.isTerminal else { return }
      let goals = try ledger.ask(arguments) { $0.goals(today: today) }
      try writeGoals(goals, days, QuantityText(units: units), today: today, console)
    }
    return .done
  }

  /// All days, or at least those of the newest days or periods: a look at few days reads few entries.
  ///
  /// - Parameters:
  ///   - last: the newest day with an entry, which may be past or to come.
  ///   - days: those from a day on.
  private static func newest(
    _ limit: Int, _ period: CalendarPeriod?, _ query: ProgressQuery, last: CalendarDate,
    days: (CalendarDate?) -> [DayGroup], isWanted: (DayGroup) -> Bool
  ) -> [DayGroup] {
    func start(_ date: CalendarDate) -> CalendarDate {
      period.map { $0.days(around: date).lowerBound } ?? date
    }
    guard query.from == nil, limit < 1_000 else { return days(query.from) }
    var span = (limit + 1) * (period == nil ? 1 : period == .week ? 7 : period == .month ? 31 : 366)
    while span < 40_000 {
      let found = days(start(last.adding(days: -span)))
      // The period before the first one shown is compared with it.
      if Set(found.lazy.filter(isWanted).map { start($0.date) }).count > limit { return found }
      span *= 8
    }
    return days(nil)
  }

  /// How far the goals of the shown metrics are, and on how many of the shown days a daily one was
  /// reached.
  private static func writeGoals(
    _ goals: [GoalView], _ days: [DayGroup], _ quantities: QuantityText, today: CalendarDate,
    _ console: Console
  ) throws {
    let text = GoalText(quantities: quantities)
    for goal in goals {
      let shown = days.filter { $0.metric == goal.metric }
      guard !shown.isEmpty else { continue }
      let reached = shown.count {
        goal.isReached(onDayOf: goal.metric.addsUp ? $0.sum : $0.last)
      }
      let verb = goal.isAtMost ? "kept" : "reached"
      let share = "\(verb) on \(reached) of \(counted(shown.count, "day")), "
      let progress = text.progress(goal, today: today)
      let line = "goal: \(text.target(goal)): " + (goal.isDaily ? share : "") + progress
      for row in wrapped(line, width: console.width, hanging: 2) { try console.line(row) }
    }
  }

  private static func writeCalendar(
    _ days: [DayGroup], _ query: ProgressQuery, today: CalendarDate, _ console: Console
  ) throws {
    var counts: [CalendarDate: Int] = [:]
    for day in days { counts[day.date, default: 0] += day.count }
    guard !console.json else {
      let answer = counts.sorted { $0.key < $1.key }.map { date, count in
        JSONObject(["date": date, "count": count])
      }
      return try console.line(answer.json.serialized)
    }
    let newest = days.last?.date ?? today
    // If the newest entry is over a year old, the grid ends there instead of today.
    let last = query.to ?? (newest < today.adding(days: -364) ? newest : today)
    let year = last.adding(days: 1 - last.weekday - 52 * 7)
    let chosen = query.from.map { from in
      // Decades without an entry tell nothing.
      from.adding(days: 53 * 7) > last ? from : max(from, days.first?.date ?? from)
    }
    let first = chosen ?? year
    let calendar = ActivityCalendar(
      counts: counts.filter { $0.key >= first && $0.key <= last }, first: min(first, last),
      last: last, isUnicode: console.drawsUnicode)
    for line in calendar.lines(width: console.width, paint: console.paint) {
      try console.line(line)
    }
  }

  /// A row for each day, a column for each metric: its sum where it adds up, else its last value.
  private static func sideBySide(
    _ days: [DayGroup], _ metrics: [Metric], _ quantities: QuantityText
  ) -> Table {
    let names = metrics.map { metric in
      let unit = quantities.unit(of: metric)
      return metric.words + (unit.isEmpty ? "" : ", \(unit)")
    }
    var table = Table([.left("date")] + names.map { .right($0) })
    var rest = days[...]
    while let date = rest.first?.date {
      let day = rest.prefix { $0.date == date }
      rest = rest.dropFirst(day.count)
      table.add(
        [.init(date.description)]
          + metrics.map { metric in
            let group = day.first { $0.metric == metric }
            let value = group.map { metric.addsUp ? $0.sum : $0.last }
            return .init(value.map { quantities.number($0, of: metric) } ?? "")
          })
    }
    return table
  }

  static func answer(_ day: DayGroup) -> JSONObject {
    JSONObject([
      "date": day.date, "type": day.metric, "count": day.count, "sum": day.sum.rounded9,
      "min": day.min.rounded9, "max": day.max.rounded9, "mean": day.mean.rounded9,
      "last": day.last.rounded9,
    ])
  }
}

extension ShowDaysCommand {
  static func answer(_ group: PeriodGroup) -> JSONObject {
    let total = group.total
    return JSONObject([
      "from": group.days.lowerBound, "to": group.days.upperBound, "type": total.metric,
      "days": group.loggedDays, "count": total.count, "sum": total.sum.rounded9,
      "min": total.min.rounded9, "max": total.max.rounded9, "mean": total.mean.rounded9,
      "last": total.last.rounded9, "typical": group.typical.rounded9,
      "before": group.before?.rounded9,
    ])
  }
}

extension Array {
  /// Keeps what has one of the last `count` dates. They are in order, and several may share one.
  fileprivate mutating func keepLast(_ count: Int, _ date: (Element) -> CalendarDate) {
    guard count < self.count else { return }
    var (first, dates) = (endIndex, 0)
    while first > startIndex {
      let isNew = first == endIndex || date(self[first - 1]) != date(self[first])
      if isNew { dates += 1 }
      if dates > count { break }
      first -= 1
    }
    removeFirst(first)
  }
}

/// `show days --by` as text.
private struct PeriodsText {
  let groups: [PeriodGroup]
  let period: CalendarPeriod
  let quantities: QuantityText
  let isEmpty: Bool

  func write(to console: Console) throws(OutputFailure) {
    guard !groups.isEmpty else {
      return try console.line(isEmpty ? "There are no entries." : "No day matches.")
    }
    var table = Table([
      .left("\(period)"), .left("metric", shrinks: true).keeping(12), .right("days").leaving(3),
      .right("sum").leaving(4), .right("mean"), .right("change").leaving(5),
      .right("min").leaving(1), .right("max").leaving(2), .left(""),
    ])
    var shown: CalendarDate?
    for group in groups {
      let total = group.total
      func number(_ value: Double) -> Table.Cell {
        .init(quantities.number(value, of: total.metric))
      }
      table.add([
        .init(shown == total.date ? "" : name(of: group)), .init(total.metric.words),
        .init(NumberText.count(group.loggedDays)), total.metric.addsUp ? number(total.sum) : "",
        total.count > 1
          ? .init(quantities.means.number(group.typical, of: total.metric)) : number(group.typical),
        .init(change(of: group)),
        number(group.extremes.lowerBound), number(group.extremes.upperBound),
        .init(quantities.unit(of: total.metric), .dim),
      ])
      shown = total.date
    }
    try console.write(table)
    if groups.contains(where: { $0.before != nil }) {
      func shows(_ title: String) -> Bool {
        !console.isTerminal || table.shows(title, width: console.width)
      }
      let means = shows("min") ? "mean, min, max" : "mean"
      let change = shows("change") ? "; change: of the mean" : ""
      console.note("\(means): of the days that have entries\(change)", .dim)
    }
  }

  private func name(of group: PeriodGroup) -> String {
    let first = group.days.lowerBound
    return switch period {
    case .week: "from \(first)"
    case .month: String(first.description.prefix(7))
    case .year: String(first.description.prefix(4))
    }
  }

  /// The difference of the mean from that of the period before.
  private func change(of group: PeriodGroup) -> String {
    guard let before = group.before else { return "" }
    let text = quantities.change(group.typical - before, of: group.total.metric)
    return text == "0" ? "=" : text
  }
}

/// `show days` as text. A narrow terminal gets fewer columns, a wide one a bar for each day; other
/// output gets numbers only.
private struct DaysText {
  let days: [DayGroup]
  let units: UnitSystem
  let isFiltered: Bool

  private var quantities: QuantityText { QuantityText(units: units) }

  func write(to console: Console) throws(OutputFailure) {
    guard !days.isEmpty else {
      try console.line(isFiltered ? "No day matches." : "There are no entries.")
      if !isFiltered { console.note("begin with one: ledger append steps 4200", .dim) }
      return
    }
    guard console.isTerminal else { return try console.write(table(Column.all)) }
    try writeTable(to: console)
    let kinds = Set(days.map(\.metric.addsUp))
    if kinds.count > 1 {
      console.note("sum: of what adds up in a day; last: the latest value of the day", .dim)
    }
    try draw(on: console)
  }

  /// A line for each metric, on a terminal only.
  func draw(on console: Console) throws(OutputFailure) {
    guard console.isTerminal, console.drawsUnicode else { return }
    for line in DaysTrends(days: days, quantities: quantities).lines(width: console.width) {
      try console.line(console.paint.dim(line))
    }
  }

  private func writeTable(to console: Console) throws(OutputFailure) {
    for columns in Column.choices {
      let plain = table(columns)
      let needed = plain.width
      guard needed <= console.width || columns == Column.choices.last else { continue }
      // A column without any unit has no gap before it until another one follows.
      let hasUnits = days.contains { !quantities.unit(of: $0.metric).isEmpty }
      let room = min(24, console.width - needed - (hasUnits ? 2 : 4))
      let hasBars = console.drawsUnicode && room >= 8
      return try console.write(hasBars ? table(columns, barColumns: room) : plain)
    }
  }

  private func table(_ columns: [Column], barColumns: Int = 0) -> Table {
    let bars = barColumns > 0 ? DayBars(days, columns: barColumns) : nil
    var table = Table(
      [.left("date"), .left("metric", shrinks: true)] + columns.map(\.header) + [.left("")]
        + (bars == nil ? [] : [.left("")]))
    var shownDate: CalendarDate?
    for day in days {
      let date = day.date == shownDate ? "" : day.date.description
      shownDate = day.date
      table.add(
        [.init(date), .init(day.metric.words)] + columns.map { .init(text($0, of: day)) }
          + [.init(quantities.unit(of: day.metric), .dim)]
          + (bars.map { [.init($0.text(day), .cyan)] } ?? []))
    }
    return table
  }

  private func text(_ column: Column, of day: DayGroup) -> String {
    let value: Double
    switch column {
    case .count: return NumberText.count(day.count)
    // A sum of weights is meaningless.
    case .sum: if day.metric.addsUp { value = day.sum } else { return "" }
    case .min: value = day.min
    case .max: value = day.max
    case .mean where day.count > 1: return quantities.means.number(day.mean, of: day.metric)
    case .mean: value = day.mean
    case .last: value = day.last
    case .either: value = day.metric.addsUp ? day.sum : day.last
    }
    return quantities.number(value, of: day.metric)
  }

  private enum Column {
    case count, sum, min, max, mean, last
    /// The sum for metrics that add up, otherwise the last value.
    case either

    static let all: [Column] = [.count, .sum, .min, .max, .mean, .last]

    var header: Table.Column { .right(self == .either ? "sum/last" : "\(self)") }

    /// Widest first.
    static let choices: [[Column]] = [
      all, [.count, .sum, .mean, .last], [.count, .sum, .last], [.either],
    ]
  }
}

/// A bar from 0 for metrics that add up, otherwise a position between the lowest and the highest
/// day.
private struct DayBars {
  private let scales: [Metric: ClosedRange<Double>]
  private let columns: Int

  init(_ days: [DayGroup], columns: Int) {
    self.columns = columns
    var scales: [Metric: ClosedRange<Double>] = [:]
    for day in days {
      let value = Self.value(day)
      let known = scales[day.metric] ?? value...value
      scales[day.metric] = min(known.lowerBound, value)...max(known.upperBound, value)
    }
    self.scales = scales
  }

  private static func value(_ day: DayGroup) -> Double {
    day.metric.addsUp ? day.sum : day.mean
  }

  func text(_ day: DayGroup) -> String {
    guard let scale = scales[day.metric] else { return "" }
    let value = Self.value(day)
    return day.metric.addsUp
      ? ScaleBar.bar(value, highest: scale.upperBound, columns: columns)
      : ScaleBar.place(value, scale: scale, columns: columns)
  }
}
