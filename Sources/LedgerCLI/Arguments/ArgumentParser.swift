import LedgerModel

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
    // With --help, missing arguments are fine.
    if !given.has("help") { try checkCounts() }
    if spec.namesEvents { positionals = positionals.map(Self.withoutNumberSign) }
    return ParsedArguments(spec: spec, given: given, positionals: positionals)
  }

  /// `#5`, as views write the number of an event, is `5`.
  private static func withoutNumberSign(_ word: String) -> String {
    let digits = word.dropFirst()
    guard word.hasPrefix("#"), !digits.isEmpty, digits.utf8.allSatisfy(isDigit) else { return word }
    return String(digits)
  }

  private mutating func takeLong(
    _ text: String, _ name: String, _ value: String?
  ) throws(UsageError) {
    guard let option = options.first(where: { $0.isCalled(name) }) else {
      // The next word is probably its value.
      let value = value ?? (next < words.count ? words[next] : nil)
      let isDay = name == "at" && value.map { NamedDay($0) != nil } ?? false
      throw .unknownOption(
        name.isEmpty ? text : "--\(name)", suggestions: suggestions(for: isDay ? "day" : name))
    }
    if option.name != name { given.addFormer(name, of: option) }
    try take(option, spelled: "--\(name)", attached: value)
  }

  /// The options that may be meant by `name`, as they are typed.
  func suggestions(for name: String) -> [String] {
    guard !name.isEmpty else { return [] }
    let others = others(for: name)
    return others.isEmpty ? nearest(to: name, among: options.map(\.name)).map { "--\($0)" } : others
  }

  /// The options that have what people call `name`, of those that the command has.
  private func others(for name: String) -> [String] {
    if name == "today" || name == "yesterday" {
      let day = ["date", "from"].first { name in options.contains { $0.name == name } }
      return day.map { ["--\($0) \(name)"] } ?? []
    }
    let names: [String] =
      switch name {
      case "date", "day", "on", "when": ["date", "from", "by"]
      case "clear", "delete": ["remove"]
      case "at": ["time", "from"]
      case "last": ["limit"]
      case "comment", "message", "remark": ["notes"]
      case "file", "out": ["output"]
      case "birthday", "birthdate", "birth-date", "date-of-birth", "dob": ["born"]
      case "gender", "biological-sex": ["sex"]
      case "allergies": ["allergy"]
      case "restrictions": ["restriction"]
      case "dislikes": ["dislike"]
      case "daily", "weekly", "monthly", "yearly", "week", "weeks", "month", "months", "year",
        "years":
        ["by"]
      default: []
      }
    let periods = [
      "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "week": "week",
      "month": "month", "year": "year", "weeks": "week", "months": "month", "years": "year",
    ]
    let found = options.first { option in
      names.contains(option.name) && (periods[name].map(option.allowed.contains) ?? true)
    }
    return found.map { ["--\($0.name)" + (periods[name].map { " \($0)" } ?? "")] } ?? []
  }

  /// Reads a cluster: flags may share one dash, and the first option with a value takes the rest.
  private mutating func takeShort(_ letters: String) throws(UsageError) {
    var rest = Substring(letters)
    while let letter = rest.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        // `-json` is a long option that lacks a dash.
        if let meant = options.first(where: { $0.name == letters }) {
          throw .unknownOption("-\(letters)", suggestions: [meant.spelled])
        }
        let near = options.filter { $0.name.first == letter }.map(\.spelled)
        throw .unknownOption("-\(letter)", suggestions: Array(near.prefix(3)))
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
      given.add(option.name, spelled: spelled)
      return
    }
    let value = if let attached { attached } else { try detachedValue(spelled, placeholder) }
    let normal = option.normalize(value)
    if !option.allowed.isEmpty && !option.allowed.contains(normal) {
      try refuseList(value, of: option, spelled)
      let near =
        option.allowed == Metric.names
        ? Metric.suggestions(for: value) : nearest(to: value, among: option.allowed)
      throw .badValue(
        option: spelled, value: value, why: .notAllowed(option.allowed, suggestions: near))
    }
    given.add(option.name, normal, spelled: spelled)
  }

  /// Refuses `weight,steps` for an option that takes one value at a time.
  private func refuseList(
    _ value: String, of option: OptionSpec, _ spelled: String
  ) throws(UsageError) {
    let values = value.split(separator: ",").map { option.normalize(String($0)) }
    guard values.count > 1, values.allSatisfy(option.allowed.contains) else { return }
    let repeated = values.map { "\(spelled) \($0)" }.joined(separator: " ")
    throw .badValue(
      option: spelled, value: value,
      why: option.repeatable ? .meant([repeated]) : .expected("one value such as \(values[0])"))
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

  /// `—json` is what some keyboards make of `--json`.
  private func refuseLongDash(_ text: String) throws(UsageError) {
    let scalars = text.unicodeScalars
    guard let first = scalars.first, first == "—" || first == "–" else { return }
    let name = String(scalars.dropFirst())
    if options.contains(where: { $0.isCalled(name) }) {
      throw .unknownOption(text, suggestions: ["--\(name)"])
    }
  }

  private func checkCounts() throws(UsageError) {
    for (index, argument) in spec.arguments.enumerated() where argument.isRequired {
      if index >= positionals.count { throw .missingArgument(argument.name) }
    }
    let takesAll = spec.arguments.last?.isVariadic ?? false
    if positionals.count > spec.arguments.count && !takesAll {
      let surplus = positionals[spec.arguments.count...]
      // 'ledger log weight 82': to log is to append in most diaries.
      if spec.name == "log", surplus.count > 1, let metric = surplus.first,
        Metric(spoken: metric) != nil
      {
        let line = "\(Program.name) append \(surplus.joined(separator: " "))"
        throw .extraArgument(metric, meant: line)
      }
      throw spec.unexpected(positionals[spec.arguments.count])
    }
  }
}

/// Whether a word after `--notes` is its value: what looks like an option is more likely the
/// next option after a forgotten value, and `--notes=…` takes anything.
func canBeValue(_ word: String, _ options: [OptionSpec]) -> Bool {
  switch ArgumentWord(word) {
  case .plain: true
  case .long, .endOfOptions: false
  case .short(let letters): !options.contains { $0.short != nil && $0.short == letters.first }
  }
}

/// The shape of one word of the command line, independent of which options exist.
///
/// Compared by Unicode scalars and not by characters, because a combining mark after a dash or an
/// equals sign would merge with it into one character.
enum ArgumentWord: Equatable {
  case plain
  /// `--name` or `--name=value`; the name may be empty, as in `--=x`.
  case long(name: String, value: String?)
  /// `-n`, `-n20` or `-ab`, without the dash.
  case short(String)
  /// `--`: all following words are arguments.
  case endOfOptions

  init(_ text: String) {
    let scalars = text.unicodeScalars
    guard scalars.first == "-", scalars.count > 1 else {
      // A lone dash is standard input.
      self = .plain
      return
    }
    let rest = scalars.dropFirst()
    guard rest.first == "-" else {
      self = Self.beginsNumber(rest) ? .plain : .short(String(rest))
      return
    }
    let body = rest.dropFirst()
    if body.isEmpty {
      self = .endOfOptions
    } else if let equals = body.firstIndex(of: "=") {
      let value = String(body[body.index(after: equals)...])
      self = .long(name: String(body[..<equals]), value: value)
    } else {
      self = .long(name: String(body), value: nil)
    }
  }

  /// `-3`, `-.5` and `-3mi` are quantities: validation refuses them with a better message.
  private static func beginsNumber(_ rest: Substring.UnicodeScalarView) -> Bool {
    let digits: ClosedRange<Unicode.Scalar> = "0"..."9"
    let first = rest.first.map(digits.contains) ?? false
    let second = rest.dropFirst().first.map(digits.contains) ?? false
    return first || (rest.first == "." && second)
  }
}
