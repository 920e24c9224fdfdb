import LedgerModel

/// The first answers: each metric's latest value, how it changed, its goal and streak.
struct KeyFigures {
  private struct Tile {
    let name: String
    let value: String
    let unit: String
    let when: String
    let changes: [String]
    let goal: GoalProgress?
    /// Whether a daily goal was reached on each of the last days, oldest first; empty without one.
    let week: [Bool]
  }

  private static let first: [Metric] = [.weight, .steps, .sleepHours]

  private let leading: [Tile]
  private let others: [Tile]
  private let today: CalendarDate
  /// Whether goals and streaks, which are about the present, belong to the days of the page.
  private let isCurrent: Bool

  init(_ content: ReportContent) {
    func tiles(where isWanted: (Metric) -> Bool) -> [Tile] {
      content.series.filter { isWanted($0.display.metric) }.compactMap { series in
        Self.tile(series, content.goals[series.display.metric], content)
      }
    }
    leading = Self.first.flatMap { metric in tiles { $0 == metric } }
    others = tiles { !Self.first.contains($0) }
    today = content.today
    isCurrent = content.today == content.madeOn
  }

  /// The latest value, or the mean of a week's logged days for a metric that adds up; below it the
  /// changes of the mean from one week and from 30 days to the next. Without a day only a goal.
  private static func tile(
    _ series: MetricSeries, _ goal: GoalProgress?, _ content: ReportContent
  ) -> Tile? {
    let today = content.today
    let display = series.display
    let name = display.name.capitalizedFirst
    let reached = goal.map { $0.isDaily ? Self.week(series, $0, today: today) : [] } ?? []
    guard let last = series.days.last else {
      guard goal != nil else { return nil }
      return Tile(
        name: name, value: "–", unit: "", when: "no entries on the days of this page", changes: [],
        goal: goal, week: reached)
    }
    // The last seven days, as `show trends` has them; those to the last entry if it is older.
    let end = last.date > today.adding(days: -7) ? today : last.date
    let week = days(series, endingAt: end, count: 7)
    let logged = week.count == 7 ? "7 days" : "\(week.count) of the 7 days"
    // The chart shows the day's mean.
    let (latest, ofDay) = (display.reading(last.latest), display.reading(last.value))
    let lastDay = DateText.day(last.date, near: content.madeOn)
    return Tile(
      name: display.addsUp ? "\(name) a day" : name,
      value: display.addsUp ? display.text(week.mean) : latest,
      unit: display.metric == .sleepHours || display.isScore ? "" : display.axisTitle,
      when: display.addsUp
        ? "mean of \(logged) to " + DateText.day(end, near: content.madeOn)
        : lastDay + (latest == ofDay ? "" : ", the latest of that day; its mean is \(ofDay)"),
      changes: [(7, "week"), (30, "30 days")].compactMap { count, words in
        change(series, to: end, days: count).map { "\($0) on the \(words) before" }
      },
      goal: goal, week: reached)
  }

  private static func days(
    _ series: MetricSeries, endingAt last: CalendarDate, count: Int
  ) -> ArraySlice<DayValue> {
    series.days(in: last.adding(days: 1 - count)...last)
  }

  /// The mean of some days against that of as many before; `nil` if either rests on too few days: less
  /// than one of seven, or three of a metric that adds up.
  private static func change(
    _ series: MetricSeries, to last: CalendarDate, days count: Int
  ) -> String? {
    let before = days(series, endingAt: last.adding(days: -count), count: count)
    let now = days(series, endingAt: last, count: count)
    let fewest = count / 7 * (series.display.addsUp ? 3 : 1)
    guard before.count >= fewest, now.count >= fewest else { return nil }
    return series.display.change(from: before.mean, to: now.mean)
  }

  private static func week(
    _ series: MetricSeries, _ goal: GoalProgress, today: CalendarDate
  ) -> [Bool] {
    let reached = Set(
      days(series, endingAt: today, count: 7).filter { goal.isReached(by: $0.latest) }.map(\.date))
    return (0..<7).map { reached.contains(today.adding(days: $0 - 6)) }
  }

  func add(to html: inout HTML) {
    add(leading, "tiles leading", to: &html)
    add(others, "tiles", to: &html)
  }

  private func add(_ tiles: [Tile], _ kind: String, to html: inout HTML) {
    guard !tiles.isEmpty else { return }
    html.raw("<dl class=\"\(kind)\">")
    for tile in tiles {
      html.raw("<div>")
      html.text(tile.name, in: "dt")
      let unit = tile.unit.isEmpty ? "" : " <small>\(HTML.escaped(tile.unit))</small>"
      html.raw("<dd class=\"value\">\(HTML.escaped(tile.value))\(unit)</dd>")
      html.text(tile.when, in: "dd", "class=\"note\"")
      if !tile.changes.isEmpty {
        let changes = tile.changes.map { "<span>\(HTML.escaped($0))</span>" }
        html.raw("<dd class=\"changes\">\(changes.joined(separator: " "))</dd>")
      }
      if let goal = tile.goal { add(goal, tile.week, to: &html) }
      html.raw("</div>")
    }
    html.raw("</dl>")
  }

  private func add(_ goal: GoalProgress, _ week: [Bool], to html: inout HTML) {
    html.text("Goal: \(goal.target)", in: "dd", "class=\"note goal-of\"")
    if isCurrent { html.text(goal.progress.capitalizedFirst, in: "dd", "class=\"note\"") }
    guard goal.isDaily else { return }
    let streak =
      goal.streakDays == 0 ? "No streak" : "\(FigureText.count(goal.streakDays))-day streak"
    let words = isCurrent ? "<span>\(streak)</span>" : ""
    html.raw("<dd class=\"streak\">\(dots(week))\(words)</dd>")
  }

  /// A dot for each day, filled if the goal was reached.
  private func dots(_ week: [Bool]) -> String {
    guard !week.isEmpty else { return "" }
    let reached = week.count(where: \.self)
    let dots = week.enumerated().map { index, isReached in
      "<circle class=\"\(isReached ? "met" : "missed")\" cx=\"\(index * 13 + 6)\" cy=\"6\" r=\"4.5\"/>"
    }
    return "<svg class=\"week\" width=\"91\" height=\"12\" role=\"img\" aria-label=\"Reached on "
      + "\(reached) of the 7 days to \(DateText.day(today))\">\(dots.joined())</svg>"
  }
}
