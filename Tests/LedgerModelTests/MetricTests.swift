import LedgerModel
import Testing

@Suite struct MetricTests {
  /// The metrics of the contract, with its interval notation.
  static let contract: [(name: String, unit: String, range: String)] = [
    ("weight", "kg", "(0,500)"), ("height", "cm", "(0,300)"),
    ("body_fat_percentage", "%", "[0,100]"), ("bmi", "", "(0,100)"), ("steps", "", "[0,1e6)"),
    ("calories_out", "kcal", "[0,5e4)"), ("distance_km", "km", "[0,1000)"),
    ("active_minutes", "min", "[0,1440]"), ("sleep_hours", "h", "[0,24]"),
    ("water_liters", "l", "[0,50)"), ("resting_heart_rate", "bpm", "(20,300)"),
    ("mood_score", "", "[1,10]"), ("calories_in", "kcal", "[0,5e4)"), ("protein_g", "g", "[0,1e4)"),
    ("carbs_g", "g", "[0,1e4)"), ("fat_g", "g", "[0,1e4)"),
  ]

  @Test("Metrics have the names and order of the contract")
  func namesAndOrder() {
    #expect(Metric.allCases.map(\.name) == Self.contract.map(\.name))
    #expect(Metric.allCases.map(\.unit) == Self.contract.map(\.unit))
    for metric in Metric.allCases { #expect(Metric(name: metric.name) == metric) }
    for name in ["", "Weight", "weight ", "bodyFatPercentage", "WEIGHT", "wei\u{301}ght"] {
      #expect(Metric(name: name) == nil)
    }
  }

  @Test("A metric is stored by its name in an app, and by its place in columns")
  func rawValues() {
    for (place, metric) in Metric.allCases.enumerated() {
      #expect(metric.rawValue == metric.name && Metric(rawValue: metric.name) == metric)
      #expect(Int(metric.index) == place && Metric(index: UInt8(place)) == metric)
    }
    #expect(Metric(index: UInt8(Metric.allCases.count)) == nil && Metric(index: .max) == nil)
  }

  @Test("Metrics have the bounds of the contract", arguments: contract.indices)
  func bounds(index: Int) throws {
    let (name, _, text) = Self.contract[index]
    let metric = try #require(Metric(name: name))
    let ends = text.dropFirst().dropLast().split(separator: ",").compactMap { Double($0) }
    let (low, high) = (ends[0], ends[1])
    #expect(metric.accepts(low) == text.hasPrefix("["))
    #expect(metric.accepts(high) == text.hasSuffix("]"))
    #expect(metric.accepts(low.nextUp) && !metric.accepts(low.nextDown))
    #expect(metric.accepts(high.nextDown) && !metric.accepts(high.nextUp))
    #expect(metric.accepts((low + high) / 2))
    for value in [Double.nan, .infinity, -.infinity, -1, 1e15] { #expect(!metric.accepts(value)) }
    #expect(metric.accepts(-0.0) == metric.accepts(0))
  }

  @Test("A range is described in words")
  func rangesAsSentences() {
    #expect("\(Metric.weight.range)" == "more than 0 and less than 500")
    #expect("\(Metric.moodScore.range)" == "at least 1 and at most 10")
    #expect("\(Metric.steps.range)" == "at least 0 and less than 1000000")
  }
}
