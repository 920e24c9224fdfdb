import FitIQClient
package import LedgerCLI
import LedgerPlatform

/// A command that waits for the network. A separate protocol, so that local commands run without
/// the concurrency runtime.
package protocol AsyncCommand {
  static var spec: CommandSpec { get }

  /// As `Command.run`.
  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode
}

/// As `CommandTable`, for a program with commands that wait for the network.
package struct AsyncCommandTable {
  package let catalog: CommandCatalog
  private let waiting: [any AsyncCommand.Type]
  private let local: CommandTable

  package init(
    _ waiting: [any AsyncCommand.Type], local: [any Command.Type] = []
  ) {
    self.waiting = waiting
    self.local = CommandTable(local, also: waiting.map { $0.spec })
    catalog = self.local.catalog
  }

  /// Runs in this process; the caller chooses where output goes.
  package func run(
    _ words: [String], streams: ConsoleStreams = .standard
  ) async -> ExitCode {
    guard case .run(let spec, let arguments) = catalog.plan(words),
      let command = waiting.first(where: { $0.spec.name == spec.name })
    else { return local.run(words, streams: streams) }
    let console = Console(streams, .init(arguments))
    let result: Result<ExitCode, any Error>
    do {
      result = .success(try await command.run(arguments, console))
    } catch {
      result = .failure(error)
    }
    return console.finish(result, command: spec.name)
  }

  package func main() async -> Never {
    ProcessSetup.prepare()
    SecretMemory.protect()
    exit(await run(ProcessSetup.words()).rawValue)
  }
}

/// The commands of `ledger-sync`, which need the network or the reference backend.
package enum NetworkCommands {
  package static var table: AsyncCommandTable {
    AsyncCommandTable(
      [
        RegisterCommand.self, LoginCommand.self, LogoutCommand.self, SyncCommand.self,
        DeleteAccountCommand.self, DemoCommand.self, VerifyBackendCommand.self,
      ], local: [BackendCommand.self])
  }
}
