import LedgerModel

/// How the dates of a file are written.
struct DateStyle {
  /// The order of numbers such as `03/04/2026`.
  var order: DayOrder?
  /// Whether dates are numbers of days, as spreadsheets keep them.
  var hasDayNumbers = false
  /// Whether rows prove both orders.
  var hasBothOrders = false
  /// Whether the dates are in order only with day and month of some exchanged.
  var areExchanged = false
  /// Whether all moments are midnights, so that they are days and not instants.
  var areDays = false
}

/// Decides from all rows how dates are written.
struct DateSurvey {
  private var dayFirst = 0
  private var monthFirst = 0
  private var open: [DateNumbers] = []
  private(set) var example: String?
  /// How many are numbers as of days, and how many are not.
  private var dayNumbers = (count: 0, others: 0)
  private(set) var hasPoints = false
  /// How many are written year first.
  private var plain = 0
  /// How many moments are midnights, and how many are others.
  private var moments = (midnights: 0, others: 0)
  private var years = YearSurvey()
  /// The dates in the order of the rows, with the open ones in either order, and their texts.
  private var sequences = (
    dayFirst: RowOrder<CalendarDate>(), monthFirst: RowOrder<CalendarDate>(),
    texts: RowOrder<String>()
  )

  mutating func add(_ text: String) {
    if let moment = PlainMoment(text) {
      plain += 1
      note(moment.time)
      return
    }
    if DayNumber.read(text) != nil {
      dayNumbers.count += 1
      return
    }
    if CSVMoment.isMissing(text) { return }
    dayNumbers.others += 1
    guard let written = WrittenDate(text) else { return }
    note(written.time)
    guard case .numbers(let numbers) = written.day else { return }
    let afterFirst = text.drop { !$0.isNumber }.drop(while: \.isNumber)
    if afterFirst.first == "." { hasPoints = true }
    years.add(numbers, text)
    sequences.dayFirst.add(numbers.date(.dayFirst) ?? numbers.date(.monthFirst))
    sequences.monthFirst.add(numbers.date(.monthFirst) ?? numbers.date(.dayFirst))
    sequences.texts.add(text)
    if numbers.first > 12 {
      dayFirst += 1
    } else if numbers.second > 12 {
      monthFirst += 1
    } else if numbers.first != numbers.second {
      if example == nil { example = text }
      if open.count < 1000 { open.append(numbers) }
    }
  }

  private mutating func note(_ time: ClockTime?) {
    guard let time else { return }
    if time.secondsSinceMidnight == 0 {
      moments.midnights += 1
    } else {
      moments.others += 1
    }
  }

  /// - Parameters:
  ///   - isEuropean: whether the file has semicolons or decimal commas, which no country has that
  ///     writes the month first.
  ///   - today: a reading after it is wrong.
  func style(isEuropean: Bool, today: CalendarDate) -> DateStyle {
    DateStyle(
      order: order(isEuropean: isEuropean, today: today),
      hasDayNumbers: dayNumbers.count > 0 && dayNumbers.others == 0 && plain == 0,
      hasBothOrders: dayFirst > 0 && monthFirst > 0, areExchanged: isExchanged,
      areDays: moments.midnights > 0 && moments.others == 0)
  }

  /// - Returns: `nil` if rows with two readings remain and nothing decides.
  private func order(isEuropean: Bool, today: CalendarDate) -> DayOrder? {
    switch years.place(today) {
    case .first: return .yearFirst
    case .open: return nil
    case .last: break
    }
    if isExchanged { return nil }
    if dayFirst > 0, monthFirst == 0 { return .dayFirst }
    if monthFirst > 0, dayFirst == 0 { return .monthFirst }
    if dayFirst > 0 { return nil }
    if hasPoints || isEuropean { return .dayFirst }
    guard !open.isEmpty else { return .dayFirst }
    func isFuture(_ order: DayOrder) -> Bool {
      open.contains { $0.date(order).map { $0 > today.adding(days: 1) } ?? true }
    }
    if isFuture(.dayFirst) != isFuture(.monthFirst) {
      return isFuture(.dayFirst) ? .monthFirst : .dayFirst
    }
    return nil
  }

  /// A date in which the first or the last number may be the year; `nil` if that is decided.
  func exampleOfOpenYear(today: CalendarDate) -> String? {
    years.place(today) == .open ? years.example : nil
  }

  /// Whether dates are in the form of a country, such as `31.1.2026`, and not year first.
  var areLocal: Bool { years.count > 0 && plain == 0 }

  /// Whether rows prove both orders, or only a few are not written year first, so that those with two
  /// readings cannot be read.
  var isMixed: Bool {
    dayFirst > 0 && monthFirst > 0 || isExchanged
      || dayFirst == 0 && monthFirst == 0 && plain > 3 * open.count
  }

  /// Whether rows are in order only with day and month of the dates with two readings exchanged, as a
  /// spreadsheet writes those that it takes for dates of its own country. Points decide, and texts that are
  /// sorted say nothing.
  private var isExchanged: Bool {
    guard (dayFirst > 0) != (monthFirst > 0), !hasPoints, sequences.texts.turns > 0
    else { return false }
    let (read, exchanged) =
      dayFirst > 0
      ? (sequences.dayFirst, sequences.monthFirst) : (sequences.monthFirst, sequences.dayFirst)
    // A single row out of order is one that was added later.
    return read.turns > exchanged.turns + 1 && read.turns >= 2 * exchanged.turns
  }
}

/// How far a column is from being sorted.
private struct RowOrder<Value: Comparable> {
  private var last: Value?
  private var steps = (up: 0, down: 0)

  /// The steps against the usual direction.
  var turns: Int { min(steps.up, steps.down) }

  mutating func add(_ value: Value?) {
    guard let value else { return }
    if let last, value > last { steps.up += 1 }
    if let last, value < last { steps.down += 1 }
    last = value
  }
}

/// Decides whether the year is the first or the last of three numbers with two digits each.
private struct YearSurvey {
  enum Place { case first, last, open }

  private static let recentYears = 10

  private(set) var count = 0
  private(set) var example: String?
  private var firsts: Set<Int> = []
  private var lasts: Set<Int> = []
  private var mayBeFirst = true
  private var hasHyphens = false
  /// Whether a date has no reading with the year last.
  private var mustBeFirst = false
  private var latest = CalendarDate.first

  mutating func add(_ numbers: DateNumbers, _ text: String) {
    count += 1
    guard mayBeFirst else { return }
    guard let date = numbers.date(.yearFirst) else {
      mayBeFirst = false
      return
    }
    if example == nil { example = text }
    if text.contains("-") { hasHyphens = true }
    latest = max(latest, date)
    firsts.insert(DateFormat.year(endingIn: numbers.first))
    lasts.insert(DateFormat.year(endingIn: numbers.third))
    if numbers.date(.dayFirst) == nil, numbers.date(.monthFirst) == nil { mustBeFirst = true }
  }

  /// A log has more days than years, and mostly of the last years.
  func place(_ today: CalendarDate) -> Place {
    guard count > 0, mayBeFirst, latest <= today.adding(days: 1) else { return .last }
    if mustBeFirst { return .first }
    let (isFirstRecent, isLastRecent) = (areRecent(firsts, today), areRecent(lasts, today))
    if isLastRecent, !isFirstRecent { return .last }
    if firsts.count < lasts.count { return isLastRecent == isFirstRecent ? .open : .first }
    guard isFirstRecent, firsts.count == lasts.count else { return .last }
    // Hyphens are used with the year first and with the year last: `25-10-20` and `20-10-25`.
    return !isLastRecent || hasHyphens ? .open : .last
  }

  private func areRecent(_ years: Set<Int>, _ today: CalendarDate) -> Bool {
    let first = today.adding(days: -Self.recentYears * 366)
    return years.allSatisfy { year in
      CalendarDate(year: year, month: 1, day: 1).map { (first...today).contains($0) } ?? false
    }
  }
}
