import LedgerJSON

enum VersionCommand: Command {
  static let spec = CommandSpec(
    "version", "show the version", group: .more,
    examples: [.init("ledger version --json", "with the version of the log's format")])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    if console.json {
      let answer: JSONObject = ["version": .string(Program.version), "format": 1]
      try console.line(answer.serialized)
    } else {
      try console.line("\(Program.name) \(Program.version)")
    }
    return .done
  }
}
