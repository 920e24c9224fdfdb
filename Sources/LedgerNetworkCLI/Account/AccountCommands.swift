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
    let name = try person.name ?? askedName(console)
    let born = try birthDate(person, console)
    let words = try SignInWords(console, isNew: true)
    let credentials = try await target.ledger.register(
      at: address, apiKey: words.apiKey, email: email, password: words.password, name: name,
      dateOfBirth: born)
    try target.keepAddress(arguments)
    return try await SignInAnswer.give(
      credentials, "registered and signed in", target.ledger, console)
  }

  private static var today: CalendarDate { LocalZone.current.today(at: LocalZone.now()) }

  private static func askedName(_ console: Console) throws -> String {
    while true {
      let name = try console.ask("Name:", instead: "append it: ledger append profile --name …")
      do throws(Refusal) {
        try Ledger.checkName(name, today)
        return name
      } catch {
        console.warn(error.description)
      }
    }
  }

  private static func birthDate(_ person: ProfileView, _ console: Console) throws -> CalendarDate {
    let born = try person.dateOfBirth ?? askedBirthDate(console)
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

private enum SignInAnswer {
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

/// `delete-account`: deletes the account at the backend, then the ledger here.
enum DeleteAccountCommand: AsyncCommand {
  static let spec = NetworkCommandSpecs.deleteAccount

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    let target = try NetworkLedger(arguments, console)
    let keeps = arguments.flag("keep-ledger")
    let connection = try await target.connection()
    let account = try await target.ledger.verifiedState().account.current
    let name = account.map { "\($0.account) at \($0.origin)" } ?? "who is signed in"
    if !arguments.flag("yes") {
      let here = keeps ? "" : " and the ledger \(target.directory.path)"
      guard
        try console.confirm(
          "Delete the account \(escapedForTerminal(name)) with all its data\(here) for good?"
            + (keeps ? " The ledger here stays." : ""),
          instead: "give --yes")
      else { throw CommandFailure(.usage, "not deleted; nothing was changed") }
    }
    try check(await target.ledger.deleteAccount(over: connection))
    try await target.ledger.forgetAccount()
    let left = keeps ? [] : try await target.ledger.remove()
    try report(account, keeps, left, target.directory.path, console)
    return .done
  }

  /// - Throws: unless the account is deleted.
  private static func check(_ deletion: AccountDeletion) throws(CommandFailure) {
    switch deletion {
    case .deleted: return
    case .inDoubt(let reason):
      throw CommandFailure(
        .temporary,
        "the backend was asked, and its answer was lost (\(reason)): the account may be gone or not; "
          + "the ledger here is kept", hint: "run 'ledger delete-account' again to find out",
        code: "interrupted")
    case .notReached(let reason):
      throw CommandFailure(
        .temporary, "the backend cannot be reached (\(reason)); nothing was deleted, try again",
        code: "offline")
    case .rateLimited(let seconds):
      throw CommandFailure(
        .temporary, "the backend asks to wait \(seconds) s; nothing was deleted, try again then")
    case .signedOut(let reason):
      throw CommandFailure(
        .needsUser, "\(reason); the ledger here is kept",
        hint: "'ledger login' signs in again; where that is refused too, the account may be gone",
        code: "signed-out")
    case .refused(let status, let message):
      throw CommandFailure(
        .needsUser, "the backend refused it (\(status)), \(message); nothing was deleted",
        code: "backend-refused")
    }
  }

  private static func report(
    _ account: AccountSignedIn?, _ keeps: Bool, _ left: [String], _ path: String,
    _ console: Console
  ) throws {
    if console.json {
      let answer = JSONObject([
        "account": account?.account, "origin": account?.origin, "account_deleted": true,
        "ledger_deleted": !keeps, "left": left,
      ])
      return try console.line(answer.serialized)
    }
    let who = account?.account ?? "you"
    try console.done("the account of \(who) is deleted at the backend, with all its data")
    if keeps {
      try console.line("the ledger \(console.shown(path)) is kept; its tokens are removed")
    } else {
      try console.line("the ledger's files in \(console.shown(path)) are deleted")
    }
    if !left.isEmpty {
      let names = left.joined(separator: ", ")
      console.warn("\(path) still holds what is not the ledger's: \(names); it was not touched")
    }
    console.note("exports and backups elsewhere are not touched", .dim)
  }
}
