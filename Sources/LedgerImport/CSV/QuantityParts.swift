import LedgerJSON
import LedgerModel

/// The column of the smaller unit of a quantity split over two columns: `Weight (lb)` beside `Weight (st)`.
struct QuantityPart {
  let column: Int
  let name: String
  /// That of the quantity's own column, and that of this one.
  let units: (larger: String, smaller: String)
  /// The column that is read if both have the whole quantity, and its unit.
  let whole: (column: Int, name: String, unit: String)
}

extension CSVPlan.Quantity {
  /// Looks for the other column of the quantity, and makes that of the larger unit its own.
  mutating func takePart(of columns: [String]) {
    guard let unit else { return }
    let whole = (column: column, name: name, unit: unit)
    let own = ColumnName(name)
    let words = own.takingUnit(of: metric)?.words ?? own.words
    for (place, other) in columns.enumerated() where place != column {
      let otherName = ColumnName(other)
      guard let found = otherName.takingUnit(of: metric),
        !Self.isMinimum(otherName, of: columns)
      else { continue }
      let isLarger = Quantity.arePair(unit, found.unit, of: metric)
      guard isLarger || Quantity.arePair(found.unit, unit, of: metric) else { continue }
      // A column that is called as a unit alone belongs to the one before it.
      let isNext = isLarger && place == column + 1
      guard found.words == words && !words.isEmpty || found.words.isEmpty && isNext else {
        continue
      }
      let units = isLarger ? (unit, found.unit) : (found.unit, unit)
      if isLarger {
        part = QuantityPart(column: place, name: other, units: units, whole: whole)
      } else {
        part = QuantityPart(column: column, name: name, units: units, whole: whole)
        (column, name, self.unit) = (place, other, found.unit)
      }
      return
    }
  }

  /// Whether `min` is short for the minimum: beside a maximum.
  private static func isMinimum(_ name: ColumnName, of columns: [String]) -> Bool {
    name.words.split(separator: " ").contains("min")
      && columns.contains { ColumnName($0).words.split(separator: " ").contains("max") }
  }

  private typealias Quantity = LedgerModel.Quantity

  /// How many of the smaller unit are one of the larger.
  fileprivate func ratio(_ part: QuantityPart) -> Double? {
    guard let larger = metric.value(in: part.units.larger),
      let smaller = metric.value(in: part.units.smaller)
    else { return nil }
    return larger / smaller
  }

  /// The numbers in both columns, of which one may be empty; `nil` for other text.
  fileprivate func numbers(
    of record: CSVRecord, _ part: QuantityPart, _ style: NumberStyle
  ) -> (larger: Double, smaller: Double)? {
    func number(_ text: String, _ unit: String) -> Double? {
      if CSVMoment.isMissing(text) { return 0 }
      // Cells may have the unit, too: `11st`, `30m`.
      let letters = text.reversed().prefix(while: \.isLetter).count
      let suffix = text.suffix(letters).lowercased()
      guard unit.hasPrefix(suffix) || suffix.hasPrefix(unit) else { return nil }
      return style.value(String(text.dropLast(letters)).trimmingSpaces)
    }
    guard let larger = number(record.trimmed(column), part.units.larger),
      let smaller = number(record.trimmed(part.column), part.units.smaller)
    else { return nil }
    return (larger, smaller)
  }

  /// The cell of the quantity, followed by that of its other column: `11st 9lb`.
  ///
  /// - Returns: an empty text if both are empty.
  /// - Throws: ``RowFault`` for numbers that are not two parts of a quantity.
  func text(of record: CSVRecord, _ style: NumberStyle) throws(RowFault) -> String {
    let text = record.trimmed(column)
    guard let part else { return text }
    let texts = [text, record.trimmed(part.column)]
    if texts.allSatisfy(CSVMoment.isMissing) { return "" }
    guard let (larger, smaller) = numbers(of: record, part, style), let ratio = ratio(part),
      PartSurvey.areParts(larger, smaller, ratio)
    else {
      let names = "\(quoted(name)) and \(quoted(part.name))"
      throw RowFault(
        "\(names) are \(quoted(texts[0])) and \(quoted(texts[1])), which are not a whole number of "
          + "\(part.units.larger) and a remainder in \(part.units.smaller)",
        kind: "\(names) are not two parts of a quantity")
    }
    return JSONNumber.text(larger) + part.units.larger + " " + JSONNumber.text(smaller)
      + part.units.smaller
  }
}

/// Counts whether two columns have parts of a quantity, or the same one in two units.
struct PartSurvey {
  private struct Counts {
    /// Rows that have parts of a quantity, and no whole one in the larger unit.
    var parts = 0
    /// Rows that have a whole quantity in both units, perhaps rounded.
    var same = 0
    /// Rows that may have either, as 1 h and 50 min.
    var either = 0
    /// Rows with the smaller unit alone, as 0 h and 45 min, which is the same quantity in any case.
    var smallerAlone = 0
  }

  /// By the column of the larger unit.
  private var counts: [String: Counts] = [:]
  /// Each number may be rounded.
  private static let roundingOfLarger = 0.05
  private static let roundingOfSmaller = 0.5

  static func areParts(_ larger: Double, _ smaller: Double, _ ratio: Double) -> Bool {
    larger == larger.rounded() && larger >= 0 && smaller >= 0 && smaller < ratio.rounded()
  }

  mutating func add(_ quantity: CSVPlan.Quantity, _ record: CSVRecord) {
    // Of small numbers each shows its decimal mark.
    guard let part = quantity.part, let ratio = quantity.ratio(part),
      let (larger, smaller) = quantity.numbers(of: record, part, NumberStyle()),
      !CSVMoment.isMissing(record.trimmed(part.column))
    else { return }
    guard larger > 0 else {
      counts[quantity.name, default: Counts()].smallerAlone += 1
      return
    }
    let isPrecise =
      (larger * ratio - smaller).magnitude <= Self.roundingOfLarger * ratio + Self.roundingOfSmaller
    let isCut = larger == (smaller / ratio).rounded(.down)
    let isWhole = isPrecise || isCut || larger == (smaller / ratio).rounded()
    switch (Self.areParts(larger, smaller, ratio), isWhole) {
    case (true, true): counts[quantity.name, default: Counts()].either += 1
    case (true, false): counts[quantity.name, default: Counts()].parts += 1
    case (false, true): counts[quantity.name, default: Counts()].same += 1
    case (false, false): break
    }
  }

  /// Reads only one column where both have the whole quantity, or no row shows parts.
  ///
  /// - Returns: a note for each quantity in two columns.
  /// - Throws: ``ImportError`` for columns with rows of both kinds, or that may have either.
  func decide(_ plan: inout CSVPlan, in file: String) throws(ImportError) -> [String] {
    var notes: [String] = []
    for index in plan.quantities.indices {
      let quantity = plan.quantities[index]
      guard let part = quantity.part else { continue }
      let counts = counts[quantity.name] ?? Counts()
      let names = "\(quoted(quantity.name)) and \(quoted(part.name))"
      if counts.parts > 0, counts.same > 0 {
        throw ImportError(
          .unfit,
          "\(file): in some rows \(names) are parts of a quantity, in others the same in two units; "
            + "write it into one column")
      }
      if counts.parts == 0, counts.same == 0, counts.either > 0 {
        throw ImportError(
          .unfit,
          "\(file): \(names) may be parts of a quantity, or the same in two units; "
            + "write it into one column")
      }
      if counts.parts > 0 || counts.same == 0 && counts.smallerAlone > 0 {
        notes.append("\(names) are read as one quantity")
      } else {
        plan.quantities[index].part = nil
        (plan.quantities[index].column, plan.quantities[index].name) = (
          part.whole.column, part.whole.name
        )
        plan.quantities[index].unit = part.whole.unit
      }
    }
    return notes
  }
}
