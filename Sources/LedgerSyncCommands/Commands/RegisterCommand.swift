import LedgerCommands
import LedgerKit

/// `register`: makes an account and signs it in.
enum RegisterCommand: AsyncCommand {
  static let spec = CommandSpec(
    "register", "make an account at a backend and sign in", group: .sync,
    options: SignInWords.options,
    examples: [
      CommandExample("ledger register --base-url https://api.example.com --email ada@example.com")
    ],
    notes: [
      "Name and birth date come from the ledger, or are asked for. Nobody under 13 can register. "
        + "The profile itself goes out with the next 'ledger sync'."
    ] + SignInWords.notes)

  /// The least age that the backend accepts (backend.md).
  private static let leastAge = 13

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    var target = try NetworkLedger(arguments, console)
    let address = try target.address(arguments)
    let person = try await target.ledger.profile()
    let name =
      try person.name
      ?? console.ask("Name:", instead: "append it: ledger append profile --name …")
    let born = try birthDate(person, console)
    let words = try SignInWords(arguments, console)
    let credentials = try await target.ledger.register(
      at: address, apiKey: words.apiKey, email: words.email, password: words.password, name: name,
      dateOfBirth: born)
    try SignInAnswer.give(credentials, "registered and signed in", console)
    return .done
  }

  private static func birthDate(_ person: ProfileView, _ console: Console) throws -> CalendarDate {
    let text =
      try person.dateOfBirth?.description
      ?? console.ask(
        "Birth date (YYYY-MM-DD):", instead: "append it: ledger append physical --born …")
    guard let born = CalendarDate(text) else {
      throw CommandFailure(.usage, "'\(text)' is no date of the calendar, YYYY-MM-DD")
    }
    let today = LocalZone.current.today(at: LocalZone.now())
    guard born.age(on: today) >= leastAge else {
      throw CommandFailure(
        .usage, "the birth date is \(born); the backend registers nobody under \(leastAge)")
    }
    return born
  }
}

extension CalendarDate {
  /// Whole years; somebody born on 29 February is a year older on 1 March.
  func age(on day: CalendarDate) -> Int {
    let (born, now) = (components, day.components)
    let hadBirthday = (now.month, now.day) >= (born.month, born.day)
    return now.year - born.year - (hadBirthday ? 0 : 1)
  }
}
