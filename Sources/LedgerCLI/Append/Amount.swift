package import LedgerModel

/// A quantity on the command line, in one or more words: `75.5`, `165lb`, `165 lb`, `5 ft 11 in`.
package struct Amount {
  /// In the metric's own unit.
  package let quantity: Double
  private let metric: Metric
  private let typed: String

  package init(words: [String], of metric: Metric) throws {
    guard let first = words.first else { throw UsageError.missingArgument("QUANTITY") }
    if words.count == 1 {
      try self.init(first, of: metric)
      return
    }
    let isFluidOunce = words.dropFirst().prefix(2).map { $0.lowercased() } == ["fl", "oz"]
    let isInTwoUnits = words.count == 4 && words[2].utf8.first.map(isDigit) == true
    let taken = isFluidOunce ? 3 : isInTwoUnits ? 4 : 2
    guard words.count <= taken else { throw UsageError.extraArgument(words[taken]) }
    try self.init(words.joined(separator: " "), of: metric)
  }

  package init(_ text: String, of metric: Metric) throws(Refusal) {
    // The parser would report the text after the comma as an unknown unit.
    guard !text.contains(",") else {
      throw .rule("quantity is \"\(text)\"; write it with a point and without commas, as 1234.5")
    }
    do {
      quantity = try Quantity.parse(text, for: metric)
    } catch {
      throw Self.withAdvice(error, text, metric)
    }
    typed = text
    self.metric = metric
  }

  /// The refusal lists all units; appends the likely one.
  private static func withAdvice(_ refusal: Refusal, _ text: String, _ metric: Metric) -> Refusal {
    let unit = text.drop { !$0.isLetter }
    let near = nearest(to: String(unit), among: Quantity.unitNames(of: metric))
    guard case .rule(let sentence) = refusal, !near.isEmpty else { return refusal }
    return .rule("\(sentence); did you mean \(listed(near))?")
  }

  /// Refuses an out-of-range quantity in the user's units. If they are the metric's own, the
  /// ledger's rules report it.
  func check(in units: @autoclosure () -> UnitSystem) throws(Refusal) {
    guard !metric.accepts(quantity) else { return }
    let system = units()
    let quantities = QuantityText(units: system)
    let unit = quantities.unit(of: metric)
    guard unit != metric.unit else { return }
    throw .rule(
      "quantity is \(quantities.words(quantity, of: metric)); \(metric.name) must be "
        + "\(quantities.words(metric.range, of: metric)) \(unit)")
  }

  /// Empty for a bare number.
  private var unit: String { typed.drop { !$0.isLetter && !"%':".contains($0) }.lowercased() }

  /// A note on units for a bare number if the user's unit is not the metric's own.
  package func advice(in units: UnitSystem) -> String? {
    let shownUnit = QuantityText(units: units).unit(of: metric)
    guard unit.isEmpty, shownUnit != metric.unit else { return nil }
    return "a number without a unit is in \(metric.unit); for \(shownUnit): "
      + "\(typed)\(shownUnit.filter { $0 != " " })"
  }

  /// In the user's units, followed by the original text if its unit is another.
  package func shown(in units: UnitSystem) -> String {
    let quantities = QuantityText(units: units)
    let kept = quantities.words(quantity, of: metric)
    let shownUnit = quantities.unit(of: metric)
    if unit.isEmpty {
      // A bare number is in the metric's own unit; show that if the user's differs.
      return shownUnit == metric.unit ? kept : "\(kept) (\(EntryText.quantity(quantity, metric)))"
    }
    let isShown =
      [shownUnit, shownUnit + "s"].contains(unit) || shownUnit == "fl oz" && unit == "floz"
    return isShown ? kept : "\(kept) (\(typed))"
  }
}
