import LedgerJSON
import LedgerModel
import LedgerProjections

enum ShowProfileCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "show profile", "show name, body and preferences with their sync status",
    group: .look, options: [ShowOptions.at],
    examples: [
      CommandExample("ledger show profile"),
      CommandExample("ledger show profile --at 2025-01-31", "as it was at the end of that day"),
      CommandExample("ledger show profile --at 120 --json", "as it was after event 120"),
    ],
    notes: ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let view = try ledger.ask(arguments) { $0.profileView() }
    try console.answer(answer(view)) { try ProfileText(view: view).write(to: console) }
    return .done
  }

  static func answer(_ view: ProfileView) -> JSONObject {
    let status = view.status.map {
      JSONObject.Member(name: $0.field.rawValue, value: .string($0.status.rawValue))
    }
    return JSONObject([
      "profile": view.profile, "physical": view.physical, "preferences": view.preferences,
      "status": JSONObject(members: status),
      "unreadable": view.unreadable.isEmpty ? nil : view.unreadable.map(\.rawValue),
    ])
  }
}

private struct ProfileText {
  let view: ProfileView

  func write(to console: Console) throws(OutputFailure) {
    guard !view.status.isEmpty || !view.unreadable.isEmpty else {
      try console.line("The profile is empty.")
      console.note("fill it in: ledger append profile --name NAME --unit-system metric", .dim)
      return
    }
    var table = Table([.left(""), .left("", shrinks: true), .left("")])
    for subject in ProfileSubject.allCases {
      for field in subject.fields {
        if view.unreadable.contains(field) {
          table.add(
            .init(field.words, .dim), .init("not known here: the backend does not show it", .dim),
            .init(""))
        }
        guard let status = view.status(of: field) else { continue }
        table.add(
          .init(field.words, .dim), text(field, in: object(subject)),
          .init(status == .synced ? "" : status.rawValue, status.style))
      }
    }
    try console.write(table)
    if !view.unreadable.isEmpty {
      let height = view.unitSystem == .imperial ? "--height HEIGHT" : "--height-cm CM"
      let options = view.unreadable.map { $0 == .heightCM ? height : "--sex SEX" }
      console.note(
        "set it here: ledger append physical \(options.joined(separator: " "))", .dim)
    }
  }

  private func object(_ subject: ProfileSubject) -> JSONObject {
    switch subject {
    case .profile: view.profile
    case .physical: view.physical
    case .preferences: view.preferences
    }
  }

  private func text(_ field: ProfileField, in object: JSONObject) -> Table.Cell {
    guard let value = object[field.rawValue] else { return Table.Cell("cleared", .dim) }
    switch value {
    case .string(let text): return Table.Cell(text)
    case .number(let number) where field == .heightCM:
      return Table.Cell(QuantityText(units: view.unitSystem ?? .metric).height(centimetres: number))
    case .array(let values):
      let texts = values.compactMap(\.string)
      return texts.isEmpty ? Table.Cell("none", .dim) : Table.Cell(texts.joined(separator: ", "))
    default: return Table.Cell(value.serialized)
    }
  }
}

extension ProfileField {
  var words: String {
    switch self {
    case .name: "name"
    case .bio: "bio"
    case .preferredUnitSystem: "units"
    case .languageCode: "language"
    case .biologicalSex: "sex"
    case .heightCM: "height"
    case .dateOfBirth: "born"
    case .allergies: "allergies"
    case .dietaryRestrictions: "restrictions"
    case .foodDislikes: "dislikes"
    }
  }
}

extension FieldStatus {
  var style: Paint.Style {
    switch self {
    case .synced: .dim
    case .pending, .held: .yellow
    case .rejected, .conflict: .red
    }
  }
}
