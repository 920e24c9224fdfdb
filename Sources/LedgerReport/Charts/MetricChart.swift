import LedgerModel

/// One metric drawn over its days: bars from zero for what adds up, else points and their trend.
struct MetricChart {
  enum Size {
    /// As wide as the page.
    case wide
    /// As wide as half of it, where it is wide.
    case half
    /// One of many.
    case small

    /// As many marks as a narrow page can still show one by one.
    var mostMarks: Int { self == .small ? 64 : 190 }
  }

  let series: MetricSeries
  let period: Period
  let values: [PeriodValue]
  private let size: Size
  private let scale: NiceScale
  private let firstDay: CalendarDate
  /// The first day behind the axis.
  private let endDay: CalendarDate

  /// - Returns: `nil` for a series without a day.
  init?(_ series: MetricSeries, _ size: Size) {
    guard let first = series.days.first?.date, let last = series.days.last?.date else { return nil }
    self.series = series
    self.size = size
    period = Period.fitting(first, last, atMost: size.mostMarks)
    values = series.gathered(by: period)
    // A week at least, so that a single day is no wall of colour.
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

  /// A twentieth of the value: a change of less than that is not made to look large.
  private static func leastSpan(_ low: Double, _ high: Double) -> Double {
    max((low.magnitude + high.magnitude) / 2 * 0.05, 1e-6)
  }

  /// Whether the axis begins above zero, which its reader has to be told.
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
    // Half of a wide page's labels are left on a narrow one.
    let room = Plot.leastWidthPixels * (size == .wide ? 2 : 1)
    plot.addTicks(DateTicks.ticks(from: firstDay, to: last, roomPixels: room)) { share($0.date) }
  }

  private func addBars(to plot: inout Plot) {
    for value in values {
      let left = share(value.start)
      let right = share(period.end(of: value.start))
      // Many narrow bars would be more gap than bar.
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
    let radius = values.count > 60 ? 1.75 : 2.5
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

  /// A point without a neighbour draws nothing.
  private var linePieces: [[TrendPoint]] {
    MovingAverage.pieces(line, joiningUpTo: period.longestJoinDays).filter { $0.count > 1 }
  }

  /// Days and weeks have a moving average; longer periods are averages enough themselves.
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

  /// Where a day begins on the axis.
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

  /// What the marks are, for the key below the drawing.
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

  /// The chart in a sentence or two.
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

  /// The same as a table, a row a mark.
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
