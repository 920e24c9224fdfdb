import LedgerModel

/// Makes entries and sessions of the rows of a file whose layout is known.
struct CSVRows {
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
  /// Rows whose night has times without a day, and its columns.
  private var nightsOfTimes: (rows: Int, columns: [String]) = (0, [])
  /// The source ids of the plan's quantities.
  private var sourceIDs: [CSVSourceID] = []
  private var cells = MetricCells()
  /// The columns that may say that a row is a sum, and whether one says so of the present row.
  private var totals: (columns: [Int], sayTotal: Bool) = ([], false)
  private var lists = ListsBelow()
  /// Whether the rows are of a table whose header cannot be read: all up to the next that can.
  private var isInUnreadTable = false
  private var people = People()
  private let context: ImportContext
  private var rowsElsewhere = 0
  /// The first values of the column of the first condition that do not fulfil it.
  private var otherValues: [String] = []
  private static let otherValuesAtMost = 3

  init(_ layout: CSVLayout, _ context: ImportContext) {
    self.layout = layout
    self.context = context
    collector = EntryCollector(context)
    file = layout.name
    plan = layout.sections[0].plan
    moment = CSVMoment(
      plan, layout.dates, context.zone)
    quantities = QuantityReader(layout.numbers)
    (sourceIDs, totals.columns) = (plan.sourceIDs, plan.namingColumns)
    collector.offsets = plan.offsets
    if let source = plan.source {
      collector.question = ImportQuestion(.source, [plan.columns[source]])
    } else if plan.id == nil {
      collector.question = ImportQuestion(.id)
    }
    if !plan.rules.vendor.isEmpty { collector.result.notes.append("\(file): \(plan.rules.vendor)") }
    for note in layout.unitNotes { collector.result.notes.append("\(file): \(note)") }
  }

  mutating func take(_ record: CSVRecord) {
    guard !isUnread(record), record.row > layout.sections[0].headerRow, !isHeader(record),
      !layout.titles.contains(record.row)
    else { return }
    if let date = plan.dateAbove(record) {
      moment.dateAbove = date
      return
    }
    switch lists.place(of: record, plan) {
    case .title: return
    case .list:
      collector.result.skipped.add("other rows", "in a list below a title")
      return
    case .table: reportTitles()
    }
    if let reason = fault(of: record) {
      report(RowFault(reason, kind: Self.misfit), record)
      return
    }
    guard plan.conditions.allSatisfy({ $0.holds(for: record) }) else { return skip(record) }
    collector.result.rows += 1
    if let column = plan.person { people.add(record.trimmed(column)) }
    totals.sayTotal = totals.columns.contains { column in
      record.bytes(column).count < 32 && TotalRows.isWord(record.trimmed(column))
    }
    if let columns = plan.metricColumns { takeNamed(record, columns) }
    for (index, quantity) in plan.quantities.enumerated()
    where quantity.condition?.holds(for: record) ?? true {
      // Another quantity of the row has the same moment.
      guard take(record, quantity, sourceIDs[index]) else { return }
    }
  }

  /// Counts a row that does not fulfil the conditions.
  mutating func skip(_ record: CSVRecord) {
    collector.result.rows += 1
    collector.result.skippedByFilter += 1
    guard otherValues.count < Self.otherValuesAtMost, let column = plan.conditions.first?.column
    else { return }
    let value = quoted(record.text(column))
    if !otherValues.contains(value) { otherValues.append(value) }
  }

  /// Names conditions that no row fulfils; a wrong value would silently import nothing.
  private var noteOnUnmatched: String? {
    let result = collector.result
    guard result.rows > 0, result.skippedByFilter == result.rows, rowsElsewhere == 0 else {
      return nil
    }
    let wanted = plan.conditions.map { condition in
      let values = condition.values.map { quoted(String(decoding: $0, as: UTF8.self)) }
      return "\(values.joined(separator: " or ")) in '\(plan.columns[condition.column])'"
    }
    let others = wanted.count > 1 ? "" : ", which has \(otherValues.joined(separator: ", "))"
    return "\(file): no row has \(wanted.joined(separator: " and "))\(others)"
  }

  /// Reports rows of one field after which the table went on.
  private mutating func reportTitles() {
    for row in lists.takeTitles() {
      var problem = RowProblem(
        file: file, row: row, reason: "the row has 1 field, the header \(plan.columns.count)")
      problem.kind = Self.misfit
      collector.result.report(problem)
    }
  }

  private static let misfit = "the row does not fit the header"

  /// Takes the quantity of a row that names its metric.
  private mutating func takeNamed(_ record: CSVRecord, _ columns: MetricColumns) {
    // A row of spaces is none.
    if (0..<record.fieldCount).allSatisfy({ record.trimmed($0).isEmpty }) { return }
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

  /// - Returns: false if the row has no moment, which all its quantities need.
  private mutating func take(
    _ record: CSVRecord, _ quantity: CSVPlan.Quantity, _ sourceID: CSVSourceID
  ) -> Bool {
    do throws(RowFault) {
      let text = try quantity.text(of: record, layout.numbers)
      guard !CSVMoment.isMissing(text) || isHalfOfNight(quantity, record),
        !plan.rules.missing.contains(text)
      else {
        empty[quantity.name, default: 0] += 1
        return true
      }
      let quantity = try cells.inUnit(of: record, quantity, plan)
      let draft = try draft(record, quantity, sourceID, text)
      if draft.quantity == 0, draft.metric.isNeverZero {
        collector.result.skipped.add(draft.metric.name, "0 stands for not measured")
      } else if quantity.isPeriod {
        if let night = try night(record, draft) { try take(night, record) }
      } else if draft.metric == .sleepHours, plan.session != nil, draft.quantity == 0 {
        collector.result.skipped.add("sleep", "a session without sleep")
      } else if let session = try session(record, draft) {
        try take(session, record)
      } else {
        collector.add(ofDayOfEnd(draft, record))
      }
      return true
    } catch {
      report(error, record)
      // A copy: what a second reading finds is not counted.
      var moment = moment
      return (try? moment.read(record)) != nil
    }
  }

  /// Reports a table that cannot be read at its header.
  private mutating func isUnread(_ record: CSVRecord) -> Bool {
    if layout.refusals.isEmpty { return false }
    let next = layout.sections[min(section + 1, layout.sections.count - 1)]
    if [layout.sections[0].headerRow, next.headerRow].contains(record.row) {
      isInUnreadTable = false
    }
    if let refusal = layout.refusals[record.row] {
      let sentence = refusal.description.trimmingPrefix("\(file): ")
      report(
        RowFault("\(sentence); the rows below it are not read", asking: refusal.question), record)
      isInUnreadTable = true
    }
    return isInUnreadTable
  }

  /// Goes on to the next section at its header.
  private mutating func isHeader(_ record: CSVRecord) -> Bool {
    guard section + 1 < layout.sections.count, layout.sections[section + 1].headerRow == record.row
    else { return false }
    section += 1
    reportTitles()
    lists = ListsBelow()
    plan = layout.sections[section].plan
    let clockChanges = moment.clockChanges
    moment = CSVMoment(plan, layout.dates, context.zone)
    moment.clockChanges = clockChanges
    (sourceIDs, totals.columns) = (plan.sourceIDs, plan.namingColumns)
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
    if quantity.needsCellUnit && !NumberShape.names(unitOf: quantity.metric, text)
      || quantity.hasMixedUnits && quantity.unit == nil && !QuantityReader.hasUnit(text)
        && text.contains(where: { $0.isNumber && $0 != "0" })
    {
      throw Self.faultOfUnit(quantity.name, text)
    }
    let amount =
      try quantity.isPeriod
      ? 0
      : quantities.read(text, unit: quantity.unit, for: quantity.metric, in: quantity.name)
    let unit = quantity.unit.flatMap {
      ClockUnit(named: $0) == nil && UnitPair(unit: $0) == nil ? $0 : nil
    }
    let note = plan.notes.map { record.text($0) }.flatMap { CSVMoment.isMissing($0) ? nil : $0 }
    let id = plan.id.map { record.trimmed($0) } ?? ""
    let source = plan.source.map { record.trimmed($0) } ?? ""
    var draft = EntryDraft(
      file: file, row: record.row, column: quantity.name, metric: quantity.metric, quantity: amount,
      unit: NumberShape.unit(of: text, for: quantity.metric) ?? unit, date: read.date,
      time: read.time, zone: read.zone, notes: note,
      source: source.isEmpty ? plan.rules.source : source,
      sourceID: id.isEmpty ? sourceID.of(read) : sourceID.of(id: id),
      sameMoment: sameMoment(quantity.metric, hasID: !id.isEmpty), saysTotal: totals.sayTotal)
    guard plan.rules.guessesRoles else { return draft }
    if plan.hasOneID, !id.isEmpty, isOfPerson(draft, sourceID.of(read)) {
      (draft.sourceID, draft.sameMoment) =
        (sourceID.of(read), sameMoment(quantity.metric, hasID: false))
    } else if quantity.metric.addsUp {
      // Entries of other metrics are known by their values.
      let person = plan.person.map { record.trimmed($0) } ?? ""
      draft.otherSourceID =
        !id.isEmpty ? sourceID.of(read) : person.isEmpty ? nil : sourceID.of(id: person)
    }
    return draft
  }

  /// Why a cell beside others with units is not read.
  private static func faultOfUnit(_ name: String, _ text: String) -> RowFault {
    if NumberShape(text) != nil, QuantityReader.hasUnit(text) {
      return RowFault(
        "\(name) is \(quoted(text)), with a unit that is not known or can mean several",
        kind: "\(name) has a unit that is not known")
    }
    return RowFault(
      "\(name) is \(quoted(text)), without a unit as other rows have",
      kind: "\(name) has a number without a unit", asking: ImportQuestion(.unit))
  }

  /// Whether the only id of a file is that of the person: the ledger has it at another moment, or the
  /// moment of the row without an id.
  private func isOfPerson(_ draft: EntryDraft, _ idOfMoment: String) -> Bool {
    let moment = draft.time.map {
      ZonedTime(time: $0, zone: draft.zone ?? context.zone($0, draft.date))
    }
    guard let known = context.knownEntry(draft.source, draft.sourceID) else {
      return context.knownEntry(draft.source, idOfMoment) != nil
    }
    return !known.isOf(KnownEntries.Logged.hash(draft.date, moment))
  }

  /// Rules are for a whole table: a heart rate beside steps is not summed.
  private func sameMoment(_ metric: Metric, hasID: Bool) -> CSVRules.SameMoment {
    guard let rule = plan.rules.sameMoment else { return metric.isFood && !hasID ? .sum : .refuse }
    return rule == .sum && !metric.addsUp ? .refuse : rule
  }

  /// The session of a row with a start and an end; `nil` for other rows, and for a night that an
  /// earlier import logged as hours.
  private mutating func session(
    _ record: CSVRecord, _ hours: EntryDraft
  ) throws(RowFault) -> SleepLogged? {
    guard hours.metric == .sleepHours, let period = plan.session,
      context.known(hours.source, hours.sourceID) == nil
    else { return nil }
    var stated: CSVSession?
    do throws(RowFault) {
      if let start = try moment.read(record, column: period.start),
        let end = try moment.read(record, column: period.end)
      {
        stated = CSVSession(
          start: start, end: end, asleepSeconds: Int((hours.quantity * 3600).rounded()))
      }
    } catch {
      guard isSessionGuessed else { throw error }
    }
    guard let stated else { return nil }
    if isSessionGuessed, layout.dates.areDays || !stated.isPlausible(context.zone) { return nil }
    return try stated.session(
      of: hours, entry: context.makeEntry(), id: plan.id.map { record.trimmed($0) } ?? "",
      zone: context.zone)
  }

  /// The session of a row with a start and an end alone; `nil` for times without a day beside other
  /// quantities.
  private mutating func night(
    _ record: CSVRecord, _ hours: EntryDraft
  ) throws(RowFault) -> SleepLogged? {
    guard let period = plan.session else { preconditionFailure("a period without its columns") }
    let columns = [period.start, period.end]
    let hasDay = columns.map { record.trimmed($0) }.contains { text in
      !CSVMoment.isMissing(text) && WrittenDate.timeOfDay(text) == nil
    }
    guard hasDay || plan.quantities.count == 1 else {
      nightsOfTimes.rows += 1
      nightsOfTimes.columns = columns.map { plan.columns[$0] }
      return nil
    }
    let ends = try columns.map { column throws(RowFault) in
      let (name, text) = (plan.columns[column], record.trimmed(column))
      guard WrittenDate.timeOfDay(text) == nil, let end = try moment.read(record, column: column)
      else {
        throw RowFault(
          "\(name) is \(quoted(text)); without a column of hours it must be a day and a time, such as "
            + "2026-01-31 23:10", kind: "\(name) is not a day and a time")
      }
      return end
    }
    return try CSVSession(start: ends[0], end: ends[1]).session(
      of: hours, entry: context.makeEntry(), id: plan.id.map { record.trimmed($0) } ?? "",
      zone: context.zone)
  }

  /// Whether a night has a start without an end.
  private func isHalfOfNight(_ quantity: CSVPlan.Quantity, _ record: CSVRecord) -> Bool {
    guard quantity.isPeriod, let period = plan.session else { return false }
    return !CSVMoment.isMissing(record.trimmed(period.start))
  }

  private var isSessionGuessed: Bool { plan.rules.session?.isGuess == true }

  /// Hours of sleep that are no session count for the day on which the night ends, as sessions do.
  private mutating func ofDayOfEnd(_ hours: EntryDraft, _ record: CSVRecord) -> EntryDraft {
    guard hours.metric == .sleepHours, isSessionGuessed, let period = plan.session,
      period.start == plan.date, let end = moment.day(record, column: period.end),
      (hours.date...hours.date.adding(days: 1)).contains(end)
    else { return hours }
    var hours = hours
    hours.date = end
    (hours.time, hours.zone) = (nil, nil)
    return hours
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

  /// Records how many rows another reader took, and an example of their dates.
  mutating func take(rows: Int, readAs other: CSVMoment) {
    rowsElsewhere = rows
    if moment.example == nil { moment.example = other.example }
  }

  private mutating func report(_ fault: RowFault, _ record: CSVRecord) {
    collector.result.report(RowProblem(fault, file: file, row: record.row))
  }

  consuming func finish() throws(ImportError) -> ImportResult {
    reportTitles()
    let ids = people.ids
    if let column = plan.person, ids != nil {
      collector.question = ImportQuestion(.source, [plan.columns[column]])
    }
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
    func have(_ rows: ClockChanges.Rows) -> String {
      rows.count == 1 ? "1 row has" : "\(rows.count) rows have"
    }
    let (skipped, repeated) = (moment.clockChanges.skipped, moment.clockChanges.repeated)
    if let (row, date, time) = skipped.example {
      collector.result.notes.append(
        "\(file): \(have(skipped)) a time that clocks skipped as they were put forward, such as \(date) "
          + "\(time) in row \(row); it is kept as written, and the times may be of another zone")
    }
    if let (row, date, time) = repeated.example {
      collector.result.notes.append(
        "\(file): \(have(repeated)) a time that came twice as clocks were put back, such as \(date) "
          + "\(time) in row \(row); it is read as the first, \(context.zone(time, date))"
          + (collector.offsets.map { ", and \($0) could say which one it is" } ?? ""))
    }
    var unused: [String] = []
    for plan in layout.sections.map(\.plan) where !plan.rules.isNamed {
      unused += plan.unused(hasSessions: !sessions.isEmpty).filter { !unused.contains($0) }
    }
    if !unused.isEmpty {
      collector.result.notes.append("\(file): nothing is read from \(CSVTable.listed(unused))")
    }
    if nightsOfTimes.rows > 0, !sessions.isEmpty {
      let rows = nightsOfTimes.rows == 1 ? "1 row" : "\(nightsOfTimes.rows) rows"
      collector.result.notes.append(
        "\(file): nothing is read from \(CSVTable.listed(nightsOfTimes.columns)) in \(rows), whose times "
          + "have no day")
    }
    for name in unused {
      guard let meanings = ColumnWords.meanings(of: name) else { continue }
      collector.result.notes.append("\(file): \(quoted(name)) \(meanings)")
    }
    if collector.result.rows + rowsElsewhere == 0, collector.result.problems.isEmpty {
      collector.result.notes.append("\(file): no rows follow the header")
    }
    if let note = noteOnUnmatched { collector.result.notes.append(note) }
    var result = try collector.finish()
    if let column = plan.person, let ids {
      let name = plan.columns[column]
      result.warnings.append(
        "\(file): '\(name)' has \(ids.count) values that repeat, such as "
          + "\(CSVTable.listed(Array(ids.prefix(3)))): the rows may be of several people")
      result.people = (name, ids[0])
    }
    if result.summed > 0 {
      let entries = result.summed == 1 ? "1 entry is the sum" : "\(result.summed) entries are sums"
      let notes = plan.notes == nil ? "" : ", without their notes where those differ"
      result.notes.append("\(file): \(entries) of several rows of one day or time\(notes)")
    }
    return result
  }
}

/// The values of a column that names people, and how many rows have them.
private struct People {
  private var rows = 0
  private var found: Set<String> = []
  private static let most = 1000

  mutating func add(_ id: String) {
    rows += 1
    if found.count <= Self.most { found.insert(id) }
  }

  /// `nil` unless there are several with some rows each: ids of rows, of which a few repeat, are others.
  var ids: [String]? {
    found.count > 1 && found.count <= Self.most && rows >= 2 * found.count ? found.sorted() : nil
  }
}

extension CSVPlan {
  /// Rules of a vendor or a person have their own columns.
  fileprivate var offsets: String? {
    if let zone { return "the column '\(columns[zone])'" }
    return rules.vendor.isEmpty && !rules.isNamed ? "a column 'Offset'" : nil
  }

  fileprivate var sourceIDs: [CSVSourceID] {
    quantities.map { CSVSourceID($0.metric, rules.conditions) }
  }
}

extension Metric {
  /// Whether 0 stands for not measured: scales write it beside a weight.
  fileprivate var isNeverZero: Bool {
    switch self {
    case .bodyFatPercentage, .bmi, .restingHeartRate: true
    default: false
    }
  }
}
