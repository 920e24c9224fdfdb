public import LedgerJSON

/// What can stand as the value of a member of `data`.
public protocol MemberValue: Sendable {
  /// What a right value looks like, for the sentence about a wrong one.
  static var expectation: String { get }
  init?(json: JSONValue)
  var json: JSONValue { get }
}

/// A change to a field that may also be cleared.
public enum FieldChange<Value: MemberValue & Hashable>: Hashable, Sendable {
  case set(Value)
  case clear

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

/// Puts members down in the order of log-format.md.
public struct MemberWriter {
  public private(set) var object = JSONObject()

  public init() {}

  public mutating func put(_ name: String, _ value: (some MemberValue)?) {
    guard let value else { return }
    object.members.append(.init(name: name, value: value.json))
  }

  public mutating func put<Value: MemberValue>(_ name: String, change: FieldChange<Value>?) {
    switch change {
    case nil: break
    case .clear: object.members.append(.init(name: name, value: .null))
    case .set(let value): put(name, value)
    }
  }

  public mutating func put(_ moment: ZonedTime?) {
    put("time", moment?.time)
    put("zone", moment?.zone)
  }
}
