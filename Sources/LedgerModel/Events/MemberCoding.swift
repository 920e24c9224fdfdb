public import LedgerJSON

/// What can stand as the value of a member of `data`.
public protocol MemberValue: Sendable {
  /// What a right value looks like, for the sentence about a wrong one.
  static var expectation: String { get }
  init?(json: JSONValue)
  var json: JSONValue { get }
  /// Writes the same bytes as ``json`` would, where there is a way without making it.
  func write(into bytes: inout ByteSink)
}

extension MemberValue {
  public func write(into bytes: inout ByteSink) { json.write(into: &bytes) }
}

/// A change to a field that may also be cleared.
public enum FieldChange<Value: MemberValue & Hashable>: Hashable, Sendable {
  /// It has this value now.
  case set(Value)
  /// It has no value any more.
  case clear

  /// `nil` for one that clears.
  public var value: Value? { if case .set(let value) = self { value } else { nil } }
}

/// Takes known members out of `data` one by one; what is left is unknown and is preserved.
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

  /// A member whose `null` clears the field; absent means untouched.
  public mutating func change<Value: MemberValue>(
    _ name: String
  ) throws(EventError) -> FieldChange<Value>? {
    if rest[name] == .null {
      rest[name] = nil
      return .clear
    }
    return try optional(name).map { .set($0) }
  }

  /// `time` and `zone`, which only come together.
  public mutating func zonedTime() throws(EventError) -> ZonedTime? {
    let time: ClockTime? = try optional("time")
    let zone: ZoneOffset? = try optional("zone")
    switch (time, zone) {
    case (nil, nil): return nil
    case (let time?, let zone?): return ZonedTime(time: time, zone: zone)
    case (nil, _?): throw EventError(type: type, problem: "'zone' stands without 'time'")
    case (_?, nil): throw EventError(type: type, problem: "'time' stands without 'zone'")
    }
  }

  private func wrong(_ name: String, _ json: JSONValue, _ expectation: String) -> EventError {
    let shown = json.serialized
    let short = shown.count > 60 ? shown.prefix(59) + "…" : shown[...]
    return EventError(type: type, problem: "'\(name)' is \(short); it must be \(expectation)")
  }
}

/// Puts members down in the order of docs/log-format.md: as values, or as the text that a line holds.
/// Which of the two is nothing that an event type has to know, so that it has one order only.
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

  /// Writes text behind what `bytes` holds.
  init(behind bytes: consuming ByteSink) {
    writesText = true
    start = bytes.count
    self.bytes = bytes
  }

  consuming func values() -> JSONObject { object }

  /// The bytes with a whole object behind them.
  consuming func text() -> ByteSink {
    // Each member begins with a comma, and the first one's place is the brace's.
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

  /// The members that this version does not know.
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
