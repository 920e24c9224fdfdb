import LedgerModel

/// Ticks on an axis of days: Mondays, first days of months, New Year's days.
enum DateTicks {
  struct Tick: Hashable {
    var date: CalendarDate
    var label: String
  }

  private enum Step {
    case days(Int)
    case weeks(Int)
    case months(Int)
    case years(Int)
  }

  private static let steps: [Step] =
    [.days(1), .days(2), .days(3), .weeks(1), .weeks(2)]
    + [1, 2, 3, 6].map { .months($0) }
    + [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].map { .years($0) }

  /// As many ticks as there is room for.
  ///
  /// - Parameters:
  ///   - last: the last day that is on the axis.
  ///   - roomPixels: the length of the axis where it is shortest.
  static func ticks(
    from first: CalendarDate, to last: CalendarDate, roomPixels: Double
  ) -> [Tick] {
    let days = Int(last.daysSince1970) - Int(first.daysSince1970)
    for step in steps {
      // Most steps are far too short for a long axis; that is known without going along it.
      guard Double(days / most(step) - 1) * widthPixels("2025") <= roomPixels else { continue }
      let found = ticks(first, last, step)
      if width(found) <= roomPixels { return found }
    }
    return []
  }

  /// What the labels take, side by side.
  static func width(_ ticks: [Tick]) -> Double {
    Double(ticks.count) * (ticks.map { widthPixels($0.label) }.max() ?? 0)
  }

  /// The width of a label with some air, in the page's smallest letters, whatever the font.
  private static func widthPixels(_ label: String) -> Double { Double(label.count) * 7 + 8 }

  /// The most days that lie between two ticks.
  private static func most(_ step: Step) -> Int {
    switch step {
    case .days(let count): count
    case .weeks(let count): 7 * count
    case .months(let count): 31 * count
    case .years(let count): 366 * count
    }
  }

  private static func ticks(
    _ first: CalendarDate, _ last: CalendarDate, _ step: Step
  ) -> [Tick] {
    var ticks: [Tick] = []
    var next = firstTick(first, last, step)
    while let date = next, date <= last {
      if date >= first { ticks.append(Tick(date: date, label: label(date, step))) }
      let following = following(date, step)
      next = following > date ? following : nil
    }
    return ticks
  }

  /// A round place at or before the axis's first day; of few days, the last one has its label.
  private static func firstTick(
    _ first: CalendarDate, _ last: CalendarDate, _ step: Step
  ) -> CalendarDate? {
    let (year, month, _) = first.components
    switch step {
    case .days(let count):
      return first.adding(days: (Int(last.daysSince1970) - Int(first.daysSince1970)) % count)
    case .weeks: return first.adding(days: 1 - first.weekday)
    case .months(let count):
      return CalendarDate(year: year, month: (month - 1) / count * count + 1, day: 1)
    case .years(let count):
      return CalendarDate(year: max(1, year / count * count), month: 1, day: 1)
    }
  }

  private static func following(_ date: CalendarDate, _ step: Step) -> CalendarDate {
    let (year, month, _) = date.components
    switch step {
    case .days(let count): return date.adding(days: count)
    case .weeks(let count): return date.adding(days: 7 * count)
    case .months(let count):
      let months = month - 1 + count
      return CalendarDate(year: year + months / 12, month: months % 12 + 1, day: 1) ?? date
    case .years(let count):
      // The calendar begins with the year 1, which is no round one.
      let round = year == 1 && count > 1 ? count : year + count
      return CalendarDate(year: round, month: 1, day: 1) ?? date
    }
  }

  private static func label(_ date: CalendarDate, _ step: Step) -> String {
    switch step {
    case .days, .weeks: DateText.dayOfYear(date)
    case .months: DateText.month(date)
    case .years: DateText.year(date)
    }
  }
}
