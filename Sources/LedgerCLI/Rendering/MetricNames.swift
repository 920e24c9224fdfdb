import LedgerModel

extension Metric {
  static var names: [String] { allCases.map(\.name) }

  /// The display name: `resting heart rate`.
  var words: String { allNames.words }

  /// The display name and the short forms that are accepted besides the ``name``. No two metrics
  /// share one.
  private var allNames: (words: String, short: [String]) {
    switch self {
    case .weight: (name, ["body weight"])
    case .height: (name, ["body height"])
    case .bodyFatPercentage: ("body fat", ["bf"])
    case .bmi: ("BMI", ["body mass index"])
    case .steps: (name, ["step"])
    case .caloriesOut: ("calories out", ["burned", "calories burned"])
    case .distanceKM: ("distance", [])
    case .activeMinutes: ("active minutes", ["active", "exercise"])
    case .sleepHours: ("sleep", [])
    case .waterLiters: ("water", ["water litres"])
    case .restingHeartRate: ("resting heart rate", ["rhr", "resting hr", "resting pulse"])
    case .moodScore: ("mood", [])
    case .caloriesIn: ("calories in", ["eaten", "calories eaten"])
    case .proteinG: ("protein", [])
    case .carbsG: ("carbs", ["carbohydrates"])
    case .fatG: ("fat", [])
    }
  }

  /// Every accepted name, the one in the log first.
  var spokenNames: [String] { [name, allNames.words] + allNames.short }

  /// Reads a name, a display name or a short form; case, spaces, hyphens and underscores make no
  /// difference.
  init?(spoken text: String) {
    if let metric = Metric(name: text) {
      self = metric
      return
    }
    let typed = Self.folded(text)
    let found = Self.allCases.first { metric in
      metric.spokenNames.contains { Self.folded($0) == typed }
    }
    guard let found else { return nil }
    self = found
  }

  /// The names that an unknown word may be meant as.
  ///
  /// - Parameter others: other words to suggest.
  static func suggestions(
    for word: String, orOneOf others: @autoclosure () -> [String] = []
  ) -> [String] {
    let related = related(to: word).map(\.name)
    return related.isEmpty ? nearest(to: word, orOneOf: others()) : related
  }

  /// The metrics that a word for a meal, a sport or any pulse may be meant as, to suggest them.
  private static func related(to word: String) -> [Metric] {
    switch word.lowercased() {
    case "meal", "breakfast", "lunch", "dinner", "snack", "food", "eat": [.caloriesIn]
    case "calories", "calorie", "kcal", "cal", "energy": [.caloriesIn, .caloriesOut]
    case "run", "walk", "hike", "ride", "bike", "cycling", "swim", "km", "miles":
      [.distanceKM, .activeMinutes]
    case "workout", "training", "gym", "sport", "yoga": [.activeMinutes, .caloriesOut]
    case "drink": [.waterLiters]
    case "nap", "slept": [.sleepHours]
    // After a run it is another one.
    case "pulse", "hr", "heart", "heart rate", "heartrate", "heart-rate", "heart_rate", "bpm":
      [.restingHeartRate]
    default: []
    }
  }

  /// The names that a misspelled one may be meant as, one for each metric, and similar other words.
  private static func nearest(to word: String, orOneOf others: [String]) -> [String] {
    var names: [String] = []
    var metrics: [Metric] = []
    for name in LedgerCLI.nearest(to: word, among: allCases.flatMap(\.spokenNames) + others) {
      if let metric = Metric(spoken: name) {
        if metrics.contains(metric) { continue }
        metrics.append(metric)
      }
      names.append(name)
    }
    return names
  }

  private static func folded(_ text: String) -> String {
    text.lowercased().filter { !" -_".contains($0) }
  }
}
