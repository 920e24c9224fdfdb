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

  /// The metric's own unit, and what was typed where that was another.
  package var shown: String {
    let kept = EntryText.quantity(quantity, metric)
    let unit = typed.drop { !$0.isLetter && $0 != "%" }
    return unit.isEmpty || unit.lowercased() == metric.unit ? kept : "\(kept) (\(typed))"
  }
}
