package import LedgerCLI

/// A command that waits for the network. It has a protocol of its own so that the local
/// commands are called without any concurrency runtime.
package protocol AsyncCommand {
  static var spec: CommandSpec { get }

  /// As `Command.run`.
  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode
}
