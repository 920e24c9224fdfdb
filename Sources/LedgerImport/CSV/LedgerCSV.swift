import LedgerModel
package import LedgerStore

extension LedgerCSV {
  /// Reads a table that a ledger has written, also after a spreadsheet has saved it in its own form.
  /// Entries keep their ids, so one that the ledger has or had is known. A quantity that the entry never
  /// had is reported, and not taken. A row without an id is read as one of any table.
  ///
  /// - Parameter adjust: what a person says about the form; `nil` for nothing.
  /// - Throws: ``ImportError`` if the file is no such table or cannot be read, or if its form can be read
  ///   in two ways. Invalid rows are in ``ImportResult/problems``.
  package static func read(
    _ source: ImportSource, adjust: ((CSVRules) -> CSVRules)? = nil, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    let source = try source.rereadable()
    if adjust == nil, let rows = try asWritten(source, context) { return try rows.finish(context) }
    let layout = try CSVLayout(of: source, context) { columns, file throws(ImportError) in
      guard isLedgerTable(columns) else { return nil }
      let rules = adjust?(rules(for: columns)) ?? rules(for: columns)
      return try CSVPlan(rules, columns: columns, in: file, system: context.unitSystem)
    } misfit: { _, file in
      ImportError(
        .unfit,
        "\(file) is not a table that a ledger has exported", asking: ImportQuestion(.columns))
    }
    return try saved(source, layout, context)
  }

  /// A person may have added, moved or removed a column.
  private static func isLedgerTable(_ found: [String]) -> Bool {
    columns.prefix(7).allSatisfy { name in found.count { $0 == name } == 1 }
  }

  /// Whether the file has the header of such a table.
  package static func recognizes(_ source: ImportSource) -> Bool {
    (try? CSVLayout.header(of: source, where: isLedgerTable)) ?? false
  }

  private static func rules(for columns: [String]) -> CSVRules {
    var rules = CSVRules()
    (rules.metricColumn, rules.quantityColumn) = (["metric"], ["quantity"])
    rules.unitColumn = ["unit"]
    (rules.date, rules.time, rules.zone) = (["date"], ["time"], ["zone"])
    func there(_ name: String) -> [String] { columns.contains(name) ? [name] : [] }
    rules.notes = there("notes")
    (rules.sourceColumn, rules.id) = (there("source"), there("source_id"))
    (rules.isExact, rules.isNamed) = (true, true)
    return rules
  }

  /// - Returns: `nil` if a row is not as a ledger writes it.
  private static func asWritten(
    _ source: ImportSource, _ context: ImportContext
  ) throws(ImportError) -> LedgerRows? {
    var table: CSVTable
    do throws(ImportError) {
      table = try CSVTable(source, progress: context.progress)
    } catch {
      guard error.kind == .unfit else { throw error }
      return nil
    }
    guard table.columns == columns || table.columns == columnsWithoutSource else { return nil }
    var rows = LedgerRows(table.name)
    var record = CSVRecord()
    var isFit = true
    while isFit, try table.next(into: &record, report: { _ in isFit = false }) {
      rows.result.rows += 1
      do throws(RowFault) {
        rows.add(try logged(record), row: record.row)
      } catch {
        isFit = false
      }
    }
    return isFit ? rows : nil
  }

  /// Reads a table in another form.
  private static func saved(
    _ source: ImportSource, _ layout: CSVLayout, _ context: ImportContext
  ) throws(ImportError) -> ImportResult {
    var rows = LedgerRows(layout.name)
    var others = CSVRows(layout, context)
    var reading = SavedRow(layout, context)
    var reader = CSVReader(try ByteStream(opening: source), dialect: layout.dialect)
    var record = CSVRecord()
    while try reader.next(into: &record) {
      guard record.row > layout.sections[0].headerRow, reading.hasEntry(record) else {
        others.take(record)
        continue
      }
      do throws(RowFault) {
        guard let logged = try reading.logged(record) else {
          others.skip(record)
          continue
        }
        rows.add(logged, row: record.row)
      } catch {
        rows.report(record.row, error.sentence, kind: error.kind)
      }
      rows.result.rows += 1
    }
    others.take(rows: rows.result.rows, readAs: reading.moment)
    var result = try others.finish()
    try result.add(rows.finish(context))
    result.problems.sort()
    return result
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
    return try logged(
      ProgressLogged(entry: entry, metric: metric, quantity: quantity, date: date, moment: moment),
      withTextsOf: record, in: [7, 8, 9])
  }

  /// - Parameter places: the columns of notes, source and the source's id; `nil` for none.
  fileprivate static func logged(
    _ values: ProgressLogged, withTextsOf record: CSVRecord, in places: [Int?]
  ) throws(RowFault) -> ProgressLogged {
    let texts = places.map { place -> String? in
      let text = place.map { record.fieldCount > $0 ? unguarded(record.text($0)) : "" } ?? ""
      return text.isEmpty ? nil : text
    }
    let origin = (source: texts[1], id: texts[2])
    var logged = values
    logged.notes = texts[0]
    logged.source = origin.id == nil ? source : origin.source
    logged.sourceID = origin.id ?? values.entry.description
    do throws(Refusal) {
      _ = try decide(.logProgress(logged), given: NoFacts(), today: logged.date)
    } catch {
      throw RowFault("\(error)")
    }
    return logged
  }
}

/// Reads rows with an entry's id in the form of a spreadsheet.
private struct SavedRow {
  private let plan: CSVPlan
  private let context: ImportContext
  /// The column of entries.
  private let entry: Int
  /// Those of notes, source and the source's id.
  private let texts: [Int?]
  private(set) var moment: CSVMoment
  private var quantities: QuantityReader
  private var cells = MetricCells()

  init(_ layout: CSVLayout, _ context: ImportContext) {
    let plan = layout.sections[0].plan
    (self.plan, self.context) = (plan, context)
    entry = plan.columns.firstIndex(of: "entry") ?? 0
    texts = LedgerCSV.columns.suffix(3).map { plan.columns.firstIndex(of: $0) }
    moment = CSVMoment(plan, layout.dates, context.zone)
    quantities = QuantityReader(layout.numbers)
  }

  /// Whether a row fits the header and names an entry.
  func hasEntry(_ record: CSVRecord) -> Bool {
    record.defect == nil && record.fieldCount >= plan.columns.count
      && !record.trimmed(entry).isEmpty
  }

  /// - Returns: `nil` for a row that a person's condition leaves out.
  mutating func logged(_ record: CSVRecord) throws(RowFault) -> ProgressLogged? {
    guard plan.conditions.allSatisfy({ $0.holds(for: record) }) else { return nil }
    let id = record.trimmed(self.entry)
    guard let entry = EntryID(id.lowercased()) else {
      throw RowFault(
        "entry is \(quoted(id)), which no ledger has written there",
        kind: "entry is not what a ledger writes")
    }
    guard let columns = plan.metricColumns,
      case .quantity(let quantity, _) = try cells.read(record, columns, plan)
    else {
      let metric = record.trimmed(plan.metricColumns?.metric ?? 0)
      throw RowFault(
        "metric is \(quoted(metric)), which no ledger has written there",
        kind: "metric is not what a ledger writes")
    }
    let amount = try quantities.read(
      record.trimmed(quantity.column), unit: quantity.unit, for: quantity.metric, in: quantity.name)
    let read = try moment.read(record)
    let time = read.time.map {
      ZonedTime(time: $0, zone: read.zone ?? context.zone($0, read.date))
    }
    return try LedgerCSV.logged(
      ProgressLogged(
        entry: entry, metric: quantity.metric, quantity: amount, date: read.date, moment: time),
      withTextsOf: record, in: texts)
  }
}

/// Collects the rows of a table that a ledger has written. They are compared with each other and with
/// the ledger by sorted keys, so that memory is bounded.
private struct LedgerRows {
  private struct Key: SortedRecord {
    /// Of the entry's id, or of the source's id.
    var id: TextHash
    /// `nil` for the entry's id.
    var origin: SourceName.Origin?
    var entry: LedgerUUID
    var quantity: Double
    /// Hashes of the date and time, and of the notes.
    var time: UInt32
    var notes: UInt32
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
      id: TextHash(logged.entry.uuid), entry: logged.entry.uuid, quantity: logged.quantity,
      time: EntryVersions.Version.hash(logged.date, logged.moment),
      notes: EntryVersions.Version.hash(logged.notes), place: result.entries.append(logged),
      row: row, metric: logged.metric.index)
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
    var versions = try context.entriesByID().matcher()
    var first: Key?
    var takenBack: Set<Int> = []
    try byEntry.visit { key throws(ImportError) in
      if let first, first.entry == key.entry {
        remove(key)
        return report(key.row, "entry is \(EntryID(key.entry)), as in row \(first.row)")
      }
      first = key
      switch try versions.compare(key.entry, key.quantity, time: key.time, notes: key.notes) {
      case nil: break
      case .known: countKnown(key)
      case .takenBack: takenBack.insert(key.place)
      case .otherQuantity(let present, let seq): try reportDifference(key, present, seq, context)
      case .otherTime(let seq): reportDifference(key, "is of another date or time", seq)
      case .otherNotes(let seq): reportDifference(key, "has other notes", seq)
      }
    }
    var known = try context.index().matcher()
    try bySource.visit { key throws(ImportError) in
      guard let origin = key.origin,
        let found = try known.entry(origin, id: key.id, like: key.quantity)
      else { return }
      let hadIt = [found.loggedQuantity, found.entry.quantity].contains { quantity in
        key.quantity.isRounding(of: quantity)
      }
      // What a person made of the entry is not in the index by source.
      if !hadIt, !found.entry.isTouched {
        return try reportDifference(key, found.entry.quantity, found.seq, context)
      }
      countKnown(key)
    }
    try renew(takenBack, context)
    result.problems.sort()
    return result
  }

  /// Gives new ids to entries whose logging an undo took back, since ids are not used again.
  private mutating func renew(
    _ places: Set<Int>, _ context: ImportContext
  ) throws(ImportError) {
    guard !places.isEmpty else { return }
    var cursor = result.entries.cursor()
    while try cursor.nextAmount() != nil {
      guard places.contains(cursor.place) else { continue }
      try result.entries.change(cursor, entry: context.makeEntry())
    }
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

  /// - Parameter what: how the row differs from the ledger.
  private mutating func reportDifference(_ key: Key, _ what: String, _ seq: Int) {
    guard remove(key) else { return }
    let metric = (Metric(index: key.metric) ?? .weight).name
    report(
      key.row,
      "\(metric) \(what) in the ledger by event \(seq); correct the entry if that is wrong",
      kind: "\(metric) \(what) in the ledger")
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
