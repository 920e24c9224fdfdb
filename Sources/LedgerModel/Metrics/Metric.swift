import LedgerJSON

/// The sixteen metrics of docs/log-format.md, in its order.
public enum Metric: UInt8, CaseIterable, Sendable {
  /// Body weight in kg.
  case weight
  /// Body height in cm.
  case height
  /// In percent of the weight.
  case bodyFatPercentage
  /// Weight divided by height squared, in kg/m²; a plain number.
  case bmi
  /// A plain number.
  case steps
  /// Energy spent, in kcal.
  case caloriesOut
  /// In km.
  case distanceKM
  /// In minutes.
  case activeMinutes
  /// In hours.
  case sleepHours
  /// In litres.
  case waterLiters
  /// In beats a minute.
  case restingHeartRate
  /// 1 (worst) to 10.
  case moodScore
  /// Energy eaten, in kcal.
  case caloriesIn
  /// In grams.
  case proteinG
  /// In grams.
  case carbsG
  /// In grams.
  case fatG

  /// The name in the log and at the backend.
  public var name: String {
    switch self {
    case .weight: "weight"
    case .height: "height"
    case .bodyFatPercentage: "body_fat_percentage"
    case .bmi: "bmi"
    case .steps: "steps"
    case .caloriesOut: "calories_out"
    case .distanceKM: "distance_km"
    case .activeMinutes: "active_minutes"
    case .sleepHours: "sleep_hours"
    case .waterLiters: "water_liters"
    case .restingHeartRate: "resting_heart_rate"
    case .moodScore: "mood_score"
    case .caloriesIn: "calories_in"
    case .proteinG: "protein_g"
    case .carbsG: "carbs_g"
    case .fatG: "fat_g"
    }
  }

  /// `nil` for an unknown name.
  public init?(name: some StringProtocol) {
    guard let metric = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = metric
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

  /// Whether a quantity is within ``range``.
  public func accepts(_ quantity: Double) -> Bool { range.contains(quantity) }

  /// The accepted quantity that a log holds for a computed one: rounded to 15 significant digits
  /// (docs/log-format.md, Events).
  ///
  /// - Returns: `nil` for a quantity out of range.
  public func stored(_ quantity: Double) -> Double? { range.stored(quantity) }
}

extension Metric: Identifiable {
  public var id: Metric { self }
}

extension Metric: Codable {
  /// Reads the ``name``.
  ///
  /// - Throws: `DecodingError` for an unknown name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let metric = Metric(name: name) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(name)\" is not a metric")
    }
    self = metric
  }

  /// Writes the ``name``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
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
