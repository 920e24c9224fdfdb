import LedgerModel

/// Sets the lists of what a person does not eat.
enum AppendPreferencesCommand: Command {
  static let spec = CommandSpec(
    "append preferences", "set allergies, dietary restrictions or dislikes", group: .write,
    options: [
      .value("allergy", "FOOD", repeatable: true, "an allergy"),
      .value("restriction", "DIET", repeatable: true, "a dietary restriction"),
      .value("dislike", "FOOD", repeatable: true, "a food not liked"),
      .value(
        "clear", "LIST", allowed: ["allergies", "restrictions", "dislikes"], repeatable: true,
        "empty this list"),
    ],
    examples: [
      .init("ledger append preferences --allergy nuts --allergy milk"),
      .init("ledger append preferences --clear dislikes"),
    ],
    notes: [
      "What is given replaces the whole list: name every item that is to be in it."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let update = PreferencesUpdated(
      allergies: try list("allergy", "allergies", arguments),
      dietaryRestrictions: try list("restriction", "restrictions", arguments),
      foodDislikes: try list("dislike", "dislikes", arguments))
    return try FieldEdit.append(.updatePreferences(update), arguments, console)
  }

  private static func list(
    _ option: String, _ name: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> [String]? {
    let items = arguments.options(option)
    guard arguments.options("clear").contains(name) else { return items.isEmpty ? nil : items }
    guard items.isEmpty else { throw .conflict("--\(option)", "--clear \(name)") }
    return []
  }
}
