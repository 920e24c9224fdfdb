import LedgerModel

/// A row of units below or above a header. It has anything but a date where rows have it, such as
/// `YYYY-MM-DD`. Unknown words alone are units only below nothing or a pattern.
struct UnitRow {
  private let row: Int
  /// The cell where rows have a date.
  private let first: String
  /// The order of day and month that it says.
  private let order: DayOrder?
  /// The cells of the plan's quantities, without brackets; empty for none.
  private let cells: [String]

  /// - Parameter isBelow: whether it follows the header; a title above may have any words.
  /// - Returns: `nil` for another row.
  init?(_ record: CSVRecord, of plan: CSVPlan, isBelow: Bool) {
    // A row of units may end in empty cells.
    let further = (0..<record.fieldCount).dropFirst(plan.columns.count)
    guard record.fieldCount > plan.date,
      further.isEmpty || isBelow && further.allSatisfy({ record.trimmed($0).isEmpty })
    else { return nil }
    row = record.row
    first = record.trimmed(plan.date)
    guard WrittenDate(first) == nil else { return nil }
    order = ColumnName.dayOrder(ofPattern: first)
    cells = plan.quantities.map { $0.column < record.fieldCount ? record.trimmed($0.column) : "" }
      .map { CSVMoment.isMissing($0) ? "" : Self.withoutBrackets($0) }
    guard cells.contains(where: { !$0.isEmpty }) else { return nil }
    let saysUnits =
      ColumnWords.unit.contains(ColumnName(first).words) || cells.contains(where: Self.isUnit)
    guard
      saysUnits || isBelow && (first.isEmpty || order != nil) && mayBeUnits(of: plan.quantities)
    else { return nil }
  }

  /// Gives the columns of a plan these units, and its dates the order of the pattern.
  ///
  /// - Throws: ``ImportError`` for a unit that the metric does not have, for an unknown word, and for a
  ///   unit or an order that contradicts the name of the column.
  func apply(to plan: inout CSVPlan, in file: String) throws(ImportError) {
    for (index, cell) in cells.enumerated() where !cell.isEmpty {
      let unit = try unit(cell, of: plan.quantities[index], in: file)
      (plan.quantities[index].unit, plan.quantities[index].units) = (unit.isEmpty ? nil : unit, [])
      (plan.quantities[index].isAssumed, plan.quantities[index].needsCellUnit) = (false, false)
    }
    guard let order else { return }
    guard plan.statedOrder == nil || plan.statedOrder == order else {
      throw refusal(
        "\(quoted(first)) contradicts the order in '\(plan.columns[plan.date])'", in: file)
    }
    plan.statedOrder = order
  }

  private func unit(
    _ cell: String, of quantity: CSVPlan.Quantity, in file: String
  ) throws(ImportError) -> String {
    guard let unit = Self.unit(cell, of: quantity) else {
      throw refusal(
        "\(quoted(cell)) is no unit of \(quantity.metric.name); write it as one, or delete the row",
        in: file)
    }
    let named = quantity.unit ?? ColumnName(quantity.name).statedUnit(of: quantity.metric)
    guard named == nil || named == unit || quantity.metric.areEqual(named ?? "", unit) else {
      throw refusal("the unit \(quoted(cell)) contradicts that of '\(quantity.name)'", in: file)
    }
    return unit
  }

  private func refusal(_ reason: String, in file: String) -> ImportError {
    ImportError(.unfit, "\(file), row \(row): \(reason)")
  }

  /// What bare numbers below a cell are in, for ``Quantity``; empty for the metric's own unit. A metric
  /// without units may have what the name of its column may have in brackets.
  private static func unit(_ cell: String, of quantity: CSVPlan.Quantity) -> String? {
    if let unit = ColumnName.unit(cell, of: quantity.metric) { return unit }
    guard !quantity.metric.hasSeveralUnits else { return nil }
    if ColumnWords.metrics[ColumnName(cell).words] == quantity.metric { return "" }
    let name = "\(quantity.name) (\(cell))"
    do throws(ImportError) {
      return try ColumnName(name).unit(for: quantity.metric, named: name, in: "") ?? ""
    } catch {
      return nil
    }
  }

  /// The text of a cell such as `[lb]` without its brackets.
  private static func withoutBrackets(_ text: String) -> String {
    guard text.count > 2, ["()", "[]"].contains("\(text.prefix(1))\(text.suffix(1))") else {
      return text
    }
    return String(text.dropFirst().dropLast()).trimmingSpaces
  }

  /// Whether a text is a unit of some metric.
  private static func isUnit(_ text: String) -> Bool {
    UnitName(text) != nil || ClockUnit(named: text) != nil || UnitPair(text) != nil
  }

  /// Whether words may be units that are not known, such as `jin`, one of them of a metric with several.
  private func mayBeUnits(of quantities: [CSVPlan.Quantity]) -> Bool {
    zip(quantities, cells).contains { $0.metric.hasSeveralUnits && !$1.isEmpty }
      && cells.allSatisfy { cell in
        cell.count <= 12 && cell.allSatisfy(\.isLetter)
          && !Self.nothing.contains(cell.lowercased())
      }
  }

  private static let nothing: Set<String> = ["na", "nil", "none", "missing", "unknown"]
}
