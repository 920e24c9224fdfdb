import LedgerJSON
import LedgerModel

/// Help as text, generated from the specs.
struct HelpPage {
  let catalog: CommandCatalog
  let paint: Paint
  let width: Int

  func text(_ topic: HelpTopic) -> String {
    let sections =
      switch topic {
      case .overview: overview()
      case .beginning: beginning()
      case .command(let spec): command(spec)
      case .manual(let spec): manual(spec)
      case .group(let path): group(path)
      }
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
      .joined(separator: "\n\n") + "\n"
  }

  private func overview() -> [[String]] {
    let globals = GlobalOptions.all.map { "[\(HelpPage.label($0, aligned: false))]" }
    let usage = usageLines(["\(globals.joined(separator: " ")) COMMAND [ARGUMENT …]"])
    let groups = HelpGroup.allCases.map { heading in
      list(heading.rawValue, catalog.overviewSpecs.filter { $0.group == heading }.map(shortEntry))
    }
    let more =
      "'\(Program.name) COMMAND --help' explains one command, "
      + "'\(Program.name) help COMMAND' in full."
    return [usage, wrapped("\(Program.name) \(Program.summary).", width: width)]
      + groups + [wrapped(more, width: width)]
  }

  private func beginning() -> [[String]] {
    let help = ("help", "show all commands; 'ledger COMMAND --help' explains one")
    return [
      wrapped("\(Program.name) \(Program.summary).", width: width),
      wrapped(
        "There is no .ledger in this folder or above it. --ledger DIR names one.", width: width),
      list(
        "To begin",
        (catalog.specs.filter { $0.group == .start }.map(entry) + [help]).map {
          ("\(Program.name) \($0)", $1)
        }),
    ]
  }

  private func group(_ path: String) -> [[String]] {
    [usageLines(["\(path) COMMAND [ARGUMENT …]"]), nested(path, heading: "Commands")]
  }

  /// A command on one screen: no notes, and only as many examples as there is room for.
  private func command(_ spec: CommandSpec) -> [[String]] {
    let nested = nestedSpecs(spec.name).map { $0.words.last ?? "" }.joined(separator: ", ")
    let options = spec.options.map {
      (HelpPage.label($0, aligned: true), Self.help($0, brief: true))
    }
    let globals = GlobalOptions.all.filter { $0.name != "help" }
      .map(\.spelled).joined(separator: ", ")
    let rest = [
      arguments(spec), list("Options", options),
      (nested.isEmpty ? [] : wrapped("Also: \(spec.name) \(nested)", width: width, hanging: 6))
        + wrapped(
          "Global: \(globals). More: \(Program.name) help \(spec.name)", width: width,
          hanging: 8),
    ].filter { !$0.isEmpty }
    let head = usage(spec) + summary(spec)
    let used = head.count + rest.reduce(0) { $0 + $1.count + 1 }
    let room = Self.screenLines - used - 2
    return [head, briefExamples(spec.examples, at: max(1, min(3, room)))] + rest
  }

  /// The rows of a terminal as it is first opened.
  private static let screenLines = 24

  /// A command with all that there is to say about it.
  private func manual(_ spec: CommandSpec) -> [[String]] {
    [
      usage(spec) + summary(spec), examples(spec.examples), arguments(spec),
      list("Options", spec.options.map(entry)), nested(spec.name, heading: "See also"),
    ] + spec.notes.map { wrapped($0, width: width) }
      + [list("Global options", GlobalOptions.all.map(entry))]
  }

  private func usage(_ spec: CommandSpec) -> [String] {
    let usages = spec.usage.isEmpty ? [Self.generatedUsage(spec)] : spec.usage
    return usageLines(usages.map { $0.isEmpty ? spec.name : "\(spec.name) \($0)" })
  }

  private func summary(_ spec: CommandSpec) -> [String] {
    let alias = shortName(spec).map { "; also '\(Program.name) \($0)'" } ?? ""
    return wrapped("\(HelpPage.capitalised(spec.summary))\(alias).", width: width)
  }

  private func arguments(_ spec: CommandSpec) -> [String] {
    list("Arguments", spec.arguments.filter { !$0.help.isEmpty }.map { ($0.name, $0.help) })
  }

  static func generatedUsage(_ spec: CommandSpec) -> String {
    let options = spec.options.isEmpty ? [] : ["[options]"]
    return (spec.arguments.map(\.usage) + options).joined(separator: " ")
  }

  private func nested(_ path: String, heading: String) -> [String] {
    list(heading, nestedSpecs(path).map(entry))
  }

  private func nestedSpecs(_ path: String) -> [CommandSpec] {
    catalog.specs.filter { $0.name.hasPrefix("\(path) ") }
  }

  private func entry(_ spec: CommandSpec) -> (String, String) { (spec.name, spec.summary) }

  private func shortEntry(_ spec: CommandSpec) -> (String, String) {
    (shortName(spec) ?? spec.name, spec.summary)
  }

  /// The alias of a command whose name has two words.
  private func shortName(_ spec: CommandSpec) -> String? {
    spec.words.count > 1 ? CommandCatalog.alias(of: spec.name) : nil
  }

  private func entry(_ option: OptionSpec) -> (String, String) {
    (HelpPage.label(option, aligned: true), Self.help(option))
  }

  /// With the allowed values, and whether it may be repeated; `brief` shortens a long list of values.
  static func help(_ option: OptionSpec, brief: Bool = false) -> String {
    var help = option.help
    let isCut = brief && option.allowed.count > 6
    let allowed: ArraySlice<String> =
      isCut ? option.allowed.prefix(2) + ["…"] : option.allowed[...]
    if !allowed.isEmpty { help += ": " + allowed.joined(separator: ", ") }
    if option.repeatable { help += " (may be repeated)" }
    return help
  }

  /// `-n, --limit N`; `aligned` pads options without a short name.
  static func label(_ option: OptionSpec, aligned: Bool) -> String {
    let short = option.short.map { "-\($0), " } ?? (aligned ? "    " : "")
    return short + option.spelled + (option.placeholder.map { " \($0)" } ?? "")
  }

  static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  /// `usage: ledger …`, further forms below as `   or: ledger …`.
  private func usageLines(_ usages: [String]) -> [String] {
    usages.enumerated().flatMap { index, usage in
      let lead = index == 0 ? "usage:" : "   or:"
      let lines = wrapped("\(lead) \(Program.name) \(usage)", width: width, hanging: 11)
      return [paint.bold(lead) + lines[0].dropFirst(lead.count)] + lines.dropFirst()
    }
  }

  /// A heading and two columns: labels and their wrapped help.
  private func list(_ heading: String, _ entries: [(label: String, help: String)]) -> [String] {
    guard !entries.isEmpty else { return [] }
    let labelLimit = min(28, width / 2)
    let widths = entries.map { displayWidth($0.label) }.filter { $0 <= labelLimit }
    let column = 2 + (widths.max() ?? 0) + 2
    return [paint.bold("\(heading):")]
      + entries.flatMap { entryLines($0.label, $0.help, column: column) }
  }

  /// A line an example, with its meaning where it fits.
  private func briefExamples(_ examples: [CommandExample], at most: Int) -> [String] {
    let fitting = examples.filter { displayWidth($0.line) + 2 <= width }
    let shown = (fitting.isEmpty ? examples : fitting).prefix(most)
    guard !shown.isEmpty else { return [] }
    let column = shown.map { displayWidth($0.line) }.max() ?? 0
    return [paint.bold("Examples:")]
      + shown.map { example in
        let padding = String(repeating: " ", count: column - displayWidth(example.line))
        let line = "  \(example.line)"
        let explained = line + padding + "  # \(example.meaning)"
        return example.meaning.isEmpty || displayWidth(explained) > width ? line : explained
      }
  }

  /// A command line over as many lines as it needs, to be copied as it stands.
  private func continued(_ line: String) -> [String] {
    guard displayWidth(line) + 2 > width else { return ["  \(line)"] }
    let lines = wrapped("  \(line)", width: width - 2, hanging: 6)
    return lines.dropLast().map { $0 + " \\" } + lines.suffix(1)
  }

  private func examples(_ examples: [CommandExample]) -> [String] {
    guard !examples.isEmpty else { return [] }
    return [paint.bold("Examples:")]
      + examples.flatMap { example in
        let meaning = "      \(example.meaning)"
        return continued(example.line)
          + (example.meaning.isEmpty ? [] : wrapped(meaning, width: width, hanging: 6))
      }
  }

  private func entryLines(_ label: String, _ help: String, column: Int) -> [String] {
    let margin = String(repeating: " ", count: column)
    let lines = wrapped(margin + help, width: width, hanging: column)
    let space = column - 2 - displayWidth(label)
    // A label too long for its column gets a line of its own.
    guard space >= 2 else { return ["  \(label)"] + lines }
    let first = "  \(label)" + String(repeating: " ", count: space)
    return [first + lines[0].dropFirst(column)] + lines.dropFirst()
  }
}

extension CommandCatalog {
  /// The commands of the overview: those whose name does not begin with another command's, and what
  /// else `append` writes.
  fileprivate var overviewSpecs: [CommandSpec] {
    let names = Set(specs.map(\.name))
    return specs.filter { spec in
      let words = spec.words
      return words[0] == "append"
        || !(1..<max(words.count, 1)).contains { length in
          names.contains(words.prefix(length).joined(separator: " "))
        }
    }
  }
}

// MARK: JSON, as docs/cli.md describes `help --json`

extension CommandCatalog {
  func json(_ topic: HelpTopic) -> JSONObject {
    let shown =
      switch topic {
      case .overview, .beginning: specs
      case .command(let spec), .manual(let spec): [spec]
      case .group(let path): specs.filter { $0.name.hasPrefix("\(path) ") }
      }
    return JSONObject([
      "program": Program.name, "version": Program.version, "commands": shown.map(\.json),
      "global_options": GlobalOptions.all.map(\.json),
    ])
  }
}

extension CommandSpec {
  fileprivate var json: JSONObject {
    JSONObject([
      "name": name, "summary": summary, "group": group.rawValue, "usage": usage,
      "arguments": arguments.map(\.json), "options": options.map(\.json),
      "examples": examples.map { JSONObject(["line": $0.line, "meaning": $0.meaning]) },
      "notes": notes, "helper": helper,
    ])
  }
}

extension ArgumentSpec {
  fileprivate var json: JSONObject {
    JSONObject([
      "name": name, "required": isRequired, "repeatable": isVariadic, "help": help,
      "values": hint.json,
    ])
  }
}

extension OptionSpec {
  fileprivate var json: JSONObject {
    JSONObject([
      "name": name, "short": short.map { String($0) }, "value": placeholder,
      "allowed": allowed.isEmpty ? nil : allowed, "repeatable": repeatable, "help": help,
      "values": hint.json, "helper": helper,
    ])
  }
}

extension ValueHint {
  /// Nil for ``nothing``.
  fileprivate var json: JSONValue? {
    switch self {
    case .nothing: nil
    case .words(let words): words.json
    case .wordsAfter(let choices):
      .object(JSONObject(members: choices.map { .init(name: $0.word, value: $0.words.json) }))
    case .file, .fileOrWords: "file"
    case .folder: "folder"
    }
  }
}
