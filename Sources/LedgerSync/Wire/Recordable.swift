import LedgerJSON
import LedgerLog
import LedgerModel

// A line of the log holds less than an answer may: fewer digits, less depth, fewer bytes. Such values
// must be detected before they are recorded, or every run would fail at the same answer.

extension BackendID {
  /// Ids of real backends are far shorter.
  private static let mostBytes = 1024

  /// Above it, several integers are one `Double`: two rows would have one id.
  private static let largestInteger = 1 << 53 - 1

  /// Takes a whole number, too, which some backends use.
  ///
  /// - Returns: `nil` if it is no id, too long, too large to be exact, or would name another path in a URL.
  init?(answered json: JSONValue) {
    let integer = json.integer.flatMap { $0.magnitude <= Self.largestInteger ? $0 : nil }
    self.init(json: integer.map { .string("\($0)") } ?? json)
    guard text.utf8.count <= Self.mostBytes, text != ".", text != ".." else { return nil }
  }
}

extension JSONObject {
  /// The object as the log can hold it, with numbers of 15 digits.
  ///
  /// - Returns: `nil` if a number is too large, or the object too deep or too long.
  var recordable: JSONObject? {
    let value = JSONValue.object(self).rounded
    // Leaves a quarter of the line to the rest of the event, and one level to its `data`.
    var rules = JSONRules.log
    rules.maximumDepth -= 1
    let text = value.serialized
    guard text.utf8.count <= LogFormat.longestLineBytes * 3 / 4,
      (try? JSONValue(parsing: text, rules: rules)) != nil
    else { return nil }
    return value.object
  }
}

extension JSONValue {
  /// The value as an event can hold it next to others; if too long, too deep or too large, an object with
  /// the start of its text, which no field can have.
  var shortened: JSONValue {
    let text = serialized
    if text.utf8.count <= 8_192,
      let value = JSONObject(members: [.init(name: "value", value: self)]).recordable?["value"]
    {
      return value
    }
    return .object(["shortened": .string(String(text.unicodeScalars.prefix(200)))])
  }

  /// With numbers of 15 digits where possible. Recursion is limited by the depth of parsed answers.
  var rounded: JSONValue {
    switch self {
    case .number(let number): .number(JSONNumber.writable(number) ?? number)
    case .array(let values): .array(values.map(\.rounded))
    case .object(let object):
      .object(
        JSONObject(members: object.members.map { .init(name: $0.name, value: $0.value.rounded) }))
    case .null, .bool, .string: self
    }
  }
}
