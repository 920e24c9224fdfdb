import LedgerModel

/// How records of a metric become entries.
enum AppleRule: Hashable {
  /// Each record is an entry at its moment.
  case measured
  /// Records at one moment form one entry: the foods of a meal.
  case summedAtMoment
  case summedByHour
  case summedByDay
  /// Records of a night form a session.
  case slept
}

/// The imported record types with their metrics, rules and units.
enum AppleMetric {
  static let quantityPrefix = "HKQuantityTypeIdentifier"
  static let sleepName = "SleepAnalysis"
  static let sleepType = "HKCategoryTypeIdentifierSleepAnalysis"

  /// Type names without the quantity prefix.
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

  /// The record type's name in the file, without its prefix.
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

  /// Rounds a sum to its sensor's precision, so that the order of addition does not matter.
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

  /// A longer record of a sum belongs to no hour or day.
  static let longestSeconds = 25 * 3600

  /// Converts a HealthKit unit to the metric's; `nil` if it does not fit. `cal` and `Cal` differ.
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

  /// Body fat is exported as a fraction or in per cent. No body has less than 1 %, so the value
  /// tells which.
  static func percent(_ value: Double) -> Double { value <= 1 ? value * 100 : value }

  /// The stage of a value of sleep analysis, a name or the number of older exports.
  static func stage(_ value: String) -> SleepStageKind? {
    let prefix = "HKCategoryValueSleepAnalysis"
    return switch value.hasPrefix(prefix) ? String(value.dropFirst(prefix.count)) : value {
    case "InBed", "0": .inBed
    case "Asleep", "AsleepUnspecified", "1": .asleep
    case "Awake", "2": .awake
    case "AsleepCore", "3": .core
    case "AsleepDeep", "4": .deep
    case "AsleepREM", "5": .rem
    default: nil
    }
  }
}

enum AppleNumber {
  enum ReadError: Error { case noNumber, ambiguousComma }

  /// - Throws: ``ReadError`` if the text is not a number or has two readings.
  static func read(_ bytes: ArraySlice<UInt8>) throws(ReadError) -> Double {
    if let plain = plain(bytes) { return plain }
    guard (1...64).contains(bytes.count) else { throw .noNumber }
    var text = String(decoding: bytes, as: UTF8.self)
    if bytes.contains(UInt8(ascii: ",")) { text = try withPoint(text) }
    // Excludes `inf`, `nan` and hexadecimal.
    guard text.utf8.allSatisfy({ isNumeric($0) }), let value = Double(text), value.isFinite else {
      throw .noNumber
    }
    return value
  }

  /// Only a comma before exactly three digits may be a thousands separator.
  private static func withPoint(_ text: String) throws(ReadError) -> String {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, !text.contains(".") else { throw .ambiguousComma }
    let before = parts[0].drop { $0 == "-" || $0 == "+" }
    let mayGroup = parts[1].utf8.count == 3 && (1...3).contains(before.utf8.count)
    guard !mayGroup || before.first == "0" else { throw .ambiguousComma }
    return "\(parts[0]).\(parts[1])"
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// At most 15 digits with a point: exact with one division.
  private static func plain(_ bytes: ArraySlice<UInt8>) -> Double? {
    guard (1...16).contains(bytes.count) else { return nil }
    var value = 0
    var digits = 0
    var decimals = 0
    var hasPoint = false
    for byte in bytes {
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else if isDigit(byte) {
        value = value * 10 + Int(byte - 0x30)
        digits += 1
        if hasPoint { decimals += 1 }
      } else {
        return nil
      }
    }
    guard (1...15).contains(digits) else { return nil }
    return Double(value) / powers[decimals]
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default: false
    }
  }
}

/// A moment in an export, such as `2016-04-12 07:30:15 +0200`: a wall time, usually with an offset.
struct AppleDate {
  /// Wall time in seconds since 1970.
  let wallSeconds: Int
  /// Minutes ahead of UTC; `nil` if the file does not say.
  let offsetMinutes: Int?

  /// Reads the current format, ISO 8601, the oldest systems' format without separators, and 12-hour
  /// times, which some phones have written.
  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    guard let year = Self.digits(4, &rest) else { return nil }
    let isMarked = Self.take(UInt8(ascii: "-"), &rest)
    guard let month = Self.digits(2, &rest),
      !isMarked || Self.take(UInt8(ascii: "-"), &rest), let day = Self.digits(2, &rest)
    else { return nil }
    if isMarked {
      guard Self.take(UInt8(ascii: " "), &rest) || Self.take(UInt8(ascii: "T"), &rest) else {
        return nil
      }
    }
    guard let clock = Self.clock(isMarked, &rest),
      let date = CalendarDate(year: year, month: month, day: day)
    else { return nil }
    wallSeconds = Int(date.daysSince1970) * 86_400 + Int(clock.secondsSinceMidnight)
    switch Self.offset(rest) {
    case .none: offsetMinutes = nil
    case .minutes(let minutes): offsetMinutes = minutes
    case .wrong: return nil
    }
  }

  private static func clock(_ isMarked: Bool, _ rest: inout ArraySlice<UInt8>) -> ClockTime? {
    guard var hour = digits(2, &rest) ?? (isMarked ? digits(1, &rest) : nil) else { return nil }
    guard !isMarked || take(UInt8(ascii: ":"), &rest), let minute = digits(2, &rest),
      !isMarked || take(UInt8(ascii: ":"), &rest), let second = digits(2, &rest)
    else { return nil }
    if take(UInt8(ascii: "."), &rest) {
      let fraction = rest.prefix(while: isDigit)
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(fraction.count)
    }
    // The space before AM may be U+202F, a narrow no-break space.
    let narrow: [UInt8] = [0xE2, 0x80, 0xAF]
    var half = rest.starts(with: narrow) ? rest.dropFirst(3) : rest.drop { $0 == 0x20 }
    if let first = half.first.map({ $0 | 0x20 }), half.dropFirst().first.map({ $0 | 0x20 }) == 0x6D,
      first == UInt8(ascii: "a") || first == UInt8(ascii: "p")
    {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (first == UInt8(ascii: "p") ? 12 : 0)
      half = half.dropFirst(2)
      rest = half
    }
    return ClockTime(hour: hour, minute: minute, second: second)
  }

  private enum Offset {
    case none
    case minutes(Int)
    case wrong
  }

  private static func offset(_ bytes: ArraySlice<UInt8>) -> Offset {
    var rest = bytes.drop { $0 == UInt8(ascii: " ") }
    if rest.isEmpty { return .none }
    if rest.elementsEqual([UInt8(ascii: "Z")]) { return .minutes(0) }
    let isWest = rest.first == UInt8(ascii: "-")
    guard take(UInt8(ascii: "+"), &rest) || take(UInt8(ascii: "-"), &rest),
      let hours = digits(2, &rest)
    else { return .wrong }
    _ = take(UInt8(ascii: ":"), &rest)
    guard let minutes = digits(2, &rest), rest.isEmpty, minutes < 60 else { return .wrong }
    let total = hours * 60 + minutes
    return ZoneOffset(minutes: total) == nil ? .wrong : .minutes(isWest ? -total : total)
  }

  private static func take(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  private static func digits(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
    guard rest.count >= count else { return nil }
    var value = 0
    for byte in rest.prefix(count) {
      guard isDigit(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    rest.removeFirst(count)
    return value
  }
}
