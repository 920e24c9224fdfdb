import LedgerJSON
import LedgerModel
import LedgerPlatform
import LedgerProjections

enum ShowTrendsCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "show trends", "show where each metric is heading", group: .look,
    options: [
      ShowOptions.metrics,
      .value(
        "from", "DAY", aliases: ["since"],
        "the first day of the trend (default: 27 days before the last)"),
      .value("to", "DAY", aliases: ["until"], "the last day (default: today)"),
      ShowOptions.at,
    ],
    examples: [
      CommandExample("ledger show trends"),
      CommandExample("ledger show trends --metric weight --from -90d"),
    ],
    notes: [
      "A day counts by its sum where a metric adds up, else by its mean, and 'latest' is its last value; days without an entry do not "
        + "count. 'a week' is the slope of the straight line through the days, 'in 30 days' its value "
        + "then: both need five days with entries over at least a week."
    ] + ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let days = try ShowOptions.days(arguments, in: ledger)
    let last = try days.to ?? ledger.zone().today(at: LocalZone.now())
    let first = days.from ?? last.adding(days: -27)
    let wanted = ShowOptions.metrics(arguments)
    let (groups, units) = try ledger.ask(arguments) { state in
      (
        state.days(
          metric: wanted.count == 1 ? wanted[0] : nil,
          // The two weeks that are compared do not depend on --from.
          from: min(first, last.adding(days: -13)), to: last),
        state.profileView().unitSystem ?? .metric
      )
    }
    let trends = Metric.allCases.compactMap { metric in
      wanted.isEmpty || wanted.contains(metric)
        ? MetricTrend(groups.filter { $0.metric == metric }, from: first, until: last) : nil
    }
    try console.answer(trends.map(\.json)) {
      guard !trends.isEmpty else {
        let newest = try ledger.ask(arguments) { state in
          wanted.isEmpty
            ? state.newestDay(of: nil) : wanted.compactMap(state.newestDay(of:)).max()
        }
        return try console.line(empty(wanted, from: first, to: last, newest: newest))
      }
      try console.write(table(trends, QuantityText(units: units)))
    }
    return .done
  }

  private static func empty(
    _ metrics: [Metric], from first: CalendarDate, to last: CalendarDate, newest: CalendarDate?
  ) -> String {
    let names = metrics.map(\.words).joined(separator: ", ")
    guard let newest else {
      return "There are no entries\(metrics.isEmpty ? "" : " of \(names)")."
    }
    return "No entry" + (metrics.isEmpty ? "" : " of \(names)")
      + " from \(first) to \(last); the newest is of \(newest)."
  }

  private static func table(_ trends: [MetricTrend], _ quantities: QuantityText) -> Table {
    var table = Table([
      .left("metric", shrinks: true).keeping(12), .right("latest"), .left("on").leaving(2),
      .right("7-day mean").leaving(1), .right("change").leaving(4), .right("a week"),
      .right("in 30 days").leaving(3), .left(""),
    ])
    for trend in trends {
      let metric = trend.metric
      func number(_ value: Double?) -> Table.Cell {
        .init(value.map { quantities.means.number($0, of: metric) } ?? "")
      }
      func signed(_ value: Double?) -> Table.Cell {
        .init(value.map { quantities.change($0, of: metric) } ?? "")
      }
      table.add([
        .init(metric.words), .init(quantities.number(trend.latest.value, of: metric)),
        .init("\(trend.latest.date)", .dim), number(trend.week), signed(trend.change),
        signed(trend.line?.perWeek), number(trend.projected),
        .init(quantities.unit(of: metric), .dim),
      ])
    }
    return table
  }
}

extension LedgerState {
  /// - Parameter metric: `nil` for all.
  fileprivate func newestDay(of metric: Metric?) -> CalendarDate? {
    let entry = newest(ProgressQuery(metric: metric))?.date
    guard metric ?? .sleepHours == .sleepHours else { return entry }
    return [entry, sleep().sessions.map(\.date).max()].compactMap(\.self).max()
  }
}

/// The days of one metric as a straight line.
struct MetricTrend {
  struct Day: Equatable {
    var date: CalendarDate
    var value: Double
  }

  /// By least squares.
  struct Line: Equatable {
    var perWeek: Double
    /// The value on the last day.
    var end: Double
  }

  static let projectedDays = 30

  let metric: Metric
  let latest: Day
  /// The mean of the last seven days that have entries; `nil` without any.
  let week: Double?
  /// `week` less that of the seven days before.
  let change: Double?
  /// `nil` for fewer than five days with entries, or within a week.
  let line: Line?
  private let last: CalendarDate

  /// - Parameters:
  ///   - groups: the days of one metric, oldest first, at least those of the last two weeks.
  ///   - first: the first day of the line.
  /// - Returns: `nil` without days since the first.
  init?(_ groups: [DayGroup], from first: CalendarDate, until last: CalendarDate) {
    guard let newest = groups.last, newest.date >= first else { return nil }
    let days = groups.map { group in
      Day(date: group.date, value: group.metric.addsUp ? group.sum : group.mean)
    }
    func mean(_ range: ClosedRange<Int>) -> Double? {
      let (first, end) = (
        last.adding(days: -range.upperBound), last.adding(days: -range.lowerBound)
      )
      let values = days.filter { (first...end).contains($0.date) }.map(\.value)
      return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
    metric = newest.metric
    latest = Day(date: newest.date, value: metric.addsUp ? newest.sum : newest.last)
    let (recent, before) = (mean(0...6), mean(7...13))
    week = recent
    change = recent.flatMap { recent in before.map { recent - $0 } }
    line = Self.line(through: days.filter { $0.date >= first }, until: last)
    self.last = last
  }

  private static func line(through days: [Day], until last: CalendarDate) -> Line? {
    guard days.count >= 5, let first = days.first?.date, let end = days.last?.date,
      end.daysSince1970 - first.daysSince1970 >= 7
    else { return nil }
    // Counted from the last day, so that the line's constant is its value then.
    let points = days.map { (x: Double($0.date.daysSince1970 - last.daysSince1970), y: $0.value) }
    let count = Double(points.count)
    let meanX = points.reduce(0) { $0 + $1.x } / count
    let meanY = points.reduce(0) { $0 + $1.y } / count
    let spread = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
    return Line(perWeek: slope * 7, end: meanY - slope * meanX)
  }

  /// The line's value 30 days after the last day; `nil` where no entry could have it.
  var projected: Double? {
    guard let line else { return nil }
    let value = line.end + line.perWeek / 7 * Double(Self.projectedDays)
    return metric.accepts(value) ? value : nil
  }

  var json: JSONObject {
    JSONObject([
      "type": metric, "date": latest.date, "last": latest.value.rounded9, "week": week?.rounded9,
      "change": change?.rounded9, "per_week": line?.perWeek.rounded9,
      "projected": projected.map { value in
        JSONObject([
          "date": last.adding(days: Self.projectedDays), "quantity": value.rounded9,
        ])
      },
    ])
  }
}
