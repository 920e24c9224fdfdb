import LedgerModel

/// Rules applied to a header: which column holds what.
struct CSVPlan {
  struct Quantity {
    var metric: Metric
    var column: Int
    var name: String
    /// The unit of bare numbers, for ``Quantity``; `nil` for the metric's own.
    var unit: String?
    /// Whether the unit is that of the rules, and not in the column's name.
    var hasRuleUnit = false
    /// Whether the unit is a person's, for numbers without one.
    var hasGivenUnit = false
    /// The units that it may be in, as long as that is open.
    var units: [String] = []
    /// Whether it is taken for the metric's own unit, unless other columns show that it is not.
    var isAssumed = false
    /// The column that names the unit of each row.
    var unitColumn: Int?
    /// The column of the smaller unit, whose number is added: `Weight (lb)` beside `Weight (st)`.
    var part: QuantityPart?
    /// Whether it is dropped unless its cells have units of the metric.
    var needsCellUnit = false
    /// Whether some cells have another unit than the metric's own, so that a bare number may be in either.
    var hasMixedUnits = false
    /// Whether it is the length of the session, which has no number of its own.
    var isPeriod = false
    var condition: Condition?
  }

  struct Condition {
    var column: Int
    var values: [[UInt8]]

    func holds(for record: CSVRecord) -> Bool {
      values.contains { record.bytes(column).elementsEqual($0) }
    }
  }

  let rules: CSVRules
  let columns: [String]
  var quantities: [Quantity] = []
  /// Instead of `quantities`, for a table with a row for each.
  var metricColumns: MetricColumns?
  var date = 0
  /// Columns whose names say as much of a date.
  var otherDates: [Int] = []
  /// A column of timestamps, which count if their days are the dates of all rows.
  var timestamp: Int?
  var time: Int?
  var zone: Int?
  /// What bare numbers in the column of zones are; `nil` for hours and minutes in digits.
  var zoneUnit: ZoneSurvey.Unit?
  var id: Int?
  /// Whether all rows have the same id, which may be that of the person.
  var hasOneID = false
  /// A column whose name says that it names the person, or one called as of ids that does.
  var person: Int?
  var notes: Int?
  var source: Int?
  var session: (start: Int, end: Int)?
  /// The zone of times without an offset that the name of their column says, as `Date (UTC)`.
  var statedZone: ZoneOffset?
  /// The name of a zone with summer time there, as `Date (Europe/Madrid)`.
  var statedZoneName: String?
  /// The order of numbers in dates that the name of their column says, as `Date (dd/mm/yyyy)`.
  var statedOrder: DayOrder?
  var conditions: [Condition] = []

  /// - Parameter system: the units of the person, asked only for a quantity without a unit.
  /// - Returns: `nil` if the header is not the one that the rules are for.
  /// - Throws: ``ImportError`` for a column in a unit that its metric does not have, for a column of
  ///   units that can belong to several quantities, and for a person's condition on a column that is
  ///   not there.
  init?(
    _ rules: CSVRules, columns: [String], in file: String,
    system: () throws(ImportError) -> UnitSystem
  ) throws(ImportError) {
    let header = CSVHeader(columns, isExact: rules.isExact)
    self.rules = rules
    self.columns = columns
    guard rules.header.allSatisfy({ header.index($0) != nil }),
      let date = header.index(rules.isDateAbove ? rules.time : rules.date),
      !rules.isDateFirst || date == 0 && header.index(["Date", "Day"]) == nil
    else { return nil }
    self.date = date
    otherDates = columns.indices.filter { $0 != date && rules.otherDates.contains(columns[$0]) }
    timestamp = header.index(rules.timestamp)
    (time, zone, id) = (header.index(rules.time), header.index(rules.zone), header.index(rules.id))
    (notes, source) = (header.index(rules.notes), header.index(rules.sourceColumn))
    // Foods and workouts have names, too.
    let hasNamesOfThings = rules.quantities.contains { quantity in
      quantity.metric.isFood
        || [.distanceKM, .activeMinutes, .caloriesOut].contains(quantity.metric)
    }
    person = (ColumnWords.person + (hasNamesOfThings ? [] : ColumnWords.personName)).lazy.compactMap
    {
      header.firstIndex(among: [$0])
    }
    .first { [id] in $0 != id }
    if let session = rules.session, let start = header.index(session.start),
      let end = header.index(session.end)
    {
      self.session = (start, end)
    }
    let dateName = ColumnName(columns[date])
    statedOrder = dateName.statedOrder
    for name in [time.map { ColumnName(columns[$0]) }, dateName].compactMap(\.self) {
      guard statedZone == nil, statedZoneName == nil, let text = name.zoneText else { continue }
      statedZone = WrittenZone.cell(text)
      if statedZone == nil, NamedZone(text) != nil { statedZoneName = text }
      guard statedZone == nil, statedZoneName == nil else { continue }
      throw ImportError(
        .unfit,
        "\(file): '\(text)' in the name of a column is the zone of several places; write its offset there, as "
          + "'\(dateName.words) (+05:30)', or add a column 'Zone'")
    }
    for condition in rules.conditions where !condition.isByPerson {
      guard let condition = header.condition(condition) else { return nil }
      conditions.append(condition)
    }
    for wanted in rules.quantities {
      guard let column = header.index(wanted.columns) else { continue }
      var quantity = Quantity(metric: wanted.metric, column: column, name: columns[column])
      quantity.isPeriod = wanted.isPeriod
      // A column in grams is not that of a vendor's share of fat.
      if !rules.isNamed, !rules.guessesRoles,
        ColumnName(quantity.name).isInUnitOfOthers(than: wanted.metric)
      {
        return nil
      }
      if let condition = wanted.condition {
        guard let found = header.condition(condition) else { continue }
        quantity.condition = found
      }
      if !quantity.isPeriod {
        try rules.setUnit(of: &quantity, wanted, in: file, system: system)
        quantity.takePart(of: columns)
      }
      quantities.append(quantity)
    }
    if let metric = header.index(rules.metricColumn),
      let quantity = header.index(rules.quantityColumn)
    {
      var table = MetricColumns(
        metric: metric, quantity: quantity, unit: header.index(rules.unitColumn))
      for metric in Metric.allCases { table.open[metric] = try metric.openUnits(system) }
      metricColumns = table
    } else {
      try takeUnitColumns(header, in: file)
    }
    guard hasQuantities else { return nil }
    // A person names every column, so each must be there.
    if rules.isExact, !isComplete { return nil }
    for condition in rules.conditions where condition.isByPerson {
      guard let found = header.condition(condition) else {
        throw CSVTable.missing(condition.columns[0], of: columns, in: file)
      }
      conditions.append(found)
    }
  }

  /// Gives columns of units to the quantities whose names have no unit: `Weight unit` to `Weight`, and
  /// `Unit` to the only one that is left.
  private mutating func takeUnitColumns(
    _ header: CSVHeader, in file: String
  ) throws(ImportError) {
    let bare = quantities.indices.filter {
      !quantities[$0].needsCellUnit && !quantities[$0].isPeriod && hasBareNumbers(quantities[$0])
    }
    for index in bare {
      quantities[index].unitColumn = header.unitColumn(of: quantities[index].name)
    }
    let rest = bare.filter { quantities[$0].unitColumn == nil }
    guard !rest.isEmpty, let column = commonUnitColumn(header) else { return }
    let several = rest.filter { quantities[$0].metric.hasSeveralUnits }
    if several.count == 1 || rest.count == 1 {
      quantities[several.first ?? rest[0]].unitColumn = column
    }
    let open = several.map { quantities[$0] }.first { $0.unit == nil }
    guard several.count > 1, let open else { return }
    let names = several.map { "'\(quantities[$0].name)'" }.joined(separator: " or ")
    throw ImportError(
      .unfit,
      "\(file): the column '\(columns[column])' can be the unit of \(names); the name of each can "
        + "tell its unit, as '\(open.name) (\(open.metric.unit))'", asking: ImportQuestion(.columns)
    )
  }

  /// Whether neither the rules nor the column's name give a unit. A unit given as an option is for such
  /// numbers.
  private func hasBareNumbers(_ quantity: Quantity) -> Bool {
    (quantity.unit == nil || quantity.hasGivenUnit)
      && ColumnName(quantity.name).namesNoUnit(of: quantity.metric)
  }

  private func commonUnitColumn(_ header: CSVHeader) -> Int? {
    // A serving has an amount and a unit of its own.
    if let amount = header.firstIndex(among: ColumnWords.quantity),
      !quantities.contains(where: { $0.column == amount })
    {
      return nil
    }
    return rules.isNamed
      ? header.firstIndex(among: ColumnWords.unit) : header.index(rules.unitColumn)
  }

  private var isComplete: Bool {
    quantities.count == rules.quantities.count && (time != nil || rules.time.isEmpty)
      && (notes != nil || rules.notes.isEmpty) && (zone != nil || rules.zone.isEmpty)
      && (id != nil || rules.id.isEmpty)
      && (session != nil || !quantities.contains(where: \.isPeriod))
  }

  var hasQuantities: Bool { !quantities.isEmpty || metricColumns != nil }

  /// The date in a row of its own, for rules with the date above.
  func dateAbove(_ record: CSVRecord) -> String? {
    guard rules.isDateAbove, record.fieldCount > 0 else { return nil }
    let text = record.trimmed(0)
    guard !text.isEmpty, (1..<record.fieldCount).allSatisfy({ record.trimmed($0).isEmpty }),
      let written = WrittenDate(text), written.time == nil
    else { return nil }
    return text
  }

  /// Whether the rules state nothing beyond what the names of the columns state.
  var isPlain: Bool {
    !rules.isDateAbove && session == nil && rules.times == .local
      && rules.conditions.allSatisfy(\.isByPerson) && rules.missing.isEmpty
      && (rules.sameMoment ?? .refuse) == .refuse
      && quantities.allSatisfy { !$0.hasRuleUnit && $0.condition == nil }
  }

  /// Whether another plan reads a share of the body from a column that may be a food beside others, as
  /// `Fat` beside `Carbs`.
  func hasFoods(besides other: CSVPlan) -> Bool {
    quantities.contains { $0.metric.isFood && !$0.needsCellUnit }
      && other.quantities.contains { quantity in
        !quantity.metric.isFood && ColumnWords.meanings(of: quantity.name) != nil
      }
  }

  /// Whether it has all metrics of another plan, and more of them, or columns that the other leaves out.
  func tellsMore(than other: CSVPlan) -> Bool {
    let metrics = Set(quantities.filter { !$0.needsCellUnit }.map(\.metric))
    guard metrics.isSuperset(of: other.quantities.map(\.metric)) else { return false }
    let roles = [
      (time, other.time), (zone, other.zone), (notes, other.notes), (id, other.id),
      (source, other.source),
    ]
    return metrics.count > other.quantities.count
      || roles.contains { own, other in own != nil && other == nil }
  }

  /// The columns that nothing is read from.
  ///
  /// - Parameter hasSessions: whether rows were read as sessions.
  func unused(hasSessions: Bool) -> [String] {
    unusedColumns(hasSessions: hasSessions).map { columns[$0] }
  }

  /// The columns that may say that a row is a sum of others.
  var namingColumns: [Int] { unusedColumns(hasSessions: true) + (notes.map { [$0] } ?? []) }

  private func unusedColumns(hasSessions: Bool) -> [Int] {
    // The end of a night that is dated by its start tells the day of its hours.
    let period = hasSessions || session?.start == date ? session : nil
    let used =
      [date] + [time, zone, id, notes, source, period?.start, period?.end].compactMap { $0 }
      + quantities.filter { !$0.isPeriod || hasSessions }.map(\.column)
      + quantities.compactMap(\.unitColumn) + conditions.map(\.column)
      + quantities.compactMap { $0.part?.column }
      + [metricColumns?.metric, metricColumns?.quantity, metricColumns?.unit].compactMap { $0 }
      + quantities.compactMap { $0.condition?.column }
    return columns.indices.filter { !used.contains($0) && !columns[$0].isEmpty }
  }
}

extension CSVRules {
  /// Sets the unit of a column: that of the rules or of the column's name, else a person's, else those
  /// that it may be in.
  fileprivate func setUnit(
    of quantity: inout CSVPlan.Quantity, _ wanted: Quantity, in file: String,
    system: () throws(ImportError) -> UnitSystem
  ) throws(ImportError) {
    let metric = quantity.metric
    if wanted.needsCellUnit, givenUnit(of: metric) == nil {
      quantity.needsCellUnit = true
      return
    }
    let name = ColumnName(quantity.name)
    let stated = name.statedUnit(of: metric)
    // The rules of a vendor are for columns whose names have no unit.
    let isUnclear = guessesRoles && name.hasUnclearWords(of: metric)
    if let unit = wanted.unit, isNamed || stated == nil, !isUnclear {
      if isNamed, let stated, metric.value(in: stated) != metric.value(in: unit) {
        throw ImportError(
          .unfit,
          "\(file): the column '\(quantity.name)' is in '\(name.unit ?? quantity.name)', but the unit is given as "
            + "'\(unit)'; give none, or correct the column's name")
      }
      quantity.unit = unit.isEmpty ? nil : unit
      quantity.hasGivenUnit = isNamed
      quantity.hasRuleUnit = !isNamed
    } else if stated == nil, let given = givenUnit(of: metric), !isUnclear {
      quantity.unit = given.isEmpty ? nil : given
      quantity.hasGivenUnit = true
    } else {
      quantity.unit = try name.unit(
        for: metric, named: quantity.name, in: file, isChosen: isNamed)
      guard quantity.unit == nil else { return }
      quantity.units = wanted.units.isEmpty ? try metric.openUnits(system) : wanted.units
      quantity.isAssumed = quantity.units.isEmpty
      quantity.hasRuleUnit = !wanted.units.isEmpty
    }
  }
}

extension Metric {
  /// Whether a number without a unit can be in another one than the metric's own.
  var hasSeveralUnits: Bool { LedgerModel.Quantity.shortUnitNames(of: self).count > 1 }

  /// One of a unit, in the metric's own.
  func value(in unit: String) -> Double? {
    try? LedgerModel.Quantity.parse("1" + unit, for: self)
  }

  func areEqual(_ first: String, _ second: String) -> Bool {
    value(in: first).map { $0 == value(in: second) } ?? false
  }

  /// The units that bare numbers may be in, for a person who does not read the metric in its own unit.
  fileprivate func openUnits(
    _ system: () throws(ImportError) -> UnitSystem
  ) throws(ImportError) -> [String] {
    guard let imperial = imperialUnit, try system() == .imperial else { return [] }
    // The shell needs no quotes for a unit without a space.
    let units = [unit, imperial.name.filter { $0 != " " }]
    return self == .height ? units + ["ft"] : units
  }
}

extension CSVRules {
  /// The columns by which a file is recognized that it does not have.
  func missing(from columns: [String]) -> [String] {
    let names = CSVHeader(columns, isExact: isExact)
    return header.filter { names.index($0) == nil }.compactMap(\.first)
  }
}

private struct CSVHeader {
  private let columns: [String]
  private let names: [ColumnName]
  private let isExact: Bool

  init(_ columns: [String], isExact: Bool) {
    self.columns = columns
    self.isExact = isExact
    names = isExact ? [] : columns.map { ColumnName($0) }
  }

  func firstIndex(among words: Set<String>) -> Int? {
    columns.firstIndex { words.contains(ColumnName($0).words) }
  }

  /// The column that is called as another one and a word for units.
  func unitColumn(of name: String) -> Int? {
    let base = ColumnName(name).words
    let words = Set(ColumnWords.unit.flatMap { ["\(base) \($0)", "\($0) \(base)"] })
    return firstIndex(among: words)
  }

  /// The column of the first name that the header has.
  func index(_ wanted: [String]) -> Int? {
    for name in wanted {
      let places = columns.indices.filter { columns[$0] == name }
      if places.count == 1 { return places[0] }
      guard !isExact else { continue }
      let plain = ColumnName(name)
      if let place = names.firstIndex(where: { $0.words == plain.words || $0.base == plain.base }) {
        return place
      }
    }
    return nil
  }

  func condition(_ condition: CSVRules.Condition) -> CSVPlan.Condition? {
    index(condition.columns).map {
      CSVPlan.Condition(column: $0, values: condition.values.map { Array($0.utf8) })
    }
  }
}
