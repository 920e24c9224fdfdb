import FitIQClient
package import LedgerCLI
import LedgerPlatform

/// As `CommandTable`, for a program some of whose commands wait for the network.
package struct AsyncCommandTable {
  package let catalog: CommandCatalog
  private let waiting: [any AsyncCommand.Type]
  private let local: CommandTable

  package init(
    _ waiting: [any AsyncCommand.Type], local: [any Command.Type] = [],
    also: [CommandSpec] = []
  ) {
    self.waiting = waiting
    self.local = CommandTable(local, also: waiting.map { $0.spec } + also)
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

  /// The whole program.
  package func main() async -> Never {
    ProcessSetup.prepare()
    SecretMemory.protect()
    exit(await run(ProcessSetup.words()).rawValue)
  }
}
