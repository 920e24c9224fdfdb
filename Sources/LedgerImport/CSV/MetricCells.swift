import LedgerModel

/// The columns of a table with a row for each quantity, whose metric is named in a cell.
struct MetricColumns: Hashable {
  var metric: Int
  var quantity: Int
  /// `nil` if units are in the names, or there are none.
  var unit: Int?
  /// The units that bare numbers may be in, as long as that is open.
  var open: [Metric: [String]] = [:]
  /// Units inferred from the numbers.
  var inferredUnits: [Metric: String] = [:]
}

/// What the cells of metrics and units say, each text decided once.
struct MetricCells {
  enum Meaning {
    case quantity(CSVPlan.Quantity, CSVSourceID)
    /// Why the row holds no quantity of a ledger.
    case other(String)
  }

  /// A hostile file may have any number of names.
  private static let textsAtMost = 1000

  private struct UnitCell: Hashable {
    var text: String
    var metric: Metric
  }

  private var known: [String: Result<Meaning, RowFault>] = [:]
  /// `nil` for a text that is no unit of the metric.
  private var units: [UnitCell: String?] = [:]
  /// Whether a row had a metric of a ledger.
  private(set) var foundMetric = false
  /// The first names that are none.
  private(set) var otherNames: [String] = []

  /// - Throws: ``RowFault`` for an empty name, and for a unit that the metric does not have.
  mutating func read(
    _ record: CSVRecord, _ columns: MetricColumns, _ plan: CSVPlan
  ) throws(RowFault) -> Meaning {
    let name = record.trimmed(columns.metric)
    let unit = columns.unit.map { record.trimmed($0) } ?? ""
    let key = "\(name)\u{0}\(unit)"
    if let known = known[key] { return try known.get() }
    if known.count == Self.textsAtMost { known = [:] }
    let meaning = Result { () throws(RowFault) in
      try Self.meaning(name, CSVMoment.isMissing(unit) ? "" : unit, columns, plan)
    }
    if case .success(.quantity) = meaning { foundMetric = true }
    if case .success(.other) = meaning, otherNames.count < 3 { otherNames.append(name) }
    known[key] = meaning
    return try meaning.get()
  }

  /// A quantity with the unit that the row names in a column of units.
  ///
  /// - Throws: ``RowFault`` for a unit that the metric does not have, unless a person has given one.
  mutating func inUnit(
    of record: CSVRecord, _ quantity: CSVPlan.Quantity, _ plan: CSVPlan
  ) throws(RowFault) -> CSVPlan.Quantity {
    guard let column = quantity.unitColumn else { return quantity }
    let cell = UnitCell(text: record.trimmed(column), metric: quantity.metric)
    guard !CSVMoment.isMissing(cell.text) else { return quantity }
    var quantity = quantity
    if let known = units[cell] ?? decide(cell) {
      (quantity.unit, quantity.units, quantity.isAssumed) = (known, [], false)
    } else if quantity.unit == nil,
      // A text that is no unit, such as 'steps', is ignored if the metric has only one unit.
      quantity.metric.hasSeveralUnits || UnitName(cell.text) != nil
    {
      throw RowFault(
        "\(plan.columns[column]) is \(quoted(cell.text)), which is no unit of "
          + quantity.metric.name, kind: "the unit is none of the metric",
        asking: quantity.metric.hasSeveralUnits ? ImportQuestion(.unit) : nil)
    }
    return quantity
  }

  private mutating func decide(_ cell: UnitCell) -> String? {
    if units.count == Self.textsAtMost { units = [:] }
    let unit = UnitName(cell.text)?.suffix(for: cell.metric)
    units[cell] = .some(unit)
    return unit
  }

  private static func meaning(
    _ name: String, _ unit: String, _ columns: MetricColumns, _ plan: CSVPlan
  ) throws(RowFault) -> Meaning {
    let metricColumn = plan.columns[columns.metric]
    guard !CSVMoment.isMissing(name) else {
      throw RowFault("\(metricColumn) is empty", kind: "\(metricColumn) is empty")
    }
    let column = ColumnName(unit.isEmpty ? name : "\(name) (\(unit))")
    guard let metric = ColumnWords.metric(of: column) else {
      return .other("no metric of a ledger")
    }
    if metric == .proteinG, column.unit == nil {
      return .other("without a unit it may be a share of the body")
    }
    var quantity = CSVPlan.Quantity(
      metric: metric, column: columns.quantity, name: plan.columns[columns.quantity])
    do throws(ImportError) {
      quantity.unit = try column.unit(for: metric, named: name, in: "")
    } catch {
      throw RowFault(
        "\(quoted(column.unit ?? "")) is no unit of \(metric.name)",
        kind: "the unit is none of the metric")
    }
    if column.unit == nil {
      quantity.unit = plan.rules.givenUnit(of: metric) ?? columns.inferredUnits[metric]
      if quantity.unit == nil { quantity.units = columns.open[metric] ?? [] }
    }
    return .quantity(quantity, CSVSourceID(metric, plan.rules.conditions))
  }
}
