import LedgerCLI
import ReferenceBackend

/// `demo`: runs and shows the main commands against the reference backend.
enum DemoCommand: AsyncCommand {
  static let spec = CommandSpec(
    "demo", "see the whole story in one command", group: .start,
    options: [
      .value("access-token-uses", "N", "let the backend's token die after so many requests")
    ],
    examples: [
      CommandExample("ledger demo"),
      CommandExample("ledger demo --access-token-uses 3", "with a session that keeps dying"),
    ],
    notes: [
      "It makes a ledger in a temporary folder (or in LEDGER_DEMO_DIR), starts the reference backend "
        + "on this machine, and runs real commands against it. Nothing else is touched."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    var configuration = BackendConfiguration()
    configuration.accessTokenUses = try arguments.integer("access-token-uses", in: 1...1_000_000)
    let folder = try DemoFolder.make(console)
    let stage = DemoStage(folder: folder, console: console)
    try await DemoStory(stage: stage, configuration: configuration).tell()
    return .done
  }
}
