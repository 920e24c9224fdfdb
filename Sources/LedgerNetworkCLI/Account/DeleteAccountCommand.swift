import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerModel

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
