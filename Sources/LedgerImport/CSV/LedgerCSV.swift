import LedgerModel
package import LedgerStore

extension LedgerCSV {
  /// Reads a table that a ledger has written. Entries keep their ids, so one that the ledger has or
  /// had is known.
  ///
  /// - Throws: ``ImportError`` if the file is no such table or cannot be read. Invalid rows are in
  ///   ``ImportResult/problems``.
  package static func read(
    _ source: ImportSource, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    var table = try CSVTable(source, progress: context.progress)
    guard isLedgerTable(table.columns) else {
      throw ImportError(
        .unfit,
        "\(table.name) is not a table that 'export csv' has written; for another, say what its columns "
          + "mean by --metric, --quantity and --date")
    }
    var result = ImportResult()
    var seen: [EntryID: Int] = [:]
    var record = CSVRecord()
    while try table.next(into: &record, report: { result.report($0) }) {
      result.rows += 1
      do throws(RowFault) {
        let logged = try logged(record)
        if let first = seen.updateValue(record.row, forKey: logged.entry) {
          throw RowFault("entry is \(logged.entry), as in row \(first)")
        }
        if context.knowsEntry(logged.entry)
          || context.knownEntry(logged.source ?? "", logged.sourceID ?? "") != nil
        {
          result.knownEntries[logged.metric, default: 0] += 1
        } else {
          result.entries.append(logged)
        }
      } catch {
        result.report(RowProblem(file: table.name, row: record.row, reason: error.sentence))
      }
    }
    return result
  }

  private static func isLedgerTable(_ found: [String]) -> Bool {
    found == columns || found == columnsWithoutSource
  }

  /// Whether the file begins with the header of such a table.
  package static func recognizes(_ source: ImportSource) -> Bool {
    (try? CSVTable(source)).map { isLedgerTable($0.columns) } ?? false
  }

  private static func logged(_ record: CSVRecord) throws(RowFault) -> ProgressLogged {
    func cell<Value>(_ column: Int, _ read: (String) -> Value?) throws(RowFault) -> Value {
      let text = record.text(column)
      if let value = read(text) { return value }
      throw RowFault("\(columns[column]) is \(quoted(text)), which no ledger has written there")
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
    func text(_ column: Int) -> String? {
      let text = record.fieldCount > column ? unguarded(record.text(column)) : ""
      return text.isEmpty ? nil : text
    }
    let origin = (source: text(8), id: text(9))
    let logged = ProgressLogged(
      entry: entry, metric: metric, quantity: quantity, date: date, moment: moment,
      notes: notes.isEmpty ? nil : notes, source: origin.id == nil ? source : origin.source,
      sourceID: origin.id ?? entry.description)
    do throws(Refusal) {
      _ = try decide(.logProgress(logged), given: NoFacts(), today: date)
    } catch {
      throw RowFault("\(error)")
    }
    return logged
  }
}
