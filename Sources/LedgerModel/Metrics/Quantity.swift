import LedgerJSON

/// Parses quantities such as `165lb` and converts them to the metric's unit.
public enum Quantity {
  /// Parses a number with an optional unit, or two numbers with units as in `5ft 11in`.
  ///
  /// - Returns: the value in ``Metric/unit``, rounded to the 15 digits of the log.
  /// - Throws: ``Refusal`` that names the text, or the units of the metric.
  public static func parse(
    _ text: String, for metric: Metric
  ) throws(Refusal) -> Double {
    let digits = Substring(
      text.utf8.prefix { 0x30...0x39 ~= $0 || "+-.eE".utf8.contains($0) })
    let split = numberEnd(digits)
    // A leading point is common in writing, but no JSON number has one.
    let number = (digits.first == "." ? "0" : "") + digits[..<split]
    let unit = withoutPoints(text[split...].drop { $0 == " " }.lowercased())
    let value = try value(of: number, in: text, for: metric)
    guard !unit.isEmpty else { return value }
    guard !unit.hasPrefix(",") else {
      throw refusal(.malformed, text, "use a decimal point, as in 75.5")
    }
    guard let factor = units(of: metric).first(where: { $0.isCalled(unit) })?.factor else {
      if let value = try inTwoUnits(text, for: metric) { return value }
      if metric == .waterLiters, let refusal = twoVolumes(value, unit, text) { throw refusal }
      let known = units(of: metric).flatMap(\.names).joined(separator: ", ")
      if known.isEmpty {
        throw refusal(.unknownUnit, text, "\(metric.name) is a plain number without a unit")
      }
      throw Refusal(
        .unknownUnit, field: "quantity", value: text, unit: metric.unit,
        "the unit '\(unit)' does not fit \(metric.name); it takes \(known)")
    }
    guard let converted = JSONNumber.writable(value * factor) else { throw tooLarge(text) }
    return converted
  }

  /// The units of all metrics, without duplicates and long names.
  public static var unitNames: [String] {
    var names: [String] = []
    for name in Metric.allCases.flatMap({ units(of: $0).flatMap(\.names) })
    where !names.contains(name) { names.append(name) }
    return names
  }

  /// The units of a metric, including long names.
  package static func unitNames(of metric: Metric) -> [String] {
    units(of: metric).flatMap { $0.names + $0.longNames }
  }

  /// The units of a metric as messages list them.
  package static func shortUnitNames(of metric: Metric) -> [String] {
    units(of: metric).flatMap(\.names)
  }

  private static func value(
    of number: String, in text: String, for metric: Metric
  ) throws(Refusal) -> Double {
    do throws(JSONError) {
      if let value = try JSONValue(parsing: number, rules: .log).number { return value }
    } catch {
      if error.reason == .numberTooLarge { throw tooLarge(text) }
      if error.reason == .tooManyDigits {
        throw refusal(
          .tooManyDigits, text,
          "a ledger keeps at most \(JSONNumber.mostDigits) significant digits")
      }
    }
    throw refusal(
      .malformed, text,
      metric == .moodScore
        ? "it must be a number from 1 to 10"
        : "it must be a number such as 75.5, optionally with a unit")
  }

  /// In millilitres, in the US and in Britain.
  private static let volumes: [(names: Set<String>, us: Double, british: Double)] = [
    (["pint", "pints", "pt"], 473.176_473, 568.261_25),
    (["gallon", "gallons", "gal"], 3785.411_784, 4546.09),
  ]

  /// - Returns: `nil` for a unit that is the same in all countries, or none.
  private static func twoVolumes(_ value: Double, _ unit: String, _ text: String) -> Refusal? {
    let words = unit.split(separator: " ")
    guard let name = words.last, words.count <= 2,
      let volume = volumes.first(where: { $0.names.contains(String(name)) })
    else { return nil }
    let (us, british) = (volume.us * value, volume.british * value)
    func millilitres(_ volume: Double) -> String { JSONNumber.text(volume.rounded()) + "ml" }
    let refusal: String
    switch words.count == 2 ? words[0] : "" {
    case "us": refusal = "write \(millilitres(us))"
    case "imperial", "uk", "british": refusal = "write \(millilitres(british))"
    case "":
      refusal =
        "a \(volume.names.contains("pt") ? "pint" : "gallon") of the US is not one of Britain: write "
        + "\(millilitres(us)) or \(millilitres(british))"
    default: return nil
    }
    return Self.refusal(.unknownUnit, text, refusal)
  }

  private static func tooLarge(_ text: String) -> Refusal {
    refusal(.outOfRange, text, "it must be within ±1e15")
  }

  private static func refusal(
    _ reason: Refusal.Reason, _ text: String, _ rule: String
  ) -> Refusal {
    Refusal(reason, field: "quantity", value: text, "quantity is \"\(text)\"; \(rule)")
  }

  /// The end of the number; an `e` without following digits is not part of it.
  private static func numberEnd(_ text: Substring) -> Substring.Index {
    guard let exponent = text.firstIndex(where: { $0 == "e" || $0 == "E" }) else {
      return text.endIndex
    }
    let exponentDigits = text[text.index(after: exponent)...].drop { "+-".contains($0) }
    return exponentDigits.first?.isNumber == true ? text.endIndex : exponent
  }

  private struct Unit {
    var names: [String]
    /// Accepted, but not listed in messages.
    var longNames: [String] = []
    /// The value of one unit in the metric's own unit; exact by definition.
    var factor: Double

    func isCalled(_ name: String) -> Bool { names.contains(name) || longNames.contains(name) }
  }

  private static let longHours = ["hrs", "hour", "hours", "std", "stunde", "stunden"]

  private static let units = Dictionary(
    uniqueKeysWithValues: Metric.allCases.map { ($0, definedUnits(of: $0)) })

  private static func units(of metric: Metric) -> [Unit] { units[metric] ?? [] }

  private static func definedUnits(of metric: Metric) -> [Unit] {
    switch metric {
    case .weight:
      [
        Unit(
          names: ["kg"], longNames: ["kgs", "kilo", "kilos", "kilogram", "kilograms"], factor: 1),
        Unit(names: ["g"], longNames: ["gram", "grams"], factor: 0.001),
        Unit(names: ["lb", "lbs"], longNames: ["pound", "pounds"], factor: 0.453_592_37),
        Unit(names: ["st"], longNames: ["stone", "stones"], factor: 6.350_293_18),
      ]
    case .height:
      [
        Unit(names: ["cm"], factor: 1), Unit(names: ["m"], factor: 100),
        Unit(names: ["mm"], factor: 0.1),
        Unit(names: ["in"], longNames: ["inch", "inches", "\"", "”", "″"], factor: 2.54),
        Unit(names: ["ft"], longNames: ["foot", "feet", "'", "’", "′"], factor: 30.48),
      ]
    case .distanceKM:
      [
        Unit(
          names: ["km"], longNames: ["kilometer", "kilometers", "kilometre", "kilometres"],
          factor: 1),
        Unit(names: ["m"], longNames: ["meter", "meters", "metre", "metres"], factor: 0.001),
        Unit(names: ["mi"], longNames: ["mile", "miles"], factor: 1.609_344),
        Unit(names: ["yd"], factor: 0.000_914_4),
        Unit(names: ["ft"], longNames: ["foot", "feet"], factor: 0.000_304_8),
      ]
    case .waterLiters:
      [
        Unit(names: ["l"], longNames: ["liter", "liters", "litre", "litres"], factor: 1),
        Unit(names: ["dl"], factor: 0.1),
        Unit(names: ["cl"], factor: 0.01),
        Unit(
          names: ["ml"],
          longNames: ["milliliter", "milliliters", "millilitre", "millilitres"], factor: 0.001),
        Unit(names: ["floz", "fl oz"], factor: 0.029_573_529_562_5),
        Unit(names: ["cup", "cups"], factor: 0.236_588_236_5),
      ]
    case .activeMinutes:
      [
        Unit(names: ["min"], longNames: ["mins", "minute", "minutes"], factor: 1),
        Unit(names: ["h", "hr"], longNames: longHours, factor: 60),
        Unit(names: ["s"], factor: 1.0 / 60),
        Unit(names: [], longNames: ["ms"], factor: 1.0 / 60_000),
      ]
    case .sleepHours:
      [
        Unit(names: ["h", "hr"], longNames: longHours, factor: 1),
        Unit(names: ["min"], longNames: ["mins", "minute", "minutes"], factor: 1.0 / 60),
        Unit(names: [], longNames: ["s"], factor: 1.0 / 3600),
        Unit(names: [], longNames: ["ms"], factor: 1.0 / 3_600_000),
      ]
    case .caloriesOut, .caloriesIn:
      [
        Unit(names: ["kcal"], factor: 1), Unit(names: ["kj"], factor: 1 / 4.184),
        Unit(names: [], longNames: ["mj"], factor: 1000 / 4.184),
      ]
    case .proteinG, .carbsG, .fatG:
      [
        Unit(names: ["g"], longNames: ["gram", "grams"], factor: 1),
        Unit(names: ["mg"], factor: 0.001),
        Unit(names: ["oz"], factor: 28.349_523_125),
      ]
    case .bodyFatPercentage:
      [Unit(names: ["%"], factor: 1), Unit(names: [], longNames: ["fraction"], factor: 100)]
    case .restingHeartRate: [Unit(names: ["bpm"], factor: 1)]
    case .bmi, .steps, .moodScore: []
    }
  }

  // MARK: - Two units

  /// A larger unit and a smaller one that follows it.
  private struct UnitPair {
    var larger: [String]
    /// The empty name means that the unit is omitted, as in `5ft11`.
    var smaller: [String]
    /// The number of smaller units in a larger one.
    var ratio: Int
    /// The value of one smaller unit in the metric's own unit.
    var factor: Double
  }

  private static func pair(of metric: Metric) -> UnitPair? {
    switch metric {
    case .height:
      UnitPair(
        larger: ["ft", "'", "’", "′", "foot", "feet"],
        smaller: ["in", "\"", "”", "″", "''", "inch", "inches", ""], ratio: 12, factor: 2.54)
    case .weight:
      UnitPair(
        larger: ["st", "stone", "stones"], smaller: ["lb", "lbs", "pound", "pounds", ""],
        ratio: 14, factor: 0.453_592_37)
    case .sleepHours:
      UnitPair(
        larger: ["h", "hr", ":"] + longHours,
        smaller: ["min", "mins", "minute", "minutes", "m", ""], ratio: 60, factor: 1.0 / 60)
    case .activeMinutes:
      UnitPair(
        larger: ["h", "hr"] + longHours,
        smaller: ["min", "mins", "minute", "minutes", "m", ""], ratio: 60, factor: 1)
    default: nil
    }
  }

  /// Whether a quantity of a metric may be written in two units, as `5ft 11in`.
  package static func arePair(_ larger: String, _ smaller: String, of metric: Metric) -> Bool {
    guard let pair = pair(of: metric), !smaller.isEmpty else { return false }
    return pair.larger.contains(larger) && pair.smaller.contains(smaller)
  }

  /// The unit in which the second of two numbers is, as the pounds of `11st 4`, the first being in `unit`.
  ///
  /// - Returns: `nil` for a unit that is followed by no other.
  package static func smallerUnit(after unit: String, of metric: Metric) -> String? {
    guard let pair = pair(of: metric), pair.larger.contains(unit) else { return nil }
    return pair.smaller[0]
  }

  /// Parses two units: `5ft 11in`, `5'11"`, `11st 4lb`, `7h 30min`, and `7:30` for hours of sleep.
  /// The first number must be an integer and the second less than one larger unit.
  ///
  /// - Returns: the value in the metric's own unit; `nil` for text in another form.
  private static func inTwoUnits(_ text: String, for metric: Metric) throws(Refusal) -> Double? {
    guard let pair = pair(of: metric) else { return nil }
    var rest = withoutPoints(text.lowercased())[...]
    let large = number(&rest)
    let larger = unit(&rest)
    let small = number(&rest)
    let smaller = unit(&rest)
    guard rest.isEmpty, pair.larger.contains(larger), pair.smaller.contains(smaller),
      let large = Int(large), large < 1000, small.first != ".", small.last != ".",
      let small = Double(small)
    else { return nil }
    guard small < Double(pair.ratio) else {
      throw refusal(
        .malformed, text,
        "\(pair.ratio) \(pair.smaller[0]) are 1 \(pair.larger[0]), so the second number must be "
          + "less than \(pair.ratio)")
    }
    return JSONNumber.writable((Double(large * pair.ratio) + small) * pair.factor)
  }

  /// `7 std 30 min` of `7 std. 30 min.`: a point may end an abbreviation.
  private static func withoutPoints(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: ".")) else { return text }
    return text.split(separator: " ").map { word in
      word.last == "." && word.dropLast().last?.isLetter == true ? word.dropLast() : word
    }.joined(separator: " ")
  }

  private static func number(_ rest: inout Substring) -> String {
    take(&rest) { $0.isASCII && ($0.isNumber || $0 == ".") }
  }

  private static func unit(_ rest: inout Substring) -> String {
    take(&rest) { !($0.isASCII && $0.isNumber) && $0 != " " && $0 != "." }
  }

  /// Removes and returns the matching prefix, and removes the spaces after it.
  private static func take(
    _ rest: inout Substring, while fits: (Character) -> Bool
  ) -> String {
    let taken = rest.prefix(while: fits)
    rest = rest.dropFirst(taken.count).drop { $0 == " " }
    return String(taken)
  }
}
