import FitIQClient
import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerModel

/// `login`: signs in.
enum LoginCommand: AsyncCommand {
  static let spec = NetworkCommandSpecs.login

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    var target = try NetworkLedger(arguments, console)
    let address = try target.address(arguments)
    let owner = try await target.ledger.verifiedState().account.owner
    let email = try SignInWords.email(
      arguments, console, owner: owner, at: address, doing: "signing in")
    let words = try SignInWords(console)
    let credentials = try await target.ledger.signIn(
      to: address, apiKey: words.apiKey, email: email, password: words.password)
    try target.keepAddress(arguments)
    return try await SignInAnswer.give(credentials, "signed in", target.ledger, console)
  }
}

enum SignInAnswer {
  /// 5 with a warning when the account was created again.
  static func give(
    _ credentials: Credentials, _ what: String, _ ledger: Ledger, _ console: Console
  ) async throws -> ExitCode {
    let isSameAccount = try await ledger.accountChange() == nil
    try write(credentials, what, isSameAccount, console)
    if isSameAccount { return .done }
    console.warn(
      "the account was created again: its user id is not the one that this ledger belongs to. "
        + SyncAnswer.replacementOptions)
    return .needsUser
  }

  private static func write(
    _ credentials: Credentials, _ what: String, _ isNextASync: Bool, _ console: Console
  ) throws {
    let answer = JSONObject([
      "account": credentials.email, "origin": credentials.origin, "user_id": credentials.userID,
    ])
    try console.answer(answer) {
      try console.done(
        "\(what) as \(credentials.email) at \(credentials.origin)"
          + (isNextASync ? "; next: ledger sync" : ""))
    }
  }
}
