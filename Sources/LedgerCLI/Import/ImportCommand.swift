import LedgerImport
import LedgerLog

/// A kind of import whose file may be a pipe that was read to find out its kind.
protocol SourceCommand: Command {
  static func run(
    _ source: ImportSource, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode
}

enum ImportCommand: Command {
  static let spec = CommandSpec(
    "import", "import files, whose kind is recognized", group: .write,
    usage: ["[KIND] FILE … [options]"],
    arguments: [
      .anyNumber(
        "FILE", "files, folders or -; their kind may come first", hint: .fileOrWords(vendors))
    ],
    options: [
      .value("zone", "Z", "the zone of times that name none (default: the ledger's)"),
      .value(
        "unit", "U", repeatable: true,
        "the unit of bare numbers, as lb"),
      .value("date-format", "P", "the form of dates in tables that can be read in two ways"),
      .value(
        "decimal", "MARK", allowed: ["point", "comma"],
        "the decimal mark in tables that can be read in two ways"),
    ] + ImportRun.options,
    examples: [
      .init("ledger import export.zip"),
      .init("ledger import weight.csv --dry-run", "says whose file it is and what would come in"),
      .init("ledger import garmin Weight.csv"),
    ],
    notes: [
      "Kinds: " + kinds.joined(separator: ", ") + "; and the vendors of CSV files: "
        + vendors.joined(separator: ", ") + ".",
      "Of several files, and of the tables in a folder or zip, each is an import of its own: one that is "
        + "refused does not keep the next from being tried, and the exit code is the worst one. The zips "
        + "of one Takeout are one import.",
      "'ledger import KIND --help' shows the options of a kind.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    var files = arguments.positionals.map {
      ImportSource(path: $0) == .standardInput ? "-" : $0
    }
    var vendor: String?
    if let first = files.first, VendorRules.names.contains(first) {
      vendor = first
      files.removeFirst()
    }
    guard let first = files.first else { throw UsageError.missingArgument("FILE") }
    if files.count > 1, vendor == nil { try checkIsFile(first) }
    let imports = try groups(files).flatMap { try Self.imports($0, vendor, arguments, console) }
    if imports.count == 1 { return try imports[0].run() }
    return try run(imports, console)
  }

  /// One import.
  private struct Import {
    var name: String
    var run: () throws -> ExitCode
  }

  /// Imports one file after another. One that is refused does not keep the next ones from being tried.
  ///
  /// - Returns: the worst exit code.
  private static func run(_ imports: [Import], _ console: Console) throws -> ExitCode {
    var worst = ExitCode.done
    for (index, one) in imports.enumerated() {
      if !console.json { try console.line("\(console.shown(one.name)):") }
      // Before what the import says on standard error.
      try console.flush()
      let code: ExitCode
      do {
        code = try one.run()
      } catch {
        guard isAboutOneFile(error) else {
          let rest = imports[(index + 1)...].map { quoted($0.name) }.joined(separator: ", ")
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

  /// The files in groups that may be one import: those named as zips of one Takeout.
  private static func groups(_ files: [String]) -> [[String]] {
    var groups: [[String]] = []
    for file in files {
      let stem = TakeoutFiles.stem(file)
      if stem != nil, let place = groups.firstIndex(where: { TakeoutFiles.stem($0[0]) == stem }) {
        groups[place].append(file)
      } else {
        groups.append([file])
      }
    }
    return groups
  }

  /// The import of the parts of one Takeout; `nil` if the files are not such.
  private static func parts(
    _ files: [String], _ arguments: ParsedArguments, _ console: Console
  ) -> Import? {
    let name = files.joined(separator: ", ")
    do {
      guard try TakeoutFiles(parts: files) != nil else { return nil }
    } catch {
      return Import(name: name) { throw error }
    }
    return Import(name: name) {
      let words = arguments.optionWords + ["--"] + files
      return try ImportFitbitCommand.run(ImportFitbitCommand.spec.parse(words), console)
    }
  }

  /// The imports of a group of files. A folder or zip with tables of vendors is several.
  private static func imports(
    _ files: [String], _ vendor: String?, _ arguments: ParsedArguments, _ console: Console
  ) throws -> [Import] {
    if vendor == nil || vendor == "fitbit", files.count > 1,
      let parts = parts(files, arguments, console)
    {
      return [parts]
    }
    // Where no ledger is, the import itself says so.
    let folder = (try? LedgerLocation.find(arguments, console)).map { $0.path + "/rules" }
    return files.flatMap { file in
      let tables: VendorTables?
      do {
        // A file of rules that cannot be used is named when a table is read.
        let own = try folder.map { folder in try VendorRules.own(in: folder) { _ in } } ?? []
        tables = try VendorTables(file, vendor: vendor, own: own)
      } catch {
        return [Import(name: file) { throw error }]
      }
      if let tables {
        let failures = tables.failures.map { failure in
          Import(name: "\(file): \(failure.name)") { throw failure.error }
        }
        let imports =
          failures
          + tables.sources.map { source in
            Import(name: "\(file): \(source.name)") {
              try run(ImportCSVCommand.self, source, vendor, arguments, console)
            }
          }
        if imports.isEmpty, tables.hasFitbitStudy {
          return [
            Import(name: file) {
              throw CommandFailure(.usage, studySentence(file), hint: studyAdvice(file))
            }
          ]
        }
        // A zip without any is refused with their names.
        if !imports.isEmpty || ImportSource.file(file).isFolder { note(tables, file, console) }
        if !imports.isEmpty { return imports }
      }
      return [Import(name: file) { try run(file, vendor, arguments, console) }]
    }
  }

  private static func studySentence(_ folder: String) -> String {
    "\(quoted(folder)) has the published Fitbit data set, which is of several people"
  }

  private static func studyAdvice(_ folder: String) -> String {
    "import one of them: ledger import fitbit-research \(ShellText.word(folder)) --person ID"
  }

  /// Names the tables of a folder or zip that are not read.
  private static func note(_ tables: VendorTables, _ file: String, _ console: Console) {
    func note(_ names: [String], _ why: String, _ advice: String = "") {
      guard !names.isEmpty else { return }
      let shown = names.prefix(20).map(quoted).joined(separator: ", ")
      let more = names.count > 20 ? ", …" : ""
      console.note("\(file): not read, as \(why): \(shown)\(more)\(advice)")
    }
    note(
      tables.readable, "no rules recognize them", "; name one to read it by its columns")
    note(tables.others, "no row names a date and a metric")
    if tables.hasFitbitStudy { console.note(studySentence(file) + "; " + studyAdvice(file)) }
  }

  private static func run(
    _ file: String, _ vendor: String?, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let words = arguments.optionWords + ["--", file]
    var source = ImportSource(path: file)
    if vendor == nil, file != "-" {
      if try TakeoutFiles(file) != nil {
        return try ImportFitbitCommand.run(ImportFitbitCommand.spec.parse(words), console)
      }
      if source.isFolder {
        guard try AppleHealthImport.export(inFolder: file) == nil else {
          return try run(ImportAppleHealthCommand.self, source, nil, arguments, console)
        }
        throw CommandFailure(
          .usage, "\(quoted(file)) is a folder without files of a known kind",
          hint:
            "name the files in it, or 'ledger import fitbit DIR --person ID' for the research data")
      }
    }
    guard vendor == nil else {
      return try run(ImportCSVCommand.self, source, vendor, arguments, console)
    }
    // What a pipe has can be read once only.
    source = try source.rereadable()
    switch try FileKind(of: source) {
    case .zip:
      guard case .file = source else {
        throw ImportError(.unfit, "\(source.name) is a zip; give the zip's own name")
      }
      return try run(ImportAppleHealthCommand.self, source, nil, arguments, console)
    case .appleHealth:
      return try run(ImportAppleHealthCommand.self, source, nil, arguments, console)
    case .legacy:
      // Any JSON may be it, so that what it is taken for is said.
      console.note("\(console.shown(source.name)): read as the old app's data")
      return try run(ImportLegacyCommand.self, source, nil, arguments, console)
    case .events: return try run(ImportJSONLCommand.self, source, nil, arguments, console)
    case .csv: return try run(ImportCSVCommand.self, source, nil, arguments, console)
    }
  }

  private static func run(
    _ command: any SourceCommand.Type, _ source: ImportSource, _ vendor: String?,
    _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let words =
      arguments.optionWords + (vendor.map { ["--rules", $0] } ?? []) + ["--", source.name]
    return try command.run(source, command.spec.parse(words), console)
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

// The options of 'import' that answer what a file leaves open.

extension ImportQuestion {
  private static let mostShown = 3

  /// What to do, as a part of a sentence.
  var advice: String {
    switch field {
    case .columns: "give 'import csv' --metric, --quantity and --date, or --rules"
    case .dateFormat:
      "give 'import csv' --date-format"
        + (values.isEmpty ? "" : ", as " + values.joined(separator: " or "))
    case .timeFormat: "give 'import csv' --time-format"
    case .decimalMark:
      "give 'import csv' " + values.map { "--decimal \($0)" }.joined(separator: " or ")
    case .unit where values.isEmpty || values.count > Self.mostShown: "give --unit"
    case .unit:
      "give " + values.map { "--unit \($0)" }.joined(separator: " or ") + "; --unit may be repeated"
    case .id:
      "give 'import csv' --id or --time, a column that tells the rows apart; or keep one row, or their sum, "
        + "in the file"
    case .source:
      "give 'import csv' " + values.map { "--where '\($0)=VALUE'" }.joined(separator: " or ")
        + " for the rows with one value"
    case .days: "--from and --to say another span"
    }
  }
}

extension RowProblem {
  /// Why the row was left out, and what to do.
  var reasonWithAdvice: String { reason + (question.map { "; \($0.advice)" } ?? "") }
  /// With the file and the row.
  var sentence: String { description + (question.map { "; \($0.advice)" } ?? "") }
}
