import LedgerModel

/// Turns any CSV file into entries, by a mapping that a person gives.
public enum CSVImport {
  /// Reads the whole file, a row at a time.
  ///
  /// - Throws: ``ImportError`` when the mapping contradicts itself or the file, or cannot be read.
  ///   Rows that cannot be read are no error; they are in ``ImportResult/problems``.
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

/// The rows of one mapped file on their way to entries.
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
