import FitIQClient
import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerModel
import LedgerProjections

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

/// `register`: creates an account and signs in.
enum RegisterCommand: AsyncCommand {
  static let spec = NetworkCommandSpecs.register

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    var target = try NetworkLedger(arguments, console)
    let address = try target.address(arguments)
    let state = try await target.ledger.verifiedState()
    let email = try SignInWords.email(
      arguments, console, owner: state.account.owner, at: address, doing: "registering")
    // Before anything is asked.
    try Ledger.admit(email.lowercased(), nil, at: address, to: state.account.owner)
    let person = state.profileView()
    let name =
      try person.name
      ?? console.ask("Name:", instead: "append it: ledger append profile --name …")
    let born = try birthDate(person, console)
    let words = try SignInWords(console, isNew: true)
    let credentials = try await target.ledger.register(
      at: address, apiKey: words.apiKey, email: email, password: words.password, name: name,
      dateOfBirth: born)
    try target.keepAddress(arguments)
    return try await SignInAnswer.give(
      credentials, "registered and signed in", target.ledger, console)
  }

  private static func birthDate(_ person: ProfileView, _ console: Console) throws -> CalendarDate {
    let born = try person.dateOfBirth ?? askedBirthDate(console)
    let today = LocalZone.current.today(at: LocalZone.now())
    // Checked before the password prompt.
    try Ledger.checkAge(bornOn: born, today)
    return born
  }

  private static func askedBirthDate(_ console: Console) throws -> CalendarDate {
    while true {
      let text = try console.ask(
        "Birth date (YYYY-MM-DD):", instead: "append it: ledger append physical --born …")
      if let born = CalendarDate(text) { return born }
      let near = NamedDay.dates(in: text)
      console.warn(
        "'\(console.shown(text))' is not a calendar date (YYYY-MM-DD)"
          + (near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"))
    }
  }
}

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
