import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

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
        + "unit; deleted entries are left out. 'ledger import csv FILE' reads these entries back.",
      "Notes that a spreadsheet would run as a formula get an apostrophe in front; the import takes it "
        + "away again. Such notes begin with =, +, -, @, a tab or a carriage return; spaces, NUL and "
        + "other control characters may precede these.",
      "The rows come from the log's own lines, and its chain of hashes is checked first: a wrong "
        + "line ends the export with exit 3.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let target = try ExportTarget(arguments, outside: ledger.directory, console)
    let state = try ledger.checkingWhole { try ledger.verifiedState() }
    let bar = console.progress("writing", total: ledger.view.endBytes)
    let entries = try LogExport.csv(
      ledger.view, state, shown: target.shown, onBytes: { bar.advance(by: $0) },
      write: target.write)
    bar.finish()
    try target.finish("entries", entries, counted(entries, "entry", "entries"))
    let sessions = state.sleep().total
    if sessions > 0 {
      console.note("\(counted(sessions, "sleep session")) left out: 'ledger export jsonl' has them")
    }
    return .done
  }
}

enum ExportJSONLCommand: Command {
  static let spec = CommandSpec(
    "export jsonl", "write every event as it is stored, byte for byte; a backup", group: .look,
    options: [.output("-")],
    examples: [
      CommandExample("ledger export jsonl -o ledger.jsonl"),
      CommandExample("ledger export jsonl | gzip > ledger.jsonl.gz"),
    ],
    notes: [
      "The lines carry their chain with them, so that anybody can verify them without this ledger: "
        + "docs/log-format.md says how, with a program in Python.",
      "As a backup it is restored with 'ledger init' and 'ledger import jsonl FILE', under the same "
        + "numbers, unless events were erased. A copy of the .ledger folder restores those, too, and "
        + "the settings: docs/backup.md.",
      "The chain is checked on the way: a wrong line ends the export with exit 3.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let target = try ExportTarget(arguments, outside: ledger.directory, console)
    let bar = console.progress("writing", total: ledger.view.endBytes)
    let events = try ledger.checkingWhole {
      try LogExport.jsonl(ledger.view, onBytes: { bar.advance(by: $0) }, write: target.write)
    }
    bar.finish()
    try target.finish("events", events, counted(events, "event"))
    let erased = try ledger.ask { $0.tally.erased }
    if erased > 0 {
      console.note(
        "\(counted(erased, "event")) of it erased, so 'ledger import jsonl' cannot restore it: as a "
          + "backup, copy the ledger's folder")
    }
    return .done
  }
}

/// The destination of an export: a file, which is replaced atomically, or standard output.
private struct ExportTarget {
  private let file: OutputFile?
  private let console: Console

  init(_ arguments: ParsedArguments, outside ledger: LedgerDirectory, _ console: Console) throws {
    let path = arguments.option("output") ?? "-"
    if path == "-", console.json { throw OutputFile.needed(by: "--json") }
    file = path == "-" ? nil : try OutputFile(path, outside: ledger)
    self.console = console
  }

  /// Escapes stored text for a terminal; `nil` if it goes elsewhere.
  var shown: (@Sendable (String) -> String)? {
    guard file == nil, console.isTerminal else { return nil }
    return { escapedForTerminal($0) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    if let file { try file.write(bytes) } else { try console.write(bytes: bytes) }
  }

  /// Commits the file and reports it.
  ///
  /// - Parameters:
  ///   - what: the answer's member for the count: `events` or `entries`.
  ///   - words: the count with its noun.
  func finish(_ what: String, _ count: Int, _ words: String) throws {
    guard let file else { return }
    try file.commit()
    let answer = JSONObject(["path": file.path, "bytes": file.bytes, what: count])
    try console.answer(answer) {
      try console.line(
        "\(console.paint.green("✓")) \(console.shown(file.path)): \(SizeText.bytes(file.bytes)), "
          + words)
    }
  }
}
