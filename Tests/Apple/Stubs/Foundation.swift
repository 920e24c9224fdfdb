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

public struct Data: Sendable, Equatable, RandomAccessCollection {
  public init() {}
  public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> UInt8 { 0 }
}

public struct UUID: Sendable, Hashable {
  public init() {}
  public var uuidString: String { "" }
}

// MARK: Dates and measurements

public struct Date: Sendable, Hashable, Comparable {
  public init() {}
  public init(timeIntervalSince1970: TimeInterval) {}
  public static var now: Date { Date() }
  public var timeIntervalSince1970: TimeInterval { 0 }
  public func addingTimeInterval(_ timeInterval: TimeInterval) -> Date { self }
  public static func < (lhs: Date, rhs: Date) -> Bool { false }
}

open class Unit: NSObject, @unchecked Sendable {
  open var symbol: String { "" }
}

open class Dimension: Unit, @unchecked Sendable {}

public final class UnitMass: Dimension, @unchecked Sendable {
  public class var kilograms: UnitMass { fatalError() }
  public class var grams: UnitMass { fatalError() }
  public class var pounds: UnitMass { fatalError() }
}

public final class UnitLength: Dimension, @unchecked Sendable {
  public class var centimeters: UnitLength { fatalError() }
  public class var kilometers: UnitLength { fatalError() }
}

public final class UnitEnergy: Dimension, @unchecked Sendable {
  public class var kilocalories: UnitEnergy { fatalError() }
}

public final class UnitDuration: Dimension, @unchecked Sendable {
  public class var minutes: UnitDuration { fatalError() }
  public class var hours: UnitDuration { fatalError() }
}

public final class UnitVolume: Dimension, @unchecked Sendable {
  public class var liters: UnitVolume { fatalError() }
}

public struct Measurement<UnitType: Unit>: Sendable {
  public init(value: Double, unit: UnitType) {}
  public var value: Double { 0 }
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
  @available(macOS, unavailable)
  open func performExpiringActivity(
    withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
  ) {}
}

// MARK: Files

public struct FileAttributeKey: Hashable, Sendable {
  public static let posixPermissions = FileAttributeKey()
  public static let protectionKey = FileAttributeKey()
}

public struct FileProtectionType: Hashable, Sendable {
  public static let complete = FileProtectionType()
  public static let completeUnlessOpen = FileProtectionType()
  public static let completeUntilFirstUserAuthentication = FileProtectionType()
  public static let none = FileProtectionType()
}

open class FileManager: NSObject, @unchecked Sendable {
  open class var `default`: FileManager { fatalError() }
  open var temporaryDirectory: URL { fatalError() }
  open func fileExists(atPath path: String) -> Bool { false }
  open func subpaths(atPath path: String) -> [String]? { nil }
  open func setAttributes(
    _ attributes: [FileAttributeKey: Any], ofItemAtPath path: String
  ) throws {}
  open func createDirectory(
    at url: URL, withIntermediateDirectories createIntermediates: Bool,
    attributes: [FileAttributeKey: Any]? = nil
  ) throws {}
  open func createDirectory(
    atPath path: String, withIntermediateDirectories createIntermediates: Bool,
    attributes: [FileAttributeKey: Any]? = nil
  ) throws {}
  open func removeItem(atPath path: String) throws {}
  open func containerURL(
    forSecurityApplicationGroupIdentifier groupIdentifier: String
  ) -> URL? { nil }
}

open class FileHandle: NSObject, @unchecked Sendable {
  open class var standardError: FileHandle { fatalError() }
  open func write(_ data: Data) {}
}

public struct CocoaError: Error {
  public struct Code: Sendable, Hashable {
    public static var fileNoSuchFile: Code { Code() }
  }
  public init(_ code: Code) {}
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

extension Error {
  public var localizedDescription: String { "" }
}

// MARK: URL loading

public struct URL: Sendable, Hashable {
  public enum DirectoryHint: Sendable {
    case isDirectory, notDirectory, checkFileSystem, inferFromPath
  }
  public init?(string: String) {}
  public var host: String? { nil }
  public var path: String { "" }
  public func path(percentEncoded: Bool = true) -> String { "" }
  public func appending<S: StringProtocol>(
    path: S, directoryHint: DirectoryHint = .inferFromPath
  ) -> URL { self }
  public func resolvingSymlinksInPath() -> URL { self }
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
  open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
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
