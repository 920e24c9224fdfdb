import LedgerModel

/// Sets fields of the body.
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
