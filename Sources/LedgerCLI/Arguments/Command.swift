/// A command: its description, and what it does. One file each.
package protocol Command {
  static var spec: CommandSpec { get }

  /// Answers through the console. Throws a `ReportableError` or a `UsageError` to say why it
  /// cannot; any other error is reported as it describes itself.
  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode
}
