import LedgerJSON
import LedgerModel
import Testing

/// Quantities that an app computed, against the 15 digits of docs/log-format.md.
@Suite struct StoredQuantityTests {
  private static let computed: [(name: String, metric: Metric, quantities: [Double])] = [
    ("weights in 0.1 lb", .weight, (1000...3000).map { Double($0) / 10 * 0.453592 }),
    ("BMI", .bmi, (400...1200).map { Double($0) / 10 / (1.83 * 1.83) }),
    ("hours of minutes", .sleepHours, (0...1440).map { Double($0) / 60 }),
    ("kcal of kJ", .caloriesIn, (0...9000).map { Double($0) / 4.184 }),
  ]

  @Test("Every computed quantity in range is stored, as close as 15 digits allow")
  func storesWhatIsComputed() throws {
    for (name, metric, quantities) in Self.computed {
      let long = quantities.count { !JSONNumber.isWritable($0) }
      #expect(long > quantities.count / 10, "\(name): the quantities need no rounding")
      for quantity in quantities {
        let stored = try #require(metric.stored(quantity), "\(name): \(quantity)")
        #expect(JSONNumber.isWritable(stored) && metric.accepts(stored), "\(name): \(quantity)")
        #expect(abs(stored - quantity) <= quantity * 5.01e-15, "\(name): \(quantity)")
      }
    }
  }

  @Test("A quantity next to the end of its range stays in range", arguments: Metric.allCases)
  func staysInRange(metric: Metric) throws {
    for limit in [metric.range.lowest, metric.range.highest] {
      for quantity in [limit.nextDown, limit, limit.nextUp] {
        let stored = metric.stored(quantity)
        #expect((stored != nil) == metric.accepts(quantity), "\(quantity)")
        #expect(stored.map { metric.accepts($0) && JSONNumber.isWritable($0) } ?? true)
      }
    }
  }

  @Test(
    "At a limit that is excluded, the nearest stored quantity is one unit of the last digit away")
  func excludedLimits() {
    #expect(Metric.weight.stored(500.0.nextDown) == 499.999999999999)
    #expect(Metric.distanceKM.stored(1000.0.nextDown) == 999.999999999999)
    #expect(Metric.restingHeartRate.stored(20.0.nextUp) == 20.0000000000001)
    #expect(Metric.weight.stored(.leastNonzeroMagnitude) == .leastNonzeroMagnitude)
  }

  @Test("A quantity out of range is not stored", arguments: [-1, 0, 500, .infinity, .nan])
  func outOfRange(quantity: Double) { #expect(Metric.weight.stored(quantity) == nil) }
}
