import LedgerJSON
import LedgerModel

/// What the three groups of fields have in common: one event, told field by field.
enum FieldEdit {
  static func append(
    _ change: Edit.Change, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    // The parser's own sentence is better than the rules': it names the options.
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

  /// A height as people say it who do not think in the field's centimetres.
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
