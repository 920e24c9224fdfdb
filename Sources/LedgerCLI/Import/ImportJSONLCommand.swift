import LedgerImport
import LedgerJSON
import LedgerModel

enum ImportJSONLCommand: SourceCommand {
  static let spec = CommandSpec(
    "import jsonl", "restore a ledger from what export jsonl has written", group: .write,
    arguments: [.required("FILE", "the events, or - for standard input")],
    options: ImportRun.options,
    examples: [.init("ledger import jsonl ledger.jsonl", "after 'ledger init'")],
    notes: [
      "The ledger must be new. Entries, history and what sync has recorded are those of the exported "
        + "ledger; sign in to the same account, and nothing is sent again. Importing again adds nothing."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try run(ImportSource(path: arguments.required("FILE")), arguments, console)
  }

  static func run(
    _ source: ImportSource, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let opened = try OpenedLedger.open(arguments, console)
    let outcome = try EventImport.restore(
      source, into: opened.ledger, isDryRun: arguments.flag("dry-run"))
    let verb = arguments.flag("dry-run") ? "would be restored" : "restored"
    try console.answer(json(outcome, isDryRun: arguments.flag("dry-run"))) {
      try console.line(
        outcome.added > 0
          ? "✓ \(counted(outcome.added, "event")) \(verb); "
            + "the old ledger's 'ledger.created' is not among them"
          : "✓ nothing imported, \(counted(outcome.known, "event")) known")
    }
    return .done
  }

  /// As of any import; events are neither counted by metric nor left out.
  private static func json(
    _ outcome: EventImport.Outcome, isDryRun: Bool
  ) -> JSONObject {
    let none = JSONValue.array([])
    return JSONObject([
      "added": outcome.added, "known": outcome.known, "left_out": 0, "problems": none,
      "by_metric": JSONObject(), "corrected": 0, "skipped": none, "left_out_by_type": none,
      "profile": JSONObject(["filled": JSONObject(), "kept": JSONObject()]),
      "dry_run": isDryRun ? true : nil,
    ])
  }
}
