public import LedgerJSON

/// The `data` of an event type; reading and writing describe its members, their types and order.
package protocol EventData: Hashable, Sendable {
  static var kind: EventKind { get }
  /// Members that this version does not know; they are written after the known ones.
  var unknown: JSONObject { get set }

  init(from members: inout MemberReader) throws(EventError)
  func write(to members: inout MemberWriter)
}

extension EventData {
  /// Reads `data`, including unknown members.
  package init(data: JSONObject) throws(EventError) {
    var members = MemberReader(data, type: Self.kind.rawValue)
    try self.init(from: &members)
    unknown = members.rest
  }

  /// The canonical `data`: known members in the order of docs/log-format.md, then the unknown ones.
  package var data: JSONObject {
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
package struct EventError: Error, Hashable, Sendable, CustomStringConvertible {
  package var type: String
  package var problem: String

  package init(type: String, problem: String) {
    self.type = type
    self.problem = problem
  }

  package var description: String { "\(type): \(problem)" }
}

/// A type of a member of `data`.
package protocol MemberValue: Sendable {
  /// Describes valid values in error messages, such as `a number`.
  static var expectation: String { get }
  init?(json: JSONValue)
  var json: JSONValue { get }
  /// Writes the same bytes as ``json``, if possible without creating it.
  func write(into bytes: inout ByteSink)
}

extension MemberValue {
  package func write(into bytes: inout ByteSink) { json.write(into: &bytes) }
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
public enum FieldChange<Value: Hashable & Sendable>: Hashable, Sendable {
  /// Sets the field, within the limits of its metric or profile field.
  case set(Value)
  /// Removes the value.
  case clear

  /// `nil` for ``clear``.
  public var value: Value? { if case .set(let value) = self { value } else { nil } }
}

/// Notes which members of `data` are read; the rest is unknown and is preserved.
package struct MemberReader {
  private let data: JSONObject
  package let type: String
  /// The places of the members that were read, of the first 64 as bits: mostly there are no others.
  private var readPlaces: UInt64 = 0
  private var laterPlaces: Set<Int> = []

  package init(_ data: JSONObject, type: String) {
    self.data = data
    self.type = type
  }

  /// The members that were not read.
  package var rest: JSONObject {
    guard readPlaces.nonzeroBitCount + laterPlaces.count < data.members.count
    else { return JSONObject() }
    return JSONObject(
      members: data.members.indices.filter { !isRead($0) }.map { data.members[$0] })
  }

  private func isRead(_ place: Int) -> Bool {
    place < 64 ? readPlaces & (1 << place) != 0 : laterPlaces.contains(place)
  }

  private mutating func read(_ name: String) -> JSONValue? {
    guard let place = data.place(of: name) else { return nil }
    if place < 64 { readPlaces |= 1 << place } else { laterPlaces.insert(place) }
    return data.members[place].value
  }

  package mutating func optional<Value: MemberValue>(
    _ name: String, as _: Value.Type = Value.self
  ) throws(EventError) -> Value? {
    guard let json = read(name) else { return nil }
    guard let value = Value(json: json) else { throw wrong(name, json, Value.expectation) }
    return value
  }

  package mutating func required<Value: MemberValue>(
    _ name: String, as _: Value.Type = Value.self
  ) throws(EventError) -> Value {
    guard let value = try optional(name, as: Value.self) else {
      throw EventError(type: type, problem: "'\(name)' is missing; it must be \(Value.expectation)")
    }
    return value
  }

  /// A member whose `null` clears the field; a missing member leaves it unchanged.
  package mutating func change<Value: MemberValue>(
    _ name: String
  ) throws(EventError) -> FieldChange<Value>? {
    if data[name]?.isNull == true {
      _ = read(name)
      return .clear
    }
    return try optional(name).map { .set($0) }
  }

  /// `time` and `zone`, both or neither.
  package mutating func zonedTime() throws(EventError) -> ZonedTime? {
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
package struct MemberWriter: ~Copyable {
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
  package mutating func put(_ name: StaticString, _ value: (some MemberValue)?) {
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

  package mutating func put<Value: MemberValue>(_ name: StaticString, change: FieldChange<Value>?) {
    switch change {
    case nil: break
    case .clear: put(name, JSONValue.null)
    case .set(let value): put(name, value)
    }
  }

  package mutating func put(_ moment: ZonedTime?) {
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
  package static var expectation: String { "a string" }
  package init?(json: JSONValue) {
    guard let text = json.string else { return nil }
    self = text
  }
  package var json: JSONValue { .string(self) }
  package func write(into bytes: inout ByteSink) { JSONText.write(self, into: &bytes) }
}

extension Bool: MemberValue {
  package static var expectation: String { "true or false" }
  package init?(json: JSONValue) {
    guard let value = json.bool else { return nil }
    self = value
  }
  package var json: JSONValue { .bool(self) }
}

extension Double: MemberValue {
  package static var expectation: String { "a number" }
  package init?(json: JSONValue) {
    guard let number = json.number else { return nil }
    self = number
  }
  package var json: JSONValue { .number(self) }
  package func write(into bytes: inout ByteSink) { JSONNumber.write(self, into: &bytes) }
}

extension Int: MemberValue {
  package static var expectation: String { "a whole number" }
  package init?(json: JSONValue) {
    guard let integer = json.integer else { return nil }
    self = integer
  }
  package var json: JSONValue { .number(Double(self)) }
}

extension Seq: MemberValue {
  package static var expectation: String { "a seq, a whole number from 1" }
  package init?(json: JSONValue) {
    guard let integer = json.integer else { return nil }
    self.init(exactly: integer)
  }
  package var json: JSONValue { .number(Double(number)) }
}

extension JSONValue: MemberValue {
  package static var expectation: String { "a JSON value" }
  package init?(json: JSONValue) { self = json }
  package var json: JSONValue { self }
}

extension JSONObject: MemberValue {
  package static var expectation: String { "an object" }
  package init?(json: JSONValue) {
    guard let object = json.object else { return nil }
    self = object
  }
  package var json: JSONValue { .object(self) }
}

extension Array: MemberValue where Element: MemberValue {
  package static var expectation: String { "a list whose every item is \(Element.expectation)" }
  package init?(json: JSONValue) {
    guard let values = json.array else { return nil }
    self = []
    reserveCapacity(values.count)
    for value in values {
      guard let element = Element(json: value) else { return nil }
      append(element)
    }
  }
  package var json: JSONValue { .array(map(\.json)) }

  package func write(into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "["))
    for index in indices {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      self[index].write(into: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }
}

/// A value that is a JSON string.
package protocol TextualMemberValue: MemberValue {
  init?(text: String)
  var text: String { get }
}

extension TextualMemberValue {
  package init?(json: JSONValue) {
    guard let text = json.string else { return nil }
    self.init(text: text)
  }
  package var json: JSONValue { .string(text) }
  package func write(into bytes: inout ByteSink) { JSONText.write(text, into: &bytes) }
}

extension TextualMemberValue where Self: PlainText {
  package var text: String { description }

  package func write(into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "\""))
    appendText(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}

extension TextualMemberValue where Self: RawRepresentable, RawValue == String {
  package init?(text: String) { self.init(rawValue: text) }
  package var text: String { rawValue }
}

extension TextualMemberValue where Self: CaseIterable & RawRepresentable, RawValue == String {
  package static var expectation: String {
    "one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
  }
}

extension TextualMemberValue where Self: UUIDIdentifier {
  package static var expectation: String { "a UUID in lower case" }
  package init?(text: String) { self.init(text) }
}

extension EntryID: TextualMemberValue {}
extension CallID: TextualMemberValue {}
extension LedgerID: TextualMemberValue {}

extension CalendarDate: TextualMemberValue {
  package static var expectation: String { "a calendar date, YYYY-MM-DD" }
  package init?(text: String) { self.init(text) }
}

extension ClockTime: TextualMemberValue {
  package static var expectation: String { "a time, HH:MM:SS" }
  package init?(text: String) { self.init(text) }
}

extension ZoneOffset: TextualMemberValue {
  package static var expectation: String { "an offset from UTC, such as +02:00" }
  package init?(text: String) { self.init(text) }
}

extension Timestamp: TextualMemberValue {
  package static var expectation: String { "an instant, YYYY-MM-DDTHH:MM:SS.mmmZ" }
  package init?(text: String) { self.init(rfc3339: text) }
}

extension Metric: TextualMemberValue {
  package static var expectation: String {
    "one of " + allCases.map(\.name).joined(separator: ", ")
  }
  package init?(text: String) { self.init(name: text) }
  package var text: String { name }
}

extension BackendID: TextualMemberValue {
  package static var expectation: String { "the backend's id, a string that is not empty" }
  package init?(text: String) { self.init(text) }
}
