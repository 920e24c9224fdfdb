import LedgerModel

/// A stretch of the calendar that one mark of a chart stands for.
enum Period: CaseIterable {
  case day, week, month, year, decade, century

  /// The shortest period of which the days from `first` to `last` hold no more than `most`.
  static func fitting(_ first: CalendarDate, _ last: CalendarDate, atMost most: Int) -> Period {
    allCases.first { $0.index(of: last) - $0.index(of: first) < most } ?? .century
  }

  /// Counts up by one from each period to the next.
  func index(of date: CalendarDate) -> Int {
    let (year, month, _) = date.components
    switch self {
    case .day: return Int(date.daysSince1970)
    // Weeks begin on Mondays; 1970-01-01 was a Thursday.
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

  /// The first day behind the period; the calendar's last day where there is none.
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

  /// The calendar begins with the year 1.
  private static func newYear(_ year: Int) -> CalendarDate {
    CalendarDate(year: max(1, year), month: 1, day: 1) ?? .last
  }

  /// Two marks further apart than this are not joined by a line: nobody knows what was between.
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

  /// `day`, `week`: what one mark stands for.
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

  var adjective: String {
    switch self {
    case .day: "daily"
    case .week: "weekly"
    case .month: "monthly"
    case .year: "yearly"
    case .decade: "ten-year"
    case .century: "hundred-year"
    }
  }

  /// What a period that begins on this day is called.
  func name(_ start: CalendarDate) -> String {
    switch self {
    case .day: DateText.day(start)
    case .week: "week of \(DateText.day(start))"
    case .month: DateText.month(start)
    case .year: DateText.year(start)
    case .decade, .century: "\(DateText.year(start))s"
    }
  }
}
