import LedgerModel

/// Text built on demand, so that start-up does not pay for it.
package typealias HelpText = @Sendable () -> String

/// A heading of `ledger help`, in the order they are shown.
package enum HelpGroup: String, Sendable, CaseIterable {
  case start = "Start a ledger"
  case write = "Write to it"
  case look = "Look at it"
  case check = "Check it"
  case sync = "Sync it with the backend"
  case more = "And more"
}

/// A command line worth copying, and what it does.
package struct CommandExample: Sendable {
  package let line: String
  package let meaning: String

  package init(_ line: String, _ meaning: String = "") {
    self.line = line
    self.meaning = meaning
  }
}

/// What the parser, the help, the manual and shell completion need to know about a command.
package struct CommandSpec: Sendable {
  /// The words that call it, such as `append` or `import fitbit`.
  package let name: String
  /// One line, lower case, without a full stop.
  package let summary: String
  package let group: HelpGroup
  /// Usage lines that replace the generated one where the arguments exclude one another,
  /// each without `ledger` and the command's name.
  package let usage: [String]
  package let arguments: [ArgumentSpec]
  package private(set) var options: [OptionSpec]
  package let examples: [CommandExample]
  /// Paragraphs at the end of help.
  package let notes: [String]
  /// The program in the same folder that runs the command; nil for this program.
  package private(set) var helper: String?

  package init(
    _ name: String, _ summary: String, group: HelpGroup, usage: [String] = [],
    arguments: [ArgumentSpec] = [], options: [OptionSpec] = [],
    examples: [CommandExample] = [], notes: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.group = group
    self.usage = usage
    self.arguments = arguments
    self.options = options
    self.examples = examples
    self.notes = notes
  }

  package var words: [String] { name.split(separator: " ").map(String.init) }

  package var allOptions: [OptionSpec] { options + GlobalOptions.all }

  /// The same command, run by another program.
  package func forwarded(to helper: String) -> CommandSpec {
    var spec = self
    spec.helper = helper
    return spec
  }

  /// The same command in the program that handles all of its options.
  package var withoutHelpers: CommandSpec {
    var spec = self
    for index in options.indices { spec.options[index].helper = nil }
    return spec
  }

  /// The error for a surplus argument, with the option that it may be, or be the value of.
  package func unexpected(_ word: String) -> UsageError {
    if options.contains(where: { $0.name == word.lowercased() && !$0.takesValue }) {
      return .extraArgument(word, meant: "--\(word.lowercased())")
    }
    if word.hasPrefix("-"), let count = Int(word.dropFirst()), takes("limit") {
      return .extraArgument(word, meant: "--limit \(count)")
    }
    let option: String? =
      if Metric(spoken: word) != nil {
        ["metric"].first(where: takes)
      } else if NamedDay(word) != nil {
        ["date", "by", "from"].first(where: takes)
      } else if WallTime(word) != nil {
        ["time"].first(where: takes)
      } else if word.hasPrefix("http://") || word.hasPrefix("https://") {
        ["base-url"].first(where: takes)
      } else if word.contains("@") {
        ["email"].first(where: takes)
      } else if word.contains(".") {
        ["output"].first(where: takes)
      } else {
        nil
      }
    return .extraArgument(word, meant: option.map { "--\($0) \(word)" })
  }

  /// Whether it has an option with any value.
  func takes(_ option: String) -> Bool {
    options.contains { $0.name == option && ($0.allowed.isEmpty || option == "metric") }
  }

  package func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
    var parser = ArgumentParser(self)
    return try parser.parse(arguments)
  }
}

extension CommandSpec {
  /// Whether its arguments are numbers of events.
  var namesEvents: Bool {
    arguments.first.map { ["A", "ENTRY", "SEQ", "SEQ|ENTRY"].contains($0.name) } ?? false
  }
}

package struct ArgumentSpec: Sendable {
  package enum Count: Sendable {
    case required
    case optional
    /// Takes all remaining words, possibly none.
    case anyNumber
  }

  /// What help and errors call it, such as `METRIC`; also the key in `ParsedArguments`.
  package let name: String
  package let count: Count
  private let makeHelp: HelpText
  private let makeHint: MakeHint

  package var help: String { makeHelp() }

  package var hint: ValueHint { makeHint() ?? ValueHint(placeholder: name) }

  package static func required(
    _ name: String, _ help: @autoclosure @escaping HelpText,
    hint: @autoclosure @escaping MakeHint = nil
  ) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .required, makeHelp: help, makeHint: hint)
  }

  package static func optional(
    _ name: String, _ help: @autoclosure @escaping HelpText,
    hint: @autoclosure @escaping MakeHint = nil
  ) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .optional, makeHelp: help, makeHint: hint)
  }

  package static func anyNumber(
    _ name: String, _ help: @autoclosure @escaping HelpText,
    hint: @autoclosure @escaping MakeHint = nil
  ) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .anyNumber, makeHelp: help, makeHint: hint)
  }

  var isVariadic: Bool { count == .anyNumber }

  var isRequired: Bool { count == .required }

  var usage: String {
    switch count {
    case .required: name
    case .optional: "[\(name)]"
    case .anyNumber: "[\(name) …]"
    }
  }
}

/// One option of a command: `--date DATE`, `-n N`, or a flag such as `--stdin`.
package struct OptionSpec: Sendable {
  /// The long name without its dashes; also the key in `ParsedArguments`.
  package let name: String
  /// Older long names that are accepted, but not shown.
  package let aliases: [String]
  package let short: Character?
  /// What help calls the value; nil makes the option a flag.
  package let placeholder: String?
  /// The only values accepted; empty accepts any.
  package let allowed: [String]
  package let repeatable: Bool
  /// The program in the same folder that runs the command when this option is given.
  package fileprivate(set) var helper: String?
  /// Turns another accepted spelling of a value into the one in ``allowed``.
  let normalize: @Sendable (String) -> String
  private let makeHelp: HelpText
  private let makeHint: MakeHint

  package var help: String { makeHelp() }

  package var hint: ValueHint {
    guard let placeholder else { return .nothing }
    return allowed.isEmpty ? makeHint() ?? ValueHint(placeholder: placeholder) : .words(allowed)
  }

  package static func value(
    _ name: String, _ placeholder: String, aliases: [String] = [], short: Character? = nil,
    allowed: [String] = [], repeatable: Bool = false, _ help: @autoclosure @escaping HelpText,
    hint: @autoclosure @escaping MakeHint = nil,
    normalize: @escaping @Sendable (String) -> String = { $0 }
  ) -> OptionSpec {
    OptionSpec(
      name: name, aliases: aliases, short: short, placeholder: placeholder, allowed: allowed,
      repeatable: repeatable, helper: nil, normalize: normalize, makeHelp: help, makeHint: hint)
  }

  package static func flag(
    _ name: String, short: Character? = nil, helper: String? = nil,
    _ help: @autoclosure @escaping HelpText
  ) -> OptionSpec {
    OptionSpec(
      name: name, aliases: [], short: short, placeholder: nil, allowed: [], repeatable: false,
      helper: helper, normalize: { $0 }, makeHelp: help, makeHint: { nil })
  }

  package var takesValue: Bool { placeholder != nil }

  package func isCalled(_ name: String) -> Bool { self.name == name || aliases.contains(name) }

  package var spelled: String { "--\(name)" }
}

/// What a shell can offer for a value.
package enum ValueHint: Sendable, Equatable {
  /// Nothing is known: a quantity, an entry, a name.
  case nothing
  case words([String])
  /// Words that depend on the preceding argument: the values of a setting, by its key.
  case wordsAfter([Choice])
  case file
  case folder
  /// A file, or one of these words first.
  case fileOrWords([String])

  package struct Choice: Sendable, Equatable {
    package let word: String
    package let words: [String]

    package init(_ word: String, _ words: [String]) {
      (self.word, self.words) = (word, words)
    }
  }

  /// The default for a value's name, so that few specs declare a hint.
  package init(placeholder: String) {
    switch placeholder {
    case "FILE", "PATH": self = .file
    case "DIR", "FOLDER": self = .folder
    default: self = .nothing
    }
  }
}

/// A hint built only when a shell asks for it.
package typealias MakeHint = @Sendable () -> ValueHint?

/// The options every command understands, before or after its name.
package enum GlobalOptions {
  package static let all: [OptionSpec] = [
    .value(
      "ledger", "DIR",
      "the folder that holds events.jsonl (default: $LEDGER_DIR, then the nearest .ledger)"),
    .flag("json", "answer in JSON"),
    .value("color", "WHEN", allowed: ["auto", "always", "never"], "colour the output"),
    .flag("quiet", "print the answer and errors, nothing else"),
    .flag("help", short: "h", "show this help"),
  ]
}
