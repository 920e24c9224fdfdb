import LedgerModel

/// How records of one kind become entries.
enum AppleRule: Hashable {
  /// Each is an entry at its moment.
  case measured
  /// Those of one moment together are an entry: the foods of a meal.
  case summedAtMoment
  case summedByHour
  case summedByDay
  /// Time asleep, by the day on which a person wakes up.
  case slept
}

/// The types of records that are imported, what they are here, and how.
enum AppleMetric {
  static let quantityPrefix = "HKQuantityTypeIdentifier"
  static let sleepName = "SleepAnalysis"
  static let sleepType = "HKCategoryTypeIdentifierSleepAnalysis"

  /// Behind the prefix of quantities.
  private static let names: [(name: String, metric: Metric)] = [
    ("BodyMass", .weight), ("Height", .height), ("BodyFatPercentage", .bodyFatPercentage),
    ("BodyMassIndex", .bmi), ("StepCount", .steps), ("ActiveEnergyBurned", .caloriesOut),
    ("DistanceWalkingRunning", .distanceKM), ("AppleExerciseTime", .activeMinutes),
    ("DietaryWater", .waterLiters), ("RestingHeartRate", .restingHeartRate),
    ("DietaryEnergyConsumed", .caloriesIn), ("DietaryProtein", .proteinG),
    ("DietaryCarbohydrates", .carbsG), ("DietaryFatTotal", .fatG),
  ]

  static func metric(ofType name: ArraySlice<UInt8>) -> Metric? {
    if name.elementsEqual(sleepType.utf8) { return .sleepHours }
    guard name.starts(with: quantityPrefix.utf8) else { return nil }
    let bare = name.dropFirst(quantityPrefix.utf8.count)
    return names.first { bare.elementsEqual($0.name.utf8) }?.metric
  }

  /// What its records are called in the file, without the prefix.
  static func typeName(of metric: Metric) -> String {
    names.first { $0.metric == metric }?.name ?? sleepName
  }

  static func rule(of metric: Metric) -> AppleRule {
    switch metric {
    case .weight, .height, .bodyFatPercentage, .bmi, .restingHeartRate, .moodScore: .measured
    case .waterLiters, .caloriesIn, .proteinG, .carbsG, .fatG: .summedAtMoment
    case .steps: .summedByHour
    case .caloriesOut, .distanceKM, .activeMinutes: .summedByDay
    case .sleepHours: .slept
    }
  }

  /// Sums are kept to what their sensors can tell, so that the order of adding leaves no trace.
  static func rounded(_ sum: Double, of metric: Metric) -> Double {
    let steps: Double =
      switch metric {
      case .steps: 1
      case .activeMinutes: 100
      case .caloriesOut, .caloriesIn: 1000
      case .sleepHours, .proteinG, .carbsG, .fatG: 10_000
      case .distanceKM, .waterLiters: 100_000
      case .weight, .height, .bodyFatPercentage, .bmi, .restingHeartRate, .moodScore: 1_000_000
      }
    return (sum * steps).rounded() / steps
  }

  /// A record of a sum that lasts longer belongs to no hour and no day.
  static let longestSeconds = 25 * 3600

  /// What one of a unit is in the metric's own; `nil` for a unit that it cannot be in. The names
  /// are HealthKit's, in which `cal` and `Cal` are two things.
  static func factor(of unit: String, for metric: Metric) -> Double? { factors[metric]?[unit] }

  private static let energy: [String: Double] = [
    "kcal": 1, "Cal": 1, "cal": 0.001, "kJ": 1 / 4.184, "J": 0.001 / 4.184,
  ]
  private static let food: [String: Double] = [
    "g": 1, "mg": 0.001, "mcg": 0.000_001, "kg": 1000, "oz": 28.349_523_125,
  ]
  private static let factors: [Metric: [String: Double]] = [
    .weight: [
      "kg": 1, "g": 0.001, "lb": 0.453_592_37, "oz": 0.028_349_523_125, "st": 6.350_293_18,
    ],
    .height: ["cm": 1, "m": 100, "mm": 0.1, "in": 2.54, "ft": 30.48],
    .distanceKM: [
      "km": 1, "m": 0.001, "cm": 0.000_01, "mi": 1.609_344, "yd": 0.000_914_4, "ft": 0.000_304_8,
    ],
    .caloriesOut: energy, .caloriesIn: energy,
    .activeMinutes: ["min": 1, "hr": 60, "h": 60, "s": 1.0 / 60],
    .waterLiters: [
      "L": 1, "l": 1, "dL": 0.1, "cL": 0.01, "mL": 0.001, "ml": 0.001,
      "fl_oz_us": 0.029_573_529_562_5, "fl_oz_imp": 0.028_413_062_5, "cup_us": 0.236_588_236_5,
      "cup_imp": 0.284_130_625, "pt_us": 0.473_176_473, "pt_imp": 0.568_261_25,
    ],
    .proteinG: food, .carbsG: food, .fatG: food,
    .restingHeartRate: ["count/min": 1, "bpm": 1, "count/s": 60, "Hz": 60],
    .steps: ["count": 1], .bmi: ["count": 1, "kg/m^2": 1, "kg/m²": 1], .bodyFatPercentage: ["%": 1],
  ]

  /// A share is exported as a part of one under the name of a per cent; no body has less than one
  /// per cent of fat and none more than a hundred, so that both ways of writing it can be told.
  static func percent(_ value: Double) -> Double { value <= 1 ? value * 100 : value }

  /// Whether a value of sleep analysis is time asleep; `nil` for one that says nothing of sleep.
  static func isAsleep(_ value: String) -> Bool? {
    let prefix = "HKCategoryValueSleepAnalysis"
    switch value.hasPrefix(prefix) ? String(value.dropFirst(prefix.count)) : value {
    case "Asleep", "AsleepUnspecified", "AsleepCore", "AsleepDeep", "AsleepREM", "1", "3", "4",
      "5":
      return true
    case "Awake", "2": return false
    default: return nil
    }
  }

  static func isInBed(_ value: String) -> Bool {
    value == "HKCategoryValueSleepAnalysisInBed" || value == "0"
  }
}
