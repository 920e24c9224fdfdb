import LedgerModel
import LedgerProjections

/// Takes an entry out of every view; the log keeps it.
enum AppendDeletionCommand: Command {
  static let spec = CommandSpec(
    "append deletion", "delete an entry", group: .write,
    arguments: [.required("ENTRY", EntryArgument.help)],
    options: [.value("reason", "R", "why, for whoever reads the log")],
    examples: [.init("ledger append deletion 12 --reason 'the scale was on a carpet'")],
    notes: [
      "The entry leaves every view, and its events stay in the log. "
        + "'ledger erase' removes content for good."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let opened = try OpenedLedger.open(arguments, console)
    let entry = try EntryArgument.find(arguments.required("ENTRY"), of: opened.ledger)
    let deletion = ProgressDeleted(entry: entry.id, reason: arguments.option("reason"))
    let outcome = try opened.append([Edit(change: .deleteProgress(deletion))])
    let quantities = QuantityText(units: opened.units(for: console))
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      let shown = quantities.words(entry.quantity, of: entry.metric)
      let when = EntryText.moment(entry.date, entry.moment, home: opened.zone)
      return "deleted \(entry.metric.name) \(shown) on \(when) "
        + "(event \(event.seq), entry \(EntryText.short(entry.id)))"
    }
    return .done
  }
}
