import LedgerJSON
public import LedgerModel
import LedgerPlatform

/// Turns any CSV file into entries: by a person's mapping, by rules, or by the names of its columns.
public enum CSVImport {
  /// - Throws: ``ImportError`` if the mapping contradicts itself or the file, or the file cannot be
  ///   read. Unreadable rows are in ``ImportResult/problems``.
  public static func read(
    _ source: ImportSource, mapping: CSVMapping, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    try mapping.check()
    let rules = CSVRules(mapping)
    return try read(source, context) { columns, file throws(ImportError) in
      try CSVPlan(rules, columns: columns, in: file, system: context.unitSystem)
    } misfit: { columns, file in
      missing(rules, columns, file)
    }
  }

  /// Reads a file by rules, such as those of a vendor.
  ///
  /// - Throws: ``ImportError`` if the file does not have the columns of the rules or cannot be read.
  package static func read(
    _ source: ImportSource, rules: [CSVRules], context: ImportContext
  ) throws(ImportError) -> ImportResult {
    try read(source, context) { columns, file throws(ImportError) in
      for rules in rules {
        if let plan = try CSVPlan(
          rules, columns: columns, in: file, system: context.unitSystem)
        {
          return plan
        }
      }
      return nil
    } misfit: { columns, file in
      let names = rules.map(\.vendor).joined(separator: ", ")
      return ImportError(
        .unfit,
        "\(file) does not have the columns of \(names); its columns are \(CSVTable.listed(columns))"
      )
    }
  }

  /// Reads a file by the rules that fit its header, else by the names of its columns.
  ///
  /// - Throws: ``ImportError`` if no row names a date and a metric, or the file cannot be read.
  package static func read(
    recognizing source: ImportSource, rules: [CSVRules],
    adjust: (CSVRules) -> CSVRules = { $0 }, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    try read(source, context) { columns, file throws(ImportError) in
      for rules in rules where !rules.header.isEmpty {
        if let plan = try CSVPlan(
          rules, columns: columns, in: file, system: context.unitSystem)
        {
          return plan
        }
      }
      guard let rules = ColumnWords.rules(for: columns.map { ColumnName($0) }, columns) else {
        return nil
      }
      return try CSVPlan(adjust(rules), columns: columns, in: file, system: context.unitSystem)
    } misfit: { columns, file in
      let listed = "its columns are \(CSVTable.listed(columns))"
      if let repeated = CSVTable.repeated(columns) {
        return ImportError(
          .unfit, "\(file) has '\(repeated)' twice; \(listed); rename or remove one of the two")
      }
      return ImportError(
        .unfit,
        "\(file) has no row that names a date and a metric; \(listed); give 'import csv' --metric, --quantity and "
          + "--date")
    }
  }

  /// Whether some rules are those of a file, though it may have to be refused for another reason.
  ///
  /// - Throws: ``ImportError`` if the file cannot be read.
  static func recognizes(
    _ source: ImportSource, _ rules: [CSVRules]
  ) throws(ImportError) -> Bool {
    let context = ImportContext { EntryID(LedgerUUID(high: 0, low: 0)) }
    var isKnown = false
    do throws(ImportError) {
      _ = try CSVLayout(of: source, context) { columns, file throws(ImportError) in
        for rules in rules where !rules.header.isEmpty {
          let plan = try CSVPlan(rules, columns: columns, in: file, system: context.unitSystem)
          if plan != nil { isKnown = true }
          if let plan { return plan }
        }
        return nil
      } misfit: { _, file in
        ImportError(.unfit, "\(file) has none of the columns")
      }
    } catch {
      guard error.kind == .unfit else { throw error }
    }
    return isKnown
  }

  private static func read(
    _ source: ImportSource, _ context: ImportContext,
    choose: (_ columns: [String], _ file: String) throws(ImportError) -> CSVPlan?,
    misfit: (_ columns: [String], _ file: String) -> ImportError
  ) throws(ImportError) -> ImportResult {
    let source = try source.rereadable()
    let layout = try CSVLayout(of: source, context, choose: choose, misfit: misfit)
    var rows = CSVRows(layout, context)
    var reader = CSVReader(
      try ByteStream(opening: source, progress: context.progress), dialect: layout.dialect)
    var record = CSVRecord()
    while try reader.next(into: &record) { rows.take(record) }
    return try rows.finish()
  }

  /// The error that names the first column of a person's mapping that is not there.
  private static func missing(
    _ rules: CSVRules, _ columns: [String], _ file: String
  ) -> ImportError {
    let wanted =
      rules.quantities.flatMap(\.columns) + rules.date + rules.time + rules.notes + rules.zone
      + rules.id
    for column in wanted {
      do throws(ImportError) {
        _ = try CSVTable.column(column, of: columns, in: file)
      } catch {
        return error
      }
    }
    return ImportError(.unfit, "\(file) has no row with the columns \(CSVTable.listed(wanted))")
  }
}

private struct CSVRows {
  private var collector: EntryCollector
  private let layout: CSVLayout
  private let file: String
  private var section = 0
  private var plan: CSVPlan
  private var moment: CSVMoment
  private var quantities: QuantityReader
  private var empty: [String: Int] = [:]
  /// The rows of the sessions, by source id.
  private var sessions: [String: Int] = [:]
  /// The source ids of the plan's quantities.
  private var sourceIDs: [CSVSourceID] = []
  private var cells = MetricCells()
  private let context: ImportContext

  init(_ layout: CSVLayout, _ context: ImportContext) {
    self.layout = layout
    self.context = context
    collector = EntryCollector(context)
    file = layout.name
    plan = layout.sections[0].plan
    moment = CSVMoment(
      plan, layout.dayOrder, hasDayNumbers: layout.hasDayNumbers, context.zone)
    quantities = QuantityReader(layout.numbers)
    sourceIDs = plan.sourceIDs
    if plan.id == nil {
      collector.advice = "give 'import csv' --id, a column with another value in each row"
    }
    if !plan.rules.vendor.isEmpty { collector.result.notes.append("\(file): \(plan.rules.vendor)") }
    for note in layout.unitNotes { collector.result.notes.append("\(file): \(note)") }
  }

  mutating func take(_ record: CSVRecord) {
    guard record.row > layout.sections[0].headerRow, !isHeader(record),
      !layout.titles.contains(record.row)
    else { return }
    if let date = plan.dateAbove(record) {
      moment.dateAbove = date
      return
    }
    if let reason = fault(of: record) {
      report(RowFault(reason, kind: "the row does not fit the header"), record)
      return
    }
    collector.result.rows += 1
    guard plan.conditions.allSatisfy({ $0.holds(for: record) }) else {
      collector.result.skippedByFilter += 1
      return
    }
    if let columns = plan.metricColumns { takeNamed(record, columns) }
    for (index, quantity) in plan.quantities.enumerated()
    where quantity.condition?.holds(for: record) ?? true {
      // Another quantity of the row has the same date.
      guard take(record, quantity, sourceIDs[index]) else { return }
    }
  }

  /// Takes the quantity of a row that names its metric.
  private mutating func takeNamed(_ record: CSVRecord, _ columns: MetricColumns) {
    do throws(RowFault) {
      switch try cells.read(record, columns, plan) {
      case .quantity(let quantity, let sourceID): _ = take(record, quantity, sourceID)
      case .other(let reason):
        collector.result.skipped.add(record.trimmed(columns.metric), reason)
      }
    } catch {
      report(error, record)
    }
  }

  /// - Returns: false if the row has no date.
  private mutating func take(
    _ record: CSVRecord, _ quantity: CSVPlan.Quantity, _ sourceID: CSVSourceID
  ) -> Bool {
    let text = record.trimmed(quantity.column)
    guard !CSVMoment.isMissing(text), !plan.rules.missing.contains(text) else {
      empty[quantity.name, default: 0] += 1
      return true
    }
    do throws(RowFault) {
      let quantity = try cells.inUnit(of: record, quantity, plan)
      let draft = try draft(record, quantity, sourceID, text)
      if draft.metric == .sleepHours, plan.session != nil, draft.quantity == 0 {
        collector.result.skipped.add("sleep", "a session without sleep")
      } else if let session = try session(record, draft) {
        try take(session, record)
      } else {
        collector.add(draft)
      }
      return true
    } catch {
      report(error, record)
      return !error.kind.hasPrefix(moment.dateName)
    }
  }

  /// Goes on to the next section at its header.
  private mutating func isHeader(_ record: CSVRecord) -> Bool {
    guard section + 1 < layout.sections.count, layout.sections[section + 1].headerRow == record.row
    else { return false }
    section += 1
    plan = layout.sections[section].plan
    moment = CSVMoment(
      plan, layout.dayOrder, hasDayNumbers: layout.hasDayNumbers, context.zone)
    sourceIDs = plan.sourceIDs
    return true
  }

  /// Why the row does not fit the header; empty fields at the end do.
  private func fault(of record: CSVRecord) -> String? {
    if let defect = record.defect { return "the row \(defect.sentence)\(record.span)" }
    guard record.fieldCount != plan.columns.count else { return nil }
    if record.fieldCount > plan.columns.count, plan.columns.count > 1,
      (plan.columns.count..<record.fieldCount).allSatisfy({ record.bytes($0).isEmpty })
    {
      return nil
    }
    return record.misfit(columns: plan.columns.count)
  }

  private mutating func draft(
    _ record: CSVRecord, _ quantity: CSVPlan.Quantity, _ sourceID: CSVSourceID, _ text: String
  ) throws(RowFault) -> EntryDraft {
    let read = try moment.read(record)
    let amount = try quantities.read(
      text, unit: quantity.unit, for: quantity.metric, in: quantity.name)
    let note = plan.notes.map { record.text($0) }.flatMap { CSVMoment.isMissing($0) ? nil : $0 }
    let id = plan.id.map { record.trimmed($0) } ?? ""
    let source = plan.source.map { record.trimmed($0) } ?? ""
    return EntryDraft(
      file: file, row: record.row, column: quantity.name, metric: quantity.metric, quantity: amount,
      unit: NumberShape.unit(of: text, for: quantity.metric) ?? quantity.unit, date: read.date,
      time: read.time, zone: read.zone, notes: note,
      source: source.isEmpty ? plan.rules.source : source,
      sourceID: id.isEmpty ? sourceID.of(read) : sourceID.of(id: id),
      sameMoment: plan.rules.sameMoment ?? (quantity.metric.isFood && id.isEmpty ? .sum : .refuse))
  }

  /// The session of a row with a start and an end; `nil` for other rows, and for a night that an
  /// earlier import logged as hours.
  private mutating func session(
    _ record: CSVRecord, _ hours: EntryDraft
  ) throws(RowFault) -> SleepLogged? {
    guard hours.metric == .sleepHours, let period = plan.session,
      context.known(hours.source, hours.sourceID) == nil,
      let start = try moment.read(record, column: period.start),
      let end = try moment.read(record, column: period.end)
    else { return nil }
    let stated = CSVSession(
      start: start, end: end, asleepSeconds: Int((hours.quantity * 3600).rounded()))
    return try stated.session(
      of: hours, entry: context.makeEntry(), id: plan.id.map { record.trimmed($0) } ?? "",
      zone: context.zone)
  }

  private mutating func take(_ session: SleepLogged, _ record: CSVRecord) throws(RowFault) {
    guard let first = sessions[session.sourceID ?? ""] else {
      sessions[session.sourceID ?? ""] = record.row
      return try collector.result.take(session, context)
    }
    collector.result.reportDuplicate(
      RowProblem(
        file: file, row: record.row, reason: "the same session as in row \(first); counted once"))
  }

  private mutating func report(_ fault: RowFault, _ record: CSVRecord) {
    var problem = RowProblem(file: file, row: record.row, reason: fault.sentence)
    problem.kind = fault.kind
    collector.result.report(problem)
  }

  consuming func finish() throws(ImportError) -> ImportResult {
    if plan.quantities.count == 1, let only = plan.quantities.first,
      let count = empty[only.name]
    {
      let rows = count == 1 ? "1 row has" : "\(count) rows have"
      collector.result.notes.append("\(file): \(rows) nothing in \(only.name)")
    }
    if quantities.rounded > 0 {
      let numbers = quantities.rounded == 1 ? "1 number was" : "\(quantities.rounded) numbers were"
      collector.result.notes.append(
        "\(file): \(numbers) rounded to the 15 significant digits that a ledger keeps")
    }
    if let example = moment.example, let form = layout.dateForm {
      collector.result.notes.append("\(file): dates are read as \(form): \(example)")
    }
    let unused = plan.rules.isNamed ? [] : plan.unused
    if !unused.isEmpty {
      collector.result.notes.append("\(file): nothing is read from \(CSVTable.listed(unused))")
    }
    if let water = unused.first(where: { ColumnWords.isAnyWater(ColumnName($0)) }) {
      collector.result.notes.append(
        "\(file): \(quoted(water)) may be what was drunk or the body's share; name its unit, as "
          + quoted("\(water) (l)"))
    }
    if collector.result.rows == 0, collector.result.problems.isEmpty {
      collector.result.notes.append("\(file): no rows stand below the names of the columns")
    }
    var result = try collector.finish()
    if result.summed > 0, !plan.rules.isNamed {
      let entries = result.summed == 1 ? "1 entry is the sum" : "\(result.summed) entries are sums"
      result.notes.append("\(file): \(entries) of several rows of one day or time")
    }
    return result
  }
}

extension CSVPlan {
  fileprivate var sourceIDs: [CSVSourceID] {
    quantities.map { CSVSourceID($0.metric, rules.conditions) }
  }
}

/// What the columns of a CSV file mean.
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
  /// The unit of bare numbers; `nil` for the one in the column's name, else the metric's own.
  public var unit: String?
  /// The column of UTC offsets; `nil` if there is none.
  public var zone: String?
  /// The column of ids; `nil` if there is none.
  public var id: String?
  /// Whether decimals have a comma; `nil` if the rows tell.
  public var hasDecimalComma: Bool?
  var decimalMark: NumberStyle.Mark? { hasDecimalComma.map { $0 ? .comma : .point } }
  /// Names the data's origin. Two devices need two names, or their rows count as the same.
  public var source = "csv"

  /// ``unit`` as ``Quantity`` calls it.
  var unitOfMetric: String? { unit.map { UnitName($0)?.suffix(for: metric) ?? $0 } }

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
    if let unit = unitOfMetric {
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

/// A row's source id, such as `csv:steps:2016-04-12T01:00:00?Id=1503960366`.
///
/// It consists of metric, moment and conditions, not of file name or row number, so that a file
/// that was renamed, sorted or exported again still matches.
struct CSVSourceID {
  private let metric: Metric
  private let conditions: String

  init(_ metric: Metric, _ conditions: [CSVRules.Condition]) {
    self.metric = metric
    // Encoded, so that ids stay unambiguous.
    let terms = conditions.map { condition in
      PercentEncoding.encode((condition.columns.first ?? "").utf8) + "="
        + PercentEncoding.encode(condition.values.joined(separator: "|").utf8)
    }
    self.conditions = terms.isEmpty ? "" : "?" + Set(terms).sorted().joined(separator: "&")
  }

  func of(_ date: CalendarDate, _ time: ClockTime?, isUTC: Bool = false) -> String {
    var text = ByteSink(capacity: 64)
    text.append("csv:")
    text.append(plain: metric.name)
    text.append(UInt8(ascii: ":"))
    date.appendText(to: &text)
    if let time {
      text.append(UInt8(ascii: "T"))
      time.appendText(to: &text)
    }
    if isUTC { text.append(UInt8(ascii: "Z")) }
    text.append(plain: conditions)
    return text.text
  }

  /// An instant has the same id in every zone.
  func of(_ read: CSVInstant) -> String {
    guard read.isInstant, let time = read.time, let zone = read.zone,
      let utc = ZonedTime(time: time, zone: zone).instant(on: read.date).localTime(at: .utc)
    else { return of(read.date, read.time) }
    return of(utc.date, utc.time, isUTC: true)
  }

  func of(id: String) -> String {
    "csv:\(metric.name):id:\(PercentEncoding.encode(id.utf8))\(conditions)"
  }
}
