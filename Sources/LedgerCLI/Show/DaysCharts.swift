import LedgerModel
import LedgerProjections

/// A sparkline per metric over the days shown.
struct DaysTrends {
  let days: [DayGroup]
  let quantities: QuantityText

  /// A metric's values over time, with the values of the lowest and the highest bar.
  struct Trend {
    var metric: Metric
    /// `nil` where there is no entry.
    var values: [Double?]
    var scale: ClosedRange<Double>
  }

  /// Empty for a single day.
  func lines(width: Int) -> [String] {
    guard let first = days.first?.date, let last = days.last?.date, first < last else { return [] }
    let metrics = Metric.allCases.filter { metric in days.contains { $0.metric == metric } }
    let nameWidth = metrics.map(\.words.count).max() ?? 0
    let rangeWidth =
      metrics.map { words(scale(of: $0, dayValues(of: $0)), of: $0).count }.max() ?? 0
    // The range follows the bars, or precedes them if too few would fit.
    let isNarrow = width - nameWidth - rangeWidth - 4 < 16
    let room = max(8, isNarrow ? width - 2 : width - nameWidth - rangeWidth - 4)
    let count = Int(last.daysSince1970 - first.daysSince1970) + 1
    let daysABar = (count + room - 1) / room
    var lines: [String] = []
    for metric in metrics {
      let trend = trend(of: metric, from: first, to: last, daysABar: daysABar)
      let bars = Sparkline.text(trend.values, scale: trend.scale)
      let name = metric.words.padded(to: nameWidth)
      let range = words(trend.scale, of: metric)
      lines +=
        isNarrow ? ["\(metric.words), \(range)", "  " + bars] : ["\(name)  \(bars)  \(range)"]
    }
    return lines + legend(metrics, from: first, to: last, daysABar: daysABar, width)
  }

  private func trend(
    of metric: Metric, from first: CalendarDate, to last: CalendarDate, daysABar: Int
  ) -> Trend {
    let span = Int(last.daysSince1970 - first.daysSince1970)
    var sums = [(sum: Double, count: Int)](repeating: (0, 0), count: span / daysABar + 1)
    for day in days where day.metric == metric {
      let place = Int(day.date.daysSince1970 - first.daysSince1970) / daysABar
      sums[place].sum += metric.addsUp ? day.sum : day.mean
      sums[place].count += 1
    }
    let values = sums.map { $0.count > 0 ? $0.sum / Double($0.count) : nil }
    return Trend(
      metric: metric, values: values, scale: scale(of: metric, values.compactMap(\.self)))
  }

  private func dayValues(of metric: Metric) -> [Double] {
    days.filter { $0.metric == metric }.map { metric.addsUp ? $0.sum : $0.mean }
  }

  /// Metrics that add up start at 0, so that differences are not exaggerated.
  private func scale(of metric: Metric, _ values: [Double]) -> ClosedRange<Double> {
    let (lowest, highest) = (values.min() ?? 0, values.max() ?? 0)
    return (metric.addsUp ? min(0, lowest) : lowest)...max(lowest, highest)
  }

  private func words(_ scale: ClosedRange<Double>, of metric: Metric) -> String {
    let highest = quantities.words(scale.upperBound, of: metric)
    guard scale.lowerBound < scale.upperBound else { return highest }
    return "\(quantities.number(scale.lowerBound, of: metric)) to \(highest)"
  }

  private func legend(
    _ metrics: [Metric], from first: CalendarDate, to last: CalendarDate, daysABar: Int,
    _ width: Int
  ) -> [String] {
    let bar = daysABar == 1 ? "a day" : "the mean of \(NumberText.count(daysABar)) days"
    var text = "\(first) to \(last), a bar is \(bar)"
    if metrics.contains(where: { !$0.addsUp }) {
      text += "; bars of means begin at the lowest value, not at 0"
    }
    return wrapped(text, width: width)
  }
}

extension String {
  /// Pads with spaces; for text without wide characters.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// Values as a row of bars, one character each: `▂▄▁ █`.
enum Sparkline {
  private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// - Parameters:
  ///   - values: `nil` leaves a gap.
  ///   - scale: the values of the lowest and the highest bar; if they are equal, bars are half
  ///     high.
  static func text(_ values: [Double?], scale: ClosedRange<Double>) -> String {
    String(values.map { $0.map { bar($0, scale) } ?? " " })
  }

  private static func bar(_ value: Double, _ scale: ClosedRange<Double>) -> Character {
    let span = scale.upperBound - scale.lowerBound
    guard span > 0 else { return bars[3] }
    let share = (value - scale.lowerBound) / span
    return bars[max(0, min(7, Int((share * 7).rounded())))]
  }
}

/// One value as a horizontal bar, or as a position on a line.
enum ScaleBar {
  private static let eighths: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// A bar from 0, in eighths of a column; `highest` takes all columns.
  static func bar(_ value: Double, highest: Double, columns: Int) -> String {
    guard highest > 0, value > 0 else { return "" }
    let all = max(1, Int((value / highest * Double(columns * 8)).rounded()))
    let rest = all % 8
    return String(repeating: "█", count: all / 8) + (rest > 0 ? String(eighths[rest - 1]) : "")
  }

  /// The position of a value between two others.
  static func place(_ value: Double, scale: ClosedRange<Double>, columns: Int) -> String {
    let span = scale.upperBound - scale.lowerBound
    let share = span > 0 ? (value - scale.lowerBound) / span : 0.5
    let dots = Int((share * Double(columns - 1)).rounded())
    return String(repeating: "·", count: max(0, dots)) + "●"
  }
}

/// Entries per day as a grid: a column per week from Monday to Sunday, in as many blocks as the
/// width requires.
struct ActivityCalendar {
  /// Entries per day.
  let counts: [CalendarDate: Int]
  let first: CalendarDate
  let last: CalendarDate
  let isUnicode: Bool

  private static let labelWidth = 4
  private static let weekdays = ["Mon", "", "Wed", "", "Fri", "", "Sun"]

  private var marks: [Character] {
    isUnicode ? ["·", "░", "▒", "▓", "█"] : [".", "-", "+", "*", "#"]
  }

  func lines(width: Int, paint: Paint) -> [String] {
    let room = max(8, width - Self.labelWidth)
    let monday = Self.monday(of: first)
    let weeks = Int(last.daysSince1970 - monday.daysSince1970) / 7 + 1
    // Spaced cells are easier to read, if a year of them fits.
    let cellWidth = min(weeks, 53) * 2 <= room ? 2 : 1
    let weeksALine = room / cellWidth
    var lines: [String] = []
    for start in stride(from: 0, to: weeks, by: weeksALine) {
      let shown = (start..<min(weeks, start + weeksALine)).map { monday.adding(days: $0 * 7) }
      if !lines.isEmpty { lines.append("") }
      lines.append(truncated(title(shown), columns: width))
      lines.append(header(shown, cellWidth, width: width, paint))
      for weekday in 0..<7 {
        let label = Self.weekdays[weekday].padded(to: Self.labelWidth)
        let cells = shown.map { cell($0.adding(days: weekday)) }
        lines.append(paint.dim(label) + row(cells, cellWidth, paint))
      }
    }
    return lines + [""] + wrapped(legend, width: width)
  }

  private func title(_ weeks: [CalendarDate]) -> String {
    guard let from = weeks.first, let to = weeks.last else { return "" }
    return "\(max(first, from)) to \(min(last, to.adding(days: 6)))"
  }

  private static func monday(of date: CalendarDate) -> CalendarDate {
    date.adding(days: 1 - date.weekday)
  }

  /// Month names above the weeks in which they start, and above the first week.
  private func header(
    _ weeks: [CalendarDate], _ cellWidth: Int, width: Int, _ paint: Paint
  ) -> String {
    var names: [(place: Int, month: Int)] = []
    for (index, monday) in weeks.enumerated() {
      let begun = (0..<7).map { monday.adding(days: $0) }
        .first { $0.components.day == 1 && $0 >= first && $0 <= last }
      if let begun { names.append((index * cellWidth, begun.components.month)) }
    }
    // A name takes three columns and a space.
    if let monday = weeks.first, names.first.map({ $0.place > 3 }) ?? true {
      names.insert((0, max(first, monday).components.month), at: 0)
    }
    var text = ""
    for (place, month) in names {
      let place = Self.labelWidth + place
      guard text.count <= place, place + 3 <= width else { continue }
      text = text.padded(to: place) + EntryText.month(month) + " "
    }
    return paint.dim(String(text.dropLast()))
  }

  /// The level, 0 to 4; `nil` for a day outside the range.
  private func cell(_ date: CalendarDate) -> Int? {
    guard date >= first, date <= last else { return nil }
    return level(of: counts[date] ?? 0)
  }

  private var most: Int { counts.values.max() ?? 0 }

  private func level(of count: Int) -> Int {
    guard count > 0 else { return 0 }
    return max(1, (count * 4 + most - 1) / most)
  }

  private func row(_ cells: [Int?], _ cellWidth: Int, _ paint: Paint) -> String {
    var text = ""
    var run = ""
    var runIsEmpty = true
    func flush() { text += paint.apply(runIsEmpty ? .dim : .green, run) }
    let end = cells.lastIndex { $0 != nil } ?? -1
    for (index, level) in cells.prefix(end + 1).enumerated() {
      let isEmpty = (level ?? 0) == 0
      if isEmpty != runIsEmpty {
        flush()
        (run, runIsEmpty) = ("", isEmpty)
      }
      run.append(level.map { marks[$0] } ?? " ")
      if cellWidth == 2, index < end { run.append(" ") }
    }
    flush()
    return text
  }

  private var legend: String {
    guard most > 0 else { return "nothing was logged on any of these days" }
    let ranges = (1...4).compactMap { level -> String? in
      let (low, high) = (most * (level - 1) / 4 + 1, most * level / 4)
      guard low <= high else { return nil }
      let count =
        low == high
        ? NumberText.count(low) : "\(NumberText.count(low)) to \(NumberText.count(high))"
      return "\(marks[level]) \(count)"
    }
    return "entries a day: \(marks[0]) none, " + ranges.joined(separator: ", ")
  }
}
