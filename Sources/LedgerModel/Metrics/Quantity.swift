import LedgerJSON

/// A quantity as people type it, `165lb`, and its value in the metric's own unit.
public enum Quantity {
  /// Reads digits with an optional unit behind them and converts to the metric's unit; also what
  /// people say in two units, `5ft 11in`.
  ///
  /// - Returns: the value in ``Metric/unit``, kept to the 15 digits that a log holds.
  /// - Throws: ``Refusal`` naming what cannot be read, or the units that the metric takes.
  public static func parse(
    _ text: String, for metric: Metric
  ) throws(Refusal) -> Double {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
    let split = numberEnd(digits)
    let number = String(digits[..<split])
    let unit = text[split...].drop { $0 == " " }.lowercased()
    let value = try value(of: number, in: text)
    guard !unit.isEmpty else { return value }
    guard !unit.hasPrefix(",") else {
      throw .rule("quantity is \"\(text)\"; write the decimals behind a point, as in 75.5")
    }
    guard let factor = units(of: metric).first(where: { $0.isCalled(unit) })?.factor else {
      if let value = try inTwoUnits(text, for: metric) { return value }
      let known = units(of: metric).flatMap(\.names).joined(separator: ", ")
      throw .rule(
        known.isEmpty
          ? "quantity is \"\(text)\"; \(metric.name) is a plain number without a unit"
          : "the unit '\(unit)' does not fit \(metric.name); it takes \(known)")
    }
    guard let converted = JSONNumber.writable(value * factor) else { throw tooLarge(text) }
    return converted
  }

  /// Every unit that some metric takes, each once.
  public static var unitNames: [String] {
    var names: [String] = []
    for name in Metric.allCases.flatMap({ units(of: $0).flatMap(\.names) })
    where !names.contains(name) { names.append(name) }
    return names
  }

  /// Those that a metric takes, also as people write them out.
  package static func unitNames(of metric: Metric) -> [String] {
    units(of: metric).flatMap { $0.names + $0.spelled }
  }

  private static func value(of number: String, in text: String) throws(Refusal) -> Double {
    do throws(JSONError) {
      if let value = try JSONValue(parsing: number, rules: .log).number { return value }
    } catch {
      if error.reason == .numberTooLarge { throw tooLarge(text) }
      if error.reason == .tooManyDigits {
        throw .rule(
          "quantity is \"\(text)\"; a ledger keeps at most \(JSONNumber.mostDigits) "
            + "significant digits")
      }
    }
    throw .rule(
      "quantity is \"\(text)\"; it must be a number such as 75.5, with a unit behind it at most")
  }

  private static func tooLarge(_ text: String) -> Refusal {
    .rule("quantity is \"\(text)\"; that is beyond what a ledger can hold")
  }

  /// Where the number ends: an `e` without digits behind it belongs to no number.
  private static func numberEnd(_ text: Substring) -> Substring.Index {
    guard let exponent = text.firstIndex(where: { $0 == "e" || $0 == "E" }) else {
      return text.endIndex
    }
    let behind = text[text.index(after: exponent)...].drop { "+-".contains($0) }
    return behind.first?.isNumber == true ? text.endIndex : exponent
  }

  private struct Unit {
    var names: [String]
    /// As people write it out; understood, and left out of lists.
    var spelled: [String] = []
    /// What one of it is in the metric's own unit; exact by definition of the unit.
    var factor: Double

    func isCalled(_ name: String) -> Bool { names.contains(name) || spelled.contains(name) }
  }

  private static func units(of metric: Metric) -> [Unit] {
    switch metric {
    case .weight:
      [
        Unit(names: ["kg"], spelled: ["kgs", "kilo", "kilos", "kilogram", "kilograms"], factor: 1),
        Unit(names: ["g"], factor: 0.001),
        Unit(names: ["lb", "lbs"], spelled: ["pound", "pounds"], factor: 0.453_592_37),
        Unit(names: ["st"], spelled: ["stone", "stones"], factor: 6.350_293_18),
      ]
    case .height:
      [
        Unit(names: ["cm"], factor: 1), Unit(names: ["m"], factor: 100),
        Unit(names: ["mm"], factor: 0.1),
        Unit(names: ["in"], spelled: ["inch", "inches"], factor: 2.54),
        Unit(names: ["ft"], spelled: ["foot", "feet"], factor: 30.48),
      ]
    case .distanceKM:
      [
        Unit(names: ["km"], factor: 1), Unit(names: ["m"], factor: 0.001),
        Unit(names: ["mi"], spelled: ["mile", "miles"], factor: 1.609_344),
        Unit(names: ["yd"], factor: 0.000_914_4),
        Unit(names: ["ft"], spelled: ["foot", "feet"], factor: 0.000_304_8),
      ]
    case .waterLiters:
      [
        Unit(names: ["l"], spelled: ["liter", "liters", "litre", "litres"], factor: 1),
        Unit(names: ["dl"], factor: 0.1),
        Unit(names: ["cl"], factor: 0.01), Unit(names: ["ml"], factor: 0.001),
        Unit(names: ["floz", "fl oz"], factor: 0.029_573_529_562_5),
        Unit(names: ["cup", "cups"], factor: 0.236_588_236_5),
      ]
    case .activeMinutes:
      [
        Unit(names: ["min"], spelled: ["mins", "minute", "minutes"], factor: 1),
        Unit(names: ["h", "hr"], spelled: ["hrs", "hour", "hours"], factor: 60),
        Unit(names: ["s"], factor: 1.0 / 60),
      ]
    case .sleepHours:
      [
        Unit(names: ["h", "hr"], spelled: ["hrs", "hour", "hours"], factor: 1),
        Unit(names: ["min"], spelled: ["mins", "minute", "minutes"], factor: 1.0 / 60),
      ]
    case .caloriesOut, .caloriesIn:
      [
        Unit(names: ["kcal"], factor: 1), Unit(names: ["kj"], factor: 1 / 4.184),
      ]
    case .proteinG, .carbsG, .fatG:
      [
        Unit(names: ["g"], factor: 1), Unit(names: ["mg"], factor: 0.001),
        Unit(names: ["oz"], factor: 28.349_523_125),
      ]
    case .bodyFatPercentage: [Unit(names: ["%"], factor: 1)]
    case .restingHeartRate: [Unit(names: ["bpm"], factor: 1)]
    case .bmi, .steps, .moodScore: []
    }
  }
}
