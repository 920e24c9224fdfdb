/// What progress is measured in: the sixteen metrics of docs/log-format.md, in its order.
public enum Metric: UInt8, CaseIterable, Sendable {
  /// Body weight in kg.
  case weight
  /// Body height in cm.
  case height
  /// In per cent of the weight.
  case bodyFatPercentage
  /// Weight by height squared, in kg/m²; a plain number.
  case bmi
  /// How many.
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

  /// As the log and the backend name it.
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

  /// `nil` for a name that is none of ``name``.
  public init?(name: some StringProtocol) {
    guard let metric = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = metric
  }

  /// The unit that quantities are kept in; empty for a plain number.
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

  /// The quantities that are accepted (docs/log-format.md, Events).
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
}

/// What a quantity may be, and how to say so.
public struct QuantityRange: Hashable, Sendable, CustomStringConvertible {
  /// In the metric's own unit.
  public let lowest: Double
  /// In the metric's own unit.
  public let highest: Double
  /// Whether the lowest itself is accepted.
  public let includesLowest: Bool
  /// Whether the highest itself is accepted.
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

  /// Whether a quantity is accepted.
  public func contains(_ value: Double) -> Bool {
    (includesLowest ? value >= lowest : value > lowest)
      && (includesHighest ? value <= highest : value < highest)
  }

  /// As a sentence's end: «more than 0 and less than 500».
  public var description: String {
    let low = (includesLowest ? "at least " : "more than ") + plain(lowest)
    let high = (includesHighest ? "at most " : "less than ") + plain(highest)
    return "\(low) and \(high)"
  }

  private func plain(_ value: Double) -> String { String(Int(value)) }
}
