import LedgerModel

/// One mark of a chart: what a metric came to over a period.
struct PeriodValue: Hashable {
  /// The period's first day.
  var start: CalendarDate
  /// The mean over the period's days that have entries.
  var value: Double
  var low: Double
  var high: Double
  /// The days that have entries.
  var days: Int
}

extension MetricSeries {
  /// The days gathered by periods. A day without entries counts for nothing, and not as zero.
  func gathered(by period: Period) -> [PeriodValue] {
    var values: [PeriodValue] = []
    var sum = 0.0
    for day in days {
      let start = period.start(of: day.date)
      if let last = values.last, last.start == start {
        sum += day.value
        values[values.count - 1].days += 1
        values[values.count - 1].value = sum / Double(last.days + 1)
        values[values.count - 1].low = min(last.low, day.low)
        values[values.count - 1].high = max(last.high, day.high)
      } else {
        sum = day.value
        values.append(
          PeriodValue(start: start, value: sum, low: day.low, high: day.high, days: 1))
      }
    }
    return values
  }
}

/// A point of a line.
struct TrendPoint: Hashable {
  var date: CalendarDate
  var value: Double
}

enum MovingAverage {
  static let windowDays = 7

  /// For every day that has a value, the mean of the values of the seven days that end with it.
  static func points(_ days: [DayValue]) -> [TrendPoint] {
    var first = 0
    return days.indices.map { index in
      let oldest = Int(days[index].date.daysSince1970) - windowDays + 1
      while Int(days[first].date.daysSince1970) < oldest { first += 1 }
      // Added up anew each time: a running sum would drift.
      let window = days[first...index]
      let sum = window.reduce(0) { $0 + $1.value }
      return TrendPoint(date: days[index].date, value: sum / Double(window.count))
    }
  }

  /// The points cut where a line between two of them would tell of days that nobody knows.
  static func pieces(_ points: [TrendPoint], joiningUpTo days: Int) -> [[TrendPoint]] {
    var pieces: [[TrendPoint]] = []
    for point in points {
      if let last = pieces.last?.last,
        Int(point.date.daysSince1970) - Int(last.date.daysSince1970) <= days
      {
        pieces[pieces.count - 1].append(point)
      } else {
        pieces.append([point])
      }
    }
    return pieces
  }

  /// The last point of each period: a long line needs no more.
  static func thinned(_ points: [TrendPoint], by period: Period) -> [TrendPoint] {
    var kept: [TrendPoint] = []
    for point in points {
      if let last = kept.last, period.start(of: last.date) == period.start(of: point.date) {
        kept[kept.count - 1] = point
      } else {
        kept.append(point)
      }
    }
    return kept
  }
}
