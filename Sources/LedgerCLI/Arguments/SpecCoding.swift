import LedgerJSON

// The commands as data, for programs and for `ledger`, which so learns what its helpers' commands
// take (cli.md, `help --json`).

extension CommandSpec {
  var json: JSONObject {
    var object: JSONObject = [
      "name": .string(name), "summary": .string(summary), "group": .string(group.rawValue),
      "usage": .array(usage.map { .string($0) }),
      "arguments": .array(arguments.map { .object($0.json) }),
      "options": .array(options.map { .object($0.json) }),
      "examples": .array(
        examples.map { .object(["line": .string($0.line), "meaning": .string($0.meaning)]) }),
      "notes": .array(notes.map { .string($0) }),
    ]
    object["helper"] = helper.map { .string($0) }
    return object
  }

  /// - Returns: `nil` for what no program of this version says.
  init?(json: JSONObject, helper: String? = nil) {
    guard let name = json["name"]?.string, let summary = json["summary"]?.string,
      let group = json["group"]?.string.flatMap({ HelpGroup(rawValue: $0) })
    else { return nil }
    self.init(
      name, summary, group: group, usage: json.texts("usage"),
      arguments: json.objects("arguments").compactMap { ArgumentSpec(json: $0) },
      options: json.objects("options").compactMap { OptionSpec(json: $0) },
      examples: json.objects("examples").map {
        CommandExample($0["line"]?.string ?? "", $0["meaning"]?.string ?? "")
      },
      notes: json.texts("notes"), helper: helper ?? json["helper"]?.string)
  }
}

extension ArgumentSpec {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "name": .string(name), "required": .bool(isRequired), "repeatable": .bool(isVariadic),
      "help": .string(help),
    ]
    object["values"] = hint.json
    return object
  }

  fileprivate init?(json: JSONObject) {
    guard let name = json["name"]?.string, let help = json["help"]?.string else { return nil }
    let hint = ValueHint(json: json["values"])
    self =
      switch (json["required"] == true, json["repeatable"] == true) {
      case (true, false): .required(name, help, hint: hint)
      case (false, false): .optional(name, help, hint: hint)
      case (true, true): .atLeastOne(name, help, hint: hint)
      case (false, true): .anyNumber(name, help, hint: hint)
      }
  }
}

extension OptionSpec {
  var json: JSONObject {
    var object: JSONObject = ["name": .string(name)]
    object["short"] = short.map { .string(String($0)) }
    object["value"] = placeholder.map { .string($0) }
    if !allowed.isEmpty { object["allowed"] = .array(allowed.map { .string($0) }) }
    object["repeatable"] = .bool(repeatable)
    object["help"] = .string(help)
    object["values"] = hint.json
    object["helper"] = helper.map { .string($0) }
    return object
  }

  fileprivate init?(json: JSONObject) {
    guard let name = json["name"]?.string, let help = json["help"]?.string else { return nil }
    let short = json["short"]?.string?.first
    guard let placeholder = json["value"]?.string else {
      self = .flag(name, short: short, helper: json["helper"]?.string, help)
      return
    }
    let hint = ValueHint(json: json["values"])
    self = .value(
      name, placeholder, short: short, allowed: json.texts("allowed"),
      repeatable: json["repeatable"] == true, help, hint: hint)
  }
}

extension ValueHint {
  /// `nil` where there is nothing to offer.
  fileprivate var json: JSONValue? {
    switch self {
    case .nothing: nil
    case .words(let words): .array(words.map { .string($0) })
    case .wordsBehind(let choices):
      .object(
        JSONObject(
          members: choices.map {
            .init(name: $0.word, value: .array($0.words.map { .string($0) }))
          }))
    case .file: "file"
    case .folder: "folder"
    }
  }

  fileprivate init(json: JSONValue?) {
    switch json {
    case .array(let words): self = .words(words.compactMap(\.string))
    case .object(let choices):
      self = .wordsBehind(choices.members.map { Choice($0.name, choices.texts($0.name)) })
    case "file": self = .file
    case "folder": self = .folder
    default: self = .nothing
    }
  }
}

extension JSONObject {
  fileprivate func texts(_ name: String) -> [String] {
    self[name]?.array?.compactMap(\.string) ?? []
  }

  func objects(_ name: String) -> [JSONObject] { self[name]?.array?.compactMap(\.object) ?? [] }
}
