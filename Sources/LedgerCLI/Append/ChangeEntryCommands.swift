import LedgerModel
import LedgerProjections

enum AppendCorrectionCommand: Command {
  static let spec = CommandSpec(
    "append correction", "correct an entry", group: .write,
    arguments: [.required("ENTRY", EntryArgument.help)],
    options: [.value("quantity", "Q", "how much it really was, as 74.8 or 165lb")]
      + MomentOptions.specs + [
        .value("notes", "N", "a remark of at most 500 characters"),
        .value("clear", "FIELD", allowed: ["notes"], "remove what the entry has there"),
      ],
    examples: [
      .init("ledger append correction 12 --quantity 74.8"),
      .init("ledger append correction 019b6fbd-1c2a --date yesterday", "keeps the time"),
      .init("ledger append correction 12 --clear notes"),
    ],
    notes: [
      "The first event stays in the log; the correction is one more."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    if arguments.has("clear"), arguments.has("notes") {
      throw UsageError.conflict("--notes", "--clear notes")
    }
    let options = try MomentOptions(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    let entry = try EntryArgument.find(arguments.required("ENTRY"), of: opened.ledger)
    let amount = try arguments.option("quantity").map { try Amount($0, of: entry.metric) }
    try amount?.check(in: try opened.unitSystem())
    let (date, moment) = try options.corrected(from: entry.date, at: opened.now, in: opened.zone)
    let correction = ProgressCorrected(
      entry: entry.id, quantity: amount?.quantity, date: date, moment: moment,
      notes: arguments.has("clear") ? .clear : arguments.option("notes").map { .set($0) })
    let outcome = try opened.append([Edit(change: .correctProgress(correction))])
    let units = opened.units(for: console)
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      let shown =
        amount?.shown(in: units)
        ?? QuantityText(units: units).words(entry.quantity, of: entry.metric)
      let when = EntryText.moment(
        date ?? entry.date, moment ?? entry.moment, home: opened.zone)
      return "corrected \(entry.metric.name): \(shown) on \(when) "
        + "(event \(event.seq), entry \(EntryText.short(entry.id)))"
    }
    return .done
  }
}

enum AppendDeletionCommand: Command {
  static let spec = CommandSpec(
    "append deletion", "delete an entry", group: .write,
    arguments: [.required("ENTRY", EntryArgument.help)],
    options: [.value("reason", "R", "the reason, kept in the log")],
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
