import LedgerModel

/// A chart of one metric: bars from zero for a metric that adds up, otherwise points; over both the
/// moving average, and that of as many days before.
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
    var heightPixels: Double { self == .small ? 88 : 200 }
  }

  let series: MetricSeries
  let period: Period
  let values: [PeriodValue]
  /// The days with entries.
  let days: ArraySlice<DayValue>
  /// All days that the chart is of.
  private let window: ClosedRange<CalendarDate>
  /// The days before that the chart is compared with; `nil` for none.
  private let before: ClosedRange<CalendarDate>?
  private let size: Size
  private let goal: GoalProgress?
  private let scale: NiceScale
  private let firstDay: CalendarDate
  private let lastDay: CalendarDate
  private let showsBefore: Bool
  /// Where the goal is on the axis; `nil` without one.
  private let goalPlace: AxisExtent.Place?
  /// Whether the last day is of another year than the page, so that days have theirs.
  private let hasYears: Bool

  /// - Parameters:
  ///   - window: the days to show, compared with as many before; `nil` for all.
  ///   - made: the day when the page was made; `nil` for the last day shown.
  /// - Returns: `nil` for a series without days to show.
  init?(
    _ series: MetricSeries, _ size: Size, window: ClosedRange<CalendarDate>? = nil,
    goal: GoalProgress? = nil, madeOn made: CalendarDate? = nil
  ) {
    guard let first = series.days.first?.date, let last = series.days.last?.date else { return nil }
    let shown = window ?? first...last
    days = series.days(in: shown)
    guard !days.isEmpty else { return nil }
    self.series = series
    self.size = size
    self.goal = goal
    self.window = shown
    hasYears = made.map { $0.components.year != shown.upperBound.components.year } ?? false
    period = Period.fitting(shown.lowerBound, shown.upperBound, atMost: size.mostMarks)
    values = days.gathered(by: period)
    // At least a week, so that a single day does not fill the chart.
    let least = period == .day ? shown.upperBound.adding(days: -6) : shown.upperBound
    firstDay = period.start(of: min(shown.lowerBound, least))
    // The calendar's last day has no day after it.
    lastDay = max(shown.upperBound, period.end(of: shown.upperBound).adding(days: -1))
    before = window?.before.flatMap { series.days(in: $0).isEmpty ? nil : $0 }
    let hasTrend = period == .day || period == .week
    let ghost = hasTrend ? before.map { series.trend(in: $0).map(\.value) } ?? [] : []
    let usual = days.usual
    var axis = AxisExtent(
      usual.isEmpty || usual.count == days.count ? values : usual.gathered(by: period),
      of: series.display)
    axis.include(values)
    showsBefore = ghost.count > 1 && axis.include(ghost)
    goalPlace = goal.map { axis.place(ofGoal: $0.quantity) }
    scale = axis.scale(ticks: size == .small ? 2 : 5)
  }

  /// Whether the axis starts above zero.
  var isCut: Bool { !series.display.addsUp && scale.low > 0 }

  var cutSentence: String? {
    guard isCut else { return nil }
    let unit = series.display.unit.isEmpty ? "" : " \(series.display.unit)"
    return "The axis begins at \(scale.label(scale.low))\(unit), not at zero."
  }

  // MARK: Drawing

  func plot(id: String, title: String) -> Plot {
    var plot = Plot(
      id: id, title: title,
      description: [summary, cutSentence].compactMap(\.self).joined(separator: " "),
      columns: columns, heightPixels: size.heightPixels)
    plot.addAxis(scale, title: series.display.axisTitle)
    addTicks(to: &plot)
    if series.display.addsUp { addBars(to: &plot) } else { addPoints(to: &plot) }
    switch goalPlace {
    case .inside(let quantity):
      plot.addLevel(share: scale.share(quantity), "goal", hasHalo: series.display.addsUp)
    case .above: plot.addArrow("goal", isUp: true)
    case .below: plot.addArrow("goal", isUp: false)
    case nil: break
    }
    if showsBefore { addLine(beforePieces, "before", to: &plot) }
    addLine(linePieces, "line", to: &plot)
    for day in unusual {
      plot.addUnusual(
        at: middle(of: day.date), share: scale.position(day.value),
        isOnAxis: scale.contains(day.value))
    }
    return plot
  }

  private func addTicks(to plot: inout Plot) {
    // A narrow page hides every other label of a wide chart.
    let room = Plot.leastWidthPixels * (size == .wide ? 2 : 1)
    plot.addTicks(DateTicks.ticks(from: firstDay, to: lastDay, roomPixels: room)) {
      middle(of: $0.date)
    }
  }

  private func addBars(to plot: inout Plot) {
    func extent(_ value: PeriodValue, from low: Double, to high: Double) -> Plot.Extent {
      Plot.Extent(
        column: column(of: value.start), top: plot.pixels(up: scale.share(high)),
        bottom: plot.pixels(up: scale.share(low)))
    }
    plot.addBars(
      values.filter { $0.stages == nil }.map { extent($0, from: 0, to: $0.value) },
      hasStages ? "asleep" : "bar")
    let staged = values.compactMap { value in value.stages.map { (value, $0.parts) } }
    for part in SleepStages.kinds.indices {
      let bars = staged.filter { $0.1[part].hours > 0 }.map { value, parts in
        let low = parts[..<part].reduce(0) { $0 + $1.hours }
        let bar = extent(value, from: low, to: low + parts[part].hours)
        // A gap of a pixel below each part but the lowest sets them off from each other.
        let gap = low > 0 && bar.bottom - bar.top > 2 ? 1.0 : 0
        return Plot.Extent(column: bar.column, top: bar.top, bottom: bar.bottom - gap)
      }
      plot.addBars(bars, SleepStages.kinds[part].kind)
    }
  }

  private func addPoints(to plot: inout Plot) {
    plot.addRanges(
      values.filter { $0.high > $0.low }.map { value in
        Plot.Extent(
          column: column(of: value.start), top: plot.pixels(up: scale.share(value.high)),
          bottom: plot.pixels(up: scale.share(value.low)))
      })
    plot.addDots(
      values.filter { scale.contains($0.value) }.map { value in
        Plot.Point(
          column: Double(column(of: value.start)) + 0.5,
          y: plot.pixels(up: scale.position(value.value)))
      }, values.count > 60 ? "dots many" : "dots")
  }

  private func addLine(_ pieces: [[TrendPoint]], _ kind: String, to plot: inout Plot) {
    let points = pieces.map { piece in
      piece.map { point in
        Plot.Point(
          column: middle(of: point.date), y: plot.pixels(up: scale.position(point.value)))
      }
    }
    plot.addLine(points, kind, hasHalo: series.display.addsUp)
  }

  /// A single point draws no line.
  private var linePieces: [[TrendPoint]] { pieces(line) }

  /// The line of the days before, moved to the days of the chart.
  private var beforePieces: [[TrendPoint]] {
    guard let before else { return [] }
    let moved = series.trend(in: before).map { point in
      TrendPoint(date: point.date.adding(days: spanDays), value: point.value)
    }
    return pieces(MovingAverage.thinned(moved, by: period))
  }

  private func pieces(_ points: [TrendPoint]) -> [[TrendPoint]] {
    MovingAverage.pieces(points, joiningUpTo: period.longestJoinDays).filter { $0.count > 1 }
  }

  /// Days get a moving average, and so do weeks of points; other bars and longer periods are averages
  /// already.
  private var line: [TrendPoint] {
    switch period {
    case .day: return Array(series.trend(in: window))
    case .week:
      return series.display.addsUp
        ? [] : MovingAverage.thinned(Array(series.trend(in: window)), by: .week)
    case .month, .year, .decade, .century:
      guard !series.display.addsUp else { return [] }
      return days.usual.gathered(by: period).map { value in
        let length = (value.start...period.end(of: value.start)).dayCount - 1
        return TrendPoint(date: value.start.adding(days: length / 2), value: value.value)
      }
    }
  }

  private var spanDays: Int { window.dayCount }

  private var unusual: [DayValue] { days.filter(\.isUnusual) }

  /// Whether a reading needs more than a line on a phone.
  var hasLongReadings: Bool { hasStages || period != .day && size != .small }

  private var hasStages: Bool { values.contains { $0.stages != nil } }

  // MARK: Places

  private var columns: Int { column(of: lastDay) + 1 }

  private func column(of date: CalendarDate) -> Int {
    period.index(of: date) - period.index(of: firstDay)
  }

  /// Where a day begins, in columns.
  private func place(of date: CalendarDate) -> Double {
    let start = period.start(of: date)
    let length = Double((start...period.end(of: start)).dayCount - 1)
    return Double(column(of: date)) + Double((start...date).dayCount - 1) / max(1, length)
  }

  private func middle(of date: CalendarDate) -> Double {
    (place(of: date) + place(of: date.adding(days: 1))) / 2
  }

  // MARK: Words

  /// What the chart shows of each column.
  func readings(name: String, label: String) -> Readings {
    var columns = [String?](repeating: nil, count: columns)
    for value in values { columns[column(of: value.start)] = reading(value) }
    return Readings(name: name, label: label, columns: columns)
  }

  private func reading(_ value: PeriodValue) -> String {
    let display = series.display
    var words = period.name(value.start, withYear: hasYears || spanDays > 366)
    words += ": \(display.words(value.value))"
    if period != .day {
      if size == .small { return words }
      words += ", mean of \(FigureText.counted(value.days, "day"))"
    } else if value.high > value.low {
      words += ", \(display.reading(value.low)) to \(display.reading(value.high))"
    }
    guard let stages = value.stages else { return words }
    let parts = stages.parts.filter { $0.hours > 0 }
      .map { "\($0.name) \(FigureText.clock(hours: $0.hours))" }
    return "\(words); \(parts.joined(separator: ", "))"
  }

  /// The legend: each kind of mark with its meaning.
  var key: [(kind: String, words: String)] {
    var key: [(String, String)] = []
    if hasStages {
      let kinds = Set(
        values.flatMap { $0.stages?.parts.filter { $0.hours > 0 }.map(\.kind) ?? ["asleep"] })
      key += SleepStages.kinds.filter { kinds.contains($0.kind) }.map { ($0.kind, $0.name) }
    } else {
      let mark = series.display.addsUp ? "bar" : "dots"
      key.append((mark, period == .day ? "a day" : "mean of a \(period.noun)"))
    }
    if !series.display.addsUp, values.contains(where: { $0.high > $0.low }) {
      key.append(("range", "lowest to highest"))
    }
    if !linePieces.isEmpty {
      let isAverage = period == .day || period == .week
      key.append(("line", isAverage ? "mean of 7 days" : "from \(period.noun) to \(period.noun)"))
    }
    if showsBefore, !beforePieces.isEmpty { key.append(("before", "\(beforeWords)")) }
    if let goal, let goalPlace {
      let words = "goal \(series.display.reading(goal.quantity))"
      switch goalPlace {
      case .inside: key.append(("goal", words))
      case .above: key.append(("goal-above", "\(words), above the chart"))
      case .below: key.append(("goal-below", "\(words), below the chart"))
      }
    }
    if !unusual.isEmpty { key.append(("unusual", "unusual")) }
    return key
  }

  private var beforeWords: String { "\(FigureText.count(spanDays)) days before" }

  /// Figures that the chart does not show.
  var figures: [String] {
    let display = series.display
    guard days.count > 1 else {
      return days.first.map { ["\(display.words($0.value)) on \(DateText.day($0.date))"] } ?? []
    }
    let mean = days.mean
    var figures = hasYears ? [DateText.span(window.lowerBound, window.upperBound)] : []
    figures.append("mean \(display.words(mean))\(display.addsUp ? " a day" : "")")
    if let before {
      let change = display.change(from: series.days(in: before).mean, to: mean)
      figures.append("\(change == "same" ? "as in" : "\(change) against") the \(beforeWords)")
    }
    if size == .small { return figures }
    figures.append("\(FigureText.count(days.count)) of \(FigureText.count(spanDays)) days logged")
    if let goal, goal.isDaily {
      let reached = days.count { goal.isReached(by: $0.latest) }
      let verb = goal.isAtMost ? "kept" : "reached"
      figures.append("goal \(verb) on \(FigureText.counted(reached, "day"))")
    }
    return figures
  }

  /// The unusual values, which the line leaves out.
  var unusualSentence: String? {
    guard !unusual.isEmpty else { return nil }
    let named = unusual.suffix(3).reversed().map { day in
      "\(series.display.words(day.value)) on \(DateText.day(day.date))"
    }
    let more = unusual.count - named.count
    return "Unusual: " + named.joined(separator: ", ")
      + (more > 0 ? " and \(FigureText.count(more)) more" : "")
      + (linePieces.isEmpty ? "." : "; left out of the line.")
  }

  /// The chart in one or two sentences.
  var summary: String {
    guard let first = days.first, let last = days.last else { return "" }
    let display = series.display
    let count = FigureText.counted(days.count, "day")
    let span = DateText.span(first.date, last.date)
    let lowest = days.map(\.low).min() ?? first.low
    let highest = days.map(\.high).max() ?? first.high
    var text = "\(count) with entries, \(span). "
    if days.count == 1, first.low == first.high {
      text += "\(display.words(last.value))."
    } else if display.addsUp {
      text += "On average \(display.words(days.mean)) a day logged, from \(display.text(lowest)) "
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
    let unit = display.unit.isEmpty || display.metric == .sleepHours ? "" : ", \(display.unit)"
    let isSum = display.addsUp && period == .day
    var head = [period.noun.capitalizedFirst, (isSum ? "sum" : "mean") + unit]
    if !display.addsUp { head += ["lowest", "highest"] }
    if hasStages { head += SleepStages.kinds.map(\.name) }
    if period != .day { head.append("days logged") }
    html.table(
      caption: "\(display.name.capitalizedFirst) by \(period.noun)", head: head,
      rows: values.map { value in
        let stages = value.stages?.parts.map { display.text($0.hours) }
        return [period.name(value.start), display.text(value.value)]
          + (display.addsUp ? [] : [display.text(value.low), display.text(value.high)])
          + (hasStages ? stages ?? SleepStages.kinds.map { _ in "" } : [])
          + (period == .day ? [] : [FigureText.count(value.days)])
      })
  }
}

/// The values that an axis spans, without those that would squeeze all others.
private struct AxisExtent {
  private var low: Double
  private var high: Double
  private let addsUp: Bool
  /// A twentieth of the value, or five of its last digit, so that small changes do not look large.
  private let leastSpan: Double
  private let mostSpan: Double

  init(_ marks: [PeriodValue], of display: MetricDisplay) {
    let addsUp = display.addsUp
    self.addsUp = addsUp
    let extents = marks.map { Self.extent($0, addsUp: addsUp) }
    low = extents.map(\.lowerBound).min() ?? 0
    high = extents.map(\.upperBound).max() ?? 0
    // A mood is a whole number; only means of several have decimals.
    let decimals = display.metric == .moodScore ? 0 : display.decimals
    let digit = (0..<decimals).reduce(5.0) { digit, _ in digit / 10 }
    leastSpan = addsUp ? 0 : max((low.magnitude + high.magnitude) / 2 * 0.05, digit)
    mostSpan = 2 * max(high - low, leastSpan)
  }

  private static func extent(_ mark: PeriodValue, addsUp: Bool) -> ClosedRange<Double> {
    addsUp ? 0...max(0, mark.value + (mark.stages?.awake ?? 0)) : mark.low...mark.high
  }

  mutating func include(_ marks: [PeriodValue]) {
    let extents = marks.map { Self.extent($0, addsUp: addsUp) }
    include(extents.map(\.lowerBound) + extents.map(\.upperBound))
  }

  /// Extends the axis, unless it would be more than twice as long as it was at first.
  ///
  /// - Returns: whether the axis holds the values.
  @discardableResult
  mutating func include(_ values: [Double]) -> Bool {
    guard let least = values.min(), let most = values.max() else { return true }
    let (newLow, newHigh) = (min(low, least), max(high, most))
    guard newHigh - newLow <= mostSpan else { return false }
    (low, high) = (newLow, newHigh)
    return true
  }

  enum Place {
    case inside(Double)
    case above
    case below
  }

  /// Extends the axis for a goal, unless that would leave the values less than a third of it.
  mutating func place(ofGoal quantity: Double) -> Place {
    let (newLow, newHigh) = (min(low, quantity), max(high, quantity))
    guard newHigh - newLow <= mostSpan * 1.5 else { return quantity > high ? .above : .below }
    (low, high) = (newLow, newHigh)
    return .inside(quantity)
  }

  func scale(ticks: Int) -> NiceScale {
    addsUp
      ? .fromZero(to: high, ticks: ticks)
      : .around(low, high, ticks: ticks, leastSpan: leastSpan)
  }
}

extension ClosedRange<CalendarDate> {
  var dayCount: Int { Int(upperBound.daysSince1970) - Int(lowerBound.daysSince1970) + 1 }

  /// As many days before these; `nil` at the calendar's beginning.
  fileprivate var before: ClosedRange<CalendarDate>? {
    let last = lowerBound.adding(days: -1)
    return last < lowerBound ? last.adding(days: 1 - dayCount)...last : nil
  }
}

extension Collection<DayValue> {
  var usual: [DayValue] { filter { !$0.isUnusual } }

  /// The mean of the days; of none 0.
  var mean: Double { isEmpty ? 0 : reduce(0) { $0 + $1.value } / Double(count) }
}
