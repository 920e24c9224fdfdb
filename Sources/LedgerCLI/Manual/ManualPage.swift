/// The manual page, as `man` reads it (man(7)), made from the commands' tables.
struct ManualPage {
  let catalog: CommandCatalog

  var text: String {
    let lines =
      [#".\" Made by '\#(Program.name) manual' from the tables that the commands are read by."#]
      + head + HelpGroup.allCases.flatMap(group) + globals + tail
    // A heading begins a paragraph by itself.
    let needed = lines.indices.filter { index in
      lines[index] != ".PP" || !(lines[max(0, index - 1)].hasPrefix(".S"))
    }
    return needed.map { lines[$0] }.joined(separator: "\n") + "\n"
  }

  private var head: [String] {
    [
      ".TH \(Program.name.uppercased()) 1 \(Program.released) \"\(Program.name) \(Program.version)\"",
      ".SH NAME", "\(Program.name) \\- \(Roff.text(Program.summary))",
      ".SH SYNOPSIS",
      "\(Roff.bold(Program.name)) [\(Roff.italic("OPTIONS"))] "
        + "[\(Roff.italic("COMMAND")) [\(Roff.italic("ARGUMENT"))] ...]",
      ".SH DESCRIPTION",
    ] + Roff.paragraphs(ManualWords.description) + [".SH COMMANDS"]
  }

  private func group(_ group: HelpGroup) -> [String] {
    let specs = catalog.specs.filter { $0.group == group }
    guard !specs.isEmpty else { return [] }
    return [".SS \(Roff.text(group.rawValue))"] + specs.flatMap(command)
  }

  private func command(_ spec: CommandSpec) -> [String] {
    let usages = spec.usage.isEmpty ? [HelpPage.generatedUsage(spec)] : spec.usage
    let synopsis = usages.map { usage in
      Roff.bold("\(Program.name) \(spec.name)") + (usage.isEmpty ? "" : " \(Roff.text(usage))")
    }
    let arguments = spec.arguments.filter { !$0.help.isEmpty }.flatMap { argument in
      [".TP", Roff.italic(argument.name), Roff.text(argument.help)]
    }
    return [".PP", synopsis.joined(separator: "\n.br\n"), ".RS 4"]
      + [Roff.text(HelpPage.capitalised(spec.summary) + ".")]
      + arguments + spec.options.flatMap(option) + Roff.paragraphs(spec.notes)
      + examples(spec.examples) + [".RE"]
  }

  private func option(_ option: OptionSpec) -> [String] {
    let short = option.short.map { "\(Roff.bold("-\($0)")), " } ?? ""
    let value = option.placeholder.map { " \(Roff.italic($0))" } ?? ""
    return [".TP", short + Roff.bold(option.spelled) + value, Roff.text(HelpPage.help(option))]
  }

  private func examples(_ examples: [CommandExample]) -> [String] {
    examples.flatMap { example in
      [".PP"] + (example.meaning.isEmpty ? [] : [Roff.text(example.meaning) + ":"])
        + (example.meaning.isEmpty ? [] : [".br"])
        + [".RS 4", ".nf", Roff.text(example.line), ".fi", ".RE"]
    }
  }

  private var globals: [String] {
    [".SH OPTIONS", "Every command understands these, before or behind its name."]
      + GlobalOptions.all.flatMap(option)
  }

  private var tail: [String] {
    let codes = ExitCode.allCases.flatMap { code in
      [".TP", Roff.bold("\(code.rawValue)"), Roff.text(code.meaning)]
    }
    return [".SH EXIT STATUS"] + codes
      + [".SH ENVIRONMENT"] + Roff.list(ManualWords.environment)
      + [".SH FILES"] + Roff.list(ManualWords.files)
  }
}

/// Text in the language of man(7).
enum Roff {
  /// One line of text that is shown as it is.
  static func text(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case #"\"#: escaped += #"\e"#
      case "-": escaped += #"\-"#
      case "'": escaped += #"\(aq"#
      case "`": escaped += #"\(ga"#
      case "^": escaped += #"\(ha"#
      case "~": escaped += #"\(ti"#
      case "\n": escaped += " "
      case "…": escaped += "..."
      default: escaped += character.unicodeScalars.map(name).joined()
      }
    }
    // At the start of a line a full stop would be a request.
    return escaped.hasPrefix(".") ? #"\&"# + escaped : escaped
  }

  /// By its number where it is not ASCII, which every reader of the language understands.
  private static func name(_ scalar: Unicode.Scalar) -> String {
    if scalar.isASCII { return String(scalar) }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
  }

  static func bold(_ text: String) -> String { #"\fB"# + Self.text(text) + #"\fR"# }

  static func italic(_ text: String) -> String { #"\fI"# + Self.text(text) + #"\fR"# }

  static func paragraphs(_ texts: [String]) -> [String] { texts.flatMap { [".PP", text($0)] } }

  static func list(_ entries: [(name: String, meaning: String)]) -> [String] {
    entries.flatMap { [".TP", bold($0.name), text($0.meaning)] }
  }
}
