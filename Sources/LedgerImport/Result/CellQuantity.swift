import LedgerJSON
import LedgerModel

/// Reads the quantity in a cell, or says why it is none.
enum CellQuantity {
  /// - Parameters:
  ///   - text: the cell without the spaces around it, not empty.
  ///   - unit: what the column is in, when that is not the metric's own unit.
  static func read(
    _ text: String, unit: String? = nil, for metric: Metric, in column: String
  ) throws(RowFault) -> Double {
    let named = "\(column) is \(quoted(text))"
    guard text.utf8.count <= 64 else { throw RowFault(sentence: "\(named); that is no number") }
    guard !text.utf8.contains(UInt8(ascii: ",")) else {
      throw RowFault(
        sentence: "\(named); a comma can mark decimals or thousands, so write the number with a "
          + "point for decimals and no other mark")
    }
    guard !hasTooManyDigits(text) else {
      throw RowFault(
        sentence: "\(named); a ledger keeps at most \(JSONNumber.mostDigits) significant digits")
    }
    do {
      return try Quantity.parse(text + (unit ?? ""), for: metric)
    } catch {
      throw RowFault(sentence: "\(column): \(error)")
    }
  }

  private static func hasTooManyDigits(_ text: String) -> Bool {
    do throws(JSONError) {
      _ = try JSONValue(parsing: text, rules: .log)
      return false
    } catch {
      return error.reason == .tooManyDigits
    }
  }
}
