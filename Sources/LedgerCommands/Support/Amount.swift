package import LedgerModel

/// A quantity as a person typed it, in one word or two: `75.5`, `165lb`, `165 lb`.
package struct Amount {
  /// In the metric's own unit.
  package let quantity: Double
  private let metric: Metric
  private let typed: String

  package init(words: [String], of metric: Metric) throws {
    guard !words.isEmpty else { throw UsageError.missingArgument("QUANTITY") }
    let isFluidOunce = words.dropFirst().prefix(2).map { $0.lowercased() } == ["fl", "oz"]
    let taken = isFluidOunce ? 3 : 2
    guard words.count <= taken else { throw UsageError.extraArgument(words[taken]) }
    try self.init(words.joined(separator: " "), of: metric)
  }

  package init(_ text: String, of metric: Metric) throws(Refusal) {
    // The rules would take what stands behind the comma for a unit.
    guard !text.contains(",") else {
      throw .rule("quantity is \"\(text)\"; write it with a point and without commas, as 1234.5")
    }
    quantity = try Quantity.parse(text, for: metric)
    typed = text
    self.metric = metric
  }

  /// In the person's units, and as it was typed where those are others.
  package func shown(in units: UnitSystem) -> String {
    let quantities = QuantityText(units: units)
    let kept = quantities.words(quantity, of: metric)
    let shownUnit = quantities.unit(of: metric)
    let unit = typed.drop { !$0.isLetter && $0 != "%" }.lowercased()
    if unit.isEmpty {
      // A bare number is in the metric's own unit, which somebody who thinks in others should see.
      return shownUnit == metric.unit ? kept : "\(kept) (\(EntryText.quantity(quantity, metric)))"
    }
    let isShown =
      [shownUnit, shownUnit + "s"].contains(unit) || shownUnit == "fl oz" && unit == "floz"
    return isShown ? kept : "\(kept) (\(typed))"
  }
}
