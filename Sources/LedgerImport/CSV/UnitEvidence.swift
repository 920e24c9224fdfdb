import LedgerModel

/// What the numbers of a file tell about units that it does not write.
enum UnitEvidence {
  /// The units by what a height of 1 m to 2.1 m makes of weight by index: the square of it, and as much
  /// more as a kilogram has pounds, or stone. A person of 2.1 m in kilograms is one of 1.41 m in pounds.
  private static let weights: [(ratio: Range<Double>, unit: String)] = [
    (0.1..<0.8, "st"), (0.8..<4.41, "kg"), (4.41..<12, "lb"),
  ]
  /// A stride by the height of a person, by which devices estimate distances from steps.
  private static let strideByHeight = 0.414
  private static let usualHeightMetres = 1.7

  /// The unit of weights, by their ratios to the body mass index.
  static func weightUnit(byIndex ratios: [Double]) -> String? {
    middle(ratios).flatMap { middle in weights.first { $0.ratio.contains(middle) }?.unit }
  }

  /// The unit of distances, by their ratios to steps.
  ///
  /// - Parameter height: in metres, if it is known.
  /// - Returns: `nil` if both readings make a stride that a person may have.
  static func distanceUnit(bySteps ratios: [Double], height: Double?) -> String? {
    guard let middle = middle(ratios) else { return nil }
    let share = middle * 1000 / (strideByHeight * (height ?? usualHeightMetres))
    // A mile is 1.6 km. Without the height, strides differ by as much as people do.
    let kilometres = height == nil ? 0.94..<1.6 : 0.85..<1.6
    let miles = height == nil ? 0.4..<0.7 : 0.4..<0.73
    return kilometres.contains(share) ? "km" : miles.contains(share) ? "mi" : nil
  }

  static func middle(_ numbers: [Double]) -> Double? {
    numbers.isEmpty ? nil : numbers.sorted()[numbers.count / 2]
  }
}

/// Collects what decides about the units of quantities that can be in several.
struct UnitSurvey {
  private static let pairsAtMost = 1000

  private var weights: [(weight: String, index: String)] = []
  private var distances: [(distance: String, steps: String)] = []
  /// The first quantity of each metric whose unit is open, and its number.
  private var examples: [Metric: (quantity: CSVPlan.Quantity, text: String)] = [:]

  /// - Parameter quantity: one whose unit is open.
  mutating func add(_ quantity: CSVPlan.Quantity, _ record: CSVRecord, _ plan: CSVPlan) {
    let text = record.trimmed(quantity.column)
    guard !CSVMoment.isMissing(text), !plan.rules.missing.contains(text) else { return }
    // Nothing is the same in every unit.
    guard text.contains(where: { $0.isNumber && $0 != "0" }), !QuantityReader.hasUnit(text),
      NumberShape(text) != nil
    else { return }
    if examples[quantity.metric] == nil { examples[quantity.metric] = (quantity, text) }
    func other(_ metric: Metric) -> String? {
      plan.quantities.first { $0.metric == metric }.map { record.trimmed($0.column) }
    }
    if quantity.metric == .weight, weights.count < Self.pairsAtMost, let index = other(.bmi) {
      weights.append((text, index))
    } else if quantity.metric == .distanceKM, distances.count < Self.pairsAtMost,
      let steps = other(.steps)
    {
      distances.append((text, steps))
    }
  }

  /// Sets the units of a plan.
  ///
  /// - Parameter system: the units of the person, for messages.
  /// - Returns: a sentence for each metric that was decided by the numbers.
  /// - Throws: ``ImportError`` with the readings if nothing decides.
  func decide(
    _ plan: inout CSVPlan, _ style: NumberStyle, _ system: () throws(ImportError) -> UnitSystem,
    in file: String
  ) throws(ImportError) -> [String] {
    var notes: [String] = []
    for index in plan.quantities.indices where !plan.quantities[index].units.isEmpty {
      let quantity = plan.quantities[index]
      guard let example = examples[quantity.metric]?.text else { continue }
      let (unit, note) = try decided(
        quantity, example, "in the column '\(quantity.name)'", style, system, in: file)
      plan.quantities[index].unit = unit
      notes.append(note)
    }
    for metric in Metric.allCases where plan.metricColumns != nil {
      guard let open = examples[metric] else { continue }
      var quantity = open.quantity
      let place = "of \(metric.name) in the column '\(quantity.name)'"
      quantity.name = metric.name
      let (unit, note) = try decided(quantity, open.text, place, style, system, in: file)
      plan.metricColumns?.told[metric] = unit
      notes.append(note)
    }
    return notes
  }

  private func decided(
    _ quantity: CSVPlan.Quantity, _ example: String, _ place: String, _ style: NumberStyle,
    _ system: () throws(ImportError) -> UnitSystem, in file: String
  ) throws(ImportError) -> (unit: String, note: String) {
    if let (unit, reason) = found(quantity.metric, style), quantity.units.contains(unit) {
      return (unit, "\(quantity.name) is in \(unit), as \(reason) shows")
    }
    let readings = Self.readings(of: example, quantity, style)
    // The body is measured in few units; a distance of 700 may be in metres.
    if readings.count == 1, !quantity.metric.addsUp {
      let unit = readings[0].unit
      return (
        unit,
        "\(quantity.name) is in \(unit), as \(quoted(example)) in another unit is no "
          + "\(quantity.metric.name)"
      )
    }
    let words = QuantityWords(units: try system())
    let shown = readings.map { words.words($0.value, of: quantity.metric, in: $0.unit) }
    let options = quantity.units.map { "--unit \($0)" }.joined(separator: " or ")
    let meaning = shown.isEmpty ? "" : " and can be \(shown.joined(separator: " or "))"
    throw ImportError(
      .unfit, "\(file): \(quoted(example)) \(place) has no unit\(meaning); give \(options)")
  }

  /// The units that make the number a quantity of its metric.
  private static func readings(
    of example: String, _ quantity: CSVPlan.Quantity, _ style: NumberStyle
  ) -> [(unit: String, value: Double)] {
    quantity.units.compactMap { unit in
      guard let number = style.value(example),
        let value = try? Quantity.parse("\(number)\(unit)", for: quantity.metric),
        quantity.metric.accepts(value)
      else { return nil }
      return (unit, value)
    }
  }

  private func found(_ metric: Metric, _ style: NumberStyle) -> (unit: String, reason: String)? {
    let indices = ratios(weights.map { ($0.weight, $0.index) }, style)
    let weightUnit = UnitEvidence.weightUnit(byIndex: indices)
    if metric == .weight { return weightUnit.map { ($0, "the body mass index") } }
    let strides = ratios(distances.map { ($0.distance, $0.steps) }, style)
    let height = UnitEvidence.middle(indices).flatMap { ratio in
      weightUnit.flatMap { try? Quantity.parse("1\($0)", for: .weight) }
        .map { ($0 * ratio).squareRoot() }
    }
    return UnitEvidence.distanceUnit(bySteps: strides, height: height)
      .map { ($0, "the number of steps") }
  }

  private func ratios(_ pairs: [(String, String)], _ style: NumberStyle) -> [Double] {
    pairs.compactMap { first, second in
      guard let first = style.value(first), let second = style.value(second), first > 0, second > 0
      else { return nil }
      return first / second
    }
  }
}
