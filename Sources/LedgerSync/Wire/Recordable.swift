import LedgerJSON
import LedgerLog
import LedgerModel

// What a backend says is recorded, and a log's line holds less than an answer may: fewer digits,
// less depth, an end. What cannot be recorded must be noticed before it is, or a run would end at the
// same answer each time.

extension BackendID {
  /// The most that is taken for an id; those of real backends are far shorter.
  private static let mostBytes = 1024

  /// - Returns: `nil` for what is no id, or none that a log can hold.
  init?(answered json: JSONValue) {
    self.init(json: json)
    guard text.utf8.count <= Self.mostBytes else { return nil }
  }
}

extension JSONObject {
  /// With its numbers as a log holds them, to 15 digits.
  ///
  /// - Returns: `nil` where a log cannot hold it: a number too large, too deep, too long.
  var recordable: JSONObject? {
    let value = JSONValue.object(self).rounded
    // A quarter of a line is left to the rest of the event. The event's `data` is one level above.
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
  /// The value as an event may record it beside others; one that is too long, too deep or too large
  /// becomes the start of its text.
  var shortened: JSONValue {
    let text = serialized
    if text.utf8.count <= 8_192,
      let value = JSONObject(members: [.init(name: "value", value: self)]).recordable?["value"]
    {
      return value
    }
    return .string(String(text.unicodeScalars.prefix(200)))
  }

  /// Numbers that cannot be rounded stay as they are. It goes no deeper than answers are read.
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
