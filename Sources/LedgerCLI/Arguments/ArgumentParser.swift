/// Turns the words behind a command into its parsed arguments.
struct ArgumentParser {
  private let spec: CommandSpec
  private let options: [OptionSpec]
  private var given = GivenOptions()
  private var positionals: [String] = []
  private var words: [String] = []
  private var next = 0

  init(_ spec: CommandSpec) {
    self.spec = spec
    options = spec.allOptions
  }

  mutating func parse(_ words: [String]) throws(UsageError) -> ParsedArguments {
    self.words = words
    while next < words.count {
      let text = words[next]
      next += 1
      switch ArgumentWord(text) {
      case .plain:
        try refuseLongDash(text)
        positionals.append(text)
      case .long(let name, let value):
        try takeLong(text, name, value)
      case .short(let letters):
        try takeShort(letters)
      case .endOfOptions:
        positionals += words[next...]
        next = words.count
      }
    }
    // Asking for help excuses what is missing.
    if !given.has("help") { try checkCounts() }
    return ParsedArguments(spec: spec, given: given, positionals: positionals)
  }

  private mutating func takeLong(
    _ text: String, _ name: String, _ value: String?
  ) throws(UsageError) {
    guard let option = options.first(where: { $0.name == name }) else {
      let near = name.isEmpty ? [] : nearest(to: name, among: options.map(\.name))
      throw .unknownOption(
        name.isEmpty ? text : "--\(name)", suggestions: near.map { "--\($0)" })
    }
    try take(option, spelled: option.spelled, attached: value)
  }

  /// Reads a cluster: flags may share one dash, and the first that takes a value takes the rest.
  private mutating func takeShort(_ letters: String) throws(UsageError) {
    var rest = Substring(letters)
    while let letter = rest.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        // `-json` is a long option that lost a dash.
        let near = options.filter { $0.name == letters }.map(\.spelled)
        throw .unknownOption(near.isEmpty ? "-\(letter)" : "-\(letters)", suggestions: near)
      }
      guard option.takesValue || rest.first == "=" else {
        try take(option, spelled: "-\(letter)", attached: nil)
        continue
      }
      let attached = rest.isEmpty ? nil : String(rest.first == "=" ? rest.dropFirst() : rest)
      try take(option, spelled: "-\(letter)", attached: attached)
      return
    }
  }

  private mutating func take(
    _ option: OptionSpec, spelled: String, attached: String?
  ) throws(UsageError) {
    if given.has(option.name) && !option.repeatable { throw .repeatedOption(spelled) }
    guard let placeholder = option.placeholder else {
      if let attached { throw .unexpectedValue(option: spelled, value: attached) }
      given.add(option.name)
      return
    }
    let value = if let attached { attached } else { try detachedValue(spelled, placeholder) }
    if !option.allowed.isEmpty && !option.allowed.contains(value) {
      let near = nearest(to: value, among: option.allowed)
      throw .badValue(
        option: spelled, value: value, why: .notAllowed(option.allowed, suggestions: near))
    }
    given.add(option.name, value)
  }

  private mutating func detachedValue(
    _ spelled: String, _ placeholder: String
  ) throws(UsageError) -> String {
    guard next < words.count else {
      throw .missingValue(option: spelled, placeholder: placeholder, found: nil)
    }
    let word = words[next]
    guard canBeValue(word, options) else {
      throw .missingValue(option: spelled, placeholder: placeholder, found: word)
    }
    next += 1
    return word
  }

  private func refuseLongDash(_ text: String) throws(UsageError) {
    guard let name = optionBehindLongDash(text) else { return }
    if options.contains(where: { $0.name == name }) {
      throw .unknownOption(text, suggestions: ["--\(name)"])
    }
  }

  private func checkCounts() throws(UsageError) {
    for (index, argument) in spec.arguments.enumerated() where argument.isRequired {
      if index >= positionals.count { throw .missingArgument(argument.name) }
    }
    let takesAll = spec.arguments.last?.isVariadic ?? false
    if positionals.count > spec.arguments.count && !takesAll {
      throw .extraArgument(positionals[spec.arguments.count])
    }
  }
}

/// Whether a word behind `--notes` is its value: what looks like an option is more likely the
/// next option after a forgotten value, and `--notes=…` takes anything.
func canBeValue(_ word: String, _ options: [OptionSpec]) -> Bool {
  switch ArgumentWord(word) {
  case .plain: true
  case .long, .endOfOptions: false
  case .short(let letters): !options.contains { $0.short != nil && $0.short == letters.first }
  }
}
