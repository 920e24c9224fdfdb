import LedgerJSON
import LedgerModel

/// Appends one event for a group of fields and confirms it field by field.
private enum FieldEdit {
  static func append(
    _ change: Edit.Change, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    // The usage error names the options, which the ledger's rules cannot.
    guard !arguments.givenOptions.isEmpty else {
      throw UsageError.missingArgument(
        listed(arguments.spec.options.map(\.spelled)))
    }
    let opened = try OpenedLedger.open(arguments, console)
    let outcome = try opened.append([Edit(change: change)])
    let quantities = QuantityText(units: opened.units(for: console))
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      let fields = event.event.payload.data.members.map { member in
        "\(member.name) \(shown(member.value))" + inWords(member, quantities)
      }
      let group = arguments.spec.words.last ?? ""
      return "\(group): \(fields.joined(separator: ", ")) (event \(event.seq))"
    }
    return .done
  }

  /// A height in feet and inches, for users of imperial units.
  private static func inWords(_ member: JSONObject.Member, _ quantities: QuantityText) -> String {
    guard member.name == "height_cm", let height = member.value.number else { return "" }
    return quantities.isImperial ? " (\(quantities.height(centimetres: height)))" : ""
  }

  private static func shown(_ value: JSONValue) -> String {
    switch value {
    case .null: "cleared"
    case .array(let items):
      items.isEmpty ? "none" : items.map(shown).joined(separator: " + ")
    case .string(let text): quoted(text)
    case .bool, .number, .object: value.serialized
    }
  }
}

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

enum AppendPhysicalCommand: Command {
  static let spec = CommandSpec(
    "append physical", "set height, sex or date of birth", group: .write,
    options: [
      .value("height-cm", "CM", "in centimetres, or with a unit: 1.8m, 71in"),
      .value("sex", "SEX", allowed: BiologicalSex.allCases.map(\.rawValue), "biological sex"),
      .value("born", "DATE", "the date of birth, YYYY-MM-DD"),
    ],
    examples: [.init("ledger append physical --height-cm 172 --sex female --born 1990-05-17")],
    notes: [
      "These fields can be changed but not emptied. A height measured on some day is an "
        + "entry: ledger append height 172."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let update = PhysicalUpdated(
      biologicalSex: arguments.option("sex").flatMap { BiologicalSex(text: $0) },
      heightCM: try arguments.option("height-cm").map(height),
      dateOfBirth: try arguments.option("born").map(birth))
    return try FieldEdit.append(.updatePhysical(update), arguments, console)
  }

  private static func height(_ text: String) throws -> Double {
    do throws(Refusal) {
      return try Quantity.parse(text, for: .height)
    } catch {
      throw UsageError.badValue(
        option: "--height-cm", value: text,
        why: .expected("a height such as 172, 1.72m, 68in or 5ft8in"))
    }
  }

  private static func birth(_ text: String) throws -> CalendarDate {
    guard let date = CalendarDate(text) else {
      let near = NamedDay.dates(in: text)
      throw UsageError.badValue(
        option: "--born", value: text,
        why: near.isEmpty
          ? .expected("a day of the calendar such as 1990-05-17") : .meant(near))
    }
    return date
  }
}

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
