import LedgerModel

/// What the numbers of a file tell about units that it does not write.
enum UnitEvidence {
  /// Units of weight by the ratio of weight to body mass index. In kilograms it is the square of the height
  /// in metres, 1 to 4.41 for 1 m to 2.1 m; in pounds it is 2.2 times that, in stone a 6.35th. A person of
  /// 2.1 m in kilograms has the ratio of one of 1.41 m in pounds.
  private static let weights: [(ratio: Range<Double>, unit: String)] = [
    (0.1..<0.8, "st"), (0.8..<4.41, "kg"), (4.41..<12, "lb"),
  ]
  /// The square of a height in metres above which the unit of the weight must be another.
  static let impossibleSquare = 2.3 * 2.3
  /// A stride by the height of a person, by which devices estimate distances from steps.
  private static let strideByHeight = 0.414
  private static let usualHeightMetres = 1.7
  /// The distances of a thousand steps, in kilometres, that no way of moving makes.
  private static let impossible = (below: 0.03, above: 10.0)

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

  /// A unit that the ratios of distances to steps show instead of kilometres.
  ///
  /// A number that is too large may be in metres.
  static func contradiction(ofKilometresBySteps ratios: [Double], height: Double?) -> String? {
    guard let middle = middle(ratios) else { return nil }
    if distanceUnit(bySteps: ratios, height: height) == "mi" { return "mi" }
    let perThousand = middle * 1000
    return perThousand > impossible.above || perThousand < impossible.below ? "m" : nil
  }

  /// The hours of a usual night. A duration in this range in seconds is out of it in minutes and hours.
  private static let night = 2.5...14.5

  /// The unit of durations of sleep.
  static func sleepUnit(of durations: [Double]) -> String? {
    guard let middle = middle(durations) else { return nil }
    let units = [("s", 3600.0), ("min", 60), ("h", 1)]
    return units.first { night.contains(middle / $0.1) }?.0
  }

  static func middle(_ numbers: [Double]) -> Double? {
    numbers.isEmpty ? nil : numbers.sorted()[numbers.count / 2]
  }
}

/// Collects what decides about the units of quantities of a table that can be in several.
struct UnitSurvey {
  private static let pairsAtMost = 1000
  private static let leastSteps = 1000.0

  /// The columns of which some cells have a unit, of those that need one.
  var columnsWithUnits: Set<String> = []
  /// Those whose names say no unit, and of which some cells have another one than the metric's own.
  private var columnsWithOtherUnits: Set<String> = []
  /// Those of which some cells have the metric's own.
  private var columnsWithOwnUnits: Set<String> = []
  /// The last unit in the cells of each column.
  private var notedUnits: [String: String] = [:]
  private var weights: [(weight: String, index: String)] = []
  private var distances: [(distance: String, steps: String)] = []
  /// Numbers of the metrics whose size tells their unit.
  private var numbers: [Metric: [String]] = [:]
  /// The first quantity of each metric whose unit is open, and its number.
  private var examples: [Metric: (quantity: CSVPlan.Quantity, text: String)] = [:]

  init() {}

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
    } else if [.sleepHours, .bodyFatPercentage].contains(quantity.metric),
      numbers[quantity.metric, default: []].count < Self.pairsAtMost
    {
      numbers[quantity.metric, default: []].append(text)
    }
  }

  mutating func noteUnit(in text: String, of quantity: CSVPlan.Quantity) {
    guard text.utf8.last.map(isDigit) == false, !hasNotedUnit(of: text, quantity.name),
      let unit = NumberShape.unit(of: text, for: quantity.metric)
    else { return }
    notedUnits[quantity.name] = unit
    if quantity.metric.value(in: unit) == 1 {
      columnsWithOwnUnits.insert(quantity.name)
    } else {
      columnsWithOtherUnits.insert(quantity.name)
    }
  }

  /// Whether the cell before in the column had the same unit: most files write one throughout.
  private func hasNotedUnit(of text: String, _ column: String) -> Bool {
    guard let unit = notedUnits[column], text.utf8.count > unit.utf8.count,
      text.utf8.suffix(unit.utf8.count).elementsEqual(unit.utf8)
    else { return false }
    let before = text.utf8[text.utf8.index(text.utf8.endIndex, offsetBy: -unit.utf8.count - 1)]
    return isDigit(before) || before == UInt8(ascii: " ")
  }

  /// What all tables of a file tell.
  init(of tables: [UnitSurvey]) {
    for table in tables {
      weights += table.weights.prefix(Self.pairsAtMost - weights.count)
      distances += table.distances.prefix(Self.pairsAtMost - distances.count)
      for (metric, texts) in table.numbers {
        let room = Self.pairsAtMost - numbers[metric, default: []].count
        numbers[metric, default: []] += texts.prefix(room)
      }
      columnsWithOtherUnits.formUnion(table.columnsWithOtherUnits)
    }
  }

  /// With what the whole file tells and this table does not.
  func completed(by file: UnitSurvey) -> UnitSurvey {
    var whole = self
    if weights.isEmpty { whole.weights = file.weights }
    if distances.isEmpty { whole.distances = file.distances }
    whole.numbers.merge(file.numbers) { own, _ in own }
    whole.columnsWithOtherUnits.formUnion(
      file.columnsWithOtherUnits.subtracting(columnsWithOwnUnits))
    return whole
  }

  /// A number without a unit is not read where others have another one than the metric's own.
  func markMixed(_ plan: inout CSVPlan) {
    for index in plan.quantities.indices
    where plan.quantities[index].unit == nil
      && columnsWithOtherUnits.contains(plan.quantities[index].name)
    {
      plan.quantities[index].hasMixedUnits = true
      (plan.quantities[index].units, plan.quantities[index].isAssumed) = ([], false)
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
    for index in plan.quantities.indices where plan.quantities[index].isAssumed {
      guard let (unit, note) = try contradiction(plan.quantities[index], style, system, in: file)
      else { continue }
      plan.quantities[index].unit = unit
      notes.append(note)
    }
    for metric in Metric.allCases where plan.metricColumns != nil {
      guard let open = examples[metric] else { continue }
      var quantity = open.quantity
      let place = "of \(metric.name) in the column '\(quantity.name)'"
      quantity.name = metric.name
      let (unit, note) = try decided(quantity, open.text, place, style, system, in: file)
      plan.metricColumns?.inferredUnits[metric] = unit
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
    let meaning = shown.isEmpty ? "" : " and can be \(shown.joined(separator: " or "))"
    throw ImportError(
      .unfit, "\(file): \(quoted(example)) \(place) has no unit\(meaning)",
      asking: ImportQuestion(.unit, quantity.units))
  }

  /// The unit of an assumed one that other columns show to be in another.
  ///
  /// - Returns: `nil` if nothing contradicts.
  /// - Throws: ``ImportError`` with the readings if the unit is not certain.
  private func contradiction(
    _ quantity: CSVPlan.Quantity, _ style: NumberStyle,
    _ system: () throws(ImportError) -> UnitSystem, in file: String
  ) throws(ImportError) -> (unit: String, note: String)? {
    guard let example = examples[quantity.metric]?.text else { return nil }
    let (strides, indices, height) = pairs(style)
    let other: String?
    let evidence: String
    switch quantity.metric {
    case .weight:
      (other, evidence) = (UnitEvidence.weightUnit(byIndex: indices), "the body mass index")
      // Other ratios are ambiguous: of a child in kilograms or an adult in stone, of a very tall person
      // in kilograms or a short one in pounds.
      if let other, other == "lb", indices.allSatisfy({ $0 > UnitEvidence.impossibleSquare }) {
        return (other, "\(quantity.name) is in \(other), as \(evidence) shows")
      }
    case .distanceKM:
      other = UnitEvidence.contradiction(ofKilometresBySteps: strides, height: height)
      evidence = "the number of steps"
    case .sleepHours:
      let durations = values(of: .sleepHours, style)
      (other, evidence) = (UnitEvidence.sleepUnit(of: durations), "the length of a night")
      if let other, !durations.contains(where: quantity.metric.accepts) {
        return (other, "\(quantity.name) is in \(other), as \(evidence) shows")
      }
    case .bodyFatPercentage:
      let shares = values(of: .bodyFatPercentage, style)
      guard ColumnName(quantity.name).statedUnit(of: .bodyFatPercentage) == nil, !shares.isEmpty,
        shares.allSatisfy({ $0 > 0 && $0 < 1 })
      else { return nil }
      let first = QuantityWords(units: .metric).words(shares[0] * 100, of: .bodyFatPercentage)
      return ("fraction", "\(quantity.name) is in fractions of 1: \(example) is \(first)")
    default: return nil
    }
    guard let other, other != quantity.metric.unit else { return nil }
    var open = quantity
    open.units = [quantity.metric.unit, other]
    let words = QuantityWords(units: try system())
    let shown = Self.readings(of: example, open, style)
      .map { words.words($0.value, of: quantity.metric, in: $0.unit) }.joined(separator: " or ")
    throw ImportError(
      .unfit,
      "\(file): \(quoted(example)) in the column '\(quantity.name)' has no unit and can be \(shown); "
        + "with \(evidence), \(open.units[0]) is unlikely",
      asking: ImportQuestion(.unit, open.units))
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
    if metric == .sleepHours {
      return UnitEvidence.sleepUnit(of: values(of: metric, style))
        .map { ($0, "the length of a night") }
    }
    let (strides, indices, height) = pairs(style)
    if metric == .weight {
      return UnitEvidence.weightUnit(byIndex: indices).map { ($0, "the body mass index") }
    }
    return UnitEvidence.distanceUnit(bySteps: strides, height: height)
      .map { ($0, "the number of steps") }
  }

  private func values(of metric: Metric, _ style: NumberStyle) -> [Double] {
    numbers[metric, default: []].compactMap { style.value($0) }
  }

  /// - Returns: ratios of distances to steps and of weights to body mass indices, and the height in
  ///   metres that these make.
  private func pairs(
    _ style: NumberStyle
  ) -> (strides: [Double], indices: [Double], height: Double?) {
    let indices = ratios(weights.map { ($0.weight, $0.index) }, style)
    let height = UnitEvidence.middle(indices).flatMap { ratio in
      UnitEvidence.weightUnit(byIndex: indices)
        .flatMap { try? Quantity.parse("1\($0)", for: .weight) }
        .map { ($0 * ratio).squareRoot() }
    }
    // Of a few steps the distance is rounded too far.
    let walks = distances.filter { style.value($0.steps).map { $0 >= Self.leastSteps } == true }
    return (ratios(walks.map { ($0.distance, $0.steps) }, style), indices, height)
  }

  private func ratios(_ pairs: [(String, String)], _ style: NumberStyle) -> [Double] {
    pairs.compactMap { first, second in
      guard let first = style.value(first), let second = style.value(second), first > 0, second > 0
      else { return nil }
      return first / second
    }
  }
}
