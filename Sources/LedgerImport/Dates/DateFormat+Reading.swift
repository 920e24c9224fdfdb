public import LedgerModel

extension DateFormat {
  /// What a text says under a pattern: a date, a time or both.
  public struct Reading: Hashable, Sendable {
    public var date: CalendarDate?
    public var time: ClockTime?
  }

  /// Why a text does not fit, as the end of a sentence that names the text.
  public enum Misfit: Error, Hashable, Sendable {
    case spelling(DateFormat)
    case noSuchDay(DateFormat)
    case noSuchTime(DateFormat)

    public var sentence: String {
      switch self {
      case .spelling(let format): "is not spelt \(format)"
      case .noSuchDay(let format): "is no day of the calendar when read as \(format)"
      case .noSuchTime(let format): "is no time of day when read as \(format)"
      }
    }
  }

  /// Reads the whole text, or says why it cannot be read.
  public func read(_ text: String) throws(Misfit) -> Reading {
    var numbers = Numbers()
    var rest = Array(text.utf8)[...]
    for part in parts {
      guard numbers.take(part, from: &rest) else { throw .spelling(self) }
    }
    guard rest.isEmpty else { throw .spelling(self) }
    var reading = Reading()
    if hasDate {
      reading.date = CalendarDate(year: numbers.year, month: numbers.month, day: numbers.day)
      guard reading.date != nil else { throw .noSuchDay(self) }
    }
    if hasTime {
      reading.time = numbers.time
      guard reading.time != nil else { throw .noSuchTime(self) }
    }
    return reading
  }
}

/// The numbers of a text as they are met.
private struct Numbers {
  var year = 0
  var month = 0
  var day = 0
  var hour = 0
  var minute = 0
  var second = 0
  /// Whether the hour is one of twelve, and of which half of the day.
  var isAfternoon: Bool?

  var time: ClockTime? {
    guard let isAfternoon else { return ClockTime(hour: hour, minute: minute, second: second) }
    guard (1...12).contains(hour) else { return nil }
    return ClockTime(hour: hour % 12 + (isAfternoon ? 12 : 0), minute: minute, second: second)
  }

  mutating func take(_ part: DateFormat.Part, from rest: inout ArraySlice<UInt8>) -> Bool {
    switch part {
    case .literal(let byte):
      guard rest.first == byte else { return false }
      rest.removeFirst()
    case .halfOfDay:
      let mark = rest.prefix(2).map { $0 | 0x20 }
      guard mark == Array("am".utf8) || mark == Array("pm".utf8) else { return false }
      isAfternoon = mark[0] == UInt8(ascii: "p")
      rest.removeFirst(2)
    case .number(let field, let digits):
      let found = rest.prefix(digits.upperBound).prefix {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
      guard digits.contains(found.count) else { return false }
      rest.removeFirst(found.count)
      set(field, to: found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    }
    return true
  }

  private mutating func set(_ field: DateFormat.Field, to value: Int) {
    switch field {
    case .year: year = value
    case .month: month = value
    case .day: day = value
    case .hour24, .hour12: hour = value
    case .minute: minute = value
    case .second: second = value
    }
  }
}
