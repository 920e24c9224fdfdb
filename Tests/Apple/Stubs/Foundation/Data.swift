// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Signatures from developer.apple.com/documentation/foundation: data, texts and files.

public protocol ContiguousBytes {
  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}

extension Array: ContiguousBytes where Element == UInt8 {}
extension ArraySlice: ContiguousBytes where Element == UInt8 {}
extension ContiguousArray: ContiguousBytes where Element == UInt8 {}

public struct Data: Sendable, Hashable, RandomAccessCollection, MutableCollection,
  RangeReplaceableCollection, ContiguousBytes
{
  public struct ReadingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
  }
  public struct WritingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let atomic = WritingOptions(rawValue: 1)
  }
  public struct SearchOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
  }
  public struct Base64EncodingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
  }
  public init() {}
  public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
  public init(repeating repeatedValue: UInt8, count: Int) {}
  public init(bytes: UnsafeRawPointer, count: Int) {}
  public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> UInt8 {
    get { 0 }
    set {}
  }
  public subscript(bounds: Range<Int>) -> Data {
    get { self }
    set {}
  }
  public mutating func replaceSubrange<C: Collection>(_ subrange: Range<Int>, with newElements: C)
  where C.Element == UInt8 {}
  public mutating func append(_ other: Data) {}
  public func range(
    of dataToFind: Data, options: SearchOptions = [], in range: Range<Int>? = nil
  ) -> Range<Int>? { nil }
  public func write(to url: URL, options: WritingOptions = []) throws {}
  public func base64EncodedString(options: Base64EncodingOptions = []) -> String { "" }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

// MARK: Texts

extension String {
  public struct Encoding: Sendable, Hashable {
    public static let utf8 = Encoding()
    public static let utf16 = Encoding()
  }
  public init(contentsOf url: URL, encoding enc: Encoding) throws { self = "" }
  public init(contentsOfFile path: String, encoding enc: Encoding) throws { self = "" }
  public init(_ cocoaString: NSString) { self = "" }
  public init?(data: Data, encoding: Encoding) { nil }
  public init(format: String, _ arguments: any CVarArg...) { self = "" }
}

public struct CharacterSet: Sendable {
  public static var newlines: CharacterSet { CharacterSet() }
  public static var whitespaces: CharacterSet { CharacterSet() }
  public static var whitespacesAndNewlines: CharacterSet { CharacterSet() }
}

extension StringProtocol {
  public func components<T: StringProtocol>(separatedBy separator: T) -> [String] { [] }
  public func trimmingCharacters(in set: CharacterSet) -> String { "" }
  public func replacingOccurrences<Target: StringProtocol, Replacement: StringProtocol>(
    of target: Target, with replacement: Replacement
  ) -> String { "" }
  public func range<T: StringProtocol>(of aString: T) -> Range<Index>? { nil }
  public func commonPrefix<T: StringProtocol>(with aString: T) -> String { "" }
  public func data(using encoding: String.Encoding) -> Data? { nil }
  public func write(
    toFile path: String, atomically useAuxiliaryFile: Bool, encoding enc: String.Encoding
  ) throws {}
  public func write(
    to url: URL, atomically useAuxiliaryFile: Bool, encoding enc: String.Encoding
  ) throws {}
}

public struct NSRange: Sendable, Hashable {
  public init<R: RangeExpression, S: StringProtocol>(_ region: R, in target: S)
  where R.Bound == S.Index {}
}

extension Range where Bound == String.Index {
  public init?(_ range: NSRange, in string: String) { nil }
}

open class NSTextCheckingResult: NSObject {
  open func range(at idx: Int) -> NSRange { fatalError() }
}

open class NSRegularExpression: NSObject, @unchecked Sendable {
  public init(pattern: String) throws {}
  open func matches(in string: String, range: NSRange) -> [NSTextCheckingResult] { [] }
}

// MARK: Objects

extension NSObject: Hashable {
  public static func == (lhs: NSObject, rhs: NSObject) -> Bool { false }
  public func hash(into hasher: inout Hasher) {}
}

open class NSNull: NSObject, @unchecked Sendable {}

open class NSString: NSObject, @unchecked Sendable {
  public init(string: String) {}
}

open class NSNumber: NSObject, @unchecked Sendable, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  public init(value: Int) {}
  public convenience init(_ value: Int) { self.init(value: value) }
  public convenience init(_ value: Bool) { self.init(value: 0) }
  public required convenience init(integerLiteral value: Int) { self.init(value: value) }
  public required convenience init(floatLiteral value: Double) { self.init(value: 0) }
  public required convenience init(booleanLiteral value: Bool) { self.init(value: 0) }
  open var intValue: Int { 0 }
  open var doubleValue: Double { 0 }
  open var description: String { "" }
}

open class NSArray: NSObject, @unchecked Sendable {}

open class NSDictionary: NSObject, @unchecked Sendable {
  open subscript(key: Any) -> Any? { nil }
  open var count: Int { 0 }
}

// MARK: JSON

open class JSONSerialization: NSObject {
  public struct ReadingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let fragmentsAllowed = ReadingOptions(rawValue: 4)
  }
  public struct WritingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = WritingOptions(rawValue: 1)
    public static let sortedKeys = WritingOptions(rawValue: 2)
    public static let fragmentsAllowed = WritingOptions(rawValue: 4)
  }
  open class func jsonObject(with data: Data, options opt: ReadingOptions = []) throws -> Any { 0 }
  open class func data(
    withJSONObject obj: Any, options opt: WritingOptions = []
  ) throws -> Data { Data() }
}

open class JSONEncoder: @unchecked Sendable {
  public init() {}
  open func encode<T: Encodable>(_ value: T) throws -> Data { Data() }
}

open class JSONDecoder: @unchecked Sendable {
  public init() {}
  open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}

// MARK: Files

public struct FileAttributeKey: Hashable, Sendable {
  public static let modificationDate = FileAttributeKey()
  public static let posixPermissions = FileAttributeKey()
  public static let protectionKey = FileAttributeKey()
  public static let size = FileAttributeKey()
  public static let type = FileAttributeKey()
}

public struct FileAttributeType: Hashable, Sendable {
  public static let typeRegular = FileAttributeType()
}

public struct FileProtectionType: Hashable, Sendable {
  public static let complete = FileProtectionType()
  public static let completeUnlessOpen = FileProtectionType()
  public static let completeUntilFirstUserAuthentication = FileProtectionType()
  public static let none = FileProtectionType()
}

public struct ObjCBool: Sendable, ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) {}
  public var boolValue: Bool { false }
}

open class NSEnumerator: NSObject {
  open var allObjects: [Any] { [] }
  open func nextObject() -> Any? { nil }
}

extension NSEnumerator: Sequence {
  public func makeIterator() -> AnyIterator<Any> { AnyIterator { nil } }
}

public struct URLResourceKey: Hashable, Sendable {}

open class FileManager: NSObject, @unchecked Sendable {
  open class DirectoryEnumerator: NSEnumerator {}
  open class var `default`: FileManager { fatalError() }
  open var temporaryDirectory: URL { fatalError() }
  open func fileExists(atPath path: String) -> Bool { false }
  open func fileExists(
    atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?
  ) -> Bool { false }
  open func isExecutableFile(atPath path: String) -> Bool { false }
  open func subpaths(atPath path: String) -> [String]? { nil }
  open func subpathsOfDirectory(atPath path: String) throws -> [String] { [] }
  open func contents(atPath path: String) -> Data? { nil }
  open func contentsOfDirectory(atPath path: String) throws -> [String] { [] }
  open func contentsOfDirectory(
    at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?
  ) throws -> [URL] { [] }
  open func enumerator(atPath path: String) -> DirectoryEnumerator? { nil }
  open func enumerator(
    at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?
  ) -> DirectoryEnumerator? { nil }
  open func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { [:] }
  open func setAttributes(
    _ attributes: [FileAttributeKey: Any], ofItemAtPath path: String
  ) throws {}
  open func createFile(
    atPath path: String, contents data: Data?, attributes attr: [FileAttributeKey: Any]? = nil
  ) -> Bool { false }
  open func createDirectory(
    at url: URL, withIntermediateDirectories createIntermediates: Bool,
    attributes: [FileAttributeKey: Any]? = nil
  ) throws {}
  open func createDirectory(
    atPath path: String, withIntermediateDirectories createIntermediates: Bool,
    attributes: [FileAttributeKey: Any]? = nil
  ) throws {}
  open func createSymbolicLink(
    atPath path: String, withDestinationPath destPath: String
  ) throws {}
  open func createSymbolicLink(at url: URL, withDestinationURL destURL: URL) throws {}
  open func destinationOfSymbolicLink(atPath path: String) throws -> String { "" }
  open func copyItem(atPath srcPath: String, toPath dstPath: String) throws {}
  open func copyItem(at srcURL: URL, to dstURL: URL) throws {}
  open func linkItem(at srcURL: URL, to dstURL: URL) throws {}
  open func moveItem(atPath srcPath: String, toPath dstPath: String) throws {}
  open func moveItem(at srcURL: URL, to dstURL: URL) throws {}
  open func removeItem(atPath path: String) throws {}
  open func removeItem(at URL: URL) throws {}
  open func containerURL(
    forSecurityApplicationGroupIdentifier groupIdentifier: String
  ) -> URL? { nil }
}

open class FileHandle: NSObject, @unchecked Sendable {
  open class var standardError: FileHandle { fatalError() }
  public init?(forWritingAtPath path: String) { nil }
  public init(forWritingTo url: URL) throws {}
  public init(forUpdating url: URL) throws {}
  open func write(_ data: Data) {}
  public func write<T: Collection>(contentsOf data: T) throws where T.Element == UInt8 {}
  public func seek(toOffset offset: UInt64) throws {}
  @discardableResult public func seekToEnd() throws -> UInt64 { 0 }
  public func truncate(atOffset offset: UInt64) throws {}
  public func synchronize() throws {}
  public func close() throws {}
}

open class Bundle: NSObject, @unchecked Sendable {
  open class var main: Bundle { fatalError() }
  open var bundlePath: String { "" }
}

open class Thread: NSObject, @unchecked Sendable {
  public init(block: @escaping @Sendable () -> Void) {}
  open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
  open class func sleep(forTimeInterval ti: TimeInterval) {}
  open var isFinished: Bool { false }
  open var stackSize: Int {
    get { 0 }
    set {}
  }
  open func start() {}
}
