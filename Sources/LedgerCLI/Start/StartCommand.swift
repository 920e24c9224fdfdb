/// `ledger` without a command: the status of the ledger it finds, and what to do next; without a
/// ledger, how to begin.
package enum StartCommand: Command {
  package static let spec = CommandSpec("", "show the status", group: .look)

  package static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    do throws(CommandFailure) {
      _ = try LedgerLocation.find(arguments, console)
    } catch {
      // A ledger that was named and does not exist is an error.
      guard error.exitCode == .notFound, !console.json,
        LedgerLocation.named(arguments, console) == nil
      else { throw error }
      console.writeError(beginning(console))
      return error.exitCode
    }
    return try StatusCommand.run(arguments, console)
  }

  private static func beginning(_ console: Console) -> String {
    let page = HelpPage(
      catalog: LocalCommands.catalog, paint: console.errorPaint, width: min(console.width, 100))
    return page.text(.beginning)
  }
}
