// What is used of HealthKit; signatures from developer.apple.com/documentation/healthkit.
public import Foundation

open class HKObjectType: NSObject, @unchecked Sendable {}
open class HKSampleType: HKObjectType, @unchecked Sendable {}

extension HKObjectType: Hashable {
  public static func == (left: HKObjectType, right: HKObjectType) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) {}
}

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
  open func doubleValue(for unit: HKUnit) -> Double { 0 }
}

open class HKSample: NSObject, @unchecked Sendable {
  open var uuid: UUID { fatalError() }
  open var startDate: Date { fatalError() }
}

open class HKQuantitySample: HKSample, @unchecked Sendable {
  open var quantity: HKQuantity { fatalError() }
}

public enum HKUpdateFrequency: Int, Sendable { case immediate = 1 }

open class NSPredicate: NSObject, @unchecked Sendable {}

public typealias HKObserverQueryCompletionHandler = @Sendable () -> Void

public struct HKQueryOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

open class HKQuery: NSObject, @unchecked Sendable {
  open class func predicateForSamples(
    withStart startDate: Date?, end endDate: Date?, options: HKQueryOptions = []
  ) -> NSPredicate { fatalError() }
}

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
}

public struct HKSamplePredicate<Sample: HKSample>: Sendable {}

extension HKSamplePredicate where Sample == HKQuantitySample {
  public static func quantitySample(
    type: HKQuantityType, predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKQuantitySample> { fatalError() }
}

public struct SortDescriptor<Compared>: Sendable {}

public struct HKSampleQueryDescriptor<Sample: HKSample>: Sendable {
  public init(
    predicates: [HKSamplePredicate<Sample>], sortDescriptors: [SortDescriptor<Sample>],
    limit: Int? = nil
  ) {}
  public func result(for healthStore: HKHealthStore) async throws -> [Sample] { [] }
}
