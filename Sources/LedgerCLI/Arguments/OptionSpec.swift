/// One option of a command: `--date DATE`, `-n N`, or a flag such as `--stdin`.
package struct OptionSpec: Sendable, Equatable {
  /// The long name without its dashes; also the key in `ParsedArguments`.
  package let name: String
  package let short: Character?
  /// What help calls the value; nil makes the option a flag.
  package let placeholder: String?
  /// The only values accepted; empty accepts any.
  package let allowed: [String]
  package let repeatable: Bool
  /// The program beside this one that runs the command when this option is given.
  package let helper: String?
  private let makeHelp: HelpText
  private let makeHint: MakeHint

  package var help: String { makeHelp() }

  /// What a shell can offer for its value.
  package var hint: ValueHint {
    guard let placeholder else { return .nothing }
    return allowed.isEmpty ? makeHint() ?? ValueHint(placeholder: placeholder) : .words(allowed)
  }

  package static func value(
    _ name: String, _ placeholder: String, short: Character? = nil, allowed: [String] = [],
    repeatable: Bool = false, _ help: @autoclosure @escaping HelpText,
    hint: @autoclosure @escaping MakeHint = nil
  ) -> OptionSpec {
    OptionSpec(
      name: name, short: short, placeholder: placeholder, allowed: allowed,
      repeatable: repeatable, helper: nil, makeHelp: help, makeHint: hint)
  }

  package static func flag(
    _ name: String, short: Character? = nil, helper: String? = nil,
    _ help: @autoclosure @escaping HelpText
  ) -> OptionSpec {
    OptionSpec(
      name: name, short: short, placeholder: nil, allowed: [], repeatable: false,
      helper: helper, makeHelp: help, makeHint: { nil })
  }

  /// The option in the program that handles it.
  var withoutHelper: OptionSpec {
    OptionSpec(
      name: name, short: short, placeholder: placeholder, allowed: allowed,
      repeatable: repeatable, helper: nil, makeHelp: makeHelp, makeHint: makeHint)
  }

  package static func == (left: OptionSpec, right: OptionSpec) -> Bool {
    left.name == right.name && left.short == right.short && left.placeholder == right.placeholder
      && left.allowed == right.allowed && left.repeatable == right.repeatable
      && left.helper == right.helper && left.help == right.help && left.hint == right.hint
  }

  package var takesValue: Bool { placeholder != nil }

  /// The name as a person types it.
  package var spelled: String { "--\(name)" }
}

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
