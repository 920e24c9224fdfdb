import LedgerCLI
import ReferenceBackend

enum DemoCommand: AsyncCommand {
  static let spec = NetworkCommandSpecs.demo

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    var configuration = BackendConfiguration()
    configuration.accessTokenUses = try arguments.integer("access-token-uses", in: 1...1_000_000)
    let folder = try DemoFolder.make(console)
    let stage = DemoStage(folder: folder, console: console)
    try await DemoStory(stage: stage, configuration: configuration).tell()
    return .done
  }
}
