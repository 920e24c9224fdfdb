import LedgerImport

enum ImportLegacyCommand: SourceCommand {
  static let spec = CommandSpec(
    "import legacy", "import the profile and the entries of the old app", group: .write,
    arguments: [.required("FILE", "its JSON file, or - for standard input")],
    options: ImportRun.options,
    examples: [.init("ledger import legacy profile.json")],
    notes: [
      "gender, height, the birth date, name and the like fill fields that were never set, and change "
        + "no others; weight becomes an entry. Fields that the ledger does not have are named. Importing "
        + "again adds nothing."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try run(ImportSource(path: arguments.required("FILE")), arguments, console)
  }

  static func run(
    _ source: ImportSource, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let opened = try OpenedLedger.open(arguments, console)
    return try ImportRun.answer(
      arguments, console, into: opened, totalBytes: source.sizeBytes
    ) { context in
      try LegacyImport.read(source, today: opened.today, context: context)
    }
  }
}
