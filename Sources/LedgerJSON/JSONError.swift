/// Why bytes are not the JSON this project accepts, and where.
///
/// The rules are RFC 8259's, made stricter by the log format: no duplicate members, no lone
/// surrogates, bounded depth and, in a log, bounded numbers.
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
  /// Where it was noticed, in bytes from the start of the text that was scanned.
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
    case .badEscape: "an escape that JSON does not have"
    case .controlCharacter: "a control character inside a string"
    case .badNumber: "not a JSON number"
    case .numberTooLarge: "a number outside ±1e15"
    case .tooManyDigits: "a number with more than 15 significant digits"
    case .duplicateMember: "a member that stands twice in one object"
    case .tooDeep: "nesting deeper than allowed"
    case .trailingBytes: "something after the end of the JSON"
    }
  }
}

/// How strict a reading is.
public struct JSONRules: Hashable, Sendable {
  /// How many objects and arrays may stand inside each other, the outermost counted.
  public var maximumDepth: Int
  /// Whether numbers must lie within ±1e15 and have at most 15 significant digits, so that every
  /// reader that uses doubles reads the same value.
  public var boundsNumbers: Bool
  /// Whether white space may stand outside strings.
  public var allowsWhiteSpace: Bool

  @inlinable
  public init(maximumDepth: Int, boundsNumbers: Bool, allowsWhiteSpace: Bool = true) {
    self.maximumDepth = maximumDepth
    self.boundsNumbers = boundsNumbers
    self.allowsWhiteSpace = allowsWhiteSpace
  }

  /// The rules for `data` in a stored line.
  public static let log = JSONRules(maximumDepth: 8, boundsNumbers: true, allowsWhiteSpace: false)
  /// The rules for an edit on its way in: `data` stands one level deeper, people may space it.
  public static let edit = JSONRules(maximumDepth: 9, boundsNumbers: true)
  /// The rules for what a peer sends: any finite number, deeper nesting.
  public static let wire = JSONRules(maximumDepth: 32, boundsNumbers: false)
}
