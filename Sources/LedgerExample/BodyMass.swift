#if os(iOS)
  import Foundation
  import HealthKit
  import LedgerKit

  /// Body mass in HealthKit, in both directions.
  struct BodyMass: Sendable {
    private let feed: HealthFeed
    private let store = HKHealthStore()

    init(feed: HealthFeed) { self.feed = feed }

    private static let type = HKQuantityType(.bodyMass)
    private static let kilograms = HKUnit.gramUnit(with: .kilo)

    /// Imports changes while the app lives; HealthKit wakes it in the background.
    ///
    /// - Parameter onImport: called with the reasons for refused samples, or an error.
    func observe(
      onImport: @escaping @Sendable (Result<[String: String], any Error>) -> Void
    ) async throws {
      try await store.requestAuthorization(toShare: [Self.type], read: [Self.type])
      try await store.enableBackgroundDelivery(for: Self.type, frequency: .immediate)
      let observer = HKObserverQuery(sampleType: Self.type, predicate: nil) {
        _, completion, error in
        Task {
          await HealthFeed.answer(
            error, importing: importChanges, onImport: onImport, completion: completion)
        }
      }
      store.execute(observer)
    }

    /// The next import begins where this one ended, or at the same place if it fails.
    private func importChanges() async throws -> [String: String] {
      let query = HKAnchoredObjectQueryDescriptor(
        predicates: [.quantitySample(type: Self.type)], anchor: Anchor.load())
      let result = try await query.result(for: store)
      let changes = HealthChanges(
        added: result.addedSamples.map(Self.sample),
        deleted: result.deletedObjects.map(\.uuid.uuidString))
      let refused = try await feed.apply(changes)
      try Anchor.save(result.newAnchor)
      return refused
    }

    private static func sample(_ sample: HKQuantitySample) -> HealthSample {
      let source = sample.sourceRevision.source.bundleIdentifier
      return HealthSample(
        id: sample.uuid.uuidString, metric: .weight,
        quantity: sample.quantity.doubleValue(for: kilograms),
        moment: Timestamp(sample.startDate),
        isOwn: source == HKSource.default().bundleIdentifier)
    }

    /// Writes the user's edit of a weight.
    func perform(_ export: HealthExport) async throws {
      switch export {
      case .save(let sample): try await save(sample)
      case .replace(let sample):
        if try await delete(sample.id) { try await save(sample) }
      case .delete(let id): _ = try await delete(id)
      }
    }

    private func save(_ sample: HealthSample) async throws {
      let date = sample.moment.date
      let quantity = HKQuantity(unit: Self.kilograms, doubleValue: sample.quantity)
      try await store.save(
        HKQuantitySample(
          type: Self.type, quantity: quantity, start: date, end: date,
          metadata: [HKMetadataKeyExternalUUID: sample.id]))
    }

    /// Deletes the sample that this app wrote for an entry.
    ///
    /// - Returns: false if there is none.
    private func delete(_ entry: String) async throws -> Bool {
      let predicate = HKQuery.predicateForObjects(
        withMetadataKey: HKMetadataKeyExternalUUID, allowedValues: [entry])
      let query = HKSampleQueryDescriptor(
        predicates: [.quantitySample(type: Self.type, predicate: predicate)], sortDescriptors: [])
      let found = try await query.result(for: store).filter { Self.sample($0).isOwn }
      if !found.isEmpty { try await store.delete(found) }
      return !found.isEmpty
    }
  }

  /// The end of the last import. Without it, all samples are read again, and known ones skipped.
  private enum Anchor {
    private static let key = "BodyMassAnchor"

    static func load() -> HKQueryAnchor? {
      guard let data = UserDefaults.standard.data(forKey: key) else { return nil }
      return try? NSKeyedUnarchiver.unarchivedObject(ofClass: HKQueryAnchor.self, from: data)
    }

    static func save(_ anchor: HKQueryAnchor) throws {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: anchor, requiringSecureCoding: true)
      UserDefaults.standard.set(data, forKey: key)
    }
  }
#endif
