extension CommandSpec {
  /// The mistakes of a command's author, which a test finds before a person meets them.
  package var problems: [String] {
    var found: [String] = []
    if words.isEmpty { found.append("a command has no name") }
    if summary.isEmpty { found.append("\(name): no summary") }
    if summary.hasSuffix(".") { found.append("\(name): the summary ends with a full stop") }
    // A helper's own table has the examples of what only it can do.
    if examples.isEmpty && helper == nil { found.append("\(name): no example") }
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
