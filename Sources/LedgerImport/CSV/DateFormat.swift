import LedgerModel

/// A user-supplied format of dates or times, such as `MM-dd-yyyy` or `h:mm:ss a`.
///
/// The letters are the numeric ones of Unicode's date patterns (UTS 35):
///
/// | letters | meaning |
/// |---|---|
/// | `yyyy` | a year, exactly 4 digits |
/// | `yy` | exactly 2 digits, a year from 1969 to 2068 |
/// | `MM`, `dd`, `HH`, `hh`, `mm`, `ss` | exactly 2 digits |
/// | `MMM` | the name of a month, whole or short, in English, German, Spanish, French or Portuguese |
/// | `M`, `d`, `H`, `h`, `m`, `s` | 1 or 2 digits |
/// | `H` | the hour from 0 to 23 |
/// | `h` with `a` | the hour from 1 to 12 with AM or PM, in either case |
///
/// `T` and other characters match themselves. Parsing is strict: the whole text must match, and the
/// date must exist.
public struct DateFormat: Hashable, Sendable, CustomStringConvertible {
  fileprivate enum Field: Hashable, Sendable {
    case year, month, day, hour24, hour12, minute, second
  }

  fileprivate enum Part: Hashable, Sendable {
    case number(Field, digits: ClosedRange<Int>)
    case monthName
    case halfOfDay
    case literal(UInt8)
  }

  /// The pattern as given.
  public let pattern: String
  private let parts: [Part]

  public var description: String { pattern }
  var hasDate: Bool { fields.contains(.year) }
  var hasTime: Bool { fields.contains(.hour24) || fields.contains(.hour12) }

  private var fields: [Field] {
    parts.compactMap { part in
      switch part {
      case .number(let field, _): field
      case .monthName: .month
      case .halfOfDay, .literal: nil
      }
    }
  }

  /// - Throws: ``ImportError`` that names the invalid part, such as `EEE`.
  public init(_ pattern: String) throws(ImportError) {
    self.pattern = pattern
    parts = try Self.parse(pattern)
    try checkCompleteness()
  }

  /// The same with one digit or two for each number; `nil` if numbers run together.
  var withShortNumbers: DateFormat? {
    guard !parts.contains(.monthName) else { return nil }
    let short = pattern.replacing("MM", with: "M").replacing("dd", with: "d")
      .replacing("HH", with: "H").replacing("hh", with: "h")
    return try? DateFormat(short)
  }

  /// The order of day and month in a pattern of dates alone that end with the year, as most do that can
  /// be read in two ways; `nil` for others.
  var dayOrder: DayOrder? {
    guard !hasTime, fields.last == .year, !parts.contains(.monthName) else { return nil }
    return fields.first == .day ? .dayFirst : .monthFirst
  }

  /// The year of two digits, as POSIX has it: 1969 to 2068.
  static func year(endingIn digits: Int) -> Int { digits < 69 ? 2000 + digits : 1900 + digits }

  private func refusal(_ reason: String) -> ImportError {
    ImportError(.unfit, "the pattern '\(pattern)' \(reason)")
  }

  private func checkCompleteness() throws(ImportError) {
    let fields = fields
    let marks = parts.count { $0 == .halfOfDay }
    guard Set(fields).count == fields.count, marks < 2 else {
      throw refusal("names a part twice")
    }
    let dateFields = fields.count { [.year, .month, .day].contains($0) }
    guard dateFields == 0 || dateFields == 3 else {
      throw refusal("needs a year, a month and a day (y, M, d; months are a capital M)")
    }
    guard !(fields.contains(.hour12) && fields.contains(.hour24)) else {
      throw refusal("has two kinds of hours; use H, or h with a")
    }
    guard fields.contains(.hour12) == (marks == 1) else {
      throw refusal("needs both h and a, or H for the hour from 0 to 23")
    }
    let hasMinutes = fields.contains(.minute)
    guard hasTime || !hasMinutes, hasMinutes || !fields.contains(.second) else {
      throw refusal("has minutes without hours or seconds without minutes")
    }
    guard hasDate || hasTime else { throw refusal("names neither a date nor a time") }
    for (part, next) in zip(parts, parts.dropFirst()) {
      // `Md` could read 112 as 1 December or 11 February.
      if case .number(_, let digits) = part, case .number = next, digits.count > 1 {
        throw refusal("runs two numbers together; give both two letters, such as MMdd")
      }
    }
  }
}

extension DateFormat {
  private static func parse(_ pattern: String) throws(ImportError) -> [Part] {
    var parts: [Part] = []
    var rest = Array(pattern.utf8)[...]
    guard !rest.isEmpty, rest.count <= 100 else {
      throw ImportError(.unfit, "a date pattern has 1 to 100 characters, such as yyyy-MM-dd")
    }
    while let byte = rest.first {
      guard byte != UInt8(ascii: "'") else {
        throw ImportError(
          .unfit, "the pattern '\(pattern)' has a quote; write T without quotes")
      }
      guard isLetter(byte), byte != UInt8(ascii: "T") else {
        parts.append(.literal(byte))
        rest.removeFirst()
        continue
      }
      let run = rest.prefix { $0 == byte }
      rest.removeFirst(run.count)
      guard let part = part(byte, run.count) else {
        let letters = String(decoding: run, as: UTF8.self)
        throw ImportError(
          .unfit,
          "the pattern '\(pattern)' has '\(letters)'; it may hold yyyy or yy, M, d, H, h with "
            + "a, m and s, all but the year and a once or twice, and MMM for the name of a month")
      }
      parts.append(part)
    }
    return parts
  }

  private static func part(_ letter: UInt8, _ count: Int) -> Part? {
    if letter == UInt8(ascii: "y") {
      return count == 4 || count == 2 ? .number(.year, digits: count...count) : nil
    }
    if letter == UInt8(ascii: "a") { return count == 1 ? .halfOfDay : nil }
    if letter == UInt8(ascii: "M"), count == 3 || count == 4 { return .monthName }
    guard count <= 2, let field = field(letter) else { return nil }
    return .number(field, digits: count...2)
  }

  private static func field(_ letter: UInt8) -> Field? {
    switch letter {
    case UInt8(ascii: "M"): .month
    case UInt8(ascii: "d"): .day
    case UInt8(ascii: "H"): .hour24
    case UInt8(ascii: "h"): .hour12
    case UInt8(ascii: "m"): .minute
    case UInt8(ascii: "s"): .second
    default: nil
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

extension DateFormat {
  /// What a text means under a pattern: a date, a time or both.
  struct Reading: Hashable, Sendable {
    var date: CalendarDate?
    var time: ClockTime?
  }

  /// Why a text does not match; the sentence continues one that names the text.
  enum Misfit: Error, Hashable, Sendable {
    case spelling(DateFormat)
    case noSuchDay(DateFormat)
    case noSuchTime(DateFormat)

    var sentence: String {
      switch self {
      case .spelling(let format): "is not spelt \(format)"
      case .noSuchDay(let format): "is not a day of the calendar when read as \(format)"
      case .noSuchTime(let format): "is not a time of day when read as \(format)"
      }
    }
  }

  func read(_ text: String) throws(Misfit) -> Reading {
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

private struct Numbers {
  var year = 0
  var month = 0
  var day = 0
  var hour = 0
  var minute = 0
  var second = 0
  /// `nil` for a 24-hour time.
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
    case .monthName:
      let name = rest.prefix { !($0 < 0x80) || (0x41...0x5A).contains($0 & 0xDF) }
      let word = ColumnName.words(String(decoding: name, as: UTF8.self)).joined()
      guard let number = MonthName.number(word) else { return false }
      month = number
      rest.removeFirst(name.count)
    case .number(let field, let digits):
      let found = rest.prefix(digits.upperBound).prefix {
        isDigit($0)
      }
      guard digits.contains(found.count) else { return false }
      rest.removeFirst(found.count)
      let value = found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      set(field, to: field == .year && found.count == 2 ? DateFormat.year(endingIn: value) : value)
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

/// Unambiguous formats, read when the user gives no pattern.
enum PlainFormats {
  /// ISO 8601 dates, alone or before a time.
  static let dates: [DateFormat] = [
    known("yyyy-MM-dd"), known("yyyy-MM-ddTHH:mm"), known("yyyy-MM-ddTHH:mm:ss"),
    known("yyyy-MM-dd HH:mm"), known("yyyy-MM-dd HH:mm:ss"),
  ]

  /// 24-hour times, and 12-hour times with AM or PM.
  static let times: [DateFormat] = [
    known("H:mm:ss"), known("H:mm"), known("h:mm:ss a"), known("h:mm a"),
  ]

  static let isoDate: DateFormat = dates[0]

  /// Traps on an invalid pattern: it is a constant of this program.
  static func known(_ pattern: String) -> DateFormat {
    do {
      return try DateFormat(pattern)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// The reading of the first format that matches. No text matches two formats with different
  /// readings.
  static func read(_ text: String, as formats: [DateFormat]) -> DateFormat.Reading? {
    for format in formats {
      if let reading = try? format.read(text) { return reading }
    }
    return nil
  }
}
