import LedgerLog
import LedgerProjections

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
        + "docs/log-format.md says how, with a program in Python.",
      "The chain is checked on the way: a wrong line ends the export with exit 3.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let target = try ExportTarget(arguments, besides: ledger.directory, console)
    let bar = console.progress("writing", total: ledger.view.endBytes)
    var failure: (any Error)?
    var events = 0
    let erasures = try ledger.view.forEachVerifiedWindow { window, lines in
      do {
        try window.withUnsafeBytes { try target.write($0) }
        events += lines
      } catch {
        failure = error
      }
      bar.advance(by: window.byteCount)
      return failure == nil
    }
    if let failure { throw failure }
    bar.finish()
    if let damage = try ledger.view.remainder(of: erasures) { throw LogError.damaged(damage) }
    try target.finish("events", events, counted(events, "event"))
    return .done
  }
}
