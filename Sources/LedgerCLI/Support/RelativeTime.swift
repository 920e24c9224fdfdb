import LedgerModel

/// How far somebody looks back: `-3d`, `2 weeks ago`.
///
/// Days and what is longer are counted in the calendar, so that a change of the clocks does not
/// move the time of day; hours and minutes are counted as they pass.
package struct RelativeTime: Equatable {
  enum Unit: String {
    case minute, hour, day, week, month, year
  }

  let count: Int
  let unit: Unit

  init(count: Int, unit: Unit) {
    (self.count, self.unit) = (count, unit)
  }

  /// - Returns: `nil` for a text that says something else.
  init?(_ text: String) {
    let words = text.lowercased().split(separator: " ").map(String.init)
    let parts = words.count == 1 ? Self.short(words[0]) : Self.spelled(words)
    guard let parts, let count = Self.count(parts.count), let unit = parts.unit else { return nil }
    self.count = count
    self.unit = unit
  }

  private static func short(_ word: String) -> (count: String, unit: Unit?)? {
    guard word.hasPrefix("-") else { return nil }
    let digits = word.dropFirst().prefix { $0.isASCII && $0.isNumber }
    let unit: Unit? =
      switch word.dropFirst(1 + digits.count) {
      case "min": .minute
      case "h": .hour
      case "d": .day
      case "w": .week
      default: nil
      }
    return (String(digits), unit)
  }

  private static func spelled(_ words: [String]) -> (count: String, unit: Unit?)? {
    guard words.count == 3, words[2] == "ago" else { return nil }
    let noun = words[1].hasSuffix("s") ? String(words[1].dropLast()) : words[1]
    return (["a", "an", "one"].contains(words[0]) ? "1" : words[0], Unit(rawValue: noun))
  }

  private static func count(_ text: String) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(isDigit) else { return nil }
    return Int(text)
  }
}

extension RelativeTime {
  /// - Returns: `nil` for a span that is counted in hours or minutes, which names no day.
  func day(before today: CalendarDate) -> CalendarDate? {
    switch unit {
    case .minute, .hour: nil
    case .day: today.adding(days: -count)
    case .week: today.adding(days: -7 * count)
    case .month: today.subtracting(months: count)
    case .year: today.subtracting(months: 12 * count)
    }
  }

  /// The moment so long before `now`: with days and more, the same time of day.
  func moment(before now: Timestamp, in zone: LocalZone) -> Timestamp {
    guard let wall = zone.wall(at: now), let date = day(before: wall.date) else {
      let minutes = unit == .hour ? 60 * count : count
      return Timestamp(
        millisecondsSince1970: now.millisecondsSince1970 - Int64(minutes) * 60_000)
    }
    let zoned = ZonedTime(time: wall.time, zone: zone.offset(of: wall.time, on: date))
    // A clock on the wall shows whole seconds; what it leaves out is put back.
    let today = ZonedTime(time: wall.time, zone: wall.zone).instant(on: wall.date)
    let rest = now.millisecondsSince1970 - today.millisecondsSince1970
    return Timestamp(millisecondsSince1970: zoned.instant(on: date).millisecondsSince1970 + rest)
  }
}

extension CalendarDate {
  /// The same day so many months earlier, or that month's last where it has no such day; the
  /// calendar's first where there is no such month.
  func subtracting(months count: Int) -> CalendarDate {
    let (year, month, day) = components
    let months = year * 12 + month - 1 - count
    guard months >= 12 else { return .first }
    let last = CalendarDate.daysIn(month: months % 12 + 1, of: months / 12)
    return CalendarDate(year: months / 12, month: months % 12 + 1, day: min(day, last)) ?? .first
  }
}
