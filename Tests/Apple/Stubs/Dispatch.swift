// What is used of Dispatch; signatures from developer.apple.com/documentation/dispatch.

open class DispatchObject {
  public init() {}
}

open class DispatchQueue: DispatchObject, @unchecked Sendable {
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
  }

  public convenience init(label: String) { self.init() }
  public class func global() -> DispatchQueue { fatalError() }
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {}
}

open class DispatchGroup: DispatchObject, @unchecked Sendable {
  public override init() {}
  public func enter() {}
  public func leave() {}
  public func wait() {}
}

open class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  public init(value: Int) {}
  open func wait() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
  @discardableResult open func signal() -> Int { 0 }
}

public enum DispatchTimeoutResult: Sendable { case success, timedOut }

public struct DispatchTime: Sendable {
  public static func now() -> DispatchTime { fatalError() }
  public static func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }
}

public struct DispatchQoS: Sendable {
  public static let unspecified = DispatchQoS()
}

public struct DispatchWorkItemFlags: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

public protocol DispatchSourceProtocol: AnyObject {
  func cancel()
  func activate()
}

extension DispatchSourceProtocol {
  public func setEventHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: (@Sendable @convention(block) () -> Void)?
  ) {}
}

public protocol DispatchSourceRead: DispatchSourceProtocol {}

open class DispatchSource: DispatchObject {
  public class func makeReadSource(
    fileDescriptor: Int32, queue: DispatchQueue? = nil
  ) -> any DispatchSourceRead { fatalError() }
}
