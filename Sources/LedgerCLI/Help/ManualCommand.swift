import LedgerJSON

enum ManualCommand: Command {
  static let spec = CommandSpec(
    "manual", "print the manual page, as man reads it", group: .more,
    examples: [
      .init("ledger manual | man -l -", "read it"),
      .init("ledger manual > ~/.local/share/man/man1/ledger.1", "keep it where man looks"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let page = ManualPage(catalog: LocalCommands.catalog).text
    if console.json {
      let answer: JSONObject = ["page": .string(page)]
      try console.line(answer.serialized)
    } else {
      try console.write(page)
    }
    return .done
  }
}

/// The manual page in the language of man(7), generated from the specs.
struct ManualPage {
  let catalog: CommandCatalog

  var text: String {
    let lines =
      [#".\" Made by '\#(Program.name) manual' from the specs of the commands."#]
      + head + HelpGroup.allCases.flatMap(group) + globals + tail
    // A heading begins a paragraph.
    let needed = lines.indices.filter { index in
      lines[index] != ".PP" || !(lines[max(0, index - 1)].hasPrefix(".S"))
    }
    return needed.map { lines[$0] }.joined(separator: "\n") + "\n"
  }

  private var head: [String] {
    [
      ".TH \(Program.name.uppercased()) 1 \(Program.released) \"\(Program.name) \(Program.version)\"",
      // Long examples and lists of values cannot be stretched to the right margin.
      ".ad l",
      ".SH NAME", "\(Program.name) \\- \(Roff.text(Program.summary))",
      ".SH SYNOPSIS",
      "\(Roff.bold(Program.name)) [\(Roff.italic("OPTIONS"))] "
        + "[\(Roff.italic("COMMAND")) [\(Roff.italic("ARGUMENT"))] ...]",
      ".SH DESCRIPTION",
    ] + Roff.paragraphs(ManualText.description) + [".SH COMMANDS"]
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
    examples.flatMap { example -> [String] in
      let meaning = example.meaning.isEmpty ? [] : [Roff.text(example.meaning) + ":", ".br"]
      return [".PP"] + meaning + [".RS 4", ".nf", Roff.text(example.line), ".fi", ".RE"]
    }
  }

  private var globals: [String] {
    [".SH OPTIONS", "Every command understands these, before or after its name."]
      + GlobalOptions.all.flatMap(option)
  }

  private var tail: [String] {
    let codes = ExitCode.allCases.flatMap { code in
      [".TP", Roff.bold("\(code.rawValue)"), Roff.text(code.meaning)]
    }
    return [".SH EXIT STATUS"] + codes
      + [".SH ENVIRONMENT"] + Roff.list(ManualText.environment)
      + [".SH FILES"] + Roff.list(ManualText.files)
  }
}

/// Text in the language of man(7).
enum Roff {
  /// One line of literal text.
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

  /// Not ASCII: by number, which all implementations understand.
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

/// The parts of the manual page that are not in the specs.
private enum ManualText {
  static let description = [
    "Every edit is one line in an append-only log, and a hash binds each line to the one before. "
      + "What is shown is rebuilt from the log; 'ledger sync' sends pending edits to a backend and "
      + "records each answer as one more line. So nothing is lost offline, nothing is sent twice, and "
      + "the whole history can be replayed.",
    "Without a command, it shows the status of the ledger that it finds, and what to do next. Data "
      + "goes to standard output, all else to standard error.",
  ]

  static let environment: [(name: String, meaning: String)] = [
    ("LEDGER_DIR", "the folder that holds events.jsonl, unless --ledger names one"),
    (
      "LEDGER_PASSWORD, LEDGER_API_KEY",
      "what 'login' and 'register' would ask for; never an option, since other users can see those"
    ),
    ("TZ", "the zone of days and times, unless the setting 'zone' names one"),
    ("NO_COLOR", "if not empty: no colours, unless --color asks for them"),
    ("COLUMNS", "how wide the output may be on a terminal"),
    ("LC_ALL, LC_CTYPE, LANG", "whether pictures may be drawn in Unicode: a locale of UTF-8"),
  ]

  static let files: [(name: String, meaning: String)] = [
    (".ledger/events.jsonl", "the log, one event a line; see docs/log-format.md"),
    (".ledger/head", "where the log ended after the last write"),
    (".ledger/settings.json", "the settings; may be deleted"),
    (".ledger/credentials.json", "the tokens, readable only by the owner"),
    (".ledger/views.snapshot", "state derived from the log, to show views sooner; may be deleted"),
    (".ledger/listing.json", "the backend's rows at the last sync; may be deleted"),
    (".ledger/verified", "the last full check of the log; may be deleted"),
  ]
}
