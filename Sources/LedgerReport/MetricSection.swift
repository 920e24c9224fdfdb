import LedgerModel

/// A chart of one metric: bars from zero for a metric that adds up, otherwise points with a trend
/// line.
struct MetricChart {
  enum Size {
    /// The full page width.
    case wide
    /// Half of a wide page.
    case half
    /// One of several in a grid.
    case small

    /// The most marks that are distinguishable on a narrow page.
    var mostMarks: Int { self == .small ? 64 : 190 }
  }

  let series: MetricSeries
  let period: Period
  let values: [PeriodValue]
  private let size: Size
  private let scale: NiceScale
  private let firstDay: CalendarDate
  /// The first day after the axis.
  private let endDay: CalendarDate

  /// - Returns: `nil` for a series without days.
  init?(_ series: MetricSeries, _ size: Size) {
    guard let first = series.days.first?.date, let last = series.days.last?.date else { return nil }
    self.series = series
    self.size = size
    period = Period.fitting(first, last, atMost: size.mostMarks)
    values = series.gathered(by: period)
    // At least a week, so that a single day does not fill the chart.
    let least = period.start(of: last).adding(days: period == .day ? -6 : 0)
    firstDay = min(period.start(of: first), least)
    endDay = period.end(of: last)
    let ticks = size == .small ? 2 : 5
    if series.display.addsUp {
      scale = .fromZero(to: values.map(\.value).max() ?? 0, ticks: ticks)
    } else {
      let low = values.map(\.low).min() ?? 0
      let high = values.map(\.high).max() ?? 0
      scale = .around(low, high, ticks: ticks, leastSpan: Self.leastSpan(low, high))
    }
  }

  /// A twentieth of the value, so that small changes do not look large.
  private static func leastSpan(_ low: Double, _ high: Double) -> Double {
    max((low.magnitude + high.magnitude) / 2 * 0.05, 1e-6)
  }

  /// Whether the axis starts above zero; the caption says so.
  var isCut: Bool { !series.display.addsUp && scale.low > 0 }

  var cutSentence: String? {
    guard isCut else { return nil }
    let unit = series.display.unit.isEmpty ? "" : " \(series.display.unit)"
    return "The axis begins at \(scale.label(scale.low))\(unit), not at zero."
  }

  // MARK: Drawing

  func plot(id: String, title: String) -> Plot {
    var plot = Plot(
      id: id, title: title, description: summary, heightPixels: size == .small ? 72 : 200)
    plot.addAxis(scale, title: series.display.axisTitle)
    addTicks(to: &plot)
    if series.display.addsUp { addBars(to: &plot) } else { addTrend(to: &plot) }
    return plot
  }

  private func addTicks(to plot: inout Plot) {
    let last = endDay.adding(days: -1)
    // A narrow page hides every other label of a wide chart.
    let room = Plot.leastWidthPixels * (size == .wide ? 2 : 1)
    plot.addTicks(DateTicks.ticks(from: firstDay, to: last, roomPixels: room)) { share($0.date) }
  }

  private func addBars(to plot: inout Plot) {
    for value in values {
      let left = share(value.start)
      let right = share(period.end(of: value.start))
      // Many bars need narrower gaps.
      let gap = (right - left) * (values.count > 80 ? 0.03 : 0.12)
      plot.addBar(
        from: left + gap, to: right - gap, top: plot.pixels(up: scale.share(value.value)), "bar",
        tip: tip(value))
    }
  }

  private func addTrend(to plot: inout Plot) {
    for value in values where value.high > value.low {
      plot.addRange(
        at: middle(value.start), top: plot.pixels(up: scale.share(value.high)),
        bottom: plot.pixels(up: scale.share(value.low)))
    }
    let radius = values.count > 60 ? 2.5 : 3.5
    for value in values {
      plot.addDot(
        at: middle(value.start), y: plot.pixels(up: scale.share(value.value)), radius: radius,
        tip: tip(value))
    }
    plot.addLine(
      linePieces.map { piece in
        piece.map { (share($0.date) + halfDay, plot.pixels(up: scale.share($0.value))) }
      })
  }

  /// A single point draws no line.
  private var linePieces: [[TrendPoint]] {
    MovingAverage.pieces(line, joiningUpTo: period.longestJoinDays).filter { $0.count > 1 }
  }

  /// Days and weeks get a moving average; longer periods are averages already.
  private var line: [TrendPoint] {
    switch period {
    case .day: return MovingAverage.points(series.days)
    case .week: return MovingAverage.thinned(MovingAverage.points(series.days), by: .week)
    case .month, .year, .decade, .century:
      return values.map { value in
        let days =
          (Int(period.end(of: value.start).daysSince1970)
            - Int(value.start.daysSince1970)) / 2
        return TrendPoint(date: value.start.adding(days: days), value: value.value)
      }
    }
  }

  private func share(_ date: CalendarDate) -> Double {
    Double(Int(date.daysSince1970) - Int(firstDay.daysSince1970)) / spanDays
  }

  private var spanDays: Double {
    max(1, Double(Int(endDay.daysSince1970) - Int(firstDay.daysSince1970)))
  }

  private var halfDay: Double { 0.5 / spanDays }

  private func middle(_ start: CalendarDate) -> Double {
    (share(start) + share(period.end(of: start))) / 2
  }

  private func tip(_ value: PeriodValue) -> String {
    "\(period.name(value.start)): \(series.display.words(value.value))"
      + (period == .day ? "" : ", mean of \(FigureText.counted(value.days, "day"))")
  }

  // MARK: Words

  /// The legend: each kind of mark with its meaning.
  var key: [(kind: String, words: String)] {
    if series.display.addsUp {
      let bar = period == .day ? "sum of a day" : "mean of a \(period.noun)’s logged days"
      return [("bar", bar)]
    }
    let dot = ("dot", period == .day ? "mean of a day" : "mean of a \(period.noun)")
    let hasRanges = values.contains { $0.high > $0.low }
    let ranges = hasRanges ? [("range", "lowest to highest of that \(period.noun)")] : []
    guard !linePieces.isEmpty else { return [dot] + ranges }
    let isAverage = period == .day || period == .week
    return [dot] + ranges
      + [("line", isAverage ? "moving average of 7 days" : "from \(period.noun) to \(period.noun)")]
  }

  /// The chart in one or two sentences.
  var summary: String {
    guard let first = series.days.first, let last = series.days.last else { return "" }
    let display = series.display
    let days = FigureText.counted(series.days.count, "day")
    let span = DateText.span(first.date, last.date)
    let lowest = series.days.map(\.low).min() ?? first.low
    let highest = series.days.map(\.high).max() ?? first.high
    let mean = series.days.reduce(0) { $0 + $1.value } / Double(series.days.count)
    var text = "\(days) with entries, \(span). "
    if series.days.count == 1, first.low == first.high {
      text += "\(display.words(last.value))."
    } else if display.addsUp {
      text += "On average \(display.words(mean)) a day logged, from \(display.text(lowest)) "
      text += "to \(display.words(highest))."
    } else {
      text += "From \(display.words(first.value)) on the first to \(display.words(last.value)) on "
      text += "the last; lowest \(display.text(lowest)), highest \(display.words(highest))."
    }
    return text
  }

  /// The chart's values as a table, one row per mark.
  func addTable(to html: inout HTML) {
    let display = series.display
    let unit = display.unit.isEmpty ? "" : ", \(display.unit)"
    let isSum = display.addsUp && period == .day
    var head = [period.noun.capitalizedFirst, (isSum ? "sum" : "mean") + unit]
    if !display.addsUp { head += ["lowest", "highest"] }
    if period != .day { head.append("days logged") }
    html.table(
      caption: "\(display.name.capitalizedFirst) by \(period.noun)", head: head,
      rows: values.map { value in
        [period.name(value.start), display.text(value.value)]
          + (display.addsUp ? [] : [display.text(value.low), display.text(value.high)])
          + (period == .day ? [] : [FigureText.count(value.days)])
      })
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// The charts: weight large, steps and sleep side by side, the rest small.
struct MetricSections {
  private static let large: [Metric] = [.weight, .steps, .sleepHours]

  private let weight: MetricSeries?
  private let daily: [MetricSeries]
  private let others: [MetricSeries]

  init(_ content: ReportContent) {
    weight = content.series(of: .weight)
    daily = [.steps, .sleepHours].compactMap { content.series(of: $0) }
    others = content.series.filter {
      !Self.large.contains($0.display.metric) && !$0.days.isEmpty
    }
  }

  /// - Parameter idSuffix: what makes the ids unique, if the page has more of these.
  func add(to html: inout HTML, idSuffix: String = "") {
    if let weight {
      html.raw(
        "<section aria-labelledby=\"weight\(idSuffix)\">\n<h2 id=\"weight\(idSuffix)\">Weight</h2>")
      addCard(weight, .wide, isNamed: false, idSuffix, to: &html)
      html.raw("</section>")
    }
    if !daily.isEmpty {
      let title = daily.map { $0.display.name }.joined(separator: " and ").capitalizedFirst
      html.raw("<section aria-labelledby=\"daily\(idSuffix)\">")
      html.text(title, in: "h2", "id=\"daily\(idSuffix)\"")
      html.raw(daily.count > 1 ? "<div class=\"pair\">" : "<div>")
      for series in daily {
        addCard(
          series, daily.count > 1 ? .half : .wide, isNamed: daily.count > 1, idSuffix, to: &html)
      }
      html.raw("</div>\n</section>")
    }
    if !others.isEmpty {
      html.raw(
        "<section aria-labelledby=\"more\(idSuffix)\">\n<h2 id=\"more\(idSuffix)\">More of what was logged</h2>"
      )
      html.raw("<div class=\"more\">")
      for series in others { addCard(series, .small, isNamed: true, idSuffix, to: &html) }
      html.raw("</div>\n</section>")
    }
  }

  private func addCard(
    _ series: MetricSeries, _ size: MetricChart.Size, isNamed: Bool, _ idSuffix: String,
    to html: inout HTML
  ) {
    guard let chart = MetricChart(series, size) else { return }
    let unit = series.display.unit.isEmpty ? "" : ", \(series.display.unit)"
    let title = "\(series.display.name.capitalizedFirst)\(unit)"
    html.raw("<figure class=\"card\">")
    if isNamed { html.text(title, in: "h3") }
    html.raw("<figcaption>")
    html.text(chart.summary, in: "span")
    if let cut = chart.cutSentence { html.text(cut, in: "span") }
    html.raw("</figcaption>")
    html.raw(
      chart.plot(
        id: "chart-\(series.display.metric.name)\(idSuffix)",
        title: "\(title) by \(chart.period.noun)"
      )
      .markup)
    addKey(chart, to: &html)
    if size != .small {
      html.raw("<details>\n<summary>The same in numbers</summary>")
      html.raw("<div class=\"scroll\" tabindex=\"0\">")
      chart.addTable(to: &html)
      html.raw("</div>\n</details>")
    }
    html.raw("</figure>")
  }

  private func addKey(_ chart: MetricChart, to html: inout HTML) {
    html.raw("<ul class=\"key\">")
    for (kind, words) in chart.key {
      html.raw("<li>\(Self.sample(kind))\(HTML.escaped(words))</li>")
    }
    html.raw("</ul>")
  }

  private static func sample(_ kind: String) -> String {
    let shape =
      switch kind {
      case "bar": "<rect class=\"bar\" x=\"5\" y=\"1\" width=\"6\" height=\"10\"/>"
      case "dot": "<circle class=\"dot\" cx=\"8\" cy=\"6\" r=\"3\"/>"
      case "range": "<line class=\"range\" x1=\"8\" x2=\"8\" y1=\"0\" y2=\"12\"/>"
      default: "<line class=\"line\" x1=\"0\" x2=\"16\" y1=\"6\" y2=\"6\"/>"
      }
    return "<svg width=\"16\" height=\"12\" aria-hidden=\"true\">\(shape)</svg>"
  }
}
