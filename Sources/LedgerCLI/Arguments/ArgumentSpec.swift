/// Text that is put together when somebody asks for help, and not at every start.
package typealias HelpText = @Sendable () -> String

/// One positional argument of a command.
package struct ArgumentSpec: Sendable, Equatable {
  package enum Count: Sendable, Equatable {
    case required
    case optional
    /// Takes all that is left, possibly nothing.
    case anyNumber
    /// Takes all that is left, and at least one.
    case atLeastOne
  }

  /// What help and errors call it, such as `METRIC`; also the key in `ParsedArguments`.
  package let name: String
  package let count: Count
  private let makeHelp: HelpText
  private let makeHint: MakeHint

  package var help: String { makeHelp() }

  /// What a shell can offer for it.
  package var hint: ValueHint { makeHint() ?? ValueHint(placeholder: name) }

  package static func required(
    _ name: String, _ help: @autoclosure @escaping HelpText,
    hint: @autoclosure @escaping MakeHint = nil
  ) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .required, makeHelp: help, makeHint: hint)
  }

  package static func optional(
    _ name: String, _ help: @autoclosure @escaping HelpText,
    hint: @autoclosure @escaping MakeHint = nil
  ) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .optional, makeHelp: help, makeHint: hint)
  }

  package static func anyNumber(
    _ name: String, _ help: @autoclosure @escaping HelpText,
    hint: @autoclosure @escaping MakeHint = nil
  ) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .anyNumber, makeHelp: help, makeHint: hint)
  }

  package static func atLeastOne(
    _ name: String, _ help: @autoclosure @escaping HelpText,
    hint: @autoclosure @escaping MakeHint = nil
  ) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .atLeastOne, makeHelp: help, makeHint: hint)
  }

  package static func == (left: ArgumentSpec, right: ArgumentSpec) -> Bool {
    left.name == right.name && left.count == right.count && left.help == right.help
      && left.hint == right.hint
  }

  var isVariadic: Bool { count == .anyNumber || count == .atLeastOne }

  var isRequired: Bool { count == .required || count == .atLeastOne }

  /// How the usage line shows it.
  var usage: String {
    switch count {
    case .required: name
    case .optional: "[\(name)]"
    case .anyNumber: "[\(name) …]"
    case .atLeastOne: "\(name) …"
    }
  }
}
