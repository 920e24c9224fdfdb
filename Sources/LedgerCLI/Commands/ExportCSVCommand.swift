import LedgerImport
import LedgerLog
import LedgerProjections

/// `export csv`: the entries as a table.
enum ExportCSVCommand: Command {
  static let spec = CommandSpec(
    "export csv", "write the entries as a table, for spreadsheets and other ledgers", group: .look,
    options: [.output("-")],
    examples: [
      CommandExample("ledger export csv -o entries.csv"),
      CommandExample("ledger export csv | ledger import csv - --ledger ../other/.ledger"),
    ],
    notes: [
      "A row an entry as it is now, in the order they were logged, quantities in the metric's own "
        + "unit; deleted entries are left out. 'ledger import csv FILE' reads it back without loss.",
      "Notes that a spreadsheet would run as a formula get an apostrophe in front; the import takes it "
        + "away again. Such notes begin with =, +, -, @, a tab or a carriage return; spaces, NUL and "
        + "other control characters may precede these.",
      "The rows come from the log's own lines, and its chain of hashes is checked first: a wrong "
        + "line ends the export with exit 3.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let target = try ExportTarget(arguments, besides: ledger.directory, console)
    let state = try ledger.verifiedState()
    try target.write(LedgerCSV.header)
    var failure: (any Error)?
    let entries = state.entryCounts().live
    let bar = console.progress("writing", total: ledger.view.endBytes)
    try EntryRows(view: ledger.view, state: state, shown: target.shown).run { rows, readBytes in
      do { try target.write(rows) } catch { failure = error }
      bar.advance(by: readBytes)
      return failure == nil
    }
    if let failure { throw failure }
    bar.finish()
    try target.finish("entries", entries, counted(entries, "entry", "entries"))
    return .done
  }
}
