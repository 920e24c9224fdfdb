import LedgerModel

/// What a command line asks for, decided before anything is done.
package enum CommandPlan {
  case run(CommandSpec, ParsedArguments)
  case help(HelpTopic)
  /// Another program runs the command and parses the same words again.
  case forward(to: String, [String])
  case refuse(UsageFailure)
}

extension CommandPlan {
  /// With a command's alias in errors, as it was typed.
  fileprivate func naming(_ name: String, as alias: String) -> CommandPlan {
    func typed(_ command: String) -> String {
      command.hasPrefix(name) ? alias + command.dropFirst(name.count) : command
    }
    switch self {
    case .run(let spec, var arguments):
      arguments.command = typed(arguments.command)
      return .run(spec, arguments)
    case .refuse(let failure):
      return .refuse(UsageFailure(failure.error, command: typed(failure.command)))
    case .help, .forward: return self
    }
  }
}

package enum HelpTopic: Sendable {
  case overview
  /// How to begin, where no ledger exists.
  case beginning
  /// A command on one screen.
  case command(CommandSpec)
  /// A command in full.
  case manual(CommandSpec)
  /// Words that only lead to commands, such as `import`.
  case group(String)
}

/// All commands by name; decides which one a command line means.
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
      if let word = found.stopWord, let name = Self.name(alias: word) {
        let index = words.firstIndex(of: word) ?? 0
        let command = name.split(separator: " ").map(String.init)
        return plan(words[..<index] + command + words[(index + 1)...])
          .naming(name, as: word)
      }
      return found.stopWord == "help" ? planHelp(words) : planNothing(found, rest)
    }
    guard let spec = specs.first(where: { $0.name == path }) else {
      return planGroup(path, found, rest)
    }
    do {
      let arguments = try spec.parse(rest)
      if arguments.flag("help") { return .help(.command(spec)) }
      let helper =
        spec.helper
        ?? spec.options.first { $0.helper != nil && arguments.has($0.name) }?.helper
      return helper.map { .forward(to: $0, words) } ?? .run(spec, arguments)
    } catch {
      if asksForHelp(rest) { return .help(.command(spec)) }
      return .refuse(
        UsageFailure(
          misplaced(found, error) ?? misspelt(found, error) ?? ofSibling(spec, error) ?? error,
          command: spec.name)
      )
    }
  }

  /// Other names of commands. The first of a command is shown in help.
  static let aliases: [(word: String, name: String)] = [
    ("add", "append"), ("edit", "append correction"), ("rm", "append deletion"),
    ("correct", "append correction"), ("delete", "append deletion"),
    ("remove", "append deletion"),
  ]

  static func name(alias word: String) -> String? { aliases.first { $0.word == word }?.name }

  static func alias(of name: String) -> String? { aliases.first { $0.name == name }?.word }

  /// What people call what has another name here.
  private static let otherNames = [
    "goals": ["append goal", "status"], "show goal": ["append goal", "status"], "history": ["log"],
    "events": ["log"],
    "find": ["show progress --notes TEXT", "log"],
    "search": ["show progress --notes TEXT", "log"], "list": ["show progress"],
    "ls": ["show progress"], "entries": ["show progress"],
    "today": ["show days --from today"],
    "yesterday": ["show days --from yesterday --to yesterday"],
    "week": ["show days --by week"],
    "weeks": ["show days --by week"], "months": ["show days --by month"],
    "years": ["show days --by year"], "summary": ["show days", "report"],
    "backup": ["export jsonl"], "restore": ["undo", "import jsonl"], "config": ["settings"],
    "units": ["append profile --unit-system"], "metrics": ["help append"],
    "revert": ["undo"], "check": ["verify", "doctor"], "fsck": ["verify", "doctor"],
    "signin": ["login"], "signup": ["register"], "update": ["sync"], "watch": ["sync --watch"],
    "push": ["sync"], "pull": ["sync"], "change": ["edit"], "fix": ["edit", "undo"],
    "show preferences": ["show profile"], "show physical": ["show profile"],
    "show allergies": ["show profile"], "append allergy": ["append preferences --allergy"],
    "chart": ["show trends", "report"], "graph": ["show trends", "report"],
    "record": ["append"], "track": ["append"], "enter": ["append"],
    "set": ["append", "append goal", "settings"],
  ]

  /// `ledger import scale.csv --date-format P` has an option that only `import csv` knows.
  private func misplaced(_ found: Location, _ error: UsageError) -> UsageError? {
    guard case .unknownOption(let option, let near) = error, near.isEmpty else { return nil }
    let owners = specs.filter { spec in
      spec.name.hasPrefix(found.name + " ")
        && spec.options.contains { "--\($0.name)" == option }
    }
    return owners.isEmpty ? nil : .optionOfOthers(option, owners.prefix(3).map(\.name))
  }

  /// `ledger append profile --height 172` has an option that `append physical` has.
  private func ofSibling(_ spec: CommandSpec, _ error: UsageError) -> UsageError? {
    // An entry that is changed is none of its siblings' subjects.
    guard case .unknownOption(let option, let near) = error, near.isEmpty,
      // What is cleared with it is of each command alone.
      option.hasPrefix("--"), option != "--clear", spec.words.count > 1,
      Self.alias(of: spec.name) == nil
    else { return nil }
    let siblings = specs.filter {
      $0.name != spec.name && $0.words.count > 1 && $0.words[0] == spec.words[0]
    }
    let found = siblings.flatMap { sibling in
      ArgumentParser(sibling).suggestions(for: String(option.dropFirst(2)))
        .map { "\(sibling.name) \($0)" }
    }
    return found.isEmpty ? nil : .unknownOption(option, suggestions: Array(found.prefix(3)))
  }

  /// `ledger append profil --name Anna` has an option that only `append profile` knows.
  private func misspelt(_ found: Location, _ error: UsageError) -> UsageError? {
    guard case .unknownOption(_, let options) = error, options.isEmpty,
      let word = found.stopWord
    else { return nil }
    let near = suggestions(for: word, under: found.path).filter {
      $0.hasPrefix(found.name + " ")
    }
    let typed = (found.path + [word]).joined(separator: " ")
    return near.isEmpty ? nil : .unknownCommand(typed, suggestions: near)
  }

  /// `ledger help import fitbit` shows more than `ledger import fitbit --help`.
  private func planHelp(_ words: [String]) -> CommandPlan {
    let plan = plan(words.filter { $0 != "help" } + ["--help"])
    guard case .help(.command(let spec)) = plan else { return plan }
    return .help(.manual(spec))
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

  /// What is wrong with the options when the words name no command.
  private func optionError(_ words: [String]) -> UsageError? {
    let globalOptionsOnly = CommandSpec("", "", group: .more)
    do {
      _ = try globalOptionsOnly.parse(words)
      return nil
    } catch {
      return error
    }
  }

  private func asksForHelp(_ words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  /// Never suggested for an unknown word.
  private static let destructive: Set = ["delete-account", "erase"]

  /// `--version` is what people try first.
  private static func withVersionWord(_ words: [String]) -> [String] {
    words.first == "--version" ? ["version"] + words.dropFirst() : words
  }

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
    let nested = specs.filter { $0.words.count > 1 && !Self.destructive.contains($0.name) }
    func ending(in words: [String]) -> [String] {
      nested.filter { words.contains($0.words.last ?? "") }.map(\.name)
    }
    if path == ["show"], specs.contains(where: { $0.name == word }) { return [word] }
    let exact = ending(in: [word])
    if !exact.isEmpty, path != ["show"] { return exact }
    let typed = (path + [word.lowercased()]).joined(separator: " ")
    if let others = Self.otherNames[typed] ?? Self.otherNames[word.lowercased()] { return others }
    let known = nextWords(after: path) + (path.isEmpty ? ["help"] : [])
    let candidates = known.filter { !Self.destructive.contains($0) }
    let near = nearest(to: word, among: candidates).map { (path + [$0]).joined(separator: " ") }
    if !near.isEmpty { return near }
    if let metric = Metric(spoken: word), path.isEmpty || path == ["show"] {
      return [path.isEmpty ? "append \(word) …" : "show progress --metric \(metric.name)"]
    }
    return path.isEmpty
      ? ending(in: nearest(to: word, among: nested.map { $0.words.last ?? "" })) : []
  }

  private struct Location {
    var path: [String] = []
    /// The indices of the words of `path`.
    var used: [Int] = []
    /// The first argument that does not continue a command's name.
    var stopWord: String?

    var name: String {
      // `joined` would instantiate generic types at run time, measurable in a small append.
      path.isEmpty ? "" : path.dropFirst().reduce(path[0]) { $0 + " " + $1 }
    }

    /// The words that are not the command's name.
    func rest(of words: [String]) -> [String] {
      var rest = words
      for index in used.reversed() { rest.remove(at: index) }
      return rest
    }
  }

  /// Finds the longest command name, skipping only global options: the options of a command are
  /// not known before the command is.
  private func locate(_ words: [String]) -> Location {
    var location = Location()
    var index = 0
    while index < words.count {
      switch ArgumentWord(words[index]) {
      case .plain:
        guard continues(location, words[index]) else {
          location.stopWord = words[index]
          return location
        }
        location.path.append(words[index])
        location.used.append(index)
      case .long(let name, let value):
        guard let option = GlobalOptions.all.first(where: { $0.name == name }) else {
          return location
        }
        let detached = option.takesValue && value == nil && index + 1 < words.count
        if detached && canBeValue(words[index + 1], GlobalOptions.all) { index += 1 }
      case .short(let letters):
        guard letters == "h" else { return location }
      case .endOfOptions:
        return location
      }
      index += 1
    }
    return location
  }

  /// Compares whole names: splitting every name at every start would be measurable.
  private func continues(_ location: Location, _ word: String) -> Bool {
    // One argument that contains a space is not two words.
    if word.isEmpty || word.utf8.contains(0x20) { return false }
    let name = location.path.isEmpty ? word : location.name + " " + word
    let longer = name + " "
    return specs.contains { $0.name == name || $0.name.hasPrefix(longer) }
  }
}
