import Foundation
import LedgerKit
import LedgerTestSupport
import Testing

@Suite struct MeasurementsTests {
  @Test("A measurement is logged in the metric's own unit")
  func converts() async throws {
    try await withLedger { ledger in
      try await ledger.log(.weight, Measurement(value: 165.3, unit: UnitMass.pounds))
      try await ledger.log(.height, Measurement(value: 1.83, unit: UnitLength.meters))
      try await ledger.log(.distanceKM, Measurement(value: 5_200, unit: UnitLength.meters))
      try await ledger.log(.sleepHours, Measurement(value: 450, unit: UnitDuration.minutes))
      try await ledger.log(.activeMinutes, Measurement(value: 0.75, unit: UnitDuration.hours))
      try await ledger.log(.caloriesIn, Measurement(value: 418.4, unit: UnitEnergy.kilojoules))
      try await ledger.log(.waterLiters, Measurement(value: 250, unit: UnitVolume.milliliters))
      try await ledger.log(.proteinG, Measurement(value: 500, unit: UnitMass.milligrams))
      let entries = try await ledger.progress().entries
      #expect(
        entries.reversed().map { "\($0.metric.name) \($0.quantity)" } == [
          "weight 74.9787576", "height 183.0", "distance_km 5.2", "sleep_hours 7.5",
          "active_minutes 45.0", "calories_in 100.0", "water_liters 0.25", "protein_g 0.5",
        ])
    }
  }

  @Test("Weights in 0.1 lb steps are accepted, and read as the same weights in pounds")
  func roundTrip() async throws {
    try await withLedger { ledger in
      let pounds = stride(from: 1000, through: 3000, by: TestSize.of(7, full: 1)).map {
        Measurement(value: Double($0) / 10, unit: UnitMass.pounds)
      }
      let day = try QueriesTests.day(1)
      for weight in pounds { try await ledger.log(.weight, weight, at: .day(day)) }
      let entries = try await ledger.progress(ProgressQuery(limit: .max)).entries
      #expect(entries.count == pounds.count)
      for (entry, weight) in zip(entries.reversed(), pounds) {
        let read = try #require(entry.measurement(of: .weight)).converted(to: .pounds)
        #expect(abs(read.value - weight.value) < 1e-9)
      }
    }
  }

  @Test("A measurement corrects an entry of its metric, and is a goal")
  func corrects() async throws {
    try await withLedger { ledger in
      let entry = try await ledger.log(.weight, 75)
      let weight = Measurement(value: 165.3, unit: UnitMass.pounds)
      try await ledger.correct(entry.id, .weight, weight)
      #expect(try await ledger.entry(entry.id)?.quantity == 74.9787576)
      try await ledger.setDailyGoal(.weight, weight)
      #expect(try await ledger.goals().map(\.quantity) == [74.9787576])
      let error = await #expect(throws: EditRefusal.self) {
        try await ledger.correct(entry.id, .proteinG, weight)
      }
      #expect(error?.code == "unknown-unit" && error?.refusal.unit == "kg")
    }
  }

  @Test("An entry of another metric has no such measurement")
  func otherMetric() async throws {
    try await withLedger { ledger in
      try await ledger.log(.proteinG, Measurement(value: 1, unit: UnitMass.ounces))
      let entry = try #require(try await ledger.progress().entries.first)
      #expect(entry.measurement(of: .weight) == nil)
      #expect(entry.measurement(of: .height) == nil)
      let protein = entry.measurement(of: MeasuredMetric<UnitMass>.proteinG)
      #expect(protein?.unit == .grams)
    }
  }
}
