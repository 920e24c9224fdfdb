import LedgerJSON
import LedgerProjections

/// `show sync`: the edits that the backend has not taken yet, and why.
enum ShowSyncCommand: Command {
  static let spec = CommandSpec(
    "show sync", "show which edits wait for the backend, and why",
    group: .look, options: [ShowOptions.at],
    examples: [
      CommandExample("ledger show sync"),
      CommandExample("ledger show sync --at yesterday", "what was waiting then"),
    ],
    notes: [
      "Pending edits leave with the next 'ledger sync'. One in doubt was sent and its answer lost; "
        + "the next sync finds out. One that is held waits for another edit, one that was rejected "
        + "for a correction, one in conflict for 'ledger resolve'."
    ] + ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let outbox = try Outbox(ledger.state(arguments), in: ledger.view)
    if console.json {
      try console.line(JSONValue.array(outbox.items.map { .object($0.json) }).serialized)
    } else {
      try OutboxText(outbox: outbox).write(to: console)
    }
    return .done
  }
}
