import LedgerLog

/// `export jsonl`: the log itself.
enum ExportJSONLCommand: Command {
  static let spec = CommandSpec(
    "export jsonl", "write every event as it is stored, byte for byte", group: .look,
    options: [.output("-")],
    examples: [
      CommandExample("ledger export jsonl -o ledger.jsonl"),
      CommandExample("ledger export jsonl | gzip > ledger.jsonl.gz"),
    ],
    notes: [
      "The lines carry their chain with them, so that anybody can verify them without this ledger: "
        + "docs/log-format.md says how, with a program in Python."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let target = try ExportTarget(arguments, besides: ledger.directory, console)
    let bar = console.progress("writing", total: ledger.view.endBytes)
    var failure: (any Error)?
    var events = 0
    let search = LogSearch(ledger.view, LogFilter())
    try search.run { window, matches in
      do {
        events += matches.places.count
        for run in matches.runs {
          try window.extracting(run).withUnsafeBytes { try target.write($0) }
        }
      } catch {
        failure = error
      }
      bar.advance(by: window.byteCount)
      return failure == nil
    }
    if let failure { throw failure }
    bar.finish()
    try target.finish("events", events, counted(events, "event"))
    return .done
  }
}
