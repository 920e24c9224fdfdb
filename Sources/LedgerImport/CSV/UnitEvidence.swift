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
  /// The first quantity of each metric whose unit is open.
  private var examples: [Metric: String] = [:]

  mutating func add(_ record: CSVRecord, _ plan: CSVPlan) {
    for quantity in plan.quantities where !quantity.units.isEmpty {
      let text = record.trimmed(quantity.column)
      guard !CSVMoment.isMissing(text), !plan.rules.missing.contains(text) else { continue }
      // Nothing is the same in every unit.
      guard text.contains(where: { $0.isNumber && $0 != "0" }) else { continue }
      if examples[quantity.metric] == nil { examples[quantity.metric] = text }
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
  }

  /// Sets the units of a plan.
  ///
  /// - Returns: a sentence for each metric that was decided by the numbers.
  /// - Throws: ``ImportError`` with the readings if nothing decides.
  func decide(
    _ plan: inout CSVPlan, _ style: NumberStyle, in file: String
  ) throws(ImportError) -> [String] {
    var notes: [String] = []
    for index in plan.quantities.indices where !plan.quantities[index].units.isEmpty {
      let quantity = plan.quantities[index]
      guard let example = examples[quantity.metric] else { continue }
      guard let (unit, reason) = found(quantity.metric, style), quantity.units.contains(unit) else {
        throw Self.open(quantity, example, style, in: file)
      }
      plan.quantities[index].unit = unit
      notes.append("\(quantity.name) is in \(unit), as \(reason) shows")
    }
    return notes
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

  private static func open(
    _ quantity: CSVPlan.Quantity, _ example: String, _ style: NumberStyle, in file: String
  ) -> ImportError {
    let readings = quantity.units.compactMap { unit -> String? in
      guard let number = style.value(example),
        let value = try? Quantity.parse("\(number)\(unit)", for: quantity.metric),
        quantity.metric.accepts(value)
      else { return nil }
      let own = unit == quantity.metric.unit
      let rounded = (value * 100).rounded() / 100
      return "\(example) \(unit)" + (own ? "" : " (\(rounded) \(quantity.metric.unit))")
    }
    let options = quantity.units.map { "--unit \($0)" }.joined(separator: " or ")
    return ImportError(
      .unfit,
      "\(file): \(quoted(example)) in the column '\(quantity.name)' has no unit and can be "
        + "\(readings.joined(separator: " or ")); give \(options)")
  }
}
