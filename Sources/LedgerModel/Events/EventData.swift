public import LedgerJSON

/// The `data` of an event type; reading and writing describe its members, their types and order.
public protocol EventData: Hashable, Sendable {
  static var kind: EventKind { get }
  /// Members that this version does not know; they are written after the known ones.
  var unknown: JSONObject { get set }

  init(from members: inout MemberReader) throws(EventError)
  func write(to members: inout MemberWriter)
}

extension EventData {
  /// Reads `data`, including unknown members.
  public init(data: JSONObject) throws(EventError) {
    var members = MemberReader(data, type: Self.kind.rawValue)
    try self.init(from: &members)
    unknown = members.rest
  }

  /// The canonical `data`: known members in the order of docs/log-format.md, then the unknown ones.
  public var data: JSONObject {
    var members = MemberWriter()
    putAll(into: &members)
    return members.values()
  }

  func putAll(into members: inout MemberWriter) {
    write(to: &members)
    members.put(unknown: unknown)
  }

  /// ``data`` without unknown members.
  var knownData: JSONObject {
    var members = MemberWriter()
    write(to: &members)
    return members.values()
  }
}

/// Why the `data` of an event is not valid.
public struct EventError: Error, Hashable, Sendable, CustomStringConvertible {
  public var type: String
  public var problem: String

  public init(type: String, problem: String) {
    self.type = type
    self.problem = problem
  }

  public var description: String { "\(type): \(problem)" }
}

/// A type of a member of `data`.
public protocol MemberValue: Sendable {
  /// Describes valid values in error messages, such as `a number`.
  static var expectation: String { get }
  init?(json: JSONValue)
  var json: JSONValue { get }
  /// Writes the same bytes as ``json``, if possible without creating it.
  func write(into bytes: inout ByteSink)
}

extension MemberValue {
  public func write(into bytes: inout ByteSink) { json.write(into: &bytes) }
}

extension JSONObject {
  /// The members in order, without those that are `nil`.
  package init(_ members: KeyValuePairs<String, (any MemberValue)?>) {
    self.init(
      members: members.compactMap { name, value in
        value.map { Member(name: name, value: $0.json) }
      })
  }
}

extension JSONValue {
  /// For members that are `null` where they have no value.
  package static func orNull(_ value: (any MemberValue)?) -> JSONValue { value?.json ?? .null }
}

/// A change to a field that can be cleared.
public enum FieldChange<Value: MemberValue & Hashable>: Hashable, Sendable {
  case set(Value)
  case clear

  /// `nil` for ``clear``.
  public var value: Value? { if case .set(let value) = self { value } else { nil } }
}

/// Removes known members from `data` as they are read; the rest is unknown and is preserved.
public struct MemberReader {
  public private(set) var rest: JSONObject
  public let type: String

  public init(_ data: JSONObject, type: String) {
    rest = data
    self.type = type
  }

  public mutating func optional<Value: MemberValue>(
    _ name: String, as _: Value.Type = Value.self
  ) throws(EventError) -> Value? {
    guard let json = rest[name] else { return nil }
    guard let value = Value(json: json) else { throw wrong(name, json, Value.expectation) }
    rest[name] = nil
    return value
  }

  public mutating func required<Value: MemberValue>(
    _ name: String, as _: Value.Type = Value.self
  ) throws(EventError) -> Value {
    guard let value = try optional(name, as: Value.self) else {
      throw EventError(type: type, problem: "'\(name)' is missing; it must be \(Value.expectation)")
    }
    return value
  }

  /// A member whose `null` clears the field; a missing member leaves it unchanged.
  public mutating func change<Value: MemberValue>(
    _ name: String
  ) throws(EventError) -> FieldChange<Value>? {
    if rest[name] == .null {
      rest[name] = nil
      return .clear
    }
    return try optional(name).map { .set($0) }
  }

  /// `time` and `zone`, both or neither.
  public mutating func zonedTime() throws(EventError) -> ZonedTime? {
    let time: ClockTime? = try optional("time")
    let zone: ZoneOffset? = try optional("zone")
    switch (time, zone) {
    case (nil, nil): return nil
    case (let time?, let zone?): return ZonedTime(time: time, zone: zone)
    case (nil, _?): throw EventError(type: type, problem: "'zone' without 'time'")
    case (_?, nil): throw EventError(type: type, problem: "'time' without 'zone'")
    }
  }

  private func wrong(_ name: String, _ json: JSONValue, _ expectation: String) -> EventError {
    let shown = json.serialized
    let short = shown.count > 60 ? shown.prefix(59) + "…" : shown[...]
    return EventError(type: type, problem: "'\(name)' is \(short); it must be \(expectation)")
  }
}

/// Collects members in the order of docs/log-format.md, as values or directly as JSON text, so that
/// an event type describes its members once for both.
public struct MemberWriter: ~Copyable {
  private let writesText: Bool
  private var object = JSONObject()
  private var bytes: ByteSink
  private let start: Int

  /// Collects values.
  init() {
    writesText = false
    bytes = ByteSink(capacity: 0)
    start = 0
  }

  /// Appends text to `bytes`.
  init(appendingTo bytes: consuming ByteSink) {
    writesText = true
    start = bytes.count
    self.bytes = bytes
  }

  consuming func values() -> JSONObject { object }

  /// The bytes, with the complete object appended.
  consuming func text() -> ByteSink {
    // Every member starts with a comma; the brace replaces the first one.
    if bytes.count == start {
      bytes.append(UInt8(ascii: "{"))
    } else {
      bytes.replaceByte(at: start, by: UInt8(ascii: "{"))
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  @inline(__always)
  public mutating func put(_ name: StaticString, _ value: (some MemberValue)?) {
    guard let value else { return }
    if writesText {
      bytes.append(",\"")
      bytes.append(name)
      bytes.append("\":")
      value.write(into: &bytes)
    } else {
      object.members.append(.init(name: name.description, value: value.json))
    }
  }

  public mutating func put<Value: MemberValue>(_ name: StaticString, change: FieldChange<Value>?) {
    switch change {
    case nil: break
    case .clear: put(name, JSONValue.null)
    case .set(let value): put(name, value)
    }
  }

  public mutating func put(_ moment: ZonedTime?) {
    put("time", moment?.time)
    put("zone", moment?.zone)
  }

  mutating func put(unknown: JSONObject) {
    guard writesText else {
      object.members += unknown.members
      return
    }
    for member in unknown.members {
      bytes.append(UInt8(ascii: ","))
      JSONText.write(member.name, into: &bytes)
      bytes.append(UInt8(ascii: ":"))
      member.value.write(into: &bytes)
    }
  }
}

// MARK: - Types of members

extension String: MemberValue {
  public static var expectation: String { "a string" }
  public init?(json: JSONValue) {
    guard let text = json.string else { return nil }
    self = text
  }
  public var json: JSONValue { .string(self) }
  public func write(into bytes: inout ByteSink) { JSONText.write(self, into: &bytes) }
}

extension Bool: MemberValue {
  public static var expectation: String { "true or false" }
  public init?(json: JSONValue) {
    guard let value = json.bool else { return nil }
    self = value
  }
  public var json: JSONValue { .bool(self) }
}

extension Double: MemberValue {
  public static var expectation: String { "a number" }
  public init?(json: JSONValue) {
    guard let number = json.number else { return nil }
    self = number
  }
  public var json: JSONValue { .number(self) }
  public func write(into bytes: inout ByteSink) { JSONNumber.write(self, into: &bytes) }
}

extension Int: MemberValue {
  public static var expectation: String { "a whole number" }
  public init?(json: JSONValue) {
    guard let integer = json.integer else { return nil }
    self = integer
  }
  public var json: JSONValue { .number(Double(self)) }
}

extension Seq: MemberValue {
  public static var expectation: String { "a seq, a whole number from 1" }
  public init?(json: JSONValue) {
    guard let integer = json.integer else { return nil }
    self.init(exactly: integer)
  }
  public var json: JSONValue { .number(Double(number)) }
}

extension JSONValue: MemberValue {
  public static var expectation: String { "a JSON value" }
  public init?(json: JSONValue) { self = json }
  public var json: JSONValue { self }
}

extension JSONObject: MemberValue {
  public static var expectation: String { "an object" }
  public init?(json: JSONValue) {
    guard let object = json.object else { return nil }
    self = object
  }
  public var json: JSONValue { .object(self) }
}

extension Array: MemberValue where Element: MemberValue {
  public static var expectation: String { "a list whose every item is \(Element.expectation)" }
  public init?(json: JSONValue) {
    guard let values = json.array else { return nil }
    self = []
    reserveCapacity(values.count)
    for value in values {
      guard let element = Element(json: value) else { return nil }
      append(element)
    }
  }
  public var json: JSONValue { .array(map(\.json)) }

  public func write(into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "["))
    for index in indices {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      self[index].write(into: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }
}

/// A value that is a JSON string.
public protocol TextualMemberValue: MemberValue {
  init?(text: String)
  var text: String { get }
}

extension TextualMemberValue {
  public init?(json: JSONValue) {
    guard let text = json.string else { return nil }
    self.init(text: text)
  }
  public var json: JSONValue { .string(text) }
  public func write(into bytes: inout ByteSink) { JSONText.write(text, into: &bytes) }
}

extension TextualMemberValue where Self: PlainText {
  public var text: String { description }

  public func write(into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "\""))
    appendText(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}

extension TextualMemberValue where Self: RawRepresentable, RawValue == String {
  public init?(text: String) { self.init(rawValue: text) }
  public var text: String { rawValue }
}

extension TextualMemberValue where Self: CaseIterable & RawRepresentable, RawValue == String {
  public static var expectation: String {
    "one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
  }
}

extension TextualMemberValue where Self: UUIDIdentifier {
  public static var expectation: String { "a UUID in lower case" }
  public init?(text: String) { self.init(text) }
}

extension EntryID: TextualMemberValue {}
extension CallID: TextualMemberValue {}
extension LedgerID: TextualMemberValue {}

extension CalendarDate: TextualMemberValue {
  public static var expectation: String { "a calendar date, YYYY-MM-DD" }
  public init?(text: String) { self.init(text) }
}

extension ClockTime: TextualMemberValue {
  public static var expectation: String { "a time, HH:MM:SS" }
  public init?(text: String) { self.init(text) }
}

extension ZoneOffset: TextualMemberValue {
  public static var expectation: String { "an offset from UTC, such as +02:00" }
  public init?(text: String) { self.init(text) }
}

extension Timestamp: TextualMemberValue {
  public static var expectation: String { "an instant, YYYY-MM-DDTHH:MM:SS.mmmZ" }
  public init?(text: String) { self.init(rfc3339: text) }
}

extension Metric: TextualMemberValue {
  public static var expectation: String {
    "one of " + allCases.map(\.name).joined(separator: ", ")
  }
  public init?(text: String) { self.init(name: text) }
  public var text: String { name }
}

extension BackendID: TextualMemberValue {
  public static var expectation: String { "the backend's id, a string that is not empty" }
  public init?(text: String) { self.init(text) }
}
