import LedgerCLI
import LedgerNetworkCLI
import Testing

struct AsyncCommandTableTests {
  @Test("The table runs asynchronous and local commands")
  func asyncTableRunsBothKinds() async {
    enum Sync: AsyncCommand {
      static let spec = CommandSpec("sync", "sends and fetches", group: .sync)

      static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        await Task.yield()
        try console.line("synced")
        throw CommandFailure(.temporary, "the backend does not answer; try again")
      }
    }
    enum Version: Command {
      static let spec = CommandSpec("version", "says which version this is", group: .more)

      static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        try console.line("1.0")
        return .done
      }
    }
    let output = MemorySink()
    let error = MemorySink()
    let streams = ConsoleStreams.captured(output: output, error: error)
    let table = AsyncCommandTable([Sync.self], local: [Version.self])
    #expect(await table.run(["sync"], streams: streams) == .temporary)
    #expect(await table.run(["version"], streams: streams) == .done)
    #expect(await table.run(["sync", "x"], streams: streams) == .usage)
    #expect(output.text == "synced\n1.0\n")
    #expect(
      error.text.hasPrefix(
        "ledger: the backend does not answer; try again\nledger: unexpected argument 'x'"))
  }
}
