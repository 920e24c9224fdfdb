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
package struct CommandExample: Sendable, Equatable {
  package let line: String
  package let meaning: String

  package init(_ line: String, _ meaning: String = "") {
    self.line = line
    self.meaning = meaning
  }
}

/// All that the parser, the help and the shell completions need to know of one command.
package struct CommandSpec: Sendable, Equatable {
  /// The words that call it, such as `append` or `import fitbit`.
  package let name: String
  /// One line, lower case, without a full stop.
  package let summary: String
  package let group: HelpGroup
  /// Usage lines that replace the generated one where the arguments exclude one another,
  /// each without `ledger` and the command's name.
  package let usage: [String]
  package let arguments: [ArgumentSpec]
  package let options: [OptionSpec]
  package let examples: [CommandExample]
  /// Paragraphs at the end of help.
  package let notes: [String]
  /// The program beside this one that holds the command's code.
  package let helper: String?

  package init(
    _ name: String, _ summary: String, group: HelpGroup, usage: [String] = [],
    arguments: [ArgumentSpec] = [], options: [OptionSpec] = [],
    examples: [CommandExample] = [], notes: [String] = [], helper: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.group = group
    self.usage = usage
    self.arguments = arguments
    self.options = options
    self.examples = examples
    self.notes = notes
    self.helper = helper
  }

  package var words: [String] { name.split(separator: " ").map(String.init) }

  /// The command's own options and the global ones.
  package var allOptions: [OptionSpec] { options + GlobalOptions.all }

  /// The command as the helper declares it that handles some of its options.
  package var withoutHelpers: CommandSpec {
    CommandSpec(
      name, summary, group: group, usage: usage, arguments: arguments,
      options: options.map(\.withoutHelper), examples: examples, notes: notes)
  }

  /// Reads the arguments that follow the command's name.
  package func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
    var parser = ArgumentParser(self)
    return try parser.parse(arguments)
  }
}
