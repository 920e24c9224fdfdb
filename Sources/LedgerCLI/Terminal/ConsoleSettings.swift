/// What the global options say about output.
package struct ConsoleSettings: Sendable, Equatable {
  package enum Color: String, Sendable {
    case auto
    case always
    case never
  }

  package var json = false
  package var quiet = false
  package var color = Color.auto

  package init(json: Bool = false, quiet: Bool = false, color: Color = .auto) {
    self.json = json
    self.quiet = quiet
    self.color = color
  }

  package init(_ arguments: ParsedArguments) {
    json = arguments.flag("json")
    quiet = arguments.flag("quiet")
    color = arguments.option("color").flatMap(Color.init) ?? .auto
  }

  /// Reads what it can of a command line that may be wrong, so that the error about it has the
  /// colours that were asked for.
  init(scanning words: [String]) {
    let words = words.prefix { $0 != "--" }
    json = words.contains("--json")
    quiet = words.contains("--quiet")
    for (word, next) in zip(words, words.dropFirst() + [""]) {
      if word == "--color" { color = Color(rawValue: next) ?? color }
      if word.hasPrefix("--color=") { color = Color(rawValue: String(word.dropFirst(8))) ?? color }
    }
  }
}
