import LedgerModel

/// What one reading of a whole file tells about its form, before any row becomes an entry: encoding,
/// delimiter, header lines, decimal mark and the order of day and month.
struct CSVLayout {
  /// A header line and the rows below it, up to the next one.
  struct Section {
    var headerRow: Int
    var plan: CSVPlan
  }

  /// The plan for a row that may be a header; `nil` if it is none.
  typealias HeaderChoice = (_ columns: [String], _ file: String) throws(ImportError) -> CSVPlan?

  let name: String
  var dialect: CSVDialect
  var sections: [Section]
  /// Lines of a title between sections.
  var titles: Set<Int> = []
  /// Headers of tables that cannot be read, by their row.
  var refusals: [Int: ImportError] = [:]
  var numbers = NumberStyle(mark: .point)
  var dates = DateStyle()
  /// Which units the numbers of the file decide.
  var unitNotes: [String] = []
  /// Whether rows prove both orders of day and month.
  var hasMixedDates = false

  /// - Parameter misfit: the error for a file whose first row has these columns, if no row is a header.
  /// - Throws: ``ImportError`` if the file cannot be read, no row is a header, or rows can be read in
  ///   two ways and nothing decides.
  init(
    of source: ImportSource, _ context: ImportContext,
    choose: HeaderChoice,
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
    _ choose: HeaderChoice
  ) throws(ImportError) {
    var reader = CSVReader(try ByteStream(opening: source), dialect: dialect)
    var record = CSVRecord()
    var tables = TableFinder(first: sections[0], refusals: refusals, in: name)
    var rows = RowSurvey()
    var encodings = (invalid: 0, valid: 0)
    while try reader.next(into: &record) {
      if record.defect == .notUTF8 {
        encodings.invalid += 1
      } else if !record.isASCII {
        encodings.valid += 1
      }
      guard record.defect == nil, try tables.isRow(record, choose) else { continue }
      rows.add(record, of: tables.plan, table: tables.sections.count - 1)
    }
    if encodings.invalid > 0, encodings.valid == 0, dialect.encoding == .utf8 {
      dialect.encoding = .windows1252
    }
    (sections, titles, refusals) = (tables.sections, tables.titles, tables.refusals)
    try decide(rows, context)
  }

  private mutating func decide(
    _ rows: RowSurvey, _ context: ImportContext
  ) throws(ImportError) {
    try rows.setRoles(of: &sections, in: name)
    numbers = rows.numbers.style(delimiter: dialect.delimiter, rows.dates)
    hasMixedDates = rows.dates.isMixed
    let isEuropean = dialect.delimiter == UInt8(ascii: ";") || numbers.mark == .comma
    dates = rows.dates.style(isEuropean: isEuropean, today: context.today)
    try decide(rows.dates, context.today)
    unitNotes = try rows.setUnits(of: &sections, numbers, context, in: name)
    try rows.checkMetrics(of: sections[sections.count - 1].plan, in: name)
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

/// What the rows of a file tell about its numbers, dates, units and columns.
private struct RowSurvey {
  private(set) var numbers = NumberSurvey()
  private(set) var dates = DateSurvey()
  /// Those of each table.
  private var units: [UnitSurvey] = []
  private var cells = MetricCells()
  private var roles = RoleSurvey()
  private var zones = ZoneSurvey()
  private var parts = PartSurvey()

  /// - Parameter table: the number of the table that the row is of.
  mutating func add(_ record: CSVRecord, of plan: CSVPlan, table: Int) {
    while units.count <= table { units.append(UnitSurvey()) }
    if plan.rules.guessesRoles { roles.add(record, plan) }
    if let zone = plan.zone, zone < record.fieldCount { zones.add(record.trimmed(zone)) }
    if let date = plan.dateAbove(record) {
      dates.add(date)
      return
    }
    guard record.fieldCount >= plan.columns.count,
      plan.conditions.allSatisfy({ $0.holds(for: record) })
    else { return }
    if plan.rules.dateFormat == nil, plan.date < record.fieldCount {
      dates.add(record.trimmed(plan.date))
    }
    for quantity in plan.quantities where quantity.condition?.holds(for: record) ?? true {
      add(quantity, record, plan, table)
    }
    guard let metricColumns = plan.metricColumns,
      case .quantity(let quantity, _) = try? cells.read(record, metricColumns, plan)
    else { return }
    numbers.add(record.trimmed(quantity.column), for: quantity.metric, unit: quantity.unit)
    if !quantity.units.isEmpty { units[table].add(quantity, record, plan) }
  }

  private mutating func add(
    _ quantity: CSVPlan.Quantity, _ record: CSVRecord, _ plan: CSVPlan, _ table: Int
  ) {
    guard !quantity.isPeriod, let quantity = try? cells.inUnit(of: record, quantity, plan) else {
      return
    }
    parts.add(quantity, record)
    if let part = quantity.part {
      numbers.add(record.trimmed(part.column), for: quantity.metric, unit: part.units.smaller)
    }
    let text = record.trimmed(quantity.column)
    if quantity.needsCellUnit {
      guard NumberShape.names(unitOf: quantity.metric, text) else { return }
      units[table].columnsWithUnits.insert(quantity.name)
    }
    numbers.add(text, for: quantity.metric, unit: quantity.unit)
    if !quantity.units.isEmpty || quantity.isAssumed { units[table].add(quantity, record, plan) }
    if quantity.unit == nil { units[table].noteUnit(in: text, of: quantity) }
  }

  /// Finds out what columns named as ids, times of day and zones hold.
  func setRoles(of sections: inout [CSVLayout.Section], in file: String) throws(ImportError) {
    for index in sections.indices {
      if sections[index].plan.rules.guessesRoles {
        try roles.apply(to: &sections[index].plan, in: file)
      }
      guard let zone = sections[index].plan.zone else { continue }
      let name = ColumnName(sections[index].plan.columns[zone])
      sections[index].plan.zoneUnit = zones.unit(named: name)
    }
  }

  /// - Returns: notes on the units that were inferred from the numbers.
  func setUnits(
    of sections: inout [CSVLayout.Section], _ numbers: NumberStyle, _ context: ImportContext,
    in file: String
  ) throws(ImportError) -> [String] {
    let all = UnitSurvey(of: units)
    var notes: [String] = []
    for index in sections.indices {
      let table = index < units.count ? units[index] : UnitSurvey()
      sections[index].plan.quantities.removeAll { quantity in
        quantity.needsCellUnit && !table.columnsWithUnits.contains(quantity.name)
      }
      let survey = table.completed(by: all)
      survey.markMixed(&sections[index].plan)
      let new =
        try survey.decide(&sections[index].plan, numbers, context.unitSystem, in: file)
        + parts.decide(&sections[index].plan, in: file)
      notes += new.filter { !notes.contains($0) }
    }
    return notes
  }

  /// - Throws: ``ImportError`` if a column of names of metrics has none that a ledger knows.
  func checkMetrics(of plan: CSVPlan, in file: String) throws(ImportError) {
    guard !cells.foundMetric, !cells.otherNames.isEmpty, let columns = plan.metricColumns else {
      return
    }
    throw ImportError(
      .unfit,
      "\(file): no row of the column '\(plan.columns[columns.metric])' names a metric of a ledger; "
        + "it says \(CSVTable.listed(cells.otherNames))")
  }
}
