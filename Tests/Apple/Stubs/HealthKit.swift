// swift-format-ignore-file: AlwaysUseLowerCamelCase

// What is used of HealthKit; signatures from developer.apple.com/documentation/healthkit.
public import Foundation

open class HKObjectType: NSObject, @unchecked Sendable {}
open class HKSampleType: HKObjectType, @unchecked Sendable {}

public struct HKQuantityTypeIdentifier: Sendable {
  public static let bodyMass = HKQuantityTypeIdentifier()
}

open class HKQuantityType: HKSampleType, @unchecked Sendable {
  public convenience init(_ identifier: HKQuantityTypeIdentifier) { self.init() }
}

public enum HKMetricPrefix: Int, Sendable { case none, kilo }

open class HKUnit: NSObject, @unchecked Sendable {
  open class func gramUnit(with prefix: HKMetricPrefix) -> HKUnit { fatalError() }
}

open class HKQuantity: NSObject, @unchecked Sendable {
  public convenience init(unit: HKUnit, doubleValue value: Double) { self.init() }
  open func doubleValue(for unit: HKUnit) -> Double { 0 }
}

open class HKSource: NSObject, @unchecked Sendable {
  open class func `default`() -> HKSource { fatalError() }
  open var bundleIdentifier: String { "" }
}

open class HKSourceRevision: NSObject, @unchecked Sendable {
  open var source: HKSource { fatalError() }
}

public let HKMetadataKeyExternalUUID = ""

open class HKObject: NSObject, @unchecked Sendable {
  open var uuid: UUID { fatalError() }
  open var sourceRevision: HKSourceRevision { fatalError() }
  open var metadata: [String: Any]? { nil }
}

open class HKDeletedObject: NSObject, @unchecked Sendable {
  open var uuid: UUID { fatalError() }
}

open class HKSample: HKObject, @unchecked Sendable {
  open var startDate: Date { fatalError() }
}

open class HKQuantitySample: HKSample, @unchecked Sendable {
  public convenience init(
    type quantityType: HKQuantityType, quantity: HKQuantity, start startDate: Date,
    end endDate: Date, metadata: [String: Any]?
  ) { self.init() }
  open var quantity: HKQuantity { fatalError() }
}

public enum HKUpdateFrequency: Int, Sendable { case immediate = 1 }

open class NSPredicate: NSObject, @unchecked Sendable {}

public typealias HKObserverQueryCompletionHandler = @Sendable () -> Void

open class HKQuery: NSObject, @unchecked Sendable {
  open class func predicateForObjects(
    withMetadataKey key: String, allowedValues: [Any]
  ) -> NSPredicate { fatalError() }
}

open class HKQueryAnchor: NSObject, NSSecureCoding, @unchecked Sendable {}

open class HKObserverQuery: HKQuery, @unchecked Sendable {
  public init(
    sampleType: HKSampleType, predicate: NSPredicate?,
    updateHandler:
      @escaping @Sendable (
        HKObserverQuery, @escaping HKObserverQueryCompletionHandler, (any Error)?
      ) -> Void
  ) {}
}

open class HKHealthStore: NSObject, @unchecked Sendable {
  open func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>, read typesToRead: Set<HKObjectType>
  ) async throws {}
  open func enableBackgroundDelivery(
    for type: HKObjectType, frequency: HKUpdateFrequency
  ) async throws {}
  open func execute(_ query: HKQuery) {}
  open func save(_ object: HKObject) async throws {}
  open func delete(_ objects: [HKObject]) async throws {}
}

public struct HKSamplePredicate<Sample: HKSample>: Sendable {}

extension HKSamplePredicate where Sample == HKQuantitySample {
  public static func quantitySample(
    type: HKQuantityType, predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKQuantitySample> { fatalError() }
}

public struct HKAnchoredObjectQueryDescriptor<Sample: HKSample>: Sendable {
  public struct Result: Sendable {
    public let addedSamples: [Sample]
    public let deletedObjects: [HKDeletedObject]
    public let newAnchor: HKQueryAnchor
  }

  public init(
    predicates: [HKSamplePredicate<Sample>], anchor: HKQueryAnchor?, limit: Int? = nil
  ) {}
  public func result(for healthStore: HKHealthStore) async throws -> Result { fatalError() }
}

public struct SortDescriptor<Compared>: Sendable {}

public struct HKSampleQueryDescriptor<Sample: HKSample>: Sendable {
  public init(
    predicates: [HKSamplePredicate<Sample>], sortDescriptors: [SortDescriptor<Sample>],
    limit: Int? = nil
  ) {}
  public func result(for healthStore: HKHealthStore) async throws -> [Sample] { [] }
}
