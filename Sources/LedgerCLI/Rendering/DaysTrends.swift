import LedgerModel
import LedgerProjections

/// How each metric went over the days that are shown: a line a metric, all over the same days.
struct DaysTrends {
  let days: [DayGroup]
  let quantities: QuantityText

  /// A metric's values over time, and what the lowest and the highest bar of them stand for.
  struct Trend {
    var metric: Metric
    /// `nil` where nothing was logged.
    var values: [Double?]
    var scale: ClosedRange<Double>
  }

  /// Nothing for a single day, which has no trend.
  func lines(width: Int) -> [String] {
    guard let first = days.first?.date, let last = days.last?.date, first < last else { return [] }
    let metrics = Metric.allCases.filter { metric in days.contains { $0.metric == metric } }
    let nameWidth = metrics.map(\.words.count).max() ?? 0
    let rangeWidth =
      metrics.map { words(scale(of: $0, dayValues(of: $0)), of: $0).count }.max() ?? 0
    // What the scale is stands behind the bars, or above them where that leaves too few.
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

  /// What adds up begins at 0: a bar that begins elsewhere would make much of little.
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
      text += "; what does not add up is drawn by its mean, from the first number and not from 0"
    }
    return wrapped(text, width: width)
  }
}

extension String {
  /// With blanks behind it, for text without wide characters.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
