import LedgerModel
import Testing

@testable import LedgerReport

@Suite struct MetricChartTests {
  private let monday = CalendarDate.first.adding(days: 700_000)

  private func series(_ display: MetricDisplay, _ values: [Double?]) -> MetricSeries {
    MetricSeries(
      display,
      days: values.enumerated().compactMap { day, value in
        value.map { DayValue(date: monday.adding(days: day), value: $0, low: $0, high: $0) }
      })
  }

  /// So many days that differ by a tenth at most.
  private func values(_ count: Int, around middle: Double) -> [Double] {
    (0..<count).map { middle * (1 + Double($0 * 37 % 19 - 9) / 90) }
  }

  private func window(_ first: Int, _ last: Int) -> ClosedRange<CalendarDate> {
    monday.adding(days: first)...monday.adding(days: last)
  }

  /// The path of a kind of mark.
  private func path(_ kind: String, _ chart: MetricChart) -> String? {
    let tags = Markup(chart.plot(id: "a", title: "b").markup).tags
    return tags.first {
      $0.name == "path" && ($0.value("class") == kind || $0.value(" id") == "a-\(kind)")
    }?.value(" d")
  }

  @Test("Bars are as high as their values, two units to a pixel")
  func bars() throws {
    let chart = try #require(MetricChart(series(.steps, [2000, nil, 8000]), .wide))
    // A week at least: the first bar is in its fifth column.
    #expect(path("bar", chart) == "M41 400V300h8V400M61 400V0h8V400")
    #expect(!chart.isCut)
  }

  @Test("Daily bars have the moving average over them, weekly ones are averages")
  func weeklyMean() throws {
    let steps = series(.steps, values(400, around: 8000))
    let month = try #require(MetricChart(steps, .wide, window: window(370, 399)))
    #expect(path("line", month) != nil)
    #expect(month.key.map(\.kind) == ["bar", "line", "before"])
    let year = try #require(MetricChart(steps, .wide, window: window(35, 399)))
    #expect(year.period == .week)
    #expect(path("line", year) == nil)
  }

  @Test("The days before are drawn over the days of the chart")
  func before() throws {
    // The same ten values again: the line and that of the days before coincide.
    let twice = series(.weight, [70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 70, 71].map { $0 })
    let chart = try #require(MetricChart(twice, .wide, window: window(10, 11)))
    #expect(chart.figures.contains("−8.0 against the 2 days before"))
    let same = series(
      .mood, Array(repeating: [5.0, 6, 5, 6, 5, 6, 5], count: 6).flatMap(\.self).map { $0 })
    let weeks = try #require(MetricChart(same, .wide, window: window(28, 41)))
    #expect(path("before", weeks) == path("line", weeks))
    #expect(weeks.figures.contains("as in the 14 days before"))
  }

  @Test("Without days before, or of all days, nothing is compared")
  func nothingBefore() throws {
    let weight = series(.weight, values(30, around: 75))
    for window in [nil, window(0, 29)] {
      let chart = try #require(MetricChart(weight, .wide, window: window))
      #expect(path("before", chart) == nil)
      #expect(chart.figures.count == 2)
    }
    #expect(MetricChart(weight, .wide, window: window(40, 60)) == nil)
  }

  @Test("A value off the axis is marked at its edge and named, and the line leaves it out")
  func unusual() throws {
    var weights = values(60, around: 80)
    weights[30] = 180
    let chart = try #require(MetricChart(series(.weight, weights), .wide))
    let markup = chart.plot(id: "a", title: "b").markup
    #expect(markup.contains("<path class=\"unusual\" d=\"M-6 10h12L0 1z\"/>"))
    #expect(!markup.contains("<text class=\"up\" y=\"0\">180"))
    let day = DateText.day(monday.adding(days: 30))
    #expect(chart.unusualSentence == "Unusual: 180.0 kg on \(day); left out of the line.")
    let without: [Double?] = weights.map { $0 == 180 ? nil : $0 }
    let other = try #require(MetricChart(series(.weight, without), .wide))
    #expect(path("line", chart) == path("line", other))
    // What it shows of that day is the value.
    #expect(chart.readings(name: "a", label: "b").columns[30]?.hasSuffix(": 180.0 kg") == true)
  }

  @Test("A night's bar is stacked by its stages, awake on top")
  func stages() throws {
    let stages = try #require(
      SleepStages(
        SleepDurations(
          timeInBed: 28_800, totalSleep: 25_200, awake: 3600, rem: 7200, core: 10_800, deep: 7200)))
    let nights = MetricSeries(
      .sleep,
      days: [
        DayValue(date: monday, value: 7, low: 7, high: 7, stages: stages),
        DayValue(date: monday.adding(days: 1), value: 6, low: 6, high: 6),
      ])
    let chart = try #require(MetricChart(nights, .wide))
    // 8 hours are 200 pixels, a gap of a pixel above each stage.
    #expect(path("deep", chart) == "M51 400V300h8V400")
    #expect(path("core", chart) == "M51 298V150h8V298")
    #expect(path("rem", chart) == "M51 148V50h8V148")
    #expect(path("awake", chart) == "M51 48V0h8V48")
    #expect(path("asleep", chart) == "M61 400V100h8V400")
    #expect(chart.key.map(\.words) == ["deep", "core", "REM", "asleep", "awake", "mean of 7 days"])
    let reading = chart.readings(name: "a", label: "b").columns[5]
    #expect(reading?.hasSuffix(": 7 h; deep 2:00, core 3:00, REM 2:00, awake 1:00") == true)
    var html = HTML()
    chart.addTable(to: &html)
    #expect(html.markup.contains("<td>7 h</td><td>2 h</td><td>3 h</td><td>2 h</td><td>0 min</td>"))
    // Of a week the mean; the night without stages counts as asleep.
    let week = try #require(nights.days.gathered(by: .week).first?.stages)
    #expect(week.parts.map(\.hours) == [1, 1.5, 1, 3, 0.5])
    #expect(SleepStages(SleepDurations(timeInBed: 9, totalSleep: 9)) == nil)
  }

  @Test("A whole mood is read without decimals, on an axis of whole moods")
  func wholeScores() throws {
    let chart = try #require(MetricChart(series(.mood, [7]), .small))
    let markup = chart.plot(id: "a", title: "b").markup
    let labels = markup.split(separator: "<text class=\"up\"").dropFirst().compactMap {
      $0.split(separator: ">").dropFirst().first?.prefix { $0 != "<" }
    }
    #expect(labels.allSatisfy { !$0.contains(".") }, "\(labels)")
    #expect(chart.figures.first?.hasPrefix("7 on ") == true)
  }

  @Test("The line of a goal does not cut the points on it")
  func goalOfPoints() throws {
    let goal = GoalProgress(
      quantity: 75, isDaily: true, target: "75 kg a day", progress: "reached today", streakDays: 1)
    let chart = try #require(MetricChart(series(.weight, [74, 75, 76]), .wide, goal: goal))
    let markup = chart.plot(id: "a", title: "b").markup
    #expect(markup.contains("<line class=\"goal\"") && !markup.contains("halo"))
  }

  @Test("A goal is a line, and the days that reach it are counted")
  func goal() throws {
    let goal = GoalProgress(
      quantity: 8000, isDaily: true, target: "8,000 a day", progress: "reached today",
      streakDays: 1)
    let chart = try #require(
      MetricChart(series(.steps, [7999, 8000, 9000, 100]), .wide, goal: goal))
    #expect(chart.figures.last == "goal reached on 2 days")
    var limit = goal
    limit.isAtMost = true
    let limited = try #require(
      MetricChart(series(.steps, [7999, 8000, 9000, 100]), .wide, goal: limit))
    #expect(limited.figures.last == "goal kept on 3 days")
    let markup = chart.plot(id: "a", title: "b").markup
    #expect(markup.contains("<line class=\"goal\"") && markup.contains("<line class=\"goal halo\""))
  }

  @Test(
    "A goal is in every chart: on its axis, or as an arrow at the edge beyond which it is",
    arguments: [
      (Metric.weight, [78.0, 80], 74.0, "goal 74.0"),
      (.weight, [78, 80], 60, "goal 60.0, below the chart"),
      (.weight, [78, 80], 95, "goal 95.0, above the chart"),
      (.steps, [100, 200], 8000, "goal 8,000, above the chart"),
      (.steps, [9000, 8000], 1000, "goal 1,000"),
    ])
  func placeOfGoal(
    _ metric: Metric, _ values: [Double], _ quantity: Double, _ words: String
  ) throws {
    let goal = GoalProgress(
      quantity: quantity, isDaily: false, target: "t", progress: "p", streakDays: 0)
    let display: MetricDisplay = metric == .steps ? .steps : .weight
    let chart = try #require(MetricChart(series(display, values), .small, goal: goal))
    #expect(chart.key.last?.words == words)
    let markup = chart.plot(id: "a", title: "b").markup
    #expect(markup.contains("<line class=\"goal\"") == !words.contains("the chart"))
    #expect(markup.contains("goal beyond") == words.contains("the chart"))
  }

  @Test("Every column with a value has a button that says it")
  func readings() throws {
    let chart = try #require(MetricChart(series(.steps, [2000, nil, 8000]), .wide))
    var html = HTML()
    chart.readings(name: "c4a", label: "Steps by day").add(to: &html)
    let tags = Markup(html.markup).tags.filter { !$0.isClosing }
    #expect(tags.map(\.name) == ["div", "i", "i", "i", "i", "input", "i", "input"])
    #expect(tags[5].value("aria-label") == "\(DateText.dayOfYear(monday)): 2,000 steps")
    #expect(tags.filter { $0.attributes.hasSuffix(" checked") }.count == 1)
    #expect(tags[7].attributes.hasSuffix(" checked"))
    #expect(tags[0].value("role") == "radiogroup")
  }

  @Test("The calendar's first and last day are shown", arguments: [false, true])
  func endsOfTheCalendar(both: Bool) throws {
    let ends = both ? [CalendarDate.first, .last] : [.last]
    for display in [MetricDisplay.steps, .weight] {
      let days = ends.map { DayValue(date: $0, value: 70, low: 70, high: 71) }
      for window in [nil, CalendarDate.last.adding(days: -29)...CalendarDate.last] {
        let chart = try #require(
          MetricChart(MetricSeries(display, days: days), .wide, window: window))
        #expect(!chart.plot(id: "a", title: "b").markup.isEmpty)
        #expect(chart.readings(name: "a", label: "b").columns.last != .some(nil))
      }
    }
  }
}
