import LedgerModel

/// The order of the numbers in dates such as `03/04/2026` or `26-01-05`.
enum DayOrder: String, Hashable, Sendable {
  case dayFirst, monthFirst, yearFirst

  /// As a note names it.
  var form: String {
    switch self {
    case .dayFirst: "day/month"
    case .monthFirst: "month/day"
    case .yearFirst: "year/month/day"
    }
  }
}

/// Three numbers of a date whose order the text does not tell.
struct DateNumbers: Hashable {
  var first: Int
  var second: Int
  var third: Int
  /// Whether the last number has two digits.
  var hasShortYear = false
  /// Whether all have two digits, so that the first one may be the year.
  var mayBeYearFirst = false

  /// - Returns: `nil` if there is no such day.
  func date(_ order: DayOrder) -> CalendarDate? {
    let year = hasShortYear ? DateFormat.year(endingIn: third) : third
    switch order {
    case .dayFirst: return CalendarDate(year: year, month: second, day: first)
    case .monthFirst: return CalendarDate(year: year, month: first, day: second)
    case .yearFirst:
      return mayBeYearFirst
        ? CalendarDate(year: DateFormat.year(endingIn: first), month: second, day: third) : nil
    }
  }
}

/// A date or moment in any of the forms that exports use: ISO 8601 with fraction, `Z` or offset,
/// seconds or milliseconds since 1970, `31.1.2026 19.30`, `1/31/2026 7:30 AM`, `31 Jan 2026`,
/// `January 31, 2026 at 7:30 AM`.
struct WrittenDate {
  enum Day: Hashable {
    case date(CalendarDate)
    case numbers(DateNumbers)
    /// Not a date of the calendar, such as 30 February.
    case impossible
  }

  private(set) var day: Day
  private(set) var time: ClockTime?
  /// The offset in the text; `nil` for a wall time without one.
  private(set) var zone: ZoneOffset?
  /// Whether the text is an instant that names no place: `Z`, or seconds since 1970.
  private(set) var isUTC = false
  /// Whether the text is the midnight at the end of a day, `24:00` (ISO 8601): that of the next day.
  private(set) var isEndOfDay = false

  /// - Returns: `nil` for text in another form.
  init?(_ text: String) {
    if let plain = PlainMoment(text) {
      (day, time, zone, isUTC) = (.date(plain.date), plain.time, plain.zone, plain.isUTC)
      return
    }
    if let numbers = PlainNumbers(text) {
      (day, time) = (Self.day(of: numbers.date), numbers.time)
      return
    }
    if let instant = Self.epoch(text), let utc = instant.localTime(at: .utc) {
      day = .date(utc.date)
      time = utc.time
      zone = .utc
      isUTC = true
      return
    }
    var text = Array(text)[...]
    if text.count > 100 { return nil }
    let written =
      Self.takeTime(&text) ?? Self.takeDottedTime(&text) ?? Self.takeTimeWithHourSign(&text)
    guard let day = Self.day(text) else { return nil }
    self.day = day
    guard let written else { return }
    guard let moment = Self.moment(written) else { return nil }
    (time, zone, isUTC, isEndOfDay) = moment
    if isEndOfDay, case .date(let date) = day { self.day = .date(date.adding(days: 1)) }
  }

  /// A time of day without a date; `nil` for another text, and for the end of the day.
  static func timeOfDay(_ text: String) -> ClockTime? {
    WrittenDate("2000-01-01 " + text).flatMap { $0.isEndOfDay ? nil : $0.time }
  }

  /// The date, given the order of numbers.
  ///
  /// - Returns: `nil` if there is no such day.
  func date(_ order: DayOrder?) -> CalendarDate? {
    switch day {
    case .date(let date): return date
    case .impossible: return nil
    case .numbers(let numbers):
      return Self.date(numbers, order).map { isEndOfDay ? $0.adding(days: 1) : $0 }
    }
  }

  private static func date(_ numbers: DateNumbers, _ order: DayOrder?) -> CalendarDate? {
    if let order { return numbers.date(order) }
    let (asDayFirst, asMonthFirst) = (numbers.date(.dayFirst), numbers.date(.monthFirst))
    guard let asDayFirst else { return asMonthFirst }
    return asMonthFirst == nil || asMonthFirst == asDayFirst ? asDayFirst : nil
  }
}

extension WrittenDate {
  /// Seconds, milliseconds, microseconds or nanoseconds since 1970, from 1973 to 2286.
  private static func epoch(_ text: String) -> Timestamp? {
    let whole = text.prefix { $0 != "." }
    let fraction = text.dropFirst(whole.count).dropFirst()
    guard isDigits(String(whole)), fraction.allSatisfy(\.isNumber), let number = Int64(whole) else {
      return nil
    }
    switch whole.count {
    case 9 where number >= 100_000_000, 10: return Timestamp(millisecondsSince1970: number * 1000)
    case 12 where fraction.isEmpty, 13: return Timestamp(millisecondsSince1970: number)
    case 16: return Timestamp(millisecondsSince1970: number / 1000)
    case 19: return Timestamp(millisecondsSince1970: number / 1_000_000)
    default: return nil
    }
  }

  /// Cuts off the time, from the hour before the first colon on.
  private static func takeTime(_ text: inout ArraySlice<Character>) -> ArraySlice<Character>? {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return nil }
    var start = colon
    while start > text.startIndex, text[start - 1].isNumber { start -= 1 }
    guard start < colon else { return nil }
    let time = text[start...]
    text = text[..<start]
    return time
  }

  /// Cuts off a time such as `19.30` or `19.30.15 Uhr` behind a date.
  ///
  /// - Returns: with colons.
  private static func takeDottedTime(
    _ text: inout ArraySlice<Character>
  ) -> ArraySlice<Character>? {
    var words = text.split(separator: " ")
    if let last = words.last, String(last).lowercased() == "uhr" { words.removeLast() }
    guard words.count > 1, let time = words.last,
      case let parts = time.split(separator: ".", omittingEmptySubsequences: false),
      2...3 ~= parts.count, 1...2 ~= parts[0].count,
      parts.dropFirst().allSatisfy({ $0.count == 2 }),
      time.allSatisfy({ $0 == "." || $0.isNumber }), day(text[..<time.startIndex]) != nil
    else { return nil }
    text = text[..<time.startIndex]
    return Array(time.map { $0 == "." ? ":" : $0 })[...]
  }

  /// Cuts off a time such as `7h30`, `07 h 30` or `19h` at the end, as French and Portuguese write it.
  ///
  /// - Returns: with a colon.
  private static func takeTimeWithHourSign(
    _ text: inout ArraySlice<Character>
  ) -> ArraySlice<Character>? {
    guard let sign = text.lastIndex(where: { $0 == "h" || $0 == "H" }) else { return nil }
    let minutes = text[(sign + 1)...].drop { $0 == " " }
    let before = text[..<sign]
    let end = before.lastIndex { $0 != " " } ?? before.startIndex
    let hours = text[...end].suffix(2).drop { !isDigit($0) }
    guard !hours.isEmpty, hours.allSatisfy(isDigit), minutes.allSatisfy(isDigit),
      minutes.isEmpty || minutes.count == 2,
      hours.startIndex == text.startIndex || !isDigit(text[hours.startIndex - 1])
    else { return nil }
    text = text[..<hours.startIndex]
    return (Array(hours) + ":" + (minutes.isEmpty ? ["0", "0"] : Array(minutes)))[...]
  }

  private static func isDigit(_ character: Character) -> Bool {
    character.isASCII && character.isNumber
  }

  private static let fillers: Set<String> = [
    "t", "at", "um", "a", "las", "as", "de", "del", "of", "den", "the", "h",
  ]

  private static let ordinals: Set<String> = ["st", "nd", "rd", "th", "er", "o", "º", "ª"]

  /// The words and numbers of a date, weekdays and `at` left out.
  private static func day(_ text: ArraySlice<Character>) -> Day? {
    var words: [String] = []
    var word = ""
    for character in text {
      if !character.isLetter && !character.isNumber
        || word.last.map({ $0.isNumber != character.isNumber }) == true
      {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if character.isLetter || character.isNumber { word.append(character) }
    }
    if !word.isEmpty { words.append(word) }
    let names = words.filter { $0.first?.isNumber == false }.map {
      ColumnName.words($0).joined()
    }.filter { !fillers.contains($0) && !ordinals.contains($0) }
    let numbers = words.filter { $0.first?.isNumber == true }
    if names == ["w"] { return isoWeek(numbers) }
    let months = names.compactMap(MonthName.number)
    let weekdays = names.filter { MonthName.number($0) == nil && WeekdayName.isOne($0) }
    guard names.count == months.count + weekdays.count, months.count <= 1, weekdays.count <= 1
    else { return nil }
    if let month = months.first { return named(month, numbers) }
    return numeric(numbers)
  }

  /// `2026-W05-1`: the week with 4 January is the first, and Monday its first day (ISO 8601).
  private static func isoWeek(_ numbers: [String]) -> Day? {
    var numbers = numbers
    // `2026W051`
    if numbers.map(\.count) == [4, 3] {
      numbers = [numbers[0], String(numbers[1].prefix(2)), String(numbers[1].suffix(1))]
    }
    guard numbers.map(\.count) == [4, 2, 1], let year = Int(numbers[0]), let week = Int(numbers[1]),
      let day = Int(numbers[2]), (1...53).contains(week), (1...7).contains(day),
      let first = CalendarDate(year: year, month: 1, day: 1),
      let fourth = CalendarDate(year: year, month: 1, day: 4),
      let last = CalendarDate(year: year, month: 12, day: 31)
    else { return nil }
    // 1 January 1970 was a Thursday. A year that begins or ends with one has 53 weeks.
    let isLong = [first, last].contains { $0.daysSince1970 % 7 == 0 }
    guard week < 53 || isLong else { return .impossible }
    let sinceMonday = ((Int(fourth.daysSince1970) + 3) % 7 + 7) % 7
    return .date(fourth.adding(days: (week - 1) * 7 + day - 1 - sinceMonday))
  }

  private static func named(_ month: Int, _ numbers: [String]) -> Day? {
    guard numbers.count == 2 else { return nil }
    func date(_ year: Int, _ day: String) -> Day {
      CalendarDate(year: year, month: month, day: Int(day) ?? 0).map(Day.date) ?? .impossible
    }
    if let year = numbers.first(where: { $0.count == 4 }).flatMap({ Int($0) }),
      let day = numbers.first(where: { $0.count <= 2 })
    {
      return date(year, day)
    }
    // Excel's short form is 3-Oct-26: the year is last.
    guard numbers[0].count <= 2, numbers[1].count == 2, let year = Int(numbers[1]) else {
      return nil
    }
    return date(DateFormat.year(endingIn: year), numbers[0])
  }

  private static func numeric(_ numbers: [String]) -> Day? {
    if numbers.count == 1, let only = numbers.first, only.count == 8, let number = Int(only) {
      return CalendarDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
        .map(Day.date) ?? .impossible
    }
    // `2026-005`: the day of the year.
    if numbers.map(\.count) == [4, 3], let year = Int(numbers[0]), let day = Int(numbers[1]) {
      let date = CalendarDate(year: year, month: 1, day: 1)?.adding(days: day - 1)
      return date.flatMap { $0.components.year == year ? Day.date($0) : nil } ?? .impossible
    }
    guard numbers.count == 3, let first = Int(numbers[0]), let second = Int(numbers[1]),
      let third = Int(numbers[2]), numbers[1].count <= 2
    else { return nil }
    if numbers[0].count == 4, numbers[2].count <= 2 {
      return CalendarDate(year: first, month: second, day: third).map(Day.date) ?? .impossible
    }
    guard numbers[0].count <= 2, numbers[2].count == 4 || numbers[2].count == 2 else { return nil }
    return day(
      of: DateNumbers(
        first: first, second: second, third: third, hasShortYear: numbers[2].count == 2,
        mayBeYearFirst: numbers.allSatisfy { $0.count == 2 }))
  }

  private static func day(of read: DateNumbers) -> Day {
    let orders: [DayOrder] = [.dayFirst, .monthFirst, .yearFirst]
    // 31 February is not a date, but shows the order of day and month in the column.
    let mayBeLater =
      read.first <= 31 && read.second <= 31 && (read.first <= 12 || read.second <= 12)
    return mayBeLater || orders.contains { read.date($0) != nil } ? .numbers(read) : .impossible
  }

  /// `7:30`, `07:30:15.123`, `7:30 p.m.`, with `Z`, `+02:00`, `+0200`, `UTC+2` after it.
  private static func moment(
    _ text: ArraySlice<Character>
  ) -> (time: ClockTime?, zone: ZoneOffset?, isUTC: Bool, isEndOfDay: Bool)? {
    var rest = String(text)[...]
    var parts: [Int] = []
    while parts.count < 3 {
      let digits = rest.prefix(2).prefix(while: \.isNumber)
      guard let number = Int(digits) else { break }
      parts.append(number)
      rest = rest.dropFirst(digits.count)
      guard rest.first == ":" else { break }
      rest = rest.dropFirst()
    }
    guard parts.count >= 2 else { return nil }
    if let mark = rest.first, mark == "." || mark == "," {
      let fraction = rest.dropFirst().prefix(while: \.isNumber)
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(1 + fraction.count)
    }
    var words = WrittenZone.beforeName(
      rest.lowercased().filter { !$0.isWhitespace && $0 != "." }[...])
    var hour = parts[0]
    if words.hasPrefix("am") || words.hasPrefix("pm") {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (words.first == "p" ? 12 : 0)
      words = words.dropFirst(2)
    } else if words.hasPrefix("uhr") {
      words = words.dropFirst(3)
    }
    let isEndOfDay = hour == 24 && parts.dropFirst().allSatisfy { $0 == 0 }
    if isEndOfDay { hour = 0 }
    guard let time = ClockTime(hour: hour, minute: parts[1], second: parts.count > 2 ? parts[2] : 0)
    else { return nil }
    if words.isEmpty { return (time, nil, false, isEndOfDay) }
    guard let zone = WrittenZone.offset(String(words)) ?? WrittenZone.named(String(words)) else {
      return nil
    }
    return (time, zone, words == "z" || words == "utc" || words == "gmt", isEndOfDay)
  }
}

/// A date as spreadsheets keep it: days since 30 December 1899, and the time as a fraction of one.
enum DayNumber {
  private static let first = CalendarDate(year: 1899, month: 12, day: 30) ?? .first

  /// - Returns: `nil` for text that is no number from 20000 (in 1954) to 80000 (in 2119).
  static func read(_ text: String) -> (date: CalendarDate, time: ClockTime?)? {
    guard text.utf8.prefix(while: isDigit).count >= 5 else { return nil }
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    guard text.utf8.count <= 24, parts.count <= 2, parts.allSatisfy({ isDigits(String($0)) }),
      let days = Int(parts[0]), (20_000...80_000).contains(days)
    else { return nil }
    let date = first.adding(days: days)
    guard parts.count == 2, let fraction = Double("0.\(parts[1])"), fraction > 0 else {
      return (date, nil)
    }
    let seconds = Int((fraction * 86_400).rounded())
    return (
      seconds == 86_400 ? date.adding(days: 1) : date,
      ClockTime(secondsSinceMidnight: seconds % 86_400)
    )
  }
}

/// Days of the week in English, German, Spanish, French and Portuguese, whole or shortened.
enum WeekdayName {
  static func isOne(_ word: String) -> Bool {
    word.count >= 2 && names.contains { $0.hasPrefix(word) }
  }

  private static let names = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "montag",
    "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag", "lunes",
    "martes", "miercoles", "jueves", "viernes", "sabado", "domingo", "lundi", "mardi", "mercredi",
    "jeudi", "vendredi", "samedi", "dimanche", "segunda", "terca", "quarta", "quinta", "sexta",
    "segundafeira", "tercafeira", "quartafeira", "quintafeira", "sextafeira",
  ]
}

/// Months in English, German, Spanish, French and Portuguese, whole or shortened to three letters or
/// more where that is unambiguous.
enum MonthName {
  static func number(_ word: String) -> Int? {
    guard word.count >= 3 else { return nil }
    let found = Set(
      names.indices.filter { index in
        names[index].contains { $0.hasPrefix(word) || (word.count > 3 && $0 == word) }
      })
    return found.count == 1 ? (found.first ?? 0) + 1 : nil
  }

  private static let names: [[String]] = [
    ["january", "januar", "janner", "enero", "janvier", "janeiro"],
    ["february", "februar", "febrero", "fevrier", "fevereiro"],
    ["march", "marz", "mrz", "marzo", "mars", "marco"], ["april", "abril", "avril"],
    ["may", "mai", "mayo", "maio"], ["june", "juni", "junio", "juin", "junho"],
    ["july", "juli", "julio", "juillet", "julho"], ["august", "agosto", "aout"],
    ["september", "septiembre", "septembre", "setembro"],
    ["october", "oktober", "octubre", "octobre", "outubro"],
    ["november", "noviembre", "novembre", "novembro"],
    ["december", "dezember", "diciembre", "decembre", "dezembro"],
  ]
}
