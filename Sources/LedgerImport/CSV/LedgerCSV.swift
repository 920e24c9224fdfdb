import LedgerJSON
public import LedgerModel

/// The table that `ledger export csv` writes and `ledger import csv` reads back without loss
/// (docs/cli.md).
public enum LedgerCSV {
  public static let columns = [
    "entry", "metric", "quantity", "unit", "date", "time", "zone", "notes",
  ]
  /// The `source` of entries imported from such a table.
  public static let source = "ledger"

  // MARK: Writing

  public static var header: String { columns.joined(separator: ",") + lineEnd }

  /// An entry as a row with its line end (RFC 4180).
  public static func row(
    _ entry: EntryID, _ metric: Metric, _ quantity: Double, _ date: CalendarDate,
    _ moment: ZonedTime?, notes: String?
  ) -> String {
    // None of these needs quotes.
    let plain =
      "\(entry),\(metric.name),\(JSONNumber.text(quantity)),\(metric.unit),\(date),"
      + (moment.map { "\($0.time),\($0.zone)" } ?? ",")
    return plain + "," + (notes.map { field(guarded($0)) } ?? "") + lineEnd
  }

  private static let lineEnd = "\r\n"

  private static func field(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { byte in
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
      default: false
      }
    }
    guard needsQuotes || text.isEmpty else { return text }
    // By scalars: a combining mark after a quote would form one character with it.
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  // MARK: Formulas

  /// Prefixes an apostrophe to text that a spreadsheet could run as a formula, including text that
  /// already has apostrophes before one, so that ``unguarded(_:)`` restores it exactly.
  static func guarded(_ text: String) -> String { looksLikeFormula(text) ? "'" + text : text }

  static func unguarded(_ text: String) -> String {
    guard text.utf8.first == UInt8(ascii: "'"), looksLikeFormula(text) else { return text }
    return String(text.unicodeScalars.dropFirst())
  }

  /// Some spreadsheets skip spaces and control characters, NUL and line feeds included, before a
  /// formula. Leading apostrophes are ignored.
  private static func looksLikeFormula(_ text: String) -> Bool {
    let bytes = text.utf8.drop { $0 == UInt8(ascii: "'") }
    if let first = bytes.first, first == UInt8(ascii: "\t") || first == UInt8(ascii: "\r") {
      return true
    }
    switch bytes.first(where: { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "'") }) {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): return true
    default: return false
    }
  }
}

extension LedgerCSV {
  /// Reads a table that a ledger has written. Entries keep their ids, so one that the ledger has or
  /// had is known.
  ///
  /// - Throws: ``ImportError`` if the file is no such table or cannot be read. Invalid rows are in
  ///   ``ImportResult/problems``.
  public static func read(
    _ source: ImportSource, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    var table = try CSVTable(source, progress: context.progress)
    guard table.columns == columns else {
      throw ImportError(
        .unfit,
        "\(table.name) is no table that 'ledger export csv' has written; for another, say what its "
          + "columns mean by --metric, --quantity and --date")
    }
    var result = ImportResult()
    var seen: [EntryID: Int] = [:]
    var record = CSVRecord()
    while try table.next(into: &record, report: { result.report($0) }) {
      result.rows += 1
      do throws(RowFault) {
        let logged = try logged(record)
        if let first = seen.updateValue(record.row, forKey: logged.entry) {
          throw RowFault(sentence: "entry is \(logged.entry), as in row \(first)")
        }
        if context.knowsEntry(logged.entry) {
          result.knownEntries[logged.metric, default: 0] += 1
        } else {
          result.edits.append(logged)
        }
      } catch {
        result.report(RowProblem(file: table.name, row: record.row, reason: error.sentence))
      }
    }
    return result
  }

  private static func logged(_ record: CSVRecord) throws(RowFault) -> ProgressLogged {
    func cell<Value>(_ column: Int, _ read: (String) -> Value?) throws(RowFault) -> Value {
      let text = record.text(column)
      if let value = read(text) { return value }
      throw RowFault(
        sentence: "\(columns[column]) is \(quoted(text)), which no ledger has written there")
    }
    let entry = try cell(0) { EntryID($0) }
    let metric = try cell(1) { Metric(name: $0) }
    let quantity = try cell(2) { Double($0) }
    try _ = cell(3) { $0 == metric.unit ? true : nil }
    let date = try cell(4) { CalendarDate($0) }
    var moment: ZonedTime?
    if !record.text(5).isEmpty || !record.text(6).isEmpty {
      let time = try cell(5) { ClockTime($0) }
      moment = ZonedTime(time: time, zone: try cell(6) { ZoneOffset($0) })
    }
    let notes = unguarded(record.text(7))
    let logged = ProgressLogged(
      entry: entry, metric: metric, quantity: quantity, date: date, moment: moment,
      notes: notes.isEmpty ? nil : notes, source: source, sourceID: entry.description)
    do throws(Refusal) {
      _ = try decide(.logProgress(logged), given: NoFacts(), today: date)
    } catch {
      throw RowFault(sentence: "\(error)")
    }
    return logged
  }
}
