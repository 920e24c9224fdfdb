package import LedgerModel

/// A day as a person names it, which may hang on what day it is today.
package enum NamedDay: Equatable {
  case date(CalendarDate)
  case back(RelativeTime)
  /// The latest such day before today: 1 for Monday to 7 for Sunday.
  case last(weekday: Int)

  /// How errors name what is understood.
  static let examples =
    "a day of the calendar such as 2026-11-21, yesterday, -3d, '2 weeks ago' or 'last monday'"

  /// - Returns: `nil` for a text that names no day.
  init?(_ text: String) {
    if let date = CalendarDate(text) {
      self = .date(date)
      return
    }
    let words = text.lowercased().split(separator: " ").map(String.init)
    if words == ["today"] {
      self = .back(.today)
    } else if words == ["yesterday"] {
      self = .back(.yesterday)
    } else if words.count == 2, words[0] == "last", let weekday = Self.weekday(words[1]) {
      self = .last(weekday: weekday)
    } else if let span = RelativeTime(text), span.namesDay {
      self = .back(span)
    } else {
      return nil
    }
  }

  static let weekdays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  private static func weekday(_ word: String) -> Int? {
    weekdays.firstIndex { $0 == word || $0.prefix(3) == word }.map { $0 + 1 }
  }

  func date(today: CalendarDate) -> CalendarDate {
    switch self {
    case .date(let date): return date
    case .back(let span): return span.day(before: today) ?? today
    case .last(let weekday):
      let back = (today.weekday - weekday + 6) % 7 + 1
      return today.adding(days: -back)
    }
  }
}

extension RelativeTime {
  static let today = RelativeTime(count: 0, unit: .day)
  static let yesterday = RelativeTime(count: 1, unit: .day)

  /// Whether it ends on a day as a whole.
  var namesDay: Bool { unit != .minute && unit != .hour }
}
