import LedgerImport

enum ImportCommand: Command {
  static let spec = CommandSpec(
    "import", "import files, whose kind is recognized", group: .write,
    usage: ["[KIND] FILE … [options]"],
    arguments: [.anyNumber("FILE", "a kind, then files")],
    options: [
      .value("zone", "Z", "the zone of times that name none (default: the ledger's)"),
      .value(
        "unit", "U", "what quantities without a unit are in, as lb, where the file does not say"),
    ] + ImportRun.options,
    examples: [
      .init("ledger import export.zip"),
      .init("ledger import weight.csv --dry-run", "says whose file it is and what would come in"),
      .init("ledger import garmin Weight.csv"),
    ],
    notes: [
      "Kinds: apple-health, csv, legacy, jsonl, fitbit, fitbit-research; and the vendors of CSV files: "
        + VendorRules.names.joined(separator: ", ") + ".",
      "'ledger import KIND --help' shows the options of a kind.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    var files = arguments.positionals
    var vendor: String?
    if let first = files.first, VendorRules.names.contains(first) {
      vendor = first
      files.removeFirst()
    }
    guard !files.isEmpty else { throw UsageError.missingArgument("FILE") }
    var code = ExitCode.done
    for file in files {
      let one = try run(file, vendor, arguments, console)
      if one != .done { code = one }
    }
    return code
  }

  private static func run(
    _ file: String, _ vendor: String?, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let words = [file] + arguments.optionWords
    if let vendor { return try run(ImportCSVCommand.self, words + ["--rules", vendor], console) }
    guard file != "-" else { return try run(ImportCSVCommand.self, words, console) }
    if try TakeoutFiles(file) != nil { return try run(ImportFitbitCommand.self, words, console) }
    if ImportSource.file(file).isFolder {
      throw CommandFailure(
        .usage, "\(quoted(file)) is a folder, and not one of Fitbit's in Google Takeout",
        hint:
          "name the files in it, or 'ledger import fitbit DIR --person ID' for the research data")
    }
    switch try FileKind(of: .file(file)) {
    case .appleHealth: return try run(ImportAppleHealthCommand.self, words, console)
    case .legacy: return try run(ImportLegacyCommand.self, words, console)
    case .events: return try run(ImportJSONLCommand.self, words, console)
    case .csv: return try run(ImportCSVCommand.self, words, console)
    }
  }

  private static func run(
    _ command: any Command.Type, _ words: [String], _ console: Console
  ) throws -> ExitCode {
    try command.run(command.spec.parse(words), console)
  }
}

extension ParsedArguments {
  /// The options that were given, as words of a command line.
  var optionWords: [String] {
    spec.allOptions.flatMap { option -> [String] in
      guard has(option.name) else { return [] }
      guard option.takesValue else { return ["--\(option.name)"] }
      return options(option.name).flatMap { ["--\(option.name)", $0] }
    }
  }
}
