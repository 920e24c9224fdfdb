import LedgerJSON

/// Indented JSON, one member per line.
enum PrettyJSON {
  static func lines(_ value: JSONValue) -> [String] {
    switch value {
    case .object(let object) where !object.isEmpty:
      let members = object.members.map { member in
        (JSONValue.string(member.name).serialized + ": ", member.value)
      }
      return ["{"] + inner(members) + ["}"]
    case .array(let values) where !values.isEmpty:
      return ["["] + inner(values.map { ("", $0) }) + ["]"]
    case .null, .bool, .number, .string, .array, .object: return [value.serialized]
    }
  }

  private static func inner(_ parts: [(name: String, value: JSONValue)]) -> [String] {
    parts.enumerated().flatMap { index, part in
      var lines = lines(part.value)
      lines[0] = part.name + lines[0]
      if index + 1 < parts.count { lines[lines.count - 1] += "," }
      return lines.map { "  " + $0 }
    }
  }
}
