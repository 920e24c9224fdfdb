import LedgerModel
package import LedgerStore

extension LedgerCSV {
  /// Reads a table that a ledger has written. Entries keep their ids, so one that the ledger has or
  /// had is known. A quantity that the entry never had is reported, and not taken.
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
        "\(table.name) is not a table that a ledger has exported", asking: ImportQuestion(.columns))
    }
    var rows = LedgerRows(table.name)
    var record = CSVRecord()
    while try table.next(into: &record, report: { rows.result.report($0) }) {
      rows.result.rows += 1
      do throws(RowFault) {
        rows.add(try logged(record), row: record.row)
      } catch {
        rows.report(record.row, error.sentence, kind: error.kind)
      }
    }
    return try rows.finish(context)
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
      throw RowFault(
        "\(columns[column]) is \(quoted(text)), which no ledger has written there",
        kind: "\(columns[column]) is not what a ledger writes")
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

/// Collects the rows of a table that a ledger has written. They are compared with each other and with
/// the ledger by sorted keys, so that memory is bounded.
private struct LedgerRows {
  private struct Key: SortedRecord {
    /// Of the entry's id, or of the source's id.
    var id: TextHash
    var origin: SourceName.Origin
    var entry: LedgerUUID
    var quantity: Double
    var place: Int
    var row: Int
    var metric: UInt8

    static func isBefore(_ left: Key, _ right: Key) -> Bool {
      left.id == right.id ? left.place < right.place : left.id < right.id
    }
  }

  var result = ImportResult()
  private let file: String
  private let byEntry = ExternalSorter<Key>(capacity: 50_000)
  private let bySource = ExternalSorter<Key>(capacity: 50_000)
  private var failure: ImportError?

  init(_ file: String) { self.file = file }

  mutating func report(_ row: Int, _ reason: String, kind: String = "") {
    var problem = RowProblem(file: file, row: row, reason: reason)
    problem.kind = kind
    result.report(problem)
  }

  mutating func add(_ logged: ProgressLogged, row: Int) {
    var key = Key(
      id: TextHash(logged.entry.uuid), origin: .ownID, entry: logged.entry.uuid,
      quantity: logged.quantity, place: result.entries.append(logged), row: row,
      metric: logged.metric.index)
    do throws(ImportError) {
      try byEntry.append(key)
      guard let source = logged.source, let id = logged.sourceID else { return }
      let name = SourceName(source: source, id: id)
      (key.id, key.origin) = (name.id, name.origin)
      try bySource.append(key)
    } catch {
      if failure == nil { failure = error }
    }
  }

  consuming func finish(_ context: ImportContext) throws(ImportError) -> ImportResult {
    if let failure { throw failure }
    var known = try context.entriesByID().matcher()
    var first: Key?
    try byEntry.visit { key throws(ImportError) in
      if let first, first.entry == key.entry {
        remove(key)
        return report(key.row, "entry is \(EntryID(key.entry)), as in row \(first.row)")
      }
      first = key
      guard
        let found = try known.compare(key.quantity, of: key.entry, id: key.id)
      else { return }
      if !found.isKnown, let present = found.present {
        return try reportDifference(key, present.quantity, present.seq, context)
      }
      countKnown(key)
    }
    known = try context.index().matcher()
    try bySource.visit { key throws(ImportError) in
      guard let found = try known.entry(key.origin, id: key.id, like: key.quantity) else { return }
      let hadIt = [found.loggedQuantity, found.entry.quantity].contains(key.quantity)
      // What a person made of the entry is not in the index by source.
      if !hadIt, !found.entry.isTouched {
        return try reportDifference(key, found.entry.quantity, found.seq, context)
      }
      countKnown(key)
    }
    result.problems.sort()
    return result
  }

  private mutating func reportDifference(
    _ key: Key, _ present: Double, _ seq: Int, _ context: ImportContext
  ) throws(ImportError) {
    guard remove(key) else { return }
    let metric = Metric(index: key.metric) ?? .weight
    let words = QuantityWords(units: try context.unitSystem())
    report(
      key.row,
      "\(metric.name) is \(words.words(key.quantity, of: metric)), but the ledger has "
        + "\(words.words(present, of: metric)) by event \(seq); correct the entry if that is wrong",
      kind: "the ledger has another value of \(metric.name) in this entry")
  }

  private mutating func countKnown(_ key: Key) {
    guard remove(key) else { return }
    result.knownEntries[Metric(index: key.metric) ?? .weight, default: 0] += 1
  }

  /// - Returns: false if it was removed before.
  @discardableResult
  private mutating func remove(_ key: Key) -> Bool {
    result.entries.remove(key.place, Metric(index: key.metric) ?? .weight)
  }
}
