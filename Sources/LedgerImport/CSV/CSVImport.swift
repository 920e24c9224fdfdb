public import LedgerModel
import LedgerPlatform

/// Turns any CSV file into entries by a user-supplied mapping.
public enum CSVImport {
  /// - Throws: ``ImportError`` if the mapping contradicts itself or the file, or the file cannot be
  ///   read. Unreadable rows are in ``ImportResult/problems``.
  public static func read(
    _ source: ImportSource, mapping: CSVMapping, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    try mapping.check()
    var table = try CSVTable(source, progress: context.progress)
    var rows = try CSVRows(mapping, in: table)
    var record = CSVRecord()
    while try table.next(into: &record, report: { rows.collector.result.report($0) }) {
      rows.take(record)
    }
    return rows.finish(context)
  }
}

private struct CSVRows {
  var collector = EntryCollector()
  private let mapping: CSVMapping
  private let file: String
  private let sourceID: CSVSourceID
  private let moment: CSVMoment
  private let quantity: Int
  private let date: Int
  private let time: Int?
  private let notes: Int?
  private let conditions: [(column: Int, value: [UInt8])]
  private var empty = 0

  init(_ mapping: CSVMapping, in table: CSVTable) throws(ImportError) {
    self.mapping = mapping
    file = table.name
    sourceID = CSVSourceID(mapping)
    moment = CSVMoment(mapping: mapping)
    quantity = try table.column(mapping.quantity)
    date = try table.column(mapping.date)
    time = if let name = mapping.time { try table.column(name) } else { nil }
    notes = if let name = mapping.notes { try table.column(name) } else { nil }
    var conditions: [(column: Int, value: [UInt8])] = []
    for condition in mapping.conditions {
      conditions.append((try table.column(condition.column), Array(condition.value.utf8)))
    }
    self.conditions = conditions
  }

  mutating func take(_ record: CSVRecord) {
    collector.result.rows += 1
    guard conditions.allSatisfy({ record.bytes($0.column).elementsEqual($0.value) }) else {
      collector.result.skippedByFilter += 1
      return
    }
    let text = record.trimmed(quantity)
    guard !text.isEmpty else {
      empty += 1
      return
    }
    do throws(RowFault) {
      collector.add(try draft(record, text))
    } catch {
      report(error.sentence, record)
    }
  }

  private func draft(_ record: CSVRecord, _ text: String) throws(RowFault) -> EntryDraft {
    let (day, clock) = try moment.read(
      date: record.trimmed(date), time: time.map { record.trimmed($0) })
    let amount = try CellQuantity.read(
      text, unit: mapping.unit, for: mapping.metric, in: mapping.quantity)
    let note = notes.map { record.text($0) }
    return EntryDraft(
      file: file, row: record.row, column: mapping.quantity, metric: mapping.metric,
      quantity: amount, date: day, time: clock, notes: note?.isEmpty == true ? nil : note,
      source: mapping.source, sourceID: sourceID.of(day, clock))
  }

  private mutating func report(_ reason: String, _ record: CSVRecord) {
    collector.result.report(RowProblem(file: file, row: record.row, reason: reason))
  }

  consuming func finish(_ context: ImportContext) -> ImportResult {
    if empty > 0 {
      let rows = empty == 1 ? "1 row has" : "\(empty) rows have"
      collector.result.notes.append("\(file): \(rows) nothing in \(mapping.quantity)")
    }
    if collector.result.rows == 0, collector.result.problems.isEmpty {
      collector.result.notes.append("\(file): no rows stand below the names of the columns")
    }
    return collector.finish(context)
  }
}

/// What the columns of a CSV file mean. Nothing is guessed.
public struct CSVMapping: Hashable, Sendable {
  /// Selects the rows where a column has exactly this value.
  public struct Condition: Hashable, Sendable {
    /// The column's name, exactly as in the header.
    public var column: String
    /// The whole value.
    public var value: String

    /// The rows where `column` is exactly `value`.
    public init(column: String, value: String) {
      self.column = column
      self.value = value
    }
  }

  /// What the quantities measure.
  public var metric: Metric
  /// Column names exactly as in the header.
  public var quantity: String
  /// The column of days.
  public var date: String
  /// The column of times; `nil` if there is none.
  public var time: String?
  /// The column of notes; `nil` if there is none.
  public var notes: String?
  /// If `nil`, only `YYYY-MM-DD` is read, optionally followed by a time.
  public var dateFormat: DateFormat?
  /// If `nil`, 24-hour times and 12-hour times with AM or PM are read.
  public var timeFormat: DateFormat?
  /// Only rows that fulfil all of them are imported.
  public var conditions: [Condition] = []
  /// The unit of bare numbers; `nil` for the metric's own.
  public var unit: String?
  /// Names the data's origin. Two devices need two names, or their rows count as the same.
  public var source = "csv"

  /// Refuses contradictions before a file is opened.
  func check() throws(ImportError) {
    if let format = dateFormat {
      guard format.hasDate else { throw refusal("the date pattern '\(format)' names no date") }
      guard !format.hasTime || time == nil else {
        throw refusal("the date pattern '\(format)' has a time; leave out the column of times")
      }
    }
    if let format = timeFormat {
      guard time != nil else { throw refusal("a time pattern needs a column of times") }
      guard format.hasTime, !format.hasDate else {
        throw refusal("the time pattern '\(format)' must name a time and no date")
      }
    }
    if let unit {
      do {
        _ = try Quantity.parse("1" + unit, for: metric)
      } catch {
        throw refusal("\(error)")
      }
    }
    guard !source.isEmpty else { throw refusal("the source is empty; name whose data it is") }
  }

  private func refusal(_ sentence: String) -> ImportError { ImportError(.unfit, sentence) }
}

extension CSVMapping.Condition {
  /// `COLUMN=VALUE`, split at the first `=`; `nil` without one.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    self.init(
      column: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
  }
}

extension CSVMapping {
  /// A mapping of the columns that every file must have.
  public init(metric: Metric, quantity: String, date: String) {
    self.init(metric: metric, quantity: quantity, date: date, time: nil)
  }
}

private struct CSVMoment {
  let mapping: CSVMapping

  func read(
    date dateText: String, time timeText: String?
  ) throws(RowFault) -> (date: CalendarDate, time: ClockTime?) {
    let (date, timeOfDate) = try readDate(dateText)
    guard let column = mapping.time, let timeText else { return (date, timeOfDate) }
    guard timeOfDate == nil else {
      throw RowFault(
        "\(mapping.date) is \(quoted(dateText)), which has a time, and \(column) is "
          + "\(quoted(timeText)); leave out one of the two")
    }
    return (date, try readTime(timeText, column))
  }

  private func readDate(_ text: String) throws(RowFault) -> (CalendarDate, ClockTime?) {
    let reading: DateFormat.Reading?
    if let format = mapping.dateFormat {
      reading = try fitted(text, format, mapping.date)
    } else {
      reading = PlainFormats.read(text, as: PlainFormats.dates)
    }
    guard let reading, let date = reading.date else {
      throw RowFault(
        "\(mapping.date) is \(quoted(text)); without --date-format only days of the "
          + "calendar spelt YYYY-MM-DD are read, with HH:MM:SS behind them at most, because others "
          + "can be read in two ways: give --date-format, such as MM-dd-yyyy or dd-MM-yyyy")
    }
    return (date, reading.time)
  }

  private func readTime(_ text: String, _ column: String) throws(RowFault) -> ClockTime {
    let reading: DateFormat.Reading?
    if let format = mapping.timeFormat {
      reading = try fitted(text, format, column)
    } else {
      reading = PlainFormats.read(text, as: PlainFormats.times)
    }
    guard let time = reading?.time else {
      throw RowFault(
        "\(column) is \(quoted(text)); without --time-format only times of day such as "
          + "17:30, 17:30:00 and 5:30:00 PM are read")
    }
    return time
  }

  private func fitted(
    _ text: String, _ format: DateFormat, _ column: String
  ) throws(RowFault) -> DateFormat.Reading {
    do {
      return try format.read(text)
    } catch {
      throw RowFault("\(column) is \(quoted(text)); it \(error.sentence)")
    }
  }
}

/// A row's source id, such as `csv:steps:2016-04-12T01:00:00?Id=1503960366`.
///
/// It consists of metric, moment and conditions, not of file name or row number, so that a file
/// that was renamed, sorted or exported again still matches.
struct CSVSourceID {
  private let metric: Metric
  private let conditions: String

  init(_ mapping: CSVMapping) {
    metric = mapping.metric
    // Encoded, so that ids stay unambiguous.
    let terms = mapping.conditions.map { condition in
      PercentEncoding.encode(condition.column.utf8) + "="
        + PercentEncoding.encode(condition.value.utf8)
    }
    conditions = terms.isEmpty ? "" : "?" + Set(terms).sorted().joined(separator: "&")
  }

  func of(_ date: CalendarDate, _ time: ClockTime?) -> String {
    "csv:\(metric.name):\(date)\(time.map { "T\($0)" } ?? "")\(conditions)"
  }
}
