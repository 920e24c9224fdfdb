import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// `blame`: which event set each value, and where it came from.
enum BlameCommand: Command {
  static let spec = CommandSpec(
    "blame", "tell which event set each field of the person, or each value of an entry",
    group: .look,
    arguments: [
      .optional(
        "FIELD|ENTRY",
        "profile.name, all fields of a group as in physical, or an entry (default: all fields)",
        hint: .words(BlamedSubject.names))
    ],
    options: [ShowOptions.at],
    examples: [
      CommandExample("ledger blame profile.name"),
      CommandExample("ledger blame physical", "all fields of the group"),
      CommandExample("ledger blame 17", "the values of the entry that event 17 logged"),
      CommandExample("ledger blame --at yesterday --json", "every field, as of then"),
    ],
    notes: [
      "A value comes from an edit or an import on this device, from the backend, or from a conflict "
        + "that was decided. 'ledger explain SEQ' tells what became of the event.",
      "ENTRY is the number of the event that logged it, or a unique start of its id.",
    ] + ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let subject = try BlamedSubject(arguments.argument("FIELD|ENTRY"))
    let ledger = try ReadLedger(arguments, console)
    let (values, units) = try ledger.ask(arguments) { state in
      (try subject.values(state, in: ledger.view), state.profileView().unitSystem ?? .metric)
    }
    let lines = try BlamedLines(values, in: ledger.view)
    if console.json {
      try console.line(JSONValue.array(lines.all.map { .object(lines.json($0)) }).serialized)
    } else {
      let text = BlameText(
        lines: lines, times: TimeText(zone: try ledger.zone()),
        quantities: QuantityText(units: units))
      try text.write(to: console)
    }
    return .done
  }
}
