import LedgerModel

/// The order of day and month in dates such as `03/04/2026`.
enum DayOrder: String, Hashable, Sendable { case dayFirst, monthFirst }

/// A date or moment in any of the forms that exports use: ISO 8601 with fraction, `Z` or offset,
/// seconds or milliseconds since 1970, `31.1.2026`, `1/31/2026 7:30 AM`, `31 Jan 2026`,
/// `January 31, 2026 at 7:30 AM`.
struct WrittenDate {
  enum Day: Hashable {
    case date(CalendarDate)
    /// Two numbers whose order the text does not tell.
    case numbers(Int, Int, year: Int)
    /// Not a date of the calendar, such as 30 February.
    case impossible
  }

  private(set) var day: Day
  private(set) var time: ClockTime?
  /// The offset in the text; `nil` for a wall time without one.
  private(set) var zone: ZoneOffset?
  /// Whether the text is an instant that names no place: `Z`, or seconds since 1970.
  private(set) var isUTC = false

  /// - Returns: `nil` for text in another form.
  init?(_ text: String) {
    if let plain = PlainMoment(text) {
      (day, time, zone, isUTC) = (.date(plain.date), plain.time, plain.zone, plain.isUTC)
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
    if text.count > 60 { return nil }
    let written = Self.takeTime(&text)
    guard let day = Self.day(text) else { return nil }
    self.day = day
    guard let written else { return }
    guard let moment = Self.moment(written) else { return nil }
    (time, zone, isUTC) = moment
  }

  /// The date, given the order of numbers.
  ///
  /// - Returns: `nil` if there is no such day.
  func date(_ order: DayOrder?) -> CalendarDate? {
    switch day {
    case .date(let date): return date
    case .impossible: return nil
    case .numbers(let first, let second, let year):
      let (asDayFirst, asMonthFirst) = (
        CalendarDate(year: year, month: second, day: first),
        CalendarDate(year: year, month: first, day: second)
      )
      switch order {
      case .dayFirst?: return asDayFirst
      case .monthFirst?: return asMonthFirst
      case nil:
        guard let asDayFirst else { return asMonthFirst }
        return asMonthFirst == nil || asMonthFirst == asDayFirst ? asDayFirst : nil
      }
    }
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

  private static let fillers: Set<String> = [
    "t", "at", "um", "a", "las", "as", "de", "del", "of", "den", "the", "h",
  ]

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
    }.filter { !fillers.contains($0) && !["st", "nd", "rd", "th"].contains($0) }
    let numbers = words.filter { $0.first?.isNumber == true }
    let months = names.compactMap(MonthName.number)
    guard names.count - months.count <= 1, months.count <= 1 else { return nil }
    // Of two names, one is the day of the week.
    if names.count > months.count, months.isEmpty, names.count > 0, numbers.count != 3 {
      return nil
    }
    if let month = months.first { return named(month, numbers) }
    return numeric(numbers)
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
    guard numbers.count == 3, let first = Int(numbers[0]), let second = Int(numbers[1]),
      let third = Int(numbers[2]), numbers[1].count <= 2
    else { return nil }
    if numbers[0].count == 4, numbers[2].count <= 2 {
      return CalendarDate(year: first, month: second, day: third).map(Day.date) ?? .impossible
    }
    guard numbers[0].count <= 2, numbers[2].count == 4 || numbers[2].count == 2 else { return nil }
    let year = numbers[2].count == 4 ? third : DateFormat.year(endingIn: third)
    if first > 31 || second > 31 || (first > 12 && second > 12) { return .impossible }
    return .numbers(first, second, year: year)
  }

  /// `7:30`, `07:30:15.123`, `7:30 p.m.`, with `Z`, `+02:00`, `+0200`, `UTC+2` after it.
  private static func moment(
    _ text: ArraySlice<Character>
  ) -> (time: ClockTime?, zone: ZoneOffset?, isUTC: Bool)? {
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
    var words = rest.lowercased().filter { !$0.isWhitespace && $0 != "." }[...]
    var hour = parts[0]
    if words.hasPrefix("am") || words.hasPrefix("pm") {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (words.first == "p" ? 12 : 0)
      words = words.dropFirst(2)
    } else if words.hasPrefix("uhr") {
      words = words.dropFirst(3)
    }
    guard let time = ClockTime(hour: hour, minute: parts[1], second: parts.count > 2 ? parts[2] : 0)
    else { return nil }
    if words.isEmpty { return (time, nil, false) }
    guard let zone = WrittenZone.offset(String(words)) else { return nil }
    return (time, zone, words == "z" || words == "utc" || words == "gmt")
  }
}

enum WrittenZone {
  /// `Z`, `UTC`, `+02:00`, `+0200`, `+2`, `UTC+0200`.
  static func offset(_ text: String) -> ZoneOffset? {
    var text = text.lowercased().filter { !$0.isWhitespace }[...]
    if text == "z" { return .utc }
    for name in ["utc", "gmt"] where text.hasPrefix(name) { text = text.dropFirst(3) }
    if text.isEmpty { return .utc }
    guard let sign = text.first, sign == "+" || sign == "-" || sign == "−" else { return nil }
    let digits = text.dropFirst().filter { $0 != ":" }
    guard digits.allSatisfy(\.isNumber), let number = Int(digits) else { return nil }
    let minutes: Int
    switch digits.count {
    case 1, 2: minutes = number * 60
    case 3, 4: minutes = number / 100 * 60 + number % 100
    default: return nil
    }
    return ZoneOffset(minutes: sign == "+" ? minutes : -minutes)
  }
}

/// A date as spreadsheets keep it: days since 30 December 1899, and the time as a fraction of one.
enum DayNumber {
  private static let first = CalendarDate(year: 1899, month: 12, day: 30) ?? .first

  /// - Returns: `nil` for text that is no number from 20000 (in 1954) to 80000 (in 2119).
  static func read(_ text: String) -> (date: CalendarDate, time: ClockTime?)? {
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

/// Decides the order of day and month from all rows.
struct DateSurvey {
  private var dayFirst = 0
  private var monthFirst = 0
  private var open: [(first: Int, second: Int, year: Int)] = []
  private(set) var example: String?
  /// How many are numbers as of days, and how many are not.
  private var dayNumbers = (count: 0, others: 0)
  private var hasPoints = false
  /// How many are written year first.
  private var plain = 0

  mutating func add(_ text: String) {
    if PlainMoment(text) != nil {
      plain += 1
      return
    }
    if DayNumber.read(text) != nil {
      dayNumbers.count += 1
      return
    }
    if !CSVMoment.isMissing(text) { dayNumbers.others += 1 }
    guard let written = WrittenDate(text),
      case .numbers(let first, let second, let year) = written.day
    else { return }
    if text.prefix(6).contains(".") { hasPoints = true }
    if first > 12 {
      dayFirst += 1
    } else if second > 12 {
      monthFirst += 1
    } else if first != second {
      if example == nil { example = text }
      if open.count < 1000 { open.append((first, second, year)) }
    }
  }

  /// - Parameters:
  ///   - isEuropean: whether the file has semicolons or decimal commas, which no country has that
  ///     writes the month first.
  ///   - today: a reading after it is wrong.
  /// - Returns: `nil` if rows with two readings remain and nothing decides.
  func order(isEuropean: Bool, today: CalendarDate) -> DayOrder? {
    if dayFirst > 0, monthFirst == 0 { return .dayFirst }
    if monthFirst > 0, dayFirst == 0 { return .monthFirst }
    if dayFirst > 0 { return nil }
    if hasPoints || isEuropean { return .dayFirst }
    guard !open.isEmpty else { return .dayFirst }
    func isFuture(_ month: Int, _ day: Int, _ year: Int) -> Bool {
      CalendarDate(year: year, month: month, day: day).map { $0 > today.adding(days: 1) } ?? true
    }
    let futureDayFirst = open.contains { isFuture($0.second, $0.first, $0.year) }
    let futureMonthFirst = open.contains { isFuture($0.first, $0.second, $0.year) }
    if futureDayFirst != futureMonthFirst { return futureDayFirst ? .monthFirst : .dayFirst }
    return nil
  }

  /// Whether all are numbers of days.
  var areDayNumbers: Bool { dayNumbers.count > 0 && dayNumbers.others == 0 && plain == 0 }

  /// Whether rows prove both orders, or only a few are not written year first, so that those with two
  /// readings cannot be read.
  var isMixed: Bool {
    dayFirst > 0 && monthFirst > 0 || dayFirst == 0 && monthFirst == 0 && plain > 3 * open.count
  }
}
