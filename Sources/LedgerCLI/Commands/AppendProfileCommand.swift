import LedgerModel

/// Sets fields of the profile.
enum AppendProfileCommand: Command {
  static let spec = CommandSpec(
    "append profile", "set name, bio, unit system or language", group: .write,
    options: [
      .value("name", "NAME", "1 to 100 characters"),
      .value("bio", "TEXT", "at most 500 characters"),
      .value("unit-system", "SYSTEM", allowed: UnitSystem.allCases.map(\.rawValue), "shown units"),
      .value("language", "TAG", "a BCP 47 tag such as en or de-AT"),
      .value(
        "clear", "FIELD", allowed: ["bio", "language"], repeatable: true, "empty this field"),
    ],
    examples: [
      .init("ledger append profile --name 'Anna Moser' --unit-system metric"),
      .init("ledger append profile --clear bio"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let update = ProfileUpdated(
      name: arguments.option("name"),
      bio: try change("bio", arguments),
      preferredUnitSystem: arguments.option("unit-system").flatMap { UnitSystem(text: $0) },
      languageCode: try change("language", arguments))
    return try FieldEdit.append(.updateProfile(update), arguments, console)
  }

  private static func change(
    _ field: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> FieldChange<String>? {
    let value = arguments.option(field)
    guard arguments.options("clear").contains(field) else { return value.map { .set($0) } }
    guard value == nil else { throw .conflict("--\(field)", "--clear \(field)") }
    return .clear
  }
}
