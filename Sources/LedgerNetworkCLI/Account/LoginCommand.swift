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
    // Another backend has other accounts.
    let account = owner?.origin == address.origin ? owner?.account : nil
    if let account, arguments.option("email") == nil {
      console.note("signing in as \(console.shown(account)) at \(address.origin)")
    }
    let email = try SignInWords.email(arguments, console, account: account)
    let words = try SignInWords(console)
    let credentials = try await target.ledger.login(
      to: address, apiKey: words.apiKey, email: email, password: words.password)
    try target.keepAddress(arguments)
    try SignInAnswer.write(credentials, "signed in", console)
    return try await SignInAnswer.exitCode(target.ledger, console)
  }
}

enum SignInAnswer {
  /// 5 with a warning when the account was created again.
  static func exitCode(_ ledger: Ledger, _ console: Console) async throws -> ExitCode {
    guard try await ledger.accountChange() != nil else { return .done }
    console.warn(
      "the account was created again: its user id is not the one that this ledger belongs to. "
        + SyncAnswer.replacementOptions)
    return .needsUser
  }

  static func write(_ credentials: Credentials, _ what: String, _ console: Console) throws {
    let answer = JSONObject([
      "account": credentials.email, "origin": credentials.origin, "user_id": credentials.userID,
    ])
    try console.answer(answer) {
      try console.done(
        "\(what) as \(credentials.email) at \(credentials.origin); next: ledger sync")
    }
  }
}
