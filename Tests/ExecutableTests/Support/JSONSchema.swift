import LedgerJSON

/// The part of JSON Schema that docs/cli.schema.json uses. A keyword that is not known here is a
/// problem, so that no rule goes unchecked.
struct JSONSchema {
  let definitions: JSONObject

  init(_ text: String) throws {
    let schema = try JSONValue(parsing: text).object
    definitions = schema?["$defs"]?.object ?? JSONObject()
  }

  /// - Returns: what is wrong with a value, each with its place; empty for a valid one.
  func problems(of value: JSONValue, as definition: String) -> [String] {
    guard let schema = definitions[definition] else { return ["no definition '\(definition)'"] }
    return problems(value, schema, at: definition)
  }

  private func problems(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
    guard let schema = schema.object else { return ["\(place): the schema is no object"] }
    return schema.members.flatMap { keyword in
      problems(value, keyword.name, keyword.value, schema, at: place)
    }
  }

  private func problems(
    _ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ schema: JSONObject,
    at place: String
  ) -> [String] {
    func check(_ isRight: Bool) -> [String] {
      isRight ? [] : ["\(place): \(value.serialized) fails \(keyword) \(rule.serialized)"]
    }
    switch keyword {
    case "$ref":
      let name = String((rule.string ?? "").dropFirst("#/$defs/".count))
      guard let target = definitions[name] else { return ["\(place): no definition '\(name)'"] }
      return problems(value, target, at: place)
    case "anyOf":
      let choices = (rule.array ?? []).map { problems(value, $0, at: place) }
      return choices.contains(where: \.isEmpty)
        ? [] : choices.min { $0.count < $1.count } ?? check(false)
    case "type": return check(Self.isOf(value, rule.string ?? ""))
    case "enum": return check((rule.array ?? []).contains(value))
    case "minimum": return check((value.number ?? -.infinity) >= (rule.number ?? .infinity))
    case "pattern":
      guard let regex = try? Regex(rule.string ?? "") else { return check(false) }
      return check(value.string?.contains(regex) == true)
    case "items":
      return (value.array ?? []).enumerated().flatMap { index, item in
        problems(item, rule, at: "\(place)[\(index)]")
      }
    case "required":
      return check((rule.array ?? []).allSatisfy { value.object?[$0.string ?? ""] != nil })
    case "properties":
      return (value.object?.members ?? []).flatMap { member in
        rule.object?[member.name].map {
          problems(member.value, $0, at: "\(place).\(member.name)")
        } ?? []
      }
    case "additionalProperties":
      let others = (value.object?.members ?? []).filter {
        schema["properties"]?.object?[$0.name] == nil
      }
      return others.flatMap { member in
        rule == false
          ? ["\(place): unknown member '\(member.name)'"]
          : problems(member.value, rule, at: "\(place).\(member.name)")
      }
    default: return ["\(place): unknown keyword '\(keyword)'"]
    }
  }

  private static func isOf(_ value: JSONValue, _ type: String) -> Bool {
    switch (value, type) {
    case (.object, "object"), (.array, "array"), (.string, "string"), (.null, "null"),
      (.bool, "boolean"), (.number, "number"):
      true
    case (.number, "integer"): value.integer != nil
    default: false
    }
  }
}
