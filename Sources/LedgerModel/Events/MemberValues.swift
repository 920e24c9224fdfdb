public import LedgerJSON

extension String: MemberValue {
  public static var expectation: String { "a string" }
  public init?(json: JSONValue) {
    guard let text = json.string else { return nil }
    self = text
  }
  public var json: JSONValue { .string(self) }
  public func write(into bytes: inout ByteSink) { JSONText.write(self, into: &bytes) }
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

/// What is written as text and read back from exactly that text.
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
  public static var expectation: String { "a date of the calendar, YYYY-MM-DD" }
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
