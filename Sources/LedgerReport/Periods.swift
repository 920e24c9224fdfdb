import LedgerModel

/// The part of the calendar that one mark of a chart covers.
enum Period: CaseIterable {
  case day, week, month, year, decade, century

  /// The shortest period that divides the days into at most `most` parts.
  static func fitting(_ first: CalendarDate, _ last: CalendarDate, atMost most: Int) -> Period {
    allCases.first { $0.index(of: last) - $0.index(of: first) < most } ?? .century
  }

  /// Consecutive periods have consecutive numbers.
  func index(of date: CalendarDate) -> Int {
    let (year, month, _) = date.components
    switch self {
    case .day: return Int(date.daysSince1970)
    // Weeks start on Monday; 1970-01-01 was a Thursday.
    case .week: return (Int(date.daysSince1970) + 3 - (date.weekday - 1)) / 7
    case .month: return year * 12 + month - 1
    case .year: return year
    case .decade: return year / 10
    case .century: return year / 100
    }
  }

  func start(of date: CalendarDate) -> CalendarDate {
    let (year, month, _) = date.components
    switch self {
    case .day: return date
    case .week: return date.adding(days: 1 - date.weekday)
    case .month: return CalendarDate(year: year, month: month, day: 1) ?? date
    case .year: return Self.newYear(year)
    case .decade: return Self.newYear(year / 10 * 10)
    case .century: return Self.newYear(year / 100 * 100)
    }
  }

  /// The first day after the period, or the calendar's last day.
  func end(of date: CalendarDate) -> CalendarDate {
    let (year, month, _) = start(of: date).components
    switch self {
    case .day: return date.adding(days: 1)
    case .week: return start(of: date).adding(days: 7)
    case .month:
      return CalendarDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
        ?? .last
    case .year: return Self.newYear(year + 1)
    case .decade: return Self.newYear(year / 10 * 10 + 10)
    case .century: return Self.newYear(year / 100 * 100 + 100)
    }
  }

  /// The calendar starts with the year 1.
  private static func newYear(_ year: Int) -> CalendarDate {
    CalendarDate(year: max(1, year), month: 1, day: 1) ?? .last
  }

  /// Marks further apart are not joined by a line.
  var longestJoinDays: Int {
    switch self {
    case .day: 14
    case .week: 21
    case .month: 62
    case .year: 731
    case .decade: 7306
    case .century: 73_050
    }
  }

  var noun: String {
    switch self {
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .year: "year"
    case .decade: "decade"
    case .century: "century"
    }
  }

  /// The label of the period that starts on this day.
  ///
  /// - Parameter withYear: whether the label of a day or week has the year.
  func name(_ start: CalendarDate, withYear: Bool = true) -> String {
    let day = withYear ? DateText.day(start) : DateText.dayOfYear(start)
    return switch self {
    case .day: day
    case .week: "week of \(day)"
    case .month: DateText.month(start)
    case .year: DateText.year(start)
    case .decade, .century: "\(DateText.year(start))s"
    }
  }
}

/// One mark of a chart: a metric's values over a period.
struct PeriodValue: Hashable {
  var start: CalendarDate
  /// The mean over the days with entries.
  var value: Double
  var low: Double
  var high: Double
  /// The number of days with entries.
  var days: Int
  /// The mean hours by stage, if they are known of any day.
  var stages: SleepStages?
}

extension Sequence<DayValue> {
  /// Groups days by period, oldest first. Days without entries do not count as zero.
  func gathered(by period: Period) -> [PeriodValue] {
    var values: [PeriodValue] = []
    var sum = 0.0
    for day in self {
      let start = period.start(of: day.date)
      if let last = values.last, last.start == start {
        let stages =
          last.stages == nil && day.stages == nil
          ? nil
          : (last.stages ?? SleepStages(asleep: sum))
            + (day.stages ?? SleepStages(asleep: day.value))
        sum += day.value
        values[values.count - 1] = PeriodValue(
          start: start, value: sum / Double(last.days + 1), low: Swift.min(last.low, day.low),
          high: Swift.max(last.high, day.high), days: last.days + 1, stages: stages)
      } else {
        sum = day.value
        values.append(
          PeriodValue(
            start: start, value: sum, low: day.low, high: day.high, days: 1, stages: day.stages))
      }
    }
    for place in values.indices where values[place].days > 1 {
      values[place].stages = values[place].stages.map { $0 / values[place].days }
    }
    return values
  }
}

struct TrendPoint: Hashable {
  var date: CalendarDate
  var value: Double
}

enum MovingAverage {
  static let windowDays = 7

  /// For each day with a value, the mean of the values of the seven days up to it.
  static func points(_ days: [DayValue]) -> [TrendPoint] {
    var first = 0
    return days.indices.map { index in
      let oldest = Int(days[index].date.daysSince1970) - windowDays + 1
      while Int(days[first].date.daysSince1970) < oldest { first += 1 }
      // Summed from scratch, because a running sum would accumulate rounding errors.
      let window = days[first...index]
      let sum = window.reduce(0) { $0 + $1.value }
      return TrendPoint(date: days[index].date, value: sum / Double(window.count))
    }
  }

  /// Splits the points where the gap is too long for a line.
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

  /// Keeps the last point of each period.
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
