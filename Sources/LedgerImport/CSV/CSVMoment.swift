import LedgerModel

/// When a row was measured.
struct CSVInstant {
  var date: CalendarDate
  var time: ClockTime?
  /// The offset; `nil` if the wall time is one of the ledger's zone.
  var zone: ZoneOffset?
  /// Whether the file tells the instant, not just a wall time.
  var isInstant = false
  /// Whether the file writes the day as its midnight.
  var isMidnight = false
  /// Whether that is midnight in UTC.
  var isDayOfUTC = false
  /// Whether the file writes it as the end of the day before.
  var isEndOfDay = false

  /// The day that the file names.
  fileprivate var day: CalendarDate { isEndOfDay ? date.adding(days: -1) : date }
}

/// Reads when a row was measured, by the columns of a plan.
struct CSVMoment {
  private let plan: CSVPlan
  private let dates: DateStyle
  private let localZone: (ClockTime, CalendarDate) -> ZoneOffset
  private static let zonesAtMost = 100
  private var zones: [String: NamedZone?] = [:]
  /// The date in the last row of its own.
  var dateAbove = ""
  var clockChanges = ClockChanges()
  /// A date whose form had to be decided, and its reading.
  var example: String?

  init(
    _ plan: CSVPlan, _ dates: DateStyle,
    _ localZone: @escaping (ClockTime, CalendarDate) -> ZoneOffset
  ) {
    self.plan = plan
    self.dates = dates
    self.localZone = localZone
  }

  var dateName: String { plan.columns[plan.date] }

  /// What programs write for no value.
  static func isMissing(_ text: String) -> Bool {
    if text.isEmpty || text == "--" || text == "-" { return true }
    // Most cells begin with a digit.
    guard text.utf8.count <= 4, text.utf8.first.map(isDigit) == false else { return false }
    return ["n/a", "nan", "null"].contains(text.lowercased())
  }

  mutating func read(_ record: CSVRecord) throws(RowFault) -> CSVInstant {
    let dateText = plan.rules.isDateAbove ? dateAbove : record.trimmed(plan.date)
    var read = try readDate(dateText, dateName)
    if dates.areDays, read.time != nil, read.zone != nil || plan.rules.times != .utc {
      read = CSVInstant(date: read.day, isMidnight: true, isDayOfUTC: read.zone == .utc)
    }
    if let time = plan.time, case let text = record.trimmed(time), !Self.isMissing(text) {
      guard read.time == nil, !read.isMidnight || read.isDayOfUTC else {
        throw RowFault(
          "\(dateName) is \(quoted(dateText)), which has a time, and "
            + "\(plan.columns[time]) is \(quoted(text)); leave out one of the two",
          kind: "\(dateName) and \(plan.columns[time]) both have a time")
      }
      try readTime(text, plan.columns[time], &read)
      (read.isMidnight, read.isDayOfUTC) = (false, false)
    }
    if plan.rules.times == .drop {
      return CSVInstant(date: read.day)
    }
    return try placed(read, record)
  }

  /// The moment in a column, such as the start of a session.
  ///
  /// - Returns: `nil` for a day without a time.
  mutating func read(_ record: CSVRecord, column: Int) throws(RowFault) -> CSVInstant? {
    let read = try readDate(record.trimmed(column), plan.columns[column])
    guard read.time != nil else { return nil }
    return try placed(read, record)
  }

  /// The day that a column names; `nil` for anything else.
  mutating func day(_ record: CSVRecord, column: Int) -> CalendarDate? {
    guard let read = try? readDate(record.trimmed(column), plan.columns[column]),
      let placed = try? placed(read, record)
    else { return nil }
    return placed.day
  }

  /// The wall time in the zone of the row, else of the ledger for instants that name none.
  private mutating func placed(
    _ read: CSVInstant, _ record: CSVRecord
  ) throws(RowFault) -> CSVInstant {
    let text = plan.zone.map { record.trimmed($0) } ?? ""
    var read = read
    guard let time = read.time else { return read }
    let isWall = read.zone == nil && plan.rules.times != .utc && plan.statedZone == nil
    let name = text.isEmpty ? plan.statedZoneName ?? "" : text
    let offset = try offset(of: name, time, read.date, isWall: isWall)
    let stated = plan.rules.times == .utc ? .utc : plan.statedZone
    if let stated, read.zone == nil { (read.zone, read.isInstant) = (stated, true) }
    guard let zone = read.zone else {
      if offset != nil {
        (read.zone, read.isInstant) = (offset, true)
      } else {
        clockChanges.check(time, read.date, row: record.row, localZone)
      }
      return read
    }
    guard zone == .utc else { return read }
    let instant = ZonedTime(time: time, zone: .utc).instant(on: read.date)
    guard let local = wall(instant, offset) else { return read }
    return local
  }

  /// The offset that the cell of a zone says for a local time, else for one in UTC.
  private mutating func offset(
    of text: String, _ time: ClockTime, _ date: CalendarDate, isWall: Bool
  ) throws(RowFault) -> ZoneOffset? {
    if text.isEmpty { return nil }
    if let offset = WrittenZone.cell(text, in: plan.zoneUnit) { return offset }
    if zones.count == Self.zonesAtMost { zones = [:] }
    if zones[text] == nil { zones.updateValue(NamedZone(text), forKey: text) }
    guard let zone = zones[text].flatMap(\.self) else {
      throw RowFault(
        "the zone is \(quoted(text)); it must be an offset such as +02:00, or a name such as "
          + "Europe/Madrid", kind: "the zone is not known")
    }
    return isWall
      ? zone.offset(of: time, on: date)
      : zone.offset(at: ZonedTime(time: time, zone: .utc).instant(on: date))
  }

  private func wall(_ instant: Timestamp, _ offset: ZoneOffset?) -> CSVInstant? {
    var zone = offset ?? .utc
    // The zone is asked by wall time, so it is found in two steps.
    for _ in 0..<(offset == nil ? 2 : 0) {
      guard let (date, time) = instant.localTime(at: zone) else { return nil }
      zone = localZone(time, date)
    }
    guard let (date, time) = instant.localTime(at: zone) else { return nil }
    return CSVInstant(date: date, time: time, zone: zone, isInstant: true)
  }

  private mutating func readDate(
    _ text: String, _ dateName: String
  ) throws(RowFault) -> CSVInstant {
    guard !text.isEmpty else {
      throw RowFault("\(dateName) is empty", kind: "\(dateName) is empty")
    }
    if let format = plan.rules.dateFormat {
      if let read = Self.read(text, inOrderOf: format) { return read }
      let reading = try fitted(text, format, dateName)
      if let date = reading.date { return CSVInstant(date: date, time: reading.time) }
    }
    if dates.hasDayNumbers, let number = DayNumber.read(text) {
      if example == nil { example = "\(text) is \(number.date)" }
      return CSVInstant(date: number.date, time: number.time)
    }
    guard let written = WrittenDate(text) else {
      guard WrittenDate(text + " 2000") == nil || WrittenDate.timeOfDay(text) != nil else {
        throw RowFault(
          "\(dateName) is \(quoted(text)), which has no year; write it into the dates of the file",
          kind: "\(dateName) has no year")
      }
      let isNumber = DayNumber.read(text) != nil
      let way = "; if it is a spreadsheet's number of a day, save the column as dates"
      throw RowFault(
        "\(dateName) is \(quoted(text)), which is not a date" + (isNumber ? way : ""),
        kind: "\(dateName) is not a date",
        // Without digits, it is no other form of a date.
        asking: isNumber || !text.contains(where: \.isNumber) ? nil : ImportQuestion(.dateFormat))
    }
    guard let date = written.date(dates.order) else {
      if case .numbers = written.day {
        let others =
          dates.areExchanged
          ? "the rows are in order only if they are"
          : "other rows have \(dates.hasBothOrders ? "them in either order" : "the year first")"
        let between = text.drop { !$0.isNumber }.first { !$0.isNumber } ?? "-"
        let mark = "/.-".contains(between) ? between : "-"
        throw RowFault(
          "\(dateName) is \(quoted(text)); day and month can be exchanged, and \(others)",
          kind: "\(dateName) can be read in two ways",
          asking: ImportQuestion(
            .dateFormat, ["MM\(mark)dd\(mark)yyyy", "dd\(mark)MM\(mark)yyyy"]))
      }
      throw RowFault(
        "\(dateName) is \(quoted(text)), which is not a day of the calendar",
        kind: "\(dateName) is not a day of the calendar")
    }
    if example == nil, case .numbers = written.day { example = "\(text) is \(date)" }
    return CSVInstant(
      date: date, time: written.time, zone: written.zone, isInstant: written.zone != nil,
      isEndOfDay: written.isEndOfDay)
  }

  /// A date that is spelt otherwise than the pattern and has two readings, such as
  /// `5/10/26, 07:01 AM` for `dd/MM/yyyy`: of the pattern, the order of day and month is meant.
  private static func read(_ text: String, inOrderOf format: DateFormat) -> CSVInstant? {
    guard let order = format.dayOrder, case .spelling? = misfit(text, format),
      let written = WrittenDate(text), case .numbers = written.day,
      let date = written.date(order)
    else { return nil }
    return CSVInstant(
      date: date, time: written.time, zone: written.zone, isInstant: written.zone != nil,
      isEndOfDay: written.isEndOfDay)
  }

  private static func misfit(_ text: String, _ format: DateFormat) -> DateFormat.Misfit? {
    do throws(DateFormat.Misfit) {
      _ = try format.read(text)
      return nil
    } catch {
      return error
    }
  }

  private func readTime(
    _ text: String, _ column: String, _ read: inout CSVInstant
  ) throws(RowFault) {
    if let format = plan.rules.timeFormat {
      read.time = try fitted(text, format, column).time
      return
    }
    if let time = PlainMoment.time(text) {
      (read.time, read.zone, read.isInstant) = (time, nil, false)
      return
    }
    // The general parser reads a time after any date.
    guard let written = WrittenDate("2000-01-01 " + text), let time = written.time else {
      throw RowFault(
        "\(column) is \(quoted(text)), which is not a time of day such as 17:30, 17:30:00 and "
          + "5:30:00 PM", kind: "\(column) is not a time of day",
        asking: ImportQuestion(.timeFormat))
    }
    (read.time, read.zone, read.isInstant) = (time, written.zone, written.zone != nil)
    if written.isEndOfDay { (read.date, read.isEndOfDay) = (read.date.adding(days: 1), true) }
  }

  private func fitted(
    _ text: String, _ format: DateFormat, _ column: String
  ) throws(RowFault) -> DateFormat.Reading {
    do {
      return try format.read(text)
    } catch {
      let other = format.withShortNumbers.flatMap { (try? $0.read(text)) == nil ? nil : $0 }
      throw RowFault(
        "\(column) is \(quoted(text)); it \(error.sentence)"
          + (other.map { ", but \($0)" } ?? ""),
        kind: "\(column) is not spelt \(format)")
    }
  }
}

/// Rows whose local times do not exist, or come twice, since clocks were changed.
struct ClockChanges {
  struct Rows {
    fileprivate(set) var count = 0
    /// The first such row.
    fileprivate(set) var example: (row: Int, date: CalendarDate, time: ClockTime)?
    private var lastRow = 0

    fileprivate mutating func add(_ row: Int, _ date: CalendarDate, _ time: ClockTime) {
      guard row != lastRow else { return }
      (count, lastRow) = (count + 1, row)
      if example == nil { example = (row, date, time) }
    }
  }

  private(set) var skipped = Rows()
  private(set) var repeated = Rows()
  /// The day that was looked at, and its last offset if another one precedes it.
  private var day: (date: CalendarDate, changesTo: ZoneOffset?)?

  mutating func check(
    _ time: ClockTime, _ date: CalendarDate, row: Int,
    _ zone: (ClockTime, CalendarDate) -> ZoneOffset
  ) {
    if day?.date != date {
      let last = zone(.midnight, date.adding(days: 1))
      day = (date, last == zone(.midnight, date) ? nil : last)
    }
    guard let later = day?.changesTo else { return }
    switch LocalZone.ClockChange(at: time, on: date, to: later, zone) {
    case .skipped: skipped.add(row, date, time)
    case .repeated: repeated.add(row, date, time)
    case nil: break
    }
  }
}

extension LocalZone.ClockChange {
  /// What a change of the clocks makes of a local time; `nil` if nothing.
  ///
  /// - Parameters:
  ///   - later: the offset at the end of the day.
  ///   - zone: gives skipped times the offset before the change, as it does to the first of two equal
  ///     times.
  init?(
    at time: ClockTime, on date: CalendarDate, to later: ZoneOffset,
    _ zone: (ClockTime, CalendarDate) -> ZoneOffset
  ) {
    let change = Int(later.minutes) - Int(zone(time, date).minutes)
    // What a clock that is not changed shows for a skipped time, and for the second of two equal ones.
    let shown = Int(time.secondsSinceMidnight) + abs(change) * 60
    guard change != 0, let other = ClockTime(secondsSinceMidnight: shown % 86_400),
      zone(other, date.adding(days: shown / 86_400)) == later
    else { return nil }
    self = change > 0 ? .skipped : .repeated(later: later)
  }
}
