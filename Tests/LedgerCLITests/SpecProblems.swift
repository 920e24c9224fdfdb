@testable import LedgerCLI

extension CommandSpec {
  /// Mistakes in a command's spec.
  var problems: [String] {
    var found: [String] = []
    if words.isEmpty { found.append("a command has no name") }
    if summary.isEmpty { found.append("\(name): no summary") }
    if summary.hasSuffix(".") { found.append("\(name): the summary ends with a full stop") }
    if examples.isEmpty { found.append("\(name): no example") }
    return found + optionProblems + argumentProblems
  }

  private var optionProblems: [String] {
    var found: [String] = []
    var names: Set<String> = []
    var shorts: Set<Character> = []
    for option in allOptions {
      if !names.insert(option.name).inserted {
        found.append("\(name): \(option.spelled) is declared twice")
      }
      if option.name.isEmpty || option.name.utf8.contains(where: { $0 == 0x3D || $0 <= 0x20 }) {
        found.append("\(name): \(option.spelled) cannot be typed")
      }
      if option.name.hasPrefix("-") {
        found.append("\(name): \(option.spelled) is declared with its dashes")
      }
      guard let short = option.short else { continue }
      if !shorts.insert(short).inserted { found.append("\(name): -\(short) is declared twice") }
      // A digit would make a negative number an option.
      if !(short.isASCII && short.isLetter) {
        found.append("\(name): -\(short) is not a letter")
      }
    }
    return found
  }

  private var argumentProblems: [String] {
    var found: [String] = []
    for (argument, next) in zip(arguments, arguments.dropFirst()) {
      if argument.isVariadic {
        found.append("\(name): nothing is left for \(next.name) after \(argument.name)")
      }
      if argument.count == .optional && next.isRequired {
        found.append("\(name): \(next.name) is required but follows optional \(argument.name)")
      }
    }
    if Set(arguments.map(\.name)).count < arguments.count {
      found.append("\(name): two arguments share a name")
    }
    return found
  }
}

extension CommandCatalog {
  /// The mistakes of all specs.
  var problems: [String] {
    let names = specs.map(\.name)
    let twice = Set(names.filter { name in names.count { $0 == name } > 1 }).sorted()
    return specs.flatMap(\.problems) + twice.map { "\($0) is declared twice" }
      + specs.flatMap(exampleProblems)
  }

  /// Examples that are not valid command lines of these commands.
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

/// A command line as a shell splits it, as far as examples in help need: quotes, without what
/// follows `|`, `<` or `>`.
enum ExampleWords {
  /// - Returns: `nil` where a quote is left open.
  static func split(_ line: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    // `source <(ledger …)` calls the program in the middle.
    let start = line.firstRange(of: "<(")?.upperBound ?? line.startIndex
    for character in line[start...] {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if "|<>)".contains(character) {
        break
      } else if character == " " {
        if let whole = word { words.append(whole) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return quote == nil ? words : nil
  }
}
