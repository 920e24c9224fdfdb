import LedgerCLI
import LedgerJSON
import LedgerKit

/// `logout`: deletes the tokens.
enum LogoutCommand: AsyncCommand {
  static let spec = NetworkCommandSpecs.logout

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    let wasSignedIn = try await NetworkLedger(arguments, console).ledger.signOut()
    try console.answer(JSONObject(["signed_out": wasSignedIn])) {
      try console.line(
        wasSignedIn
          ? "\(console.paint.green("✓")) signed out; every edit is kept"
          : "not signed in")
    }
    return .done
  }
}
