import LedgerJSON
import LedgerModel

/// The column of the smaller unit of a quantity in two columns, as `Weight (lb)` beside `Weight (st)`.
struct QuantityPart {
  let column: Int
  let name: String
  /// That of the quantity's own column, and that of this one.
  let units: (larger: String, smaller: String)
}

extension CSVPlan.Quantity {
  /// Looks for the other column of the quantity, and makes that of the larger unit its own.
  mutating func takePart(of columns: [String]) {
    guard let unit else { return }
    let own = ColumnName(name)
    let words = own.takingUnit(of: metric)?.words ?? own.words
    for (place, other) in columns.enumerated() where place != column {
      guard let found = ColumnName(other).takingUnit(of: metric) else { continue }
      func arePair(_ larger: String, _ smaller: String) -> Bool {
        Quantity.arePair(larger, smaller, of: metric)
      }
      // A column that is called as a unit alone belongs to the one before it.
      if arePair(unit, found.unit),
        found.words == words || found.words.isEmpty && place == column + 1
      {
        part = QuantityPart(column: place, name: other, units: (unit, found.unit))
        return
      }
      if arePair(found.unit, unit), found.words == words {
        part = QuantityPart(column: column, name: name, units: (found.unit, unit))
        (column, name, self.unit) = (place, other, found.unit)
        return
      }
    }
  }

  private typealias Quantity = LedgerModel.Quantity

  /// How many of the smaller unit are one of the larger.
  fileprivate func ratio(_ part: QuantityPart) -> Double? {
    guard let larger = metric.value(in: part.units.larger),
      let smaller = metric.value(in: part.units.smaller)
    else { return nil }
    return larger / smaller
  }

  /// The cell of the quantity, with that of its other column behind it: `11st 9lb`.
  ///
  /// - Returns: an empty text if both are empty.
  /// - Throws: ``RowFault`` for numbers that are not two parts of a quantity.
  func text(of record: CSVRecord, _ style: NumberStyle) throws(RowFault) -> String {
    let text = record.trimmed(column)
    guard let part else { return text }
    let texts = [text, record.trimmed(part.column)]
    if texts.allSatisfy(CSVMoment.isMissing) { return "" }
    let numbers = texts.map { style.value($0) }
    guard let larger = numbers[0], let smaller = numbers[1], larger == larger.rounded(),
      larger >= 0, smaller >= 0, let ratio = ratio(part), smaller < ratio.rounded()
    else {
      let names = "\(quoted(name)) and \(quoted(part.name))"
      throw RowFault(
        "\(names) are \(quoted(texts[0])) and \(quoted(texts[1])), which are not a whole number of "
          + "\(part.units.larger) and a rest in \(part.units.smaller)",
        kind: "\(names) are not two parts of a quantity")
    }
    return JSONNumber.text(larger) + part.units.larger + " " + JSONNumber.text(smaller)
      + part.units.smaller
  }
}

/// Counts whether two columns have parts of a quantity, or the same one in two units.
struct PartSurvey {
  private struct Counts {
    var parts = 0
    var same = 0
  }

  /// By the column of the larger unit.
  private var counts: [String: Counts] = [:]
  /// Each number may be rounded.
  private static let roundingOfLarger = 0.05
  private static let roundingOfSmaller = 0.5

  mutating func add(_ quantity: CSVPlan.Quantity, _ record: CSVRecord) {
    guard let part = quantity.part, let ratio = quantity.ratio(part) else { return }
    // Of small numbers each shows its decimal mark.
    let style = NumberStyle()
    guard let larger = style.value(record.trimmed(quantity.column)),
      let smaller = style.value(record.trimmed(part.column)), larger > 0
    else { return }
    let distance = (larger * ratio - smaller).magnitude
    if distance <= Self.roundingOfLarger * ratio + Self.roundingOfSmaller {
      counts[quantity.name, default: Counts()].same += 1
    } else if larger == larger.rounded(), smaller < ratio.rounded() {
      counts[quantity.name, default: Counts()].parts += 1
    }
  }

  /// Reads only the larger unit where both columns have the whole quantity.
  ///
  /// - Returns: a note for each quantity in two columns.
  /// - Throws: ``ImportError`` for columns with rows of both kinds.
  func decide(_ plan: inout CSVPlan, in file: String) throws(ImportError) -> [String] {
    var notes: [String] = []
    for index in plan.quantities.indices {
      let quantity = plan.quantities[index]
      guard let part = quantity.part else { continue }
      let counts = counts[quantity.name] ?? Counts()
      let names = "\(quoted(quantity.name)) and \(quoted(part.name))"
      if counts.same > 0, counts.parts > 0 {
        throw ImportError(
          .unfit,
          "\(file): in some rows \(names) are parts of a quantity, in others the same in two units; "
            + "write it into one column")
      }
      if counts.same > 0 {
        plan.quantities[index].part = nil
      } else {
        notes.append("\(names) are read as one quantity")
      }
    }
    return notes
  }
}
