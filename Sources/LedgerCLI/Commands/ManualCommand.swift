import LedgerJSON

/// Prints the manual page, made from the tables of all programs.
enum ManualCommand: Command {
  static let spec = CommandSpec(
    "manual", "print the manual page, as man reads it", group: .more,
    examples: [
      .init("ledger manual | man -l -", "read it"),
      .init("ledger manual > ~/.local/share/man/man1/ledger.1", "keep it where man looks"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let page = ManualPage(catalog: LocalCommands.catalog.withHelpers()).text
    if console.json {
      let answer: JSONObject = ["page": .string(page)]
      try console.line(answer.serialized)
    } else {
      try console.write(page)
    }
    return .done
  }
}
