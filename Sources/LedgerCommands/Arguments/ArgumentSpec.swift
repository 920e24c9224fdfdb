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
  package let help: String

  package static func required(_ name: String, _ help: String) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .required, help: help)
  }

  package static func optional(_ name: String, _ help: String) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .optional, help: help)
  }

  package static func anyNumber(_ name: String, _ help: String) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .anyNumber, help: help)
  }

  package static func atLeastOne(_ name: String, _ help: String) -> ArgumentSpec {
    ArgumentSpec(name: name, count: .atLeastOne, help: help)
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
