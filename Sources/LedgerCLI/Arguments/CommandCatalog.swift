/// All commands by their words, and the decision which of them a command line means.
package struct CommandCatalog: Sendable {
  package let specs: [CommandSpec]

  package init(_ specs: [CommandSpec]) {
    self.specs = specs
  }

  package func plan(_ words: [String]) -> CommandPlan {
    let words = Self.withVersionWord(words)
    let found = locate(words)
    let path = found.name
    let rest = found.rest(of: words)
    if found.path.isEmpty {
      return found.stopWord == "help" ? planHelp(words) : planNothing(found, rest)
    }
    guard let spec = specs.first(where: { $0.name == path }) else {
      return planGroup(path, found, rest)
    }
    if let helper = spec.helper { return .forward(to: helper, words) }
    do {
      let arguments = try spec.parse(rest)
      if arguments.flag("help") { return .help(.command(spec)) }
      let helper = spec.options.first { $0.helper != nil && arguments.has($0.name) }?.helper
      return helper.map { .forward(to: $0, words) } ?? .run(spec, arguments)
    } catch {
      if asksForHelp(rest) { return .help(.command(spec)) }
      return .refuse(
        UsageFailure(misspelt(found, error) ?? error, command: spec.name))
    }
  }

  /// `ledger append profil --name Anna` has an option that only `append profile` knows.
  private func misspelt(_ found: Location, _ error: UsageError) -> UsageError? {
    guard case .unknownOption(_, let options) = error, options.isEmpty,
      let word = found.stopWord
    else { return nil }
    let near = suggestions(for: word, under: found.path)
    let typed = (found.path + [word]).joined(separator: " ")
    return near.isEmpty ? nil : .unknownCommand(typed, suggestions: near)
  }

  /// `ledger help import fitbit` shows what `ledger import fitbit --help` shows.
  private func planHelp(_ words: [String]) -> CommandPlan {
    plan(words.filter { $0 != "help" } + ["--help"])
  }

  private func planNothing(_ found: Location, _ rest: [String]) -> CommandPlan {
    if let word = found.stopWord {
      let near = suggestions(for: word, under: [])
      return .refuse(UsageFailure(.unknownCommand(word, suggestions: near)))
    }
    if asksForHelp(rest) { return .help(.overview) }
    return .refuse(UsageFailure(optionError(rest) ?? .missingCommand))
  }

  private func planGroup(_ path: String, _ found: Location, _ rest: [String]) -> CommandPlan {
    if let word = found.stopWord {
      let near = suggestions(for: word, under: found.path)
      return .refuse(
        UsageFailure(.unknownCommand("\(path) \(word)", suggestions: near), command: path))
    }
    if asksForHelp(rest) { return .help(.group(path)) }
    let choices = nextWords(after: found.path)
    return .refuse(
      UsageFailure(
        optionError(rest) ?? .missingSubcommand(of: path, choices: choices), command: path))
  }

  /// What is wrong with the options when there is no command that could own them.
  private func optionError(_ words: [String]) -> UsageError? {
    let nobody = CommandSpec("", "", group: .more)
    do {
      _ = try nobody.parse(words)
      return nil
    } catch {
      return error
    }
  }

  private func asksForHelp(_ words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  /// `--version` is what people try first.
  private static func withVersionWord(_ words: [String]) -> [String] {
    words.first == "--version" ? ["version"] + words.dropFirst() : words
  }
}

extension CommandCatalog {
  /// The words that can follow `path`, each once, in the order of the specs.
  func nextWords(after path: [String]) -> [String] {
    var found: [String] = []
    for words in specs.map(\.words) where words.count > path.count && words.starts(with: path) {
      if !found.contains(words[path.count]) { found.append(words[path.count]) }
    }
    return found
  }

  private func suggestions(for word: String, under path: [String]) -> [String] {
    // `ledger fitbit` is the last word of `ledger import fitbit`.
    let nested = specs.filter { $0.words.count > 1 && $0.words.last == word }.map(\.name)
    if !nested.isEmpty { return nested }
    let candidates = nextWords(after: path) + (path.isEmpty ? ["help"] : [])
    return nearest(to: word, among: candidates).map { (path + [$0]).joined(separator: " ") }
  }

  /// The mistakes of all specs, for a test of the whole table.
  package var problems: [String] {
    let names = specs.map(\.name)
    let twice = Set(names.filter { name in names.count { $0 == name } > 1 }).sorted()
    return specs.flatMap(\.problems) + twice.map { "\($0) is declared twice" }
      + specs.flatMap(exampleProblems)
  }

  /// Examples that are no command line of these commands.
  private func exampleProblems(_ spec: CommandSpec) -> [String] {
    spec.examples.compactMap { example in
      let words = ExampleWords.split(example.line)
      guard words?.first == Program.name, let words else {
        return "\(spec.name): '\(example.line)' does not call \(Program.name)"
      }
      switch plan(Array(words.dropFirst())) {
      case .run, .forward: return nil
      case .help: return "\(spec.name): '\(example.line)' asks for help"
      case .refuse(let failure): return "\(spec.name): '\(example.line)': \(failure.sentence)"
      }
    }
  }
}
