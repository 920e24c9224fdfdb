/// The arguments and options of a command line, by the names that the command's spec declares.
///
/// A name that the spec does not declare is a programming error and traps.
package struct ParsedArguments: Sendable {
  package let spec: CommandSpec
  package let positionals: [String]
  /// The command's words as they were typed, for errors: `rm` for `append deletion`.
  package var command: String
  private let given: GivenOptions

  init(spec: CommandSpec, given: GivenOptions, positionals: [String]) {
    self.spec = spec
    command = spec.name
    self.given = given
    self.positionals = positionals
  }

  /// The value of an option that is given at most once.
  package func option(_ name: String) -> String? {
    let option = declared(name)
    precondition(option.takesValue, "\(option.spelled) is a flag: use flag(_:)")
    precondition(!option.repeatable, "\(option.spelled) repeats: use options(_:)")
    return given.values(of: name).first
  }

  /// Every value of a repeatable option, in order.
  package func options(_ name: String) -> [String] {
    precondition(declared(name).takesValue, "--\(name) is a flag: use flag(_:)")
    return given.values(of: name)
  }

  package func flag(_ name: String) -> Bool {
    precondition(!declared(name).takesValue, "--\(name) takes a value: use option(_:)")
    return given.has(name)
  }

  package func has(_ name: String) -> Bool {
    given.has(declared(name).name)
  }

  /// The command's own options that were given, in the spec's order.
  package var givenOptions: [String] {
    spec.options.map(\.name).filter(given.has)
  }

  /// A sentence for each option that was given by an older name.
  var spellingHints: [String] { given.spellingHints }

  /// The positional argument of that name; nil when it is missing.
  package func argument(_ name: String) -> String? {
    let index = declaredArgument(name)
    return index < positionals.count ? positionals[index] : nil
  }

  /// The positional argument of that name; a usage error when it is missing, for arguments that
  /// are optional in the spec but needed in this case.
  package func required(_ name: String) throws(UsageError) -> String {
    guard let value = argument(name) else { throw .missingArgument(name) }
    return value
  }

  /// All values of a variadic argument.
  package func rest(_ name: String) -> [String] {
    Array(positionals.dropFirst(declaredArgument(name)))
  }

  private func declared(_ name: String) -> OptionSpec {
    guard let option = spec.allOptions.first(where: { $0.name == name }) else {
      preconditionFailure("\(spec.name) declares no option --\(name)")
    }
    return option
  }

  private func declaredArgument(_ name: String) -> Int {
    guard let index = spec.arguments.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("\(spec.name) declares no argument \(name)")
    }
    return index
  }
}

extension ParsedArguments {
  /// `--ledger DIR`, which takes precedence over the environment and the search upward.
  package var ledgerFolder: String? { option("ledger") }

  package func integer(
    _ name: String, in limits: ClosedRange<Int> = .min ... .max
  ) throws(UsageError) -> Int? {
    guard let text = option(name) else { return nil }
    return try wholeNumber(text, of: typed(name), in: limits)
  }

  /// All values of a variadic argument.
  package func integers(
    _ name: String, in limits: ClosedRange<Int>
  ) throws(UsageError) -> [Int] {
    try rest(name).map { text throws(UsageError) in try wholeNumber(text, of: name, in: limits) }
  }

  package func exclude(_ first: String, _ second: String) throws(UsageError) {
    if has(first) && has(second) { throw .conflict(typed(first), typed(second)) }
  }

  /// The option as it was typed.
  private func typed(_ name: String) -> String { given.spelling(of: name) ?? "--\(name)" }

  private func wholeNumber(
    _ text: String, of name: String, in limits: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    guard let number = Int(text), limits.contains(number) else {
      throw .badValue(option: name, value: text, why: .notInteger(limits))
    }
    return number
  }
}

/// The options of one command line with their values, in the order in which they were given.
///
/// A list and not a dictionary: there are few, and instantiating a dictionary type at run time
/// would cost a small append more than all of its parsing.
struct GivenOptions: Sendable {
  private var all: [(name: String, value: String, spelled: String)] = []
  private(set) var spellingHints: [String] = []

  /// - Parameters:
  ///   - value: empty for a flag.
  ///   - spelled: the option as it was typed, with its dashes.
  mutating func add(_ name: String, _ value: String = "", spelled: String) {
    all.append((name, value, spelled))
  }

  func spelling(of name: String) -> String? { all.first { $0.name == name }?.spelled }

  mutating func addFormer(_ name: String, of option: OptionSpec) {
    spellingHints.append("--\(name) is now \(option.spelled)")
  }

  func has(_ name: String) -> Bool { all.contains { $0.name == name } }

  func values(of name: String) -> [String] {
    all.compactMap { $0.name == name ? $0.value : nil }
  }
}
