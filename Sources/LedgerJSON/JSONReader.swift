extension JSONValue {
  /// Reads exactly one value; white space around it is allowed if `rules` allow it.
  package init(parsing bytes: [UInt8], rules: JSONRules = .wire) throws(JSONError) {
    self = try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
      try JSONReader.document(in: UnsafeRawBufferPointer(buffer).bytes, rules: rules)
    }
  }

  package init(parsing text: String, rules: JSONRules = .wire) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), rules: rules)
  }

  /// Reads the body of an answer: a byte order mark is skipped, and lone surrogates, which some
  /// servers send of a text that was cut, become U+FFFD.
  package init(parsingAnswer body: [UInt8]) throws(JSONError) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let body = body.starts(with: mark) ? Array(body.dropFirst(mark.count)) : body
    do throws(JSONError) {
      try self.init(parsing: body)
    } catch {
      guard error.reason == .loneSurrogate else { throw error }
      try self.init(parsing: JSONReader.replacingLoneSurrogates(in: body))
    }
  }
}

/// Reads values strictly.
package enum JSONReader {
  /// Replaces escapes of lone surrogates by `\ufffd`, which is as long.
  fileprivate static func replacingLoneSurrogates(in bytes: [UInt8]) -> [UInt8] {
    var replaced = bytes
    var position = 0
    bytes.withUnsafeBytes { buffer in
      while let start = buffer[position...].firstIndex(of: UInt8(ascii: "\\")) {
        position = start
        do throws(JSONError) {
          _ = try JSONScanner.escape(in: buffer.bytes, at: &position)
        } catch {
          position = min(start + 2, buffer.count)
          guard error.reason == .loneSurrogate else { continue }
          replaced.replaceSubrange(start..<start + 6, with: #"\ufffd"#.utf8)
          position = start + 6
        }
      }
    }
    return replaced
  }

  /// Reads a value that fills all the bytes.
  static func document(
    in bytes: RawSpan, rules: JSONRules
  ) throws(JSONError) -> JSONValue {
    var position = 0
    let value = try value(in: bytes, at: &position, depth: 0, rules: rules)
    if rules.allowsWhiteSpace { JSONScanner.skipWhiteSpace(in: bytes, at: &position) }
    guard position == bytes.byteCount else { throw JSONError(.trailingBytes, at: position) }
    return value
  }

  private static func value(
    in bytes: RawSpan, at position: inout Int, depth: Int, rules: JSONRules
  ) throws(JSONError) -> JSONValue {
    if rules.allowsWhiteSpace { JSONScanner.skipWhiteSpace(in: bytes, at: &position) }
    guard position < bytes.byteCount else { throw JSONError(.unexpectedEnd, at: position) }
    switch bytes.byte(position) {
    case UInt8(ascii: "{"):
      return .object(try object(in: bytes, at: &position, depth: depth, rules: rules))
    case UInt8(ascii: "["):
      return .array(try array(in: bytes, at: &position, depth: depth, rules: rules))
    case UInt8(ascii: "\""):
      return .string(try text(in: bytes, at: &position))
    case UInt8(ascii: "t"):
      try JSONScanner.literal("true", in: bytes, at: &position)
      return .bool(true)
    case UInt8(ascii: "f"):
      try JSONScanner.literal("false", in: bytes, at: &position)
      return .bool(false)
    case UInt8(ascii: "n"):
      try JSONScanner.literal("null", in: bytes, at: &position)
      return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return .number(
        try JSONScanner.number(in: bytes, at: &position, bounded: rules.boundsNumbers))
    default: throw JSONError(.unexpectedByte, at: position)
    }
  }

  /// Reads the object that starts at `position`.
  package static func object(
    in bytes: RawSpan, at position: inout Int, depth: Int = 0, rules: JSONRules
  ) throws(JSONError) -> JSONObject {
    guard depth < rules.maximumDepth else { throw JSONError(.tooDeep, at: position) }
    try JSONScanner.expect(UInt8(ascii: "{"), in: bytes, at: &position)
    var members = MemberList()
    if rules.allowsWhiteSpace { JSONScanner.skipWhiteSpace(in: bytes, at: &position) }
    if JSONScanner.peek(UInt8(ascii: "}"), in: bytes, at: position) {
      position += 1
      return JSONObject()
    }
    while true {
      if rules.allowsWhiteSpace { JSONScanner.skipWhiteSpace(in: bytes, at: &position) }
      let start = position
      let name = try text(in: bytes, at: &position)
      if rules.allowsWhiteSpace { JSONScanner.skipWhiteSpace(in: bytes, at: &position) }
      try JSONScanner.expect(UInt8(ascii: ":"), in: bytes, at: &position)
      let value = try value(in: bytes, at: &position, depth: depth + 1, rules: rules)
      guard members.append(name, value) else { throw JSONError(.duplicateMember, at: start) }
      if rules.allowsWhiteSpace { JSONScanner.skipWhiteSpace(in: bytes, at: &position) }
      if JSONScanner.peek(UInt8(ascii: ","), in: bytes, at: position) {
        position += 1
        continue
      }
      try JSONScanner.expect(UInt8(ascii: "}"), in: bytes, at: &position)
      return JSONObject(members: members.members)
    }
  }

  private static func array(
    in bytes: RawSpan, at position: inout Int, depth: Int, rules: JSONRules
  ) throws(JSONError) -> [JSONValue] {
    guard depth < rules.maximumDepth else { throw JSONError(.tooDeep, at: position) }
    try JSONScanner.expect(UInt8(ascii: "["), in: bytes, at: &position)
    var values: [JSONValue] = []
    if rules.allowsWhiteSpace { JSONScanner.skipWhiteSpace(in: bytes, at: &position) }
    if JSONScanner.peek(UInt8(ascii: "]"), in: bytes, at: position) {
      position += 1
      return values
    }
    while true {
      values.append(try value(in: bytes, at: &position, depth: depth + 1, rules: rules))
      if rules.allowsWhiteSpace { JSONScanner.skipWhiteSpace(in: bytes, at: &position) }
      if JSONScanner.peek(UInt8(ascii: ","), in: bytes, at: position) {
        position += 1
        continue
      }
      try JSONScanner.expect(UInt8(ascii: "]"), in: bytes, at: &position)
      return values
    }
  }

  /// Reads the string whose opening quote is at `position`, and decodes its escapes.
  private static func text(in bytes: RawSpan, at position: inout Int) throws(JSONError) -> String {
    let start = position + 1
    let escaped = try JSONScanner.string(in: bytes, at: &position)
    let end = position - 1
    guard escaped else {
      return bytes.extracting(start..<end).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(end - start)
    var index = start
    while index < end {
      let byte = bytes.byte(index)
      if byte == UInt8(ascii: "\\") {
        let scalar = try JSONScanner.escape(in: bytes, at: &index)
        decoded.append(contentsOf: UTF8.encode(scalar)!)
      } else {
        decoded.append(byte)
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}

/// The members read so far, without duplicates. Few names are compared linearly, many through a
/// set, so that a hostile object with ten thousand members takes linear time.
private struct MemberList {
  private(set) var members: [JSONObject.Member] = []
  private var seen: Set<[UInt8]> = []

  mutating func append(_ name: String, _ value: JSONValue) -> Bool {
    if members.count < 16 {
      if members.contains(where: { $0.name.hasBytes(of: name) }) { return false }
    } else {
      if seen.isEmpty { seen = Set(members.map { Array($0.name.utf8) }) }
      if !seen.insert(Array(name.utf8)).inserted { return false }
    }
    members.append(.init(name: name, value: value))
    return true
  }
}

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
