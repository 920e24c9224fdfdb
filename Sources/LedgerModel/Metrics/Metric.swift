import LedgerJSON

/// The sixteen metrics of docs/log-format.md, in its order.
public enum Metric: String, CaseIterable, Codable, Sendable {
  /// Body weight in kg.
  case weight
  /// Body height in cm.
  case height
  /// In percent of the weight.
  case bodyFatPercentage = "body_fat_percentage"
  /// Weight divided by height squared, in kg/m²; a plain number.
  case bmi
  /// A plain number.
  case steps
  /// Energy spent, in kcal.
  case caloriesOut = "calories_out"
  /// In km.
  case distanceKM = "distance_km"
  /// In minutes.
  case activeMinutes = "active_minutes"
  /// In hours.
  case sleepHours = "sleep_hours"
  /// In litres.
  case waterLiters = "water_liters"
  /// In beats a minute.
  case restingHeartRate = "resting_heart_rate"
  /// 1 (worst) to 10.
  case moodScore = "mood_score"
  /// Energy eaten, in kcal.
  case caloriesIn = "calories_in"
  /// In grams.
  case proteinG = "protein_g"
  /// In grams.
  case carbsG = "carbs_g"
  /// In grams.
  case fatG = "fat_g"

  /// The name in the log and at the backend.
  public var name: String { rawValue }

  /// `nil` for an unknown name.
  public init?(name: some StringProtocol) {
    self.init(rawValue: String(name))
  }

  /// Whether a day's values are summed: true for steps, false for weight.
  public var addsUp: Bool {
    switch self {
    case .steps, .caloriesOut, .caloriesIn, .distanceKM, .activeMinutes, .sleepHours, .waterLiters,
      .proteinG, .carbsG, .fatG:
      true
    case .weight, .height, .bodyFatPercentage, .bmi, .restingHeartRate, .moodScore: false
    }
  }

  /// The unit of stored quantities; empty for a plain number.
  public var unit: String {
    switch self {
    case .weight: "kg"
    case .height: "cm"
    case .bodyFatPercentage: "%"
    case .caloriesOut, .caloriesIn: "kcal"
    case .distanceKM: "km"
    case .activeMinutes: "min"
    case .sleepHours: "h"
    case .waterLiters: "l"
    case .restingHeartRate: "bpm"
    case .proteinG, .carbsG, .fatG: "g"
    case .bmi, .steps, .moodScore: ""
    }
  }

  /// The accepted quantities (docs/log-format.md, Events).
  public var range: QuantityRange {
    switch self {
    case .weight: .open(0, 500)
    case .height: .open(0, 300)
    case .bodyFatPercentage: .closed(0, 100)
    case .bmi: .open(0, 100)
    case .steps: .halfOpen(0, 1e6)
    case .caloriesOut, .caloriesIn: .halfOpen(0, 5e4)
    case .distanceKM: .halfOpen(0, 1000)
    case .activeMinutes: .closed(0, 1440)
    case .sleepHours: .closed(0, 24)
    case .waterLiters: .halfOpen(0, 50)
    case .restingHeartRate: .open(20, 300)
    case .moodScore: .closed(1, 10)
    case .proteinG, .carbsG, .fatG: .halfOpen(0, 1e4)
    }
  }

  /// What a person can be expected to measure at once or in a day, in the metric's own unit. What is
  /// outside is asked about.
  package var usualRange: ClosedRange<Double> {
    switch self {
    case .weight: 20...300
    case .height: 50...250
    case .bodyFatPercentage: 2...70
    case .bmi: 10...80
    case .steps: 0...100_000
    case .caloriesOut, .caloriesIn: 0...15_000
    case .distanceKM: 0...300
    case .activeMinutes: 0...1200
    case .sleepHours: 0...14
    case .waterLiters: 0...15
    case .restingHeartRate: 30...110
    case .moodScore: 1...10
    case .proteinG, .fatG: 0...600
    case .carbsG: 0...1500
    }
  }

  /// Whether people want less of it as often as more; of the others they want more.
  package var isOftenLimited: Bool {
    switch self {
    case .weight, .bodyFatPercentage, .bmi, .restingHeartRate, .caloriesIn, .carbsG, .fatG: true
    case .height, .steps, .caloriesOut, .distanceKM, .activeMinutes, .sleepHours, .waterLiters,
      .moodScore, .proteinG:
      false
    }
  }

  /// Whether a quantity is within ``range``.
  public func accepts(_ quantity: Double) -> Bool { range.contains(quantity) }

  /// The accepted quantity that a log holds for a computed one: rounded to 15 significant digits
  /// (docs/log-format.md, Events).
  ///
  /// - Returns: `nil` for a quantity out of range.
  public func stored(_ quantity: Double) -> Double? { range.stored(quantity) }
}

/// The unit in which people with imperial units read a metric.
package struct ImperialUnit: Hashable, Sendable {
  /// As it is shown; ``Quantity`` reads it without the space, too.
  package let name: String
  /// The value of one unit in ``Metric/unit``, exact by definition.
  package let factor: Double
  /// How many digits are shown after the point.
  package let decimals: Int
}

extension Metric {
  /// `nil` if everyone reads the metric in ``unit``.
  package var imperialUnit: ImperialUnit? {
    switch self {
    case .weight: ImperialUnit(name: "lb", factor: 0.453_592_37, decimals: 1)
    case .height: ImperialUnit(name: "in", factor: 2.54, decimals: 1)
    case .distanceKM: ImperialUnit(name: "mi", factor: 1.609_344, decimals: 2)
    case .waterLiters: ImperialUnit(name: "fl oz", factor: 0.029_573_529_562_5, decimals: 1)
    case .bodyFatPercentage, .bmi, .steps, .caloriesOut, .activeMinutes, .sleepHours,
      .restingHeartRate, .moodScore, .caloriesIn, .proteinG, .carbsG, .fatG:
      nil
    }
  }
}

extension Metric: Identifiable {
  public var id: Metric { self }
}

extension Metric {
  /// The place in `allCases`, by which columns and snapshots name a metric.
  package var index: UInt8 { unsafeBitCast(self, to: UInt8.self) }

  /// `nil` for an index that no metric has.
  package init?(index: UInt8) {
    guard index <= Self.fatG.index else { return nil }
    self = unsafeBitCast(index, to: Metric.self)
  }
}

/// The accepted quantities of a metric, in its own unit.
public struct QuantityRange: Hashable, Sendable, CustomStringConvertible {
  /// The lower bound.
  public let lowest: Double
  /// The upper bound.
  public let highest: Double
  /// Whether ``lowest`` itself is accepted.
  public let includesLowest: Bool
  /// Whether ``highest`` itself is accepted.
  public let includesHighest: Bool

  static func open(_ lowest: Double, _ highest: Double) -> QuantityRange {
    .init(lowest: lowest, highest: highest, includesLowest: false, includesHighest: false)
  }

  static func closed(_ lowest: Double, _ highest: Double) -> QuantityRange {
    .init(lowest: lowest, highest: highest, includesLowest: true, includesHighest: true)
  }

  static func halfOpen(_ lowest: Double, _ highest: Double) -> QuantityRange {
    .init(lowest: lowest, highest: highest, includesLowest: true, includesHighest: false)
  }

  /// Whether a value is in the range.
  public func contains(_ value: Double) -> Bool {
    (includesLowest ? value >= lowest : value > lowest)
      && (includesHighest ? value <= highest : value < highest)
  }

  /// The nearest value in this range that a log holds; `nil` for a value out of range.
  func stored(_ value: Double) -> Double? {
    guard contains(value), let nearest = JSONNumber.writable(value) else { return nil }
    if contains(nearest) { return nearest == 0 ? 0 : nearest }
    // Rounding reached a limit that is not included. No range has negative values.
    return JSONNumber.writable(value, rounding: nearest < value ? .awayFromZero : .towardZero)
  }

  /// Such as `more than 0 and less than 500`.
  public var description: String {
    let low = (includesLowest ? "at least " : "more than ") + plain(lowest)
    let high = (includesHighest ? "at most " : "less than ") + plain(highest)
    return "\(low) and \(high)"
  }

  private func plain(_ value: Double) -> String { String(Int(value)) }
}
