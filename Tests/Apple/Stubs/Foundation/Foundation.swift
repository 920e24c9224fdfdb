// swift-format-ignore-file: AlwaysUseLowerCamelCase

// What is used of Foundation; signatures from developer.apple.com/documentation/foundation.
// Without Objective-C interoperability a Core Foundation type stands for the Swift type that it is
// bridged to.
@_exported import Darwin
@_exported import Dispatch

public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFDictionary = [String: Any]
public typealias TimeInterval = Double

open class NSObject {
  public init() {}
}

public struct UUID: Sendable, Hashable {
  public init() {}
  public init?(uuidString string: String) {}
  public var uuidString: String { "" }
}

// MARK: Dates and measurements

public struct Date: Sendable, Hashable, Comparable {
  public init() {}
  public init(timeIntervalSince1970: TimeInterval) {}
  public static var now: Date { Date() }
  public var timeIntervalSince1970: TimeInterval { 0 }
  public var timeIntervalSinceReferenceDate: TimeInterval { 0 }
  public func addingTimeInterval(_ timeInterval: TimeInterval) -> Date { self }
  public static func < (lhs: Date, rhs: Date) -> Bool { false }
  public static func + (lhs: Date, rhs: TimeInterval) -> Date { lhs }
  public func ISO8601Format(_ style: ISO8601FormatStyle = .init()) -> String { "" }
  public func formatted<F: FormatStyle>(_ format: F) -> F.FormatOutput
  where F.FormatInput == Date { fatalError() }

  public struct ISO8601FormatStyle: Sendable, FormatStyle {
    public typealias FormatInput = Date
    public typealias FormatOutput = String
    public init() {}
    public func year() -> Self { self }
    public func month() -> Self { self }
    public func day() -> Self { self }
    public func format(_ value: Date) -> String { "" }
    public func parse(_ value: String) throws -> Date { Date() }
  }
}

public struct TimeZone: Sendable, Hashable {
  public init?(identifier: String) {}
  public init?(secondsFromGMT seconds: Int) {}
  public func secondsFromGMT(for date: Date = Date()) -> Int { 0 }
}

public struct DateComponents: Sendable, Hashable {
  public init() {}
  public var year, month, day, weekday, hour, minute, second: Int?
}

public struct Calendar: Sendable, Hashable {
  public enum Identifier: Sendable { case gregorian }
  public enum Component: Sendable, Hashable { case year, month, day, weekday, hour, minute, second }
  public init(identifier: Identifier) {}
  public var timeZone: TimeZone {
    get { TimeZone(secondsFromGMT: 0)! }
    set {}
  }
  public func dateComponents(_ components: Set<Component>, from date: Date) -> DateComponents {
    DateComponents()
  }
}

open class Unit: NSObject, @unchecked Sendable {
  open var symbol: String { "" }
}

open class Dimension: Unit, @unchecked Sendable {}

public final class UnitMass: Dimension, @unchecked Sendable {
  public class var kilograms: UnitMass { fatalError() }
  public class var grams: UnitMass { fatalError() }
  public class var milligrams: UnitMass { fatalError() }
  public class var ounces: UnitMass { fatalError() }
  public class var pounds: UnitMass { fatalError() }
}

public final class UnitLength: Dimension, @unchecked Sendable {
  public class var centimeters: UnitLength { fatalError() }
  public class var meters: UnitLength { fatalError() }
  public class var kilometers: UnitLength { fatalError() }
}

public final class UnitEnergy: Dimension, @unchecked Sendable {
  public class var kilocalories: UnitEnergy { fatalError() }
  public class var kilojoules: UnitEnergy { fatalError() }
}

public final class UnitDuration: Dimension, @unchecked Sendable {
  public class var minutes: UnitDuration { fatalError() }
  public class var hours: UnitDuration { fatalError() }
}

public final class UnitVolume: Dimension, @unchecked Sendable {
  public class var liters: UnitVolume { fatalError() }
  public class var milliliters: UnitVolume { fatalError() }
}

public struct Measurement<UnitType: Unit>: Sendable {
  public init(value: Double, unit: UnitType) {}
  public var value: Double { 0 }
  public var unit: UnitType { fatalError() }
}

extension Measurement where UnitType: Dimension {
  public func converted(to otherUnit: UnitType) -> Measurement { self }
}

public protocol FormatStyle<FormatInput, FormatOutput> {
  associatedtype FormatInput
  associatedtype FormatOutput
}

public enum NumberFormatStyleConfiguration {
  public struct Precision: Sendable {
    public static func fractionLength<R: RangeExpression>(_ limits: R) -> Precision
    where R.Bound == Int { Precision() }
  }
}

public struct FloatingPointFormatStyle<Value: BinaryFloatingPoint>: FormatStyle {
  public typealias FormatInput = Value
  public typealias FormatOutput = String
  public func precision(_ precision: NumberFormatStyleConfiguration.Precision) -> Self { self }
}

extension FormatStyle where Self == FloatingPointFormatStyle<Double> {
  public static var number: Self { fatalError() }
}

extension BinaryFloatingPoint {
  public func formatted() -> String { "" }
  public func formatted<S: FormatStyle>(_ format: S) -> S.FormatOutput
  where S.FormatInput == Self { fatalError() }
}

// MARK: Archives and settings

public protocol NSCoding {}
public protocol NSSecureCoding: NSCoding {}

open class NSCoder: NSObject {}

open class NSKeyedArchiver: NSCoder {
  open class func archivedData(
    withRootObject object: Any, requiringSecureCoding requiresSecureCoding: Bool
  ) throws -> Data { Data() }
}

open class NSKeyedUnarchiver: NSCoder {
  public static func unarchivedObject<DecodedObjectType>(
    ofClass cls: DecodedObjectType.Type, from data: Data
  ) throws -> DecodedObjectType? where DecodedObjectType: NSObject, DecodedObjectType: NSCoding {
    nil
  }
}

open class UserDefaults: NSObject, @unchecked Sendable {
  open class var standard: UserDefaults { fatalError() }
  open func data(forKey defaultName: String) -> Data? { nil }
  open func set(_ value: Any?, forKey defaultName: String) {}
}

// MARK: Processes

open class ProcessInfo: NSObject, @unchecked Sendable {
  open class var processInfo: ProcessInfo { fatalError() }
  open var environment: [String: String] { [:] }
  open var processIdentifier: Int32 { 0 }
  @available(macOS, unavailable)
  open func performExpiringActivity(
    withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
  ) {}
}

// MARK: Errors

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
  var failureReason: String? { get }
  var recoverySuggestion: String? { get }
  var helpAnchor: String? { get }
}

extension LocalizedError {
  public var errorDescription: String? { nil }
  public var failureReason: String? { nil }
  public var recoverySuggestion: String? { nil }
  public var helpAnchor: String? { nil }
}

public struct CocoaError: Error {
  public struct Code: Sendable, Hashable {
    public static var fileNoSuchFile: Code { Code() }
    public static var fileWriteUnknown: Code { Code() }
  }
  public init(_ code: Code) {}
}

public struct POSIXError: Error {
  public enum Code: Sendable { case EADDRINUSE }
  public init(_ code: Code) {}
}

extension Error {
  public var localizedDescription: String { "" }
}

// MARK: URL loading

public struct URL: Sendable, Hashable {
  public enum DirectoryHint: Sendable {
    case isDirectory, notDirectory, checkFileSystem, inferFromPath
  }
  public init?(string: String) {}
  public init(filePath path: String, directoryHint: DirectoryHint = .inferFromPath) {}
  public init(fileURLWithPath path: String) {}
  public var host: String? { nil }
  public var path: String { "" }
  public var lastPathComponent: String { "" }
  public var pathExtension: String { "" }
  public var standardized: URL { self }
  public var standardizedFileURL: URL { self }
  public func path(percentEncoded: Bool = true) -> String { "" }
  public func appending<S: StringProtocol>(
    path: S, directoryHint: DirectoryHint = .inferFromPath
  ) -> URL { self }
  public func deletingLastPathComponent() -> URL { self }
  public mutating func deleteLastPathComponent() {}
  public func resolvingSymlinksInPath() -> URL { self }
}

public struct URLQueryItem: Sendable, Hashable {
  public var name: String
  public var value: String?
}

public struct URLComponents: Sendable, Hashable {
  public init?(string: String) {}
  public var queryItems: [URLQueryItem]? { nil }
}

public struct URLRequest: Sendable {
  public typealias CachePolicy = NSURLRequest.CachePolicy
  public init(
    url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy,
    timeoutInterval: TimeInterval = 60.0
  ) {}
  public var httpMethod: String?
  public var httpBody: Data?
  public var httpShouldHandleCookies: Bool {
    get { true }
    set {}
  }
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}

open class NSURLRequest: NSObject, @unchecked Sendable {
  public enum CachePolicy: UInt, Sendable {
    case useProtocolCachePolicy = 0
    case reloadIgnoringLocalCacheData = 1
  }
}

open class URLResponse: NSObject, @unchecked Sendable {
  open var expectedContentLength: Int64 { 0 }
}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  open var statusCode: Int { 0 }
  open func value(forHTTPHeaderField field: String) -> String? { nil }
}

public struct URLError: Error {
  public struct Code: Sendable, Hashable, RawRepresentable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static var unknown: Code { Code(rawValue: -1) }
    public static var cancelled: Code { Code(rawValue: -999) }
    public static var badURL: Code { Code(rawValue: -1000) }
    public static var timedOut: Code { Code(rawValue: -1001) }
    public static var cannotFindHost: Code { Code(rawValue: -1003) }
    public static var cannotConnectToHost: Code { Code(rawValue: -1004) }
    public static var dnsLookupFailed: Code { Code(rawValue: -1006) }
    public static var notConnectedToInternet: Code { Code(rawValue: -1009) }
    public static var internationalRoamingOff: Code { Code(rawValue: -1018) }
    public static var callIsActive: Code { Code(rawValue: -1019) }
    public static var dataNotAllowed: Code { Code(rawValue: -1020) }
    public static var appTransportSecurityRequiresSecureConnection: Code { Code(rawValue: -1022) }
    public static var secureConnectionFailed: Code { Code(rawValue: -1200) }
    public static var serverCertificateHasBadDate: Code { Code(rawValue: -1201) }
    public static var serverCertificateUntrusted: Code { Code(rawValue: -1202) }
    public static var serverCertificateHasUnknownRoot: Code { Code(rawValue: -1203) }
    public static var serverCertificateNotYetValid: Code { Code(rawValue: -1204) }
    public static var clientCertificateRejected: Code { Code(rawValue: -1205) }
    public static var clientCertificateRequired: Code { Code(rawValue: -1206) }
  }
  public var code: Code { .unknown }
}

open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
open class URLCache: NSObject, @unchecked Sendable {}
open class URLCredential: NSObject, @unchecked Sendable {}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}

extension HTTPCookie {
  public enum AcceptPolicy: UInt, Sendable { case always, never, onlyFromMainDocumentDomain }
}

open class HTTPCookie: NSObject, @unchecked Sendable {}

open class URLSessionConfiguration: NSObject, @unchecked Sendable {
  open class var ephemeral: URLSessionConfiguration { fatalError() }
  open var allowsCellularAccess: Bool {
    get { fatalError() }
    set {}
  }
  open var timeoutIntervalForRequest: TimeInterval = 60
  open var httpCookieStorage: HTTPCookieStorage?
  open var urlCache: URLCache?
  open var urlCredentialStorage: URLCredentialStorage?
  open var httpShouldSetCookies = true
  open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.always
  open var connectionProxyDictionary: [AnyHashable: Any]?
  open func copy() -> Any { self }
}

open class URLSessionTask: NSObject, @unchecked Sendable {
  open var taskIdentifier: Int { 0 }
  open var originalRequest: URLRequest? { nil }
  open var response: URLResponse? { nil }
  open var countOfBytesSent: Int64 { 0 }
  open func resume() {}
  open func cancel() {}
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class OperationQueue: NSObject, @unchecked Sendable {}

open class URLSession: NSObject, @unchecked Sendable {
  public enum AuthChallengeDisposition: Int, Sendable {
    case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
  }
  public init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    delegateQueue queue: OperationQueue?
  ) {}
  public init(configuration: URLSessionConfiguration) {}
  open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
  public func data(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) { fatalError() }
  open func finishTasksAndInvalidate() {}
  open func invalidateAndCancel() {}
}

public let NSURLAuthenticationMethodDefault = ""
public let NSURLAuthenticationMethodHTTPBasic = ""
public let NSURLAuthenticationMethodHTTPDigest = ""

open class URLProtectionSpace: NSObject, @unchecked Sendable {
  open var authenticationMethod: String { "" }
}

open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
  open var protectionSpace: URLProtectionSpace { fatalError() }
}

public protocol URLSessionDelegate: Sendable {}

public protocol URLSessionTaskDelegate: URLSessionDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}
