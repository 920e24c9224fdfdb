import LedgerModel

/// What one reading of a whole file tells about its form, before any row becomes an entry: encoding,
/// delimiter, header lines, decimal mark and the order of day and month.
struct CSVLayout {
  /// A header line and the rows below it, up to the next one.
  struct Section {
    var headerRow: Int
    var plan: CSVPlan
  }

  let name: String
  var dialect: CSVDialect
  var sections: [Section]
  /// Lines of a title between sections.
  var titles: Set<Int> = []
  /// Headers of tables that cannot be read, by their row.
  var refusals: [Int: ImportError] = [:]
  private static let refusalsAtMost = 1000
  var numbers = NumberStyle(mark: .point)
  var dates = DateStyle()
  /// Which units the numbers of the file have told.
  var unitNotes: [String] = []
  /// Whether rows prove both orders of day and month.
  var hasMixedDates = false

  /// - Parameters:
  ///   - choose: the plan for a row that may be a header; `nil` if it is none.
  ///   - misfit: the error for a file whose first row has these columns, if no row is a header.
  /// - Throws: ``ImportError`` if the file cannot be read, no row is a header, or rows can be read in
  ///   two ways and nothing decides.
  init(
    of source: ImportSource, _ context: ImportContext,
    choose: (_ columns: [String], _ file: String) throws(ImportError) -> CSVPlan?,
    misfit: (_ columns: [String], _ file: String) -> ImportError
  ) throws(ImportError) {
    name = source.name
    let sample = try CSVSample(source)
    guard let (dialect, header) = try sample.header(choose) else {
      throw sample.defect ?? misfit(sample.columns, name)
    }
    self.dialect = dialect
    sections = [header.section]
    refusals = header.refusals
    try survey(source, context, choose)
    guard sections.contains(where: \.plan.hasQuantities) else {
      throw misfit(header.section.plan.columns, name)
    }
  }

  /// Whether one of the first rows of a file is a header.
  static func header(
    of source: ImportSource, where isHeader: ([String]) -> Bool
  ) throws(ImportError) -> Bool {
    try CSVSample(source).hasRow(where: isHeader)
  }

  private mutating func survey(
    _ source: ImportSource, _ context: ImportContext,
    _ choose: (_ columns: [String], _ file: String) throws(ImportError) -> CSVPlan?
  ) throws(ImportError) {
    var reader = CSVReader(try ByteStream(opening: source), dialect: dialect)
    var record = CSVRecord()
    var numbers = NumberSurvey()
    var dates = DateSurvey()
    var units = [UnitSurvey()]
    var cells = MetricCells()
    var encodings = (invalid: 0, valid: 0)
    var title: Int?
    var lists = ListsBelow()
    var roles = RoleSurvey()
    var zones = ZoneSurvey()
    var plan = sections[0].plan
    var mayBeUnits = false
    var isUnread = false
    while try reader.next(into: &record) {
      if record.defect == .notUTF8 {
        encodings.invalid += 1
      } else if record.hasAccents {
        encodings.valid += 1
      }
      guard record.defect == nil else { continue }
      let isAbove = record.row < sections[0].headerRow
      // A table without rows is followed by the next header.
      let isNextHeader =
        mayBeUnits && record.mayBeHeader(below: plan)
        && (record.repeatsDateName(of: plan) || (try? choose(record.texts, name)) != nil)
      if isAbove || mayBeUnits && !isNextHeader,
        try sections[sections.count - 1].plan.takeUnits(record, isBelow: !isAbove, in: name)
      {
        titles.insert(record.row)
        plan = sections[sections.count - 1].plan
        mayBeUnits = false
        continue
      }
      mayBeUnits = record.row == sections[0].headerRow || mayBeUnits && record.isEmpty
      guard record.row > sections[0].headerRow else { continue }
      if record.fieldCount == 1 { title = record.row }
      if record.mayBeHeader(below: plan) {
        do throws(ImportError) {
          if let next = try choose(record.texts, name) {
            if let title { titles.insert(title) }
            sections.append(Section(headerRow: record.row, plan: next))
            units.append(UnitSurvey())
            (plan, mayBeUnits, isUnread) = (next, true, false)
            lists = ListsBelow()
            continue
          }
        } catch {
          guard error.kind == .unfit, refusals.count < Self.refusalsAtMost else { throw error }
          refusals[record.row] = error
        }
        if refusals[record.row] == nil, record.repeatsDateName(of: plan) {
          let error = ImportError(
            .unfit, "\(name): none of the columns \(CSVTable.listed(record.texts)) is a metric")
          guard refusals.count < Self.refusalsAtMost else { throw error }
          refusals[record.row] = error
        }
        if refusals[record.row] != nil { isUnread = true }
      }
      if isUnread { continue }
      if record.fieldCount != 1 { title = nil }
      if plan.dateAbove(record) == nil, lists.place(of: record, plan) != .table { continue }
      if plan.rules.guessesRoles { roles.add(record, plan) }
      if let zone = plan.zone, zone < record.fieldCount { zones.add(record.trimmed(zone)) }
      plan.survey(record, &numbers, &dates, &units[units.count - 1], &cells)
    }
    for index in sections.indices where sections[index].plan.rules.guessesRoles {
      try roles.apply(to: &sections[index].plan, in: name)
    }
    for index in sections.indices {
      guard let zone = sections[index].plan.zone else { continue }
      sections[index].plan.zoneUnit = zones.unit(
        named: ColumnName(sections[index].plan.columns[zone]))
    }
    if encodings.invalid > 0, encodings.valid == 0, dialect.encoding == .utf8 {
      dialect.encoding = .windows1252
    }
    self.numbers = numbers.style(delimiter: dialect.delimiter, dates)
    hasMixedDates = dates.isMixed
    let isEuropean = dialect.delimiter == UInt8(ascii: ";") || self.numbers.mark == .comma
    self.dates = dates.style(isEuropean: isEuropean, today: context.today)
    try decide(dates, context.today)
    let all = UnitSurvey(of: units)
    for index in sections.indices {
      sections[index].plan.quantities.removeAll { quantity in
        quantity.needsCellUnit && !units[index].columnsWithUnits.contains(quantity.name)
      }
      let told = units[index].completed(by: all)
      told.markMixed(&sections[index].plan)
      let notes = try told.decide(
        &sections[index].plan, self.numbers, context.unitSystem, in: name)
      unitNotes += notes.filter { !unitNotes.contains($0) }
    }
    if !cells.foundMetric, !cells.otherNames.isEmpty, let columns = plan.metricColumns {
      throw ImportError(
        .unfit,
        "\(name): no row of the column '\(plan.columns[columns.metric])' names a metric of a ledger; "
          + "it says \(CSVTable.listed(cells.otherNames))")
    }
  }

  /// How dates that can be read in several ways are read.
  var dateForm: String? {
    dates.hasDayNumbers ? "a spreadsheet's numbers of days" : dates.order?.form
  }

  /// Applies what the person and the header say, and refuses what remains open.
  private mutating func decide(
    _ survey: DateSurvey, _ today: CalendarDate
  ) throws(ImportError) {
    let plan = sections[0].plan
    if let decimal = plan.rules.decimal { numbers = NumberStyle(mark: decimal) }
    if numbers.mark == nil, let number = numbers.ambiguous {
      throw ImportError(
        .unfit,
        "\(name) has numbers such as \(quoted(number)), which can be read in two ways, as "
          + "\(numbers.readings)", asking: ImportQuestion(.decimalMark, ["point", "comma"]))
    }
    if let order = plan.statedOrder { (dates.order, hasMixedDates) = (order, false) }
    guard plan.rules.dateFormat == nil, dates.order == nil else { return }
    if let example = survey.exampleOfOpenYear(today: today) {
      throw ImportError(
        .unfit,
        "\(name) has dates such as \(quoted(example)), whose year can be the first or the last number",
        asking: ImportQuestion(.dateFormat, ["yy-MM-dd", "dd-MM-yy"]))
    }
    guard !hasMixedDates, let example = survey.example else { return }
    throw ImportError(
      .unfit,
      "\(name) has dates such as \(quoted(example)), which can be day/month or month/day",
      asking: ImportQuestion(.dateFormat, ["dd/MM/yyyy", "MM/dd/yyyy"]))
  }
}

extension CSVPlan {
  fileprivate func survey(
    _ record: CSVRecord, _ numbers: inout NumberSurvey, _ dates: inout DateSurvey,
    _ units: inout UnitSurvey, _ cells: inout MetricCells
  ) {
    if let date = dateAbove(record) {
      dates.add(date)
      return
    }
    guard record.fieldCount >= columns.count, conditions.allSatisfy({ $0.holds(for: record) })
    else { return }
    if rules.dateFormat == nil, date < record.fieldCount { dates.add(record.trimmed(date)) }
    for quantity in quantities where quantity.condition?.holds(for: record) ?? true {
      guard let quantity = try? cells.inUnit(of: record, quantity, self) else { continue }
      if quantity.needsCellUnit {
        guard NumberShape.names(unitOf: quantity.metric, record.trimmed(quantity.column)) else {
          continue
        }
        units.columnsWithUnits.insert(quantity.name)
      }
      numbers.add(record.trimmed(quantity.column), for: quantity.metric, unit: quantity.unit)
      if !quantity.units.isEmpty || quantity.isAssumed { units.add(quantity, record, self) }
      if quantity.unit == nil { units.noteUnit(in: record.trimmed(quantity.column), of: quantity) }
    }
    if let metricColumns,
      case .quantity(let quantity, _) = try? cells.read(record, metricColumns, self)
    {
      numbers.add(record.trimmed(quantity.column), for: quantity.metric, unit: quantity.unit)
      if !quantity.units.isEmpty { units.add(quantity, record, self) }
    }
  }
}

/// The beginning of a file, tried with each delimiter.
private struct CSVSample {
  private static let sampleBytes = 1 << 16
  private static let headerRowsAtMost = 30

  private let name: String
  private let bytes: [UInt8]
  private let isWhole: Bool
  private let encoding: CSVDialect.Encoding
  private var ranked: [(delimiter: UInt8, records: [CSVRecord])] = []

  init(_ source: ImportSource) throws(ImportError) {
    name = source.name
    let stream = try ByteStream(opening: source)
    var bytes: [UInt8] = []
    while bytes.count < Self.sampleBytes, case let piece = try stream.next(), !piece.isEmpty {
      bytes += piece
    }
    isWhole = bytes.count < Self.sampleBytes
    var encoding = CSVDialect.encoding(ofBeginning: bytes)
    if encoding == .utf8, let refusal = ForeignFile.refusal(of: bytes, named: name) {
      throw refusal
    }
    self.bytes = bytes
    // The sample may end within a character.
    if encoding == .utf8, String(validating: bytes.dropLast(isWhole ? 0 : 4), as: UTF8.self) == nil,
      !Self.hasUTF8(bytes)
    {
      encoding = .windows1252
    }
    self.encoding = encoding
    for delimiter in CSVDialect.delimiters {
      ranked.append((delimiter, try records(CSVDialect(encoding: encoding, delimiter: delimiter))))
    }
    ranked = ranked.enumerated().sorted { left, right in
      let (first, second) = (Self.score(left.element.records), Self.score(right.element.records))
      return first == second ? left.offset < right.offset : first > second
    }.map(\.element)
    guard !ranked[0].records.isEmpty else {
      throw ImportError(.unfit, "\(name) is empty; its first row must name the columns")
    }
  }

  /// Whether some bytes form a character of UTF-8, so that others are damage.
  private static func hasUTF8(_ bytes: [UInt8]) -> Bool {
    bytes.split { $0 < 0x80 }.contains { String(validating: $0, as: UTF8.self) != nil }
  }

  private func records(_ dialect: CSVDialect) throws(ImportError) -> [CSVRecord] {
    let stream = try ByteStream(opening: .bytes(bytes, name: name))
    var reader = CSVReader(stream, dialect: dialect)
    var records: [CSVRecord] = []
    var record = CSVRecord()
    while records.count < 100, try reader.next(into: &record) { records.append(record) }
    // The last record may be cut off.
    if !isWhole, records.count < 100, records.count > 1 { records.removeLast() }
    return records
  }

  /// How many rows have the most frequent number of fields, if that is more than one.
  private static func score(_ records: [CSVRecord]) -> Int {
    var counts: [Int: Int] = [:]
    for record in records where record.fieldCount > 1 { counts[record.fieldCount, default: 0] += 1 }
    return counts.values.max() ?? 0
  }

  typealias Header = (section: CSVLayout.Section, refusals: [Int: ImportError])

  /// The first header that can be read, and those above it that cannot.
  ///
  /// - Throws: ``ImportError`` of the first header if none can be read.
  func header(
    _ choose: (_ columns: [String], _ file: String) throws(ImportError) -> CSVPlan?
  ) throws(ImportError) -> (CSVDialect, Header)? {
    for (delimiter, records) in ranked {
      var refusals: [Int: ImportError] = [:]
      var first: ImportError?
      for record in records.prefix(Self.headerRowsAtMost)
      where record.defect == nil && record.fieldCount <= CSVRecord.columnsAtMost {
        do throws(ImportError) {
          guard let plan = try choose(record.texts, name) else { continue }
          let section = CSVLayout.Section(headerRow: record.row, plan: plan)
          return (
            CSVDialect(encoding: encoding, delimiter: delimiter), (section, refusals)
          )
        } catch {
          guard error.kind == .unfit else { throw error }
          refusals[record.row] = error
          first = first ?? error
        }
      }
      if let first { throw first }
    }
    return nil
  }

  func hasRow(where isHeader: ([String]) -> Bool) -> Bool {
    ranked.contains { _, records in
      records.prefix(Self.headerRowsAtMost).contains { $0.defect == nil && isHeader($0.texts) }
    }
  }

  /// Why the first row cannot be a header.
  var defect: ImportError? {
    ranked[0].records.first?.defect.map { defect in
      ImportError(
        .unfit,
        "the first row of \(name), which must name the columns, \(defect.sentence); save the file as "
          + "CSV in UTF-8")
    }
  }

  /// The most likely header with the most likely delimiter: a title above it has fewer fields, or
  /// leaves most of them empty.
  var columns: [String] {
    let records = ranked[0].records
    var counts: [Int: Int] = [:]
    for record in records where record.fieldCount > 1 { counts[record.fieldCount, default: 0] += 1 }
    let most = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    let header = records.prefix(Self.headerRowsAtMost).first { record in
      let filled = (0..<record.fieldCount).count { !record.trimmed($0).isEmpty }
      return record.fieldCount == most && filled > 1 && filled * 2 > record.fieldCount
    }
    return (header ?? records.first)?.texts ?? []
  }
}

extension CSVRecord {
  /// The fields.
  var texts: [String] { (0..<fieldCount).map { text($0) } }

  /// - Parameter date: the cell where the table above has dates.
  private func mayBeHeader(beside date: String) -> Bool {
    !CSVMoment.isMissing(date) && (0..<fieldCount).count { !bytes($0).isEmpty } > 1
      && WrittenDate(date) == nil
  }

  /// Tables have fewer columns; the names of more are not looked at.
  static let columnsAtMost = 1000

  /// Whether it may name the columns of a further table.
  fileprivate func mayBeHeader(below plan: CSVPlan) -> Bool {
    (2...Self.columnsAtMost).contains(fieldCount)
      && (0..<fieldCount).allSatisfy { field in !(bytes(field).first.map(isDigit) ?? false) }
      && (fieldCount != plan.columns.count || mayBeHeader(beside: trimmed(plan.date)))
  }

  /// Whether it is the header of a further table with dates in the same column.
  fileprivate func repeatsDateName(of plan: CSVPlan) -> Bool {
    plan.date < fieldCount
      && ColumnName(trimmed(plan.date)).words == ColumnName(plan.columns[plan.date]).words
  }

  /// Whether all fields are empty.
  var isEmpty: Bool { (0..<fieldCount).allSatisfy { trimmed($0).isEmpty } }

  /// Whether bytes are there that ASCII does not have.
  var hasAccents: Bool { !isASCII }
}
