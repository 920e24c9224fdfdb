import LedgerCLI
import LedgerKit
import LedgerProjections

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
