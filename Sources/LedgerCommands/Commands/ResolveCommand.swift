import LedgerJSON
import LedgerModel
import LedgerProjections

/// `resolve`: a person's decision about a conflict.
enum ResolveCommand: Command {
  static let spec = CommandSpec(
    "resolve", "decide a conflict: your value, or the backend's",
    group: .sync, usage: ["SEQ --take local|remote"],
    arguments: [.required("SEQ", "the conflict, as 'ledger conflicts' numbers it")],
    options: [
      .value(
        "take", "SIDE", allowed: ConflictSide.allCases.map(\.rawValue),
        "local keeps what was said here, remote takes what the backend had")
    ],
    examples: [
      CommandExample("ledger resolve 17 --take local"),
      CommandExample("ledger resolve 17 --take remote", "or the other way, even afterwards"),
    ],
    notes: [
      "With local, a value that you gave the field after the conflict was found counts more than "
        + "the one that it was found with. The decision is one more event, and the next 'ledger "
        + "sync' carries it out."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    guard let number = try arguments.integerArgument("SEQ", in: 1 ... .max) else {
      throw UsageError.missingArgument("SEQ")
    }
    guard let side = arguments.option("take").flatMap({ ConflictSide(rawValue: $0) }) else {
      throw CommandFailure(
        .usage, "say whose value stands: --take local keeps yours, --take remote the backend's")
    }
    let opened = try OpenedLedger.open(arguments, console)
    var generator = SystemEntropy()
    let outcome = try opened.ledger.resolve(
      Seq(number), taking: side, at: opened.now, using: &generator)
    let state = try console.json ? nil : opened.ledger.state()
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      sentence(event, state?.conflict(Seq(number)), state?.profileView().unitSystem ?? .metric)
    }
    if !console.json { console.note("the next 'ledger sync' carries it out", .dim) }
    return .done
  }

  private static func sentence(
    _ recorded: RecordedEvent, _ conflict: ConflictView?, _ units: UnitSystem
  ) -> String {
    guard let conflict, case .conflictResolved(let data) = recorded.event.payload else { return "" }
    let field = FieldWords(conflict.fieldName, QuantityText(units: units))
    let whose = data.decision == .local ? "your value stands" : "the backend's value stands"
    let value = data.value ?? .null
    return "\(field.name): \(whose), \(value.isNull ? "nothing" : field.value(value)) "
      + "(event \(recorded.seq), conflict \(data.conflict))"
  }
}
