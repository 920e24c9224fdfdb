/// Why bytes are not accepted as JSON, and where.
///
/// The rules are those of RFC 8259, plus: no duplicate members, no lone surrogates, bounded depth
/// and, in a log, bounded numbers.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: UInt8, Hashable, Sendable {
    case unexpectedEnd
    case unexpectedByte
    case invalidUTF8
    case loneSurrogate
    case badEscape
    case controlCharacter
    case badNumber
    case numberTooLarge
    case tooManyDigits
    case duplicateMember
    case tooDeep
    case trailingBytes
  }

  public var reason: Reason
  /// The offset of the error from the start of the scanned text.
  public var offsetBytes: Int

  @inlinable
  public init(_ reason: Reason, at offsetBytes: Int) {
    self.reason = reason
    self.offsetBytes = offsetBytes
  }

  public var description: String { "\(reason.sentence) at byte \(offsetBytes)" }
}

extension JSONError.Reason {
  public var sentence: String {
    switch self {
    case .unexpectedEnd: "the JSON ends too early"
    case .unexpectedByte: "unexpected byte in the JSON"
    case .invalidUTF8: "invalid UTF-8"
    case .loneSurrogate: "a lone surrogate in an escape"
    case .badEscape: "invalid escape"
    case .controlCharacter: "a control character inside a string"
    case .badNumber: "not a JSON number"
    case .numberTooLarge: "a number outside ±1e15"
    case .tooManyDigits: "a number with more than 15 significant digits"
    case .duplicateMember: "duplicate member in an object"
    case .tooDeep: "nesting deeper than allowed"
    case .trailingBytes: "unexpected bytes after the JSON"
    }
  }
}

/// The strictness of a reader.
public struct JSONRules: Hashable, Sendable {
  /// The most levels of objects and arrays, including the outermost.
  public var maximumDepth: Int
  /// Whether numbers must be within ±1e15 and have at most 15 significant digits, so that all
  /// readers that use doubles get the same value.
  public var boundsNumbers: Bool
  /// Whether white space is allowed outside strings.
  public var allowsWhiteSpace: Bool

  @inlinable
  public init(maximumDepth: Int, boundsNumbers: Bool, allowsWhiteSpace: Bool = true) {
    self.maximumDepth = maximumDepth
    self.boundsNumbers = boundsNumbers
    self.allowsWhiteSpace = allowsWhiteSpace
  }

  /// The rules for `data` in a stored line.
  public static let log = JSONRules(maximumDepth: 8, boundsNumbers: true, allowsWhiteSpace: false)
  /// The rules for an incoming edit: `data` is one level deeper and white space is allowed.
  public static let edit = JSONRules(maximumDepth: 9, boundsNumbers: true)
  /// The rules for network messages: any finite number, deeper nesting.
  public static let wire = JSONRules(maximumDepth: 32, boundsNumbers: false)
}
