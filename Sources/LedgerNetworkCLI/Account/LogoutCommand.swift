import LedgerCLI
import LedgerJSON
import LedgerKit

/// `logout`: deletes the tokens.
enum LogoutCommand: AsyncCommand {
  static let spec = CommandSpec(
    "logout", "forget the tokens; nothing else is lost", group: .sync,
    examples: [CommandExample("ledger logout")],
    notes: ["Every edit stays in the ledger; what is pending stays pending."])

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    let wasSignedIn = try await NetworkLedger(arguments, console).ledger.logout()
    if console.json {
      try console.line(
        JSONObject(members: [
          .init(name: "signed_out", value: .bool(wasSignedIn))
        ]).serialized)
    } else {
      try console.line(
        wasSignedIn
          ? "\(console.paint.green("✓")) signed out; every edit is kept"
          : "nobody was signed in")
    }
    return .done
  }
}
