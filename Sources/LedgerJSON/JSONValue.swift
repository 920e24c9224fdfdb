/// Any JSON value. Numbers are doubles: within the log's bounds (±1e15, 15 significant digits),
/// a double writes back the digits that were read.
public enum JSONValue: Hashable, Sendable {
  /// JSON's `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A finite number.
  case number(Double)
  /// A string, without escapes.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)
}

/// The members of a JSON object in the order they were written.
public struct JSONObject: Hashable, Sendable {
  /// A name with its value.
  public struct Member: Hashable, Sendable {
    /// Without escapes.
    public var name: String
    /// The member's value.
    public var value: JSONValue

    /// A member.
    public init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The members, in their order.
  public var members: [Member]

  /// An object with these members; their names must differ.
  public init(members: [Member] = []) {
    self.members = members
  }

  /// Whether it has no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The value of a member. Setting `nil` removes the member; a new member is appended.
  public subscript(_ name: String) -> JSONValue? {
    get { place(of: name).map { members[$0].value } }
    set {
      switch (place(of: name), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Where a member is; its name is compared by bytes.
  package func place(of name: String) -> Int? {
    members.firstIndex { $0.name.hasBytes(of: name) }
  }
}

extension String {
  /// Swift's `==` is fast, and treats canonically equivalent Unicode strings as equal. What is equivalent to
  /// ASCII text, and no longer, is that text.
  func hasBytes(of other: String) -> Bool {
    guard utf8.count == other.utf8.count, self == other else { return false }
    return other.utf8.allSatisfy { $0 < 0x80 } || utf8.elementsEqual(other.utf8)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    members = elements.map { Member(name: $0.0, value: $0.1) }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(members: elements.map { .init(name: $0.0, value: $0.1) }))
  }
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
  /// The string; `nil` for another value.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The number; `nil` for another value.
  public var number: Double? { if case .number(let value) = self { value } else { nil } }
  /// The truth value; `nil` for another value.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements; `nil` for another value.
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  /// The object; `nil` for another value.
  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
  /// Whether it is `null`.
  public var isNull: Bool { self == .null }

  /// The number, if it is an integer.
  public var integer: Int? { number.flatMap { Int(exactly: $0) } }

  package init(_ integer: Int) { self = .number(Double(integer)) }
}
