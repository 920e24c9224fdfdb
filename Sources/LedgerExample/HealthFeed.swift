import LedgerKit

/// A measurement of another app, with its id there.
struct HealthSample: Sendable {
  var id: String
  var metric: Metric
  var quantity: Double
  /// Milliseconds since 1970.
  var moment: Timestamp
}

/// Imports measurements of another app, each sample once.
struct HealthFeed: Sendable {
  let ledger: Ledger

  /// - Returns: why samples were refused; the others are in the ledger.
  @discardableResult
  func append(_ samples: [HealthSample]) async throws -> [Refusal] {
    let edits = samples.compactMap { sample -> Edit? in
      guard let wall = LocalZone.current.localTime(at: sample.moment) else { return nil }
      let logged = ProgressLogged(
        entry: .derived(from: sample.id, at: sample.moment), metric: sample.metric,
        quantity: sample.quantity, date: wall.date,
        moment: ZonedTime(time: wall.time, zone: wall.zone), source: "health",
        sourceID: sample.id)
      return Edit(
        id: .derived(from: sample.id, at: sample.moment), by: .import,
        change: .logProgress(logged))
    }
    return try await ledger.append(edits, onRefusal: .skip).compactMap(\.refusal)
  }
}

#if os(iOS)
  import Foundation
  import HealthKit

  extension HealthFeed {
    /// Observes body mass while the app lives, and wakes it in the background.
    func watchBodyMass(in store: HKHealthStore) async throws {
      let type = HKQuantityType(.bodyMass)
      try await store.requestAuthorization(toShare: [], read: [type])
      try await store.enableBackgroundDelivery(for: type, frequency: .immediate)
      let observer = HKObserverQuery(sampleType: type, predicate: nil) { _, completion, error in
        guard error == nil else { return completion() }
        Task {
          // Not completed on failure, so that the system notifies again.
          try await importBodyMass(from: store)
          completion()
        }
      }
      store.execute(observer)
    }

    private func importBodyMass(from store: HKHealthStore) async throws {
      let since = Calendar.current.date(byAdding: .day, value: -30, to: .now)
      let query = HKSampleQueryDescriptor(
        predicates: [
          .quantitySample(
            type: HKQuantityType(.bodyMass),
            predicate: HKQuery.predicateForSamples(withStart: since, end: nil))
        ],
        sortDescriptors: [])
      let found = try await query.result(for: store)
      try await append(
        found.map { sample in
          HealthSample(
            id: sample.uuid.uuidString, metric: .weight,
            quantity: sample.quantity.doubleValue(for: .gramUnit(with: .kilo)),
            moment: Timestamp(sample.startDate))
        })
    }
  }
#endif
