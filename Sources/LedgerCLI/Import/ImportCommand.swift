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
      "Kinds: " + kinds.joined(separator: ", ") + "; and the vendors of CSV files: "
        + vendors.joined(separator: ", ") + ".",
      "Of several files, each is an import of its own: one that is refused does not keep the next from "
        + "being tried, and the exit code is the worst one.",
      "'ledger import KIND --help' shows the options of a kind.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    var files = arguments.positionals
    var vendor: String?
    if let first = files.first, VendorRules.names.contains(first) {
      vendor = first
      files.removeFirst()
    }
    guard let first = files.first else { throw UsageError.missingArgument("FILE") }
    guard files.count > 1 else { return try run(first, vendor, arguments, console) }
    if vendor == nil { try checkIsFile(first) }
    return try run(files, vendor, arguments, console)
  }

  /// Imports one file after another. One that is refused does not keep the next ones from being tried.
  ///
  /// - Returns: the worst exit code.
  private static func run(
    _ files: [String], _ vendor: String?, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    var worst = ExitCode.done
    for (index, file) in files.enumerated() {
      if !console.json { try console.line("\(console.shown(file)):") }
      // Before what the import says on standard error.
      try console.flush()
      let code: ExitCode
      do {
        code = try run(file, vendor, arguments, console)
      } catch {
        guard isAboutOneFile(error) else {
          let rest = files[(index + 1)...].map(quoted).joined(separator: ", ")
          if !rest.isEmpty { console.diagnostic("not read: \(rest)") }
          throw error
        }
        code = console.report(error)
      }
      try console.flush()
      worst = [worst, code].max { severity($0) < severity($1) } ?? code
    }
    return worst
  }

  private static func isAboutOneFile(_ error: any Error) -> Bool {
    error is ImportError || (error as? CommandFailure)?.exitCode == .usage
  }

  private static func severity(_ code: ExitCode) -> Int {
    switch code {
    case .done: 0
    case .needsUser: 1
    case .usage: 2
    case .notFound: 3
    case .temporary: 4
    case .failed: 5
    case .damaged: 6
    }
  }

  /// Refuses a first word that was meant as a kind.
  private static func checkIsFile(_ word: String) throws(CommandFailure) {
    guard !word.contains("."), !word.contains("/"), word != "-", !ImportSource.file(word).exists
    else { return }
    throw CommandFailure(
      .usage, "\(quoted(word)) is neither a file nor a kind of file",
      hint: "the kinds are \((kinds + vendors).joined(separator: ", "))")
  }

  private static let kinds = [
    "apple-health", "csv", "legacy", "jsonl", "fitbit", "fitbit-research",
  ]
  private static let vendors = VendorRules.names.filter { !kinds.contains($0) }

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
