package import LedgerModel
import LedgerProjections

enum Moment: Equatable {
  case seq(Seq)
  case time(Timestamp)

  /// Which end of a day a bare date means.
  enum Edge { case start, end }

  /// Parses what needs neither today's date nor a zone.
  init?(seqOrInstant text: String) {
    if let number = Int(text), let seq = Seq(exactly: number), text.utf8.allSatisfy(isDigit) {
      self = .seq(seq)
    } else if let time = Timestamp(rfc3339: text) {
      self = .time(time)
    } else {
      return nil
    }
  }
}

/// Parses moments such as `2025-01-31`, `2025-01-31T08:00`, `yesterday`, `-3d`, `2 weeks ago`,
/// `last monday 08:00`.
struct MomentParser {
  let now: Timestamp
  let zone: LocalZone

  /// - Parameter edge: whether a bare date means its first or its last millisecond.
  func moment(
    _ text: String, of option: String, as edge: Moment.Edge
  ) throws(UsageError) -> Moment {
    if let moment = Moment(seqOrInstant: text) { return moment }
    if text.lowercased() == "now" { return .time(now) }
    if let span = RelativeTime(text) { return .time(span.moment(before: now, in: zone)) }
    if let date = NamedDay(text)?.date(today: zone.today(at: now)) {
      return .time(edge == .start ? start(of: date) : end(of: date))
    }
    if let time = wallTime(text) { return .time(time) }
    if WallTime(text) != nil {
      throw .badValue(option: option, value: text, why: .meant(["today \(text)"]))
    }
    if WallTime.isEndOfDay(text) { throw .badValue(option: option, value: text, why: .endOfDay) }
    let near = DayAndTime(text)?.nearest(today: zone.today(at: now)) ?? []
    if !near.isEmpty { throw .badValue(option: option, value: text, why: .meant(near)) }
    throw .badValue(
      option: option, value: text,
      why: NamedDay.problem(
        with: text, today: zone.today(at: now),
        expected: "an event's number or a time such as 2025-01-31, 2025-01-31T08:00, yesterday, "
          + "-3d or '2 weeks ago'"))
  }

  func day(_ text: String, of option: String) throws(UsageError) -> CalendarDate {
    let today = zone.today(at: now)
    if let day = NamedDay(text) { return day.date(today: today) }
    if let parts = DayAndTime(text), let day = NamedDay(parts.day)?.date(today: today),
      parts.parsed != nil || WallTime.isEndOfDay(parts.time)
    {
      // A range of days has its last day to the end.
      let isNext = parts.parsed == nil && option == "--from"
      throw .badValue(
        option: option, value: text, why: .meant(["\(day.adding(days: isNext ? 1 : 0))"]))
    }
    throw .badValue(
      option: option, value: text, why: NamedDay.problem(with: text, today: today))
  }

  /// `2025-01-31T08:00[:30]`, or a named day, a space and a time, as wall time in the zone.
  private func wallTime(_ text: String) -> Timestamp? {
    guard let (day, time) = DayAndTime(text)?.parsed else { return nil }
    let date = day.date(today: zone.today(at: now))
    return ZonedTime(time: time, zone: zone.offset(of: time, on: date)).instant(on: date)
  }

  private func start(of date: CalendarDate) -> Timestamp {
    ZonedTime(time: .midnight, zone: zone.offset(of: .midnight, on: date)).instant(on: date)
  }

  private func end(of date: CalendarDate) -> Timestamp {
    let next = start(of: date.adding(days: 1))
    return Timestamp(millisecondsSince1970: next.millisecondsSince1970 - 1)
  }
}

/// A day in words, possibly relative to today.
package enum NamedDay: Equatable {
  case date(CalendarDate)
  case back(RelativeTime)
  /// The latest such weekday before today: 1 for Monday to 7 for Sunday.
  case last(weekday: Int)
  /// Of this year, or of the year before if that is later than today: `3 nov`.
  case ofYear(month: Int, day: Int)

  /// For error messages.
  static let examples =
    "a day of the calendar such as 2026-11-21, '3 nov', yesterday, -3d, '2 weeks ago' or "
    + "'last monday'"

  /// - Returns: `nil` if the text names no day.
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
    } else if words == ["tomorrow"] {
      self = .back(.tomorrow)
    } else if words == ["day", "before", "yesterday"] {
      self = .back(RelativeTime(count: 2, unit: .day))
    } else if let day = Self.inMonth(words) ?? Self.ofWeekday(words) {
      self = day
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

  static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  private static func month(_ word: String) -> Int? {
    word.count < 3 ? nil : months.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
  }

  /// `3 nov`, `nov 3`, `3 november 2026` or `nov 3, 2026`.
  private static func inMonth(_ words: [String]) -> NamedDay? {
    guard (2...3).contains(words.count) else { return nil }
    func number(_ word: String, _ mark: Character) -> Int? {
      let digits = word.hasSuffix(String(mark)) ? word.dropLast() : word[...]
      return digits.utf8.allSatisfy(isDigit) ? Int(digits) : nil
    }
    let found: (month: Int, day: Int)? =
      if let month = month(words[0]), let day = number(words[1], ",") {
        (month, day)
      } else if let month = month(words[1]), let day = number(words[0], ".") {
        (month, day)
      } else {
        nil
      }
    guard let (month, day) = found else { return nil }
    if words.count == 3 {
      guard words[2].utf8.count == 4, let year = number(words[2], " ") else { return nil }
      return CalendarDate(year: year, month: month, day: day).map { .date($0) }
    }
    // A leap year has every day.
    return CalendarDate(year: 2000, month: month, day: day) == nil
      ? nil : .ofYear(month: month, day: day)
  }

  /// `thu 19 nov 2026`, as answers write a day; `nil` if it is another weekday.
  private static func ofWeekday(_ words: [String]) -> NamedDay? {
    guard words.count == 4, case .date(let date)? = inMonth(Array(words.dropFirst())) else {
      return nil
    }
    return weekday(words[0].filter { $0 != "," }) == date.weekday ? .date(date) : nil
  }

  func date(today: CalendarDate) -> CalendarDate {
    switch self {
    case .ofYear(let month, let day):
      return Self.years(from: today, by: -1, month, day).first { $0 <= today } ?? today
    case .date(let date): return date
    case .back(let span): return span.day(before: today) ?? today
    case .last(let weekday):
      let back = (today.weekday - weekday + 6) % 7 + 1
      return today.adding(days: -back)
    }
  }

  /// As the term of something planned: `1 mar` is the next one.
  func date(ahead today: CalendarDate) -> CalendarDate {
    guard case .ofYear(let month, let day) = self else { return date(today: today) }
    return Self.years(from: today, by: 1, month, day).first { $0 >= today } ?? today
  }

  /// The day in the years from today's on. Of eight years, one is a leap year.
  private static func years(
    from today: CalendarDate, by step: Int, _ month: Int, _ day: Int
  ) -> [CalendarDate] {
    (0...8).compactMap {
      CalendarDate(year: today.components.year + step * $0, month: month, day: day)
    }
  }
}

extension RelativeTime {
  static let today = RelativeTime(count: 0, unit: .day)
  static let yesterday = RelativeTime(count: 1, unit: .day)
  static let tomorrow = RelativeTime(count: -1, unit: .day)

  /// Whether the unit is a day or longer.
  var namesDay: Bool { unit != .minute && unit != .hour }
}

/// Suggestions for a text that names no day. They are never used without asking: `3/4/2026` can be
/// two days.
extension NamedDay {
  /// - Parameter expected: what is taken instead.
  static func problem(
    with text: String, today: CalendarDate? = nil, expected: String = examples
  ) -> BadValue {
    if let reason = impossible(text) { return .impossible(reason) }
    let near = nearest(to: text, today: today)
    return near.isEmpty ? .expected(expected) : .meant(near)
  }

  /// Why three numbers, the year first or with points last, are no day: `February 2026 has 28 days`.
  static func impossible(_ text: String) -> String? {
    let words = text.split { "./-".contains($0) }
    let parts = words.compactMap { Int($0) }
    guard words.count == 3, parts.count == 3,
      let index = words.firstIndex(where: { $0.count == 4 }),
      index == 0 || index == 2 && text.contains("."),
      CalendarDate(year: parts[index], month: 1, day: 1) != nil
    else { return nil }
    let (year, month, day) = (parts[index], parts[1], parts[2 - index])
    guard (1...12).contains(month) else { return "a year has 12 months" }
    let last = CalendarDate.daysIn(month: month, of: year)
    guard !(1...last).contains(day) else { return nil }
    let name = months[month - 1]
    return "\(name.prefix(1).uppercased())\(name.dropFirst()) \(year) has \(last) days"
  }

  /// At most three valid texts.
  ///
  /// - Parameter today: where the beginning of a period can be meant, as by `last month`.
  static func nearest(to text: String, today: CalendarDate? = nil) -> [String] {
    let dates = dates(in: text)
    if !dates.isEmpty { return dates }
    let days = daysOfYear(in: text)
    if !days.isEmpty { return days }
    if text.utf8.count == 8, let number = Int(text),
      let date = CalendarDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    {
      return ["\(date)"]
    }
    let words = text.lowercased().split(separator: " ").map(String.init)
    if let today, let first = firstDay(of: words, today: today) { return ["\(first)"] }
    if let month = CalendarDate(text + "-01") {
      return ["\(month)", "\(CalendarPeriod.month.days(around: month).upperBound)"]
    }
    switch words.count {
    case 1: return near(words[0])
    case 2 where RelativeTime("\(text.trimmingPrefix("-")) ago") != nil:
      return ["\(words[0].trimmingPrefix("-")) \(words[1]) ago"]
    case 2 where words[1] == "ago" && RelativeTime("-" + words[0]) != nil: return ["-" + words[0]]
    case 2 where LedgerCLI.nearest(to: words[0], among: ["last"]) == ["last"]:
      return lastWeekdays(near: words[1])
    case 3 where words[0] == "last" && RelativeTime("\(words[1]) \(words[2]) ago") != nil:
      return ["\(words[1]) \(words[2]) ago"]
    case 3: return spans(words)
    default: return []
    }
  }

  /// The dates that three numbers can mean: year first, or last with day or month first.
  package static func dates(in text: String) -> [String] {
    let parts = text.split(omittingEmptySubsequences: false) { "./-".contains($0) }
    guard parts.count == 3,
      parts.allSatisfy({ (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) })
    else { return [] }
    let numbers = parts.compactMap { Int($0) }
    func day(_ year: Int, _ month: Int, _ day: Int) -> [String] {
      CalendarDate(year: year, month: month, day: day).map { [$0.description] } ?? []
    }
    if parts[0].count == 4 { return day(numbers[0], numbers[1], numbers[2]) }
    let hasShortYear = parts[2].count == 2 && !text.contains("-")
    guard parts[2].count == 4 || hasShortYear else { return [] }
    let year = hasShortYear ? 2000 + numbers[2] : numbers[2]
    let dayFirst = day(year, numbers[1], numbers[0])
    guard text.contains("/") || dayFirst.isEmpty else { return dayFirst }
    let monthFirst = day(year, numbers[0], numbers[1])
    return dayFirst == monthFirst ? dayFirst : monthFirst + dayFirst
  }

  /// The days that two numbers can mean: `11-20`, `20.11.` or `20/11`.
  private static func daysOfYear(in text: String) -> [String] {
    let body = text.hasSuffix(".") ? text.dropLast() : text[...]
    let parts = body.split(omittingEmptySubsequences: false) { "./-".contains($0) }
    guard parts.count == 2,
      parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) })
    else { return [] }
    let numbers = parts.compactMap { Int($0) }
    func day(_ month: Int, _ day: Int) -> [String] {
      CalendarDate(year: 2000, month: month, day: day) == nil
        ? [] : ["\(day) \(months[month - 1].prefix(3))"]
    }
    let (monthFirst, dayFirst) = (day(numbers[0], numbers[1]), day(numbers[1], numbers[0]))
    if body.contains("-") { return monthFirst }
    if body.contains(".") { return dayFirst }
    return monthFirst == dayFirst ? dayFirst : monthFirst + dayFirst
  }

  /// The first day of `march`; empty for any other word.
  static func firstDay(ofMonth word: String) -> [String] {
    month(word.lowercased()).map { ["1 \(months[$0 - 1])"] } ?? []
  }

  private static func near(_ word: String) -> [String] {
    let first = firstDay(ofMonth: word)
    if !first.isEmpty { return first }
    if word == "now" { return ["today"] }
    if RelativeTime("-" + word) != nil { return ["-" + word] }
    return LedgerCLI.nearest(to: word, among: ["today", "yesterday", "tomorrow"] + weekdays).map {
      name in
      weekdays.contains(name) ? "last \(name)" : name
    }
  }

  /// The first day of `this week` or `last month`.
  private static func firstDay(of words: [String], today: CalendarDate) -> CalendarDate? {
    guard words.count == 2, let back = ["last": 1, "this": 0][words[0]],
      let period = CalendarPeriod(rawValue: words[1])
    else { return nil }
    let first = period.days(around: today).lowerBound
    return back == 0 ? first : period.days(around: first.adding(days: -1)).lowerBound
  }

  private static func lastWeekdays(near word: String) -> [String] {
    LedgerCLI.nearest(to: word, among: weekdays).map { "last \($0)" }
  }

  /// `3 dyas ago`
  private static func spans(_ words: [String]) -> [String] {
    guard LedgerCLI.nearest(to: words[2], among: ["ago"]) == ["ago"] else { return [] }
    let units = ["days", "weeks", "months", "years", "day", "week", "month", "year"]
    return LedgerCLI.nearest(to: words[1], among: units)
      .map { "\(words[0]) \($0) ago" }
      .filter { RelativeTime($0) != nil }
  }
}

/// A time span before now, such as `-3d` or `2 weeks ago`; after it, as `in 3 months`, if negative.
///
/// Days and longer units are counted in the calendar, so that daylight saving does not change the
/// time of day; hours and minutes are elapsed time.
package struct RelativeTime: Equatable {
  enum Unit: String {
    case minute, hour, day, week, month, year
  }

  let count: Int
  let unit: Unit

  init(count: Int, unit: Unit) {
    (self.count, self.unit) = (count, unit)
  }

  /// - Returns: `nil` if the text is no such span.
  init?(_ text: String) {
    let words = text.lowercased().split(separator: " ").map(String.init)
    let isAhead = words.first == "in"
    let parts =
      words.count == 1
      ? Self.short(words[0]) : Self.spelled(isAhead ? words.dropFirst() + ["ago"] : words)
    guard let parts, let count = Self.count(parts.count), let unit = parts.unit else { return nil }
    self.count = isAhead ? -count : count
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
  /// - Returns: `nil` for hours and minutes.
  func day(before today: CalendarDate) -> CalendarDate? {
    switch unit {
    case .minute, .hour: nil
    case .day: today.adding(days: -count)
    case .week: today.adding(days: -7 * count)
    case .month: today.subtracting(months: count)
    case .year: today.subtracting(months: 12 * count)
    }
  }

  /// The moment this long before `now`; with days and longer units, at the same time of day.
  func moment(before now: Timestamp, in zone: LocalZone) -> Timestamp {
    guard let wall = zone.localTime(at: now), let date = day(before: wall.date) else {
      let minutes = unit == .hour ? 60 * count : count
      return Timestamp(
        millisecondsSince1970: now.millisecondsSince1970 - Int64(minutes) * 60_000)
    }
    let zoned = ZonedTime(time: wall.time, zone: zone.offset(of: wall.time, on: date))
    // Restores the milliseconds that wall time drops.
    let today = ZonedTime(time: wall.time, zone: wall.zone).instant(on: wall.date)
    let rest = now.millisecondsSince1970 - today.millisecondsSince1970
    return Timestamp(millisecondsSince1970: zoned.instant(on: date).millisecondsSince1970 + rest)
  }
}

extension CalendarDate {
  /// The same day of an earlier month, or of a later one if negative, or that month's last day; within the
  /// calendar.
  func subtracting(months count: Int) -> CalendarDate {
    let (year, month, day) = components
    let months = year * 12 + month - 1 - count
    guard months >= 12 else { return .first }
    guard months / 12 <= CalendarDate.last.components.year else { return .last }
    let last = CalendarDate.daysIn(month: months % 12 + 1, of: months / 12)
    return CalendarDate(year: months / 12, month: months % 12 + 1, day: min(day, last)) ?? .first
  }
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
