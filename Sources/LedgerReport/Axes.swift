import LedgerModel

/// A numeric axis with round ticks: 1, 2 or 5 times a power of ten apart.
struct NiceScale: Hashable {
  let low: Double
  let high: Double
  let step: Double
  /// Decimal places of the tick labels.
  let decimals: Int

  /// An axis that starts at zero, for bars.
  ///
  /// - Parameter ticks: the approximate number of ticks without zero.
  static func fromZero(to highest: Double, ticks: Int) -> NiceScale {
    NiceScale(0, max(highest, 0), ticks: ticks, leastSpan: 0)
  }

  /// An axis around the values.
  ///
  /// - Parameter leastSpan: the smallest span of the axis, so that tiny changes are not
  ///   exaggerated.
  static func around(
    _ lowest: Double, _ highest: Double, ticks: Int, leastSpan: Double
  ) -> NiceScale {
    NiceScale(lowest, highest, ticks: ticks, leastSpan: leastSpan)
  }

  private init(_ lowest: Double, _ highest: Double, ticks: Int, leastSpan: Double) {
    var (lowest, highest) = (lowest, highest)
    if highest - lowest < leastSpan {
      let middle = (lowest + highest) / 2
      let isAboveZero = lowest >= 0
      (lowest, highest) = (middle - leastSpan / 2, middle + leastSpan / 2)
      // Values that cannot be negative get no negative axis.
      if isAboveZero, lowest < 0 { (lowest, highest) = (0, leastSpan) }
    }
    if !(highest > lowest) { highest = lowest + 1 }
    let (step, decimals) = Self.step((highest - lowest) / Double(max(ticks, 1)))
    self.step = step
    self.decimals = decimals
    // Tolerates rounding errors instead of adding a step.
    low = (lowest / step + 1e-9).rounded(.down) * step
    high = (highest / step - 1e-9).rounded(.up) * step
  }

  /// The smallest of 1, 2 and 5 times a power of ten that is at least three quarters of the wanted
  /// step: one more tick is better than a half-empty chart.
  private static func step(_ wanted: Double) -> (step: Double, decimals: Int) {
    let least = wanted * 0.75
    var power = 1.0
    var decimals = 0
    while power > least, decimals < 9 {
      power /= 10
      decimals += 1
    }
    while power * 10 <= least { power *= 10 }
    for factor in [1.0, 2, 5] where power * factor >= least * (1 - 1e-9) {
      return (power * factor, decimals)
    }
    return (power * 10, max(0, decimals - 1))
  }

  var ticks: [Double] {
    let count = Int(((high - low) / step).rounded())
    return (0...max(0, count)).map { low + Double($0) * step }
  }

  /// Millions are abbreviated: an axis has space for seven characters.
  func label(_ tick: Double) -> String {
    guard high >= 1e6, tick != 0 else { return FigureText.fixed(tick, decimals: decimals) }
    return FigureText.fixed(tick / 1e6, decimals: step < 1e6 ? 1 : 0) + "M"
  }

  /// A value's position: 0 at the bottom, 1 at the top, beyond them for a value off the axis.
  func position(_ value: Double) -> Double { high > low ? (value - low) / (high - low) : 0 }

  /// Whether the axis has the value; its ends may be off by a rounding error.
  func contains(_ value: Double) -> Bool { (-1e-6...1 + 1e-6).contains(position(value)) }

  /// ``position(_:)``, at the nearer end for a value off the axis.
  func share(_ value: Double) -> Double { min(1, max(0, position(value))) }
}

/// Ticks of a date axis: Mondays, first days of months, 1 January.
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

  /// The densest ticks whose labels fit.
  ///
  /// - Parameters:
  ///   - last: the last day on the axis.
  ///   - roomPixels: the axis's smallest length.
  static func ticks(
    from first: CalendarDate, to last: CalendarDate, roomPixels: Double
  ) -> [Tick] {
    let days = Int(last.daysSince1970) - Int(first.daysSince1970)
    for step in steps {
      // Rules out steps far too short for a long axis without enumerating their ticks.
      guard Double(days / most(step) - 1) * widthPixels("2025") <= roomPixels else { continue }
      let found = ticks(first, last, step)
      if width(found) <= roomPixels { return found }
    }
    return []
  }

  /// The total width of the labels.
  static func width(_ ticks: [Tick]) -> Double {
    Double(ticks.count) * (ticks.map { widthPixels($0.label) }.max() ?? 0)
  }

  /// An upper bound for a label's width with spacing, in any font.
  private static func widthPixels(_ label: String) -> Double { Double(label.count) * 7 + 8 }

  /// The longest distance between two ticks, in days.
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

  /// A round date at or before the first day; with daily steps, one that puts a tick on the last
  /// day.
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
      // The calendar starts with the year 1.
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
