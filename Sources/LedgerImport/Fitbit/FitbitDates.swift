import LedgerModel

/// Finds the one moment that each row means, or says why it is ambiguous.
///
/// A row starts with the readings that its text allows. Each step may only remove readings, and a
/// row counts if exactly one is left:
///
/// 1. the calendar: `13-04-2016` is 13 April, since there is no month 13;
/// 2. the window in which the study collected its data;
/// 3. a weight's id, which is its moment in milliseconds;
/// 4. the order: in a file of ascending rows no row steps back (``AscendingOrder``).
///
/// Majorities, the format of neighbouring rows and quantities are not considered.
struct FitbitDateResolver {
  /// What proved a date, or AM and PM.
  enum Proof {
    case plain, window, logID, order
  }

  struct Resolved {
    var moment: LocalDateTime
    var day: Proof
    var half: Proof
  }

  private struct Readings {
    var inWindow: [LocalDateTime]
    var afterLogID: [LocalDateTime]
  }

  let evidence: FitbitEvidence

  /// Each row's moment or fault, in the rows' order.
  func resolve(_ rows: [FitbitRow]) -> [Result<Resolved, RowFault>] {
    let all = rows.map { row in
      Result { () throws(RowFault) in try readings(of: row) }
    }
    let readable = all.compactMap { try? $0.get().afterLogID }
    let narrowed = evidence.isAscending ? AscendingOrder.narrow(readable) : nil
    var proven = (narrowed ?? readable).makeIterator()
    return zip(rows, all).map { row, result in
      result.flatMap { readings in
        let left = proven.next() ?? []
        guard let only = left.first, left.count == 1 else {
          return .failure(ambiguity(row, left, ordered: narrowed != nil))
        }
        return .success(
          Resolved(moment: only, day: day(row, readings), half: half(row, readings)))
      }
    }
  }

  private func readings(of row: FitbitRow) throws(RowFault) -> Readings {
    let written = row.written
    let dates = written.dates.filter(evidence.window.contains)
    guard !dates.isEmpty else { throw outside(written) }
    var times = [written.time]
    if evidence.doubted.contains(written.spelling), let other = written.timeInOtherHalf {
      times.append(other)
    }
    let inWindow = dates.flatMap { date in times.map { LocalDateTime(date: date, time: $0) } }
      .sorted()
    guard let logID = row.logID else { return Readings(inWindow: inWindow, afterLogID: inWindow) }
    let agreeing = inWindow.filter(logID.agrees(with:))
    guard !agreeing.isEmpty else {
      throw RowFault(
        "the date is \(quoted(written.dateText)) and the time "
          + "\(quoted(written.timeText)), but the LogId means another moment")
    }
    return Readings(inWindow: inWindow, afterLogID: agreeing)
  }

  private func day(_ row: FitbitRow, _ readings: Readings) -> Proof {
    if row.written.dates.count == 1 { return .plain }
    if Set(readings.inWindow.map(\.date)).count == 1 { return .window }
    return Set(readings.afterLogID.map(\.date)).count == 1 ? .logID : .order
  }

  private func half(_ row: FitbitRow, _ readings: Readings) -> Proof {
    if Set(readings.inWindow.map(\.time)).count == 1 { return .plain }
    return Set(readings.afterLogID.map(\.time)).count == 1 ? .logID : .order
  }
}

extension FitbitDateResolver {
  private func outside(_ written: WrittenMoment) -> RowFault {
    let dates = written.dates.map(\.description).joined(separator: " or ")
    return RowFault(
      "the date \(quoted(written.dateText)) is \(dates), outside of "
        + "\(evidence.window.lowerBound) to \(evidence.window.upperBound), when the data was "
        + "collected", asking: ImportQuestion(.days))
  }

  private func ambiguity(_ row: FitbitRow, _ left: [LocalDateTime], ordered: Bool) -> RowFault {
    let written = row.written
    let dates = Set(left.map(\.date)).sorted().map(\.description)
    let times = Set(left.compactMap(\.time)).sorted().map(\.description)
    var sentence: [String] = []
    if dates.count > 1 {
      sentence.append(
        "the date \(quoted(written.dateText)) is \(dates.joined(separator: " or "))")
    }
    if times.count > 1 {
      sentence.append(
        "the time \(quoted(written.timeText)) on \(quoted(written.dateText)) is "
          + "\(times.joined(separator: " or ")), for AM and PM are wrong in other rows with such "
          + "dates")
    }
    sentence.append(
      ordered
        ? "the rows around it allow each"
        : "the file's rows are not in ascending order, so their order does not settle it")
    return RowFault(sentence.joined(separator: "; "))
  }
}

/// What ascending order proves about ambiguous rows.
enum AscendingOrder {
  /// Keeps, for each row, the readings that are part of some ascending choice over all rows. Equal
  /// moments may follow each other.
  ///
  /// 1. The earliest choice takes in each row the first reading not before the previous row's. If a
  ///    row has none, no ascending choice exists.
  /// 2. The latest choice does the same from the end.
  /// 3. A reading is part of an ascending choice exactly if it is not before the earliest of the
  ///    previous row and not after the latest of the next row.
  ///
  /// - Parameter rows: the readings of each row in file order, at least one each.
  /// - Returns: `nil` if the rows cannot be in ascending order, so that order proves nothing.
  static func narrow<Reading: Comparable>(_ rows: [[Reading]]) -> [[Reading]]? {
    guard let earliest = earliest(rows, { $0 < $1 }),
      let latest = earliestReversed(rows)
    else { return nil }
    return rows.indices.map { index in
      rows[index].filter { reading in
        (index == 0 || reading >= earliest[index - 1])
          && (index == rows.count - 1 || reading <= latest[index + 1])
      }
    }
  }

  private static func earliest<Reading>(
    _ rows: some Collection<[Reading]>, _ isBefore: (Reading, Reading) -> Bool
  ) -> [Reading]? {
    var choice: [Reading] = []
    choice.reserveCapacity(rows.count)
    for readings in rows {
      let allowed = readings.filter { reading in
        choice.last.map { !isBefore(reading, $0) } ?? true
      }
      guard let first = allowed.min(by: isBefore) else { return nil }
      choice.append(first)
    }
    return choice
  }

  private static func earliestReversed<Reading: Comparable>(_ rows: [[Reading]]) -> [Reading]? {
    earliest(rows.reversed(), { $0 > $1 })?.reversed()
  }
}

/// What the rows of all persons in a file show: whether they ascend, and whether AM and PM are
/// reliable.
///
/// - A person's rows *ascend* unless two unambiguous dates step back, or the times of a day step
///   back where AM and PM are reliable.
/// - AM and PM are *unreliable* in a date spelling if a person has two different values at one time
///   in it, or a weight's id agrees with the other half of the day. A spreadsheet that splits dates
///   from times writes 12 PM for midnight and 1 AM for 13:00 in the rows whose dates it could not
///   read, so only that spelling is doubted.
struct FitbitEvidence {
  private struct Person {
    var lastDate: CalendarDate?
    /// The previous row, as written.
    var last: LocalDateTime?
    /// The first values at each moment, as written.
    var values: [LocalDateTime: String] = [:]
  }

  let window: ClosedRange<CalendarDate>
  private(set) var doubted: Set<DateSpelling> = []
  private var people: [String: Person] = [:]
  private var datesStepBack = false
  private var timesStepBack: Set<DateSpelling> = []

  init(window: ClosedRange<CalendarDate>) { self.window = window }

  var isAscending: Bool { !datesStepBack && timesStepBack.isSubset(of: doubted) }

  /// - Parameter values: the measured cells; a row that repeats all of them is a copy.
  mutating func see(
    _ written: WrittenMoment, values: String, of id: String, logID: WeightLogID?
  ) {
    var person = people[id] ?? Person()
    // Removed first, so that the person's dictionary is modified in place.
    people[id] = nil
    seeDate(written, &person)
    if written.time != nil { seeTime(written, values, &person) }
    people[id] = person
    if let logID, isOtherHalf(logID, written) { doubted.insert(written.spelling) }
  }

  private mutating func seeDate(_ written: WrittenMoment, _ person: inout Person) {
    let dates = written.dates.filter(window.contains)
    guard dates.count == 1 else { return }
    if let last = person.lastDate, dates[0] < last { datesStepBack = true }
    person.lastDate = dates[0]
  }

  private mutating func seeTime(
    _ written: WrittenMoment, _ values: String, _ person: inout Person
  ) {
    let moment = LocalDateTime(date: written.firstReading, time: written.time)
    if let last = person.last, last.date == moment.date, moment < last {
      timesStepBack.insert(written.spelling)
    }
    person.last = moment
    guard let earlier = person.values[moment] else {
      person.values[moment] = values
      return
    }
    if earlier != values, written.hasHalfOfDay { doubted.insert(written.spelling) }
  }

  private func isOtherHalf(_ logID: WeightLogID, _ written: WrittenMoment) -> Bool {
    func agrees(_ time: ClockTime?) -> Bool {
      written.dates.contains { logID.agrees(with: LocalDateTime(date: $0, time: time)) }
    }
    guard let other = written.timeInOtherHalf else { return false }
    return agrees(other) && !agrees(written.time)
  }
}

/// Counts what proved the rows' dates, so that a reader of the ledger can judge it.
struct ProofTally {
  private var days: [FitbitDateResolver.Proof: Int] = [:]
  private var halves: [FitbitDateResolver.Proof: Int] = [:]

  mutating func count(_ settled: FitbitDateResolver.Resolved) {
    days[settled.day, default: 0] += 1
    halves[settled.half, default: 0] += 1
  }

  /// Sentences for the summary; none if every row was unambiguous.
  func notes(_ file: String, _ window: ClosedRange<CalendarDate>) -> [String] {
    var notes: [String] = []
    if days.contains(where: { $0.key != .plain }) {
      let total = days.values.reduce(0, +)
      let span = "by the span \(window.lowerBound) to \(window.upperBound)"
      notes.append("\(file): \(total) dates read: " + listed(days, span: span))
    }
    let proofs: [(FitbitDateResolver.Proof, String)] = [
      (.logID, "the LogId"), (.order, "the order of the rows"),
    ]
    let found = proofs.compactMap { proof, what in
      halves[proof].map { "for \($0) \($0 == 1 ? "row" : "rows") by \(what)" }
    }
    if !found.isEmpty {
      notes.append(
        "\(file): AM and PM are wrong in some rows; whether a time is before or after noon was found "
          + found.joined(separator: ", "))
    }
    return notes
  }

  private func listed(_ counts: [FitbitDateResolver.Proof: Int], span: String) -> String {
    [
      counts[.plain].map { "\($0) by their spelling alone" },
      counts[.window].map { "\($0) \(span)" },
      counts[.logID].map { "\($0) by their LogId" },
      counts[.order].map { "\($0) by the order of the rows" },
    ].compactMap(\.self).joined(separator: ", ")
  }
}

/// A date with an optional time, ordered by the wall clock.
struct LocalDateTime: Hashable, Comparable {
  var date: CalendarDate
  var time: ClockTime?

  static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
    left.wallSeconds < right.wallSeconds
  }

  /// Wall time in seconds since 1970; midnight for a date alone.
  var wallSeconds: Int64 {
    Int64(date.daysSince1970) * 86_400 + Int64(time?.secondsSinceMidnight ?? 0)
  }
}

/// The possible orders of day and month. A spreadsheet treats cells of one spelling alike.
enum DateSpelling: Hashable {
  /// `13-04-2016`
  case dayFirst
  /// `04-13-2016`
  case monthFirst
  /// `04-12-2016`
  case eitherFirst
  case yearFirst
}

/// A row's date and optional time, with all readings.
struct WrittenMoment {
  let dateText: String
  let timeText: String
  let spelling: DateSpelling
  /// One or two dates that the text can mean.
  let dates: [CalendarDate]
  /// One of them: the same for equal texts, different for other texts of the spelling.
  let firstReading: CalendarDate
  let time: ClockTime?
  /// Whether the time has AM or PM, which a spreadsheet can have got wrong.
  let hasHalfOfDay: Bool

  /// - Parameter timeText: empty for rows of a day.
  init(date dateText: String, time timeText: String) throws(RowFault) {
    self.dateText = dateText
    self.timeText = timeText
    let dayFirst = PlainFormats.read(dateText, as: Self.dayFirst)?.date
    let monthFirst = PlainFormats.read(dateText, as: Self.monthFirst)?.date
    switch (dayFirst, monthFirst) {
    case (let date?, nil): (spelling, dates, firstReading) = (.dayFirst, [date], date)
    case (nil, let date?): (spelling, dates, firstReading) = (.monthFirst, [date], date)
    case (let one?, let other?):
      spelling = .eitherFirst
      dates = one == other ? [one] : [one, other].sorted()
      firstReading = one
    case (nil, nil):
      guard let date = PlainFormats.read(dateText, as: [PlainFormats.isoDate])?.date else {
        throw RowFault(
          "the date is \(quoted(dateText)); it must be a day of the calendar such as "
            + "4/12/2016, 12-04-2016 or 2016-04-12")
      }
      (spelling, dates, firstReading) = (.yearFirst, [date], date)
    }
    time = PlainFormats.read(timeText, as: PlainFormats.times)?.time
    hasHalfOfDay = timeText.utf8.last.map { $0 | 0x20 == UInt8(ascii: "m") } ?? false
    guard time != nil || timeText.isEmpty else {
      throw RowFault("the time is \(quoted(timeText)); it must be a time of day such as 1:00:00 PM")
    }
  }

  /// The same time in the other half of the day.
  var timeInOtherHalf: ClockTime? {
    guard hasHalfOfDay, let time else { return nil }
    let seconds = (Int(time.secondsSinceMidnight) + 43_200) % 86_400
    return ClockTime(secondsSinceMidnight: seconds)
  }

  private static let dayFirst = [PlainFormats.known("d-M-yyyy"), PlainFormats.known("d/M/yyyy")]
  private static let monthFirst = [PlainFormats.known("M-d-yyyy"), PlainFormats.known("M/d/yyyy")]
}

/// A weight's id: its wall time in milliseconds, as if in UTC. This holds for all 67 weights of the
/// published file, so it decides between readings; if it agrees with none, the row contradicts
/// itself.
struct WeightLogID: Hashable {
  private let lowest: Double
  private let highest: Double

  /// Reads a whole number, or a spreadsheet's `1.46223E+12`, which covers all numbers that round to
  /// it. Anything else is `nil` and proves nothing.
  init?(_ text: String) {
    guard let split = text.firstIndex(where: { $0 == "E" || $0 == "e" }) else {
      guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy(isDigit),
        let value = Double(text)
      else { return nil }
      // Rows have seconds, so the milliseconds within one agree.
      (lowest, highest) = (value - 999, value)
      return
    }
    let digits = text[..<split]
    let fraction = digits.drop { $0 != "." }.dropFirst()
    let power = text[text.index(after: split)...].drop { $0 == "+" }
    guard digits.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }),
      power.utf8.allSatisfy(isDigit), power.utf8.count <= 2, digits.utf8.count <= 16,
      let value = Double(text), let half = Double("5e\((Int(power) ?? 0) - fraction.count - 1)")
    else { return nil }
    (lowest, highest) = (value - half - 999, value + half)
  }

  func agrees(with moment: LocalDateTime) -> Bool {
    let milliseconds = Double(moment.wallSeconds) * 1000
    return milliseconds >= lowest && milliseconds <= highest
  }
}
