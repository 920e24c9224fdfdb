import LedgerImport
import LedgerModel

enum ImportFitbitResearchCommand: Command {
  static let spec = CommandSpec(
    "import fitbit-research", "import a person of the published Fitbit data set", group: .write,
    arguments: [.required("DIR", "the folder with dailyActivity_merged.csv and its siblings")],
    options: [
      .value("person", "ID", "the digits of the person's Id (required)"),
      .value("from", "D", "the first day of the data (default: \(FitbitStudy.window.lowerBound))"),
      .value("to", "D", "the last day of the data (default: \(FitbitStudy.window.upperBound))"),
      .value("zone", "Z", "the person's zone (default: the ledger's)"),
    ] + ImportRun.options,
    examples: [.init("ledger import fitbit-research Fitabase --person 1503960366")],
    notes: [
      "Importing again adds only what is new. A row whose moment cannot be proven is left out "
        + "and listed; the exit code is then 5. Days outside of --from and --to are listed too, "
        + "since these bounds are what tells day-month from month-day."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    guard let person = arguments.option("person") else {
      throw UsageError.missingArgument("--person")
    }
    let window = try window(arguments)
    let folder = try arguments.required("DIR")
    let zone = try ImportRun.zone(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    return try ImportRun.answer(arguments, console, into: opened, zone: zone) { context in
      try FitbitImport.read(directory: folder, person: person, window: window, context: context)
    }
  }

  private static func window(
    _ arguments: ParsedArguments
  ) throws -> ClosedRange<CalendarDate> {
    let from = try day("from", arguments) ?? FitbitStudy.window.lowerBound
    let to = try day("to", arguments) ?? FitbitStudy.window.upperBound
    guard from <= to else {
      throw CommandFailure(.usage, "--from is \(from), which lies after --to, \(to)")
    }
    return from...to
  }

  private static func day(
    _ option: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> CalendarDate? {
    guard let text = arguments.option(option) else { return nil }
    guard let date = CalendarDate(text) else {
      throw .badValue(
        option: "--\(option)", value: text, why: .expected("a day such as 2016-04-12"))
    }
    return date
  }
}

/// The site's CSV, or the JSON of Google Takeout; with a person, the published data set, as ``ImportFitbitResearchCommand``.
enum ImportFitbitCommand: Command {
  static let spec = CommandSpec(
    "import fitbit", "import Google Takeout's Fitbit and Google Fit data, or the Fitbit site's CSV",
    group: .write, usage: ["DIR|FILE … [options]", "DIR --person ID [options]"],
    arguments: [
      .anyNumber("FILE", "the CSV file; or Takeout's zip, all zips of one Takeout, or its folder")
    ],
    options: [
      .value("person", "ID", "the digits of the person's Id in the data set"),
      .value("from", "D", "the first day of the data set"),
      .value("to", "D", "the last day of the data set"),
      .value("unit", "U", repeatable: true, "the unit of weight or distance, as lb"),
      .value("zone", "Z", "the zone of the times (default: the ledger's)"),
    ] + ImportRun.options,
    examples: [
      .init("ledger import fitbit takeout-20260131.zip"),
      .init("ledger import fitbit Takeout"),
      .init("ledger import fitbit fitbit_export_20260131.csv"),
    ],
    notes: [
      "Of Takeout, steps, distance, energy, active minutes, the resting heart rate, weight, sleep and "
        + "Google Fit's daily metrics are read. The unit of weight follows from the body mass index or "
        + "the profile. The CSV file may have the tables Body, Foods, Activities and Sleep. It names no "
        + "units: the body mass index and the steps tell them, else --unit is asked for. Importing "
        + "again adds only what is new."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let files = arguments.positionals
    guard let file = files.first else { throw UsageError.missingArgument("FILE") }
    guard files.count == 1 else { return try run(parts: files, arguments, console) }
    let words = [file] + arguments.optionWords
    if arguments.has("person") {
      return try ImportFitbitResearchCommand.run(
        ImportFitbitResearchCommand.spec.parse(words), console)
    }
    if let takeout = try TakeoutFiles(file) { return try run(takeout, arguments, console) }
    guard !ImportSource.file(file).isFolder else { throw UsageError.missingArgument("--person") }
    return try ImportCSVCommand.run(
      ImportCSVCommand.spec.parse(words + ["--rules", "fitbit"]), console)
  }

  private static func run(
    parts files: [String], _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    guard let takeout = try TakeoutFiles(parts: files) else {
      throw CommandFailure(
        .usage, "\(files.map(quoted).joined(separator: ", ")) are not the zips of one Takeout",
        hint: "import one after the other")
    }
    return try run(takeout, arguments, console)
  }

  private static func run(
    _ takeout: TakeoutFiles, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let zone = try ImportRun.zone(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    let units = arguments.options("unit").flatMap { $0.split(separator: ",").map(String.init) }
    let unit = units.first { (try? Quantity.parse("1\($0)", for: .weight)) != nil } ?? units.first
    return try ImportRun.answer(arguments, console, into: opened, zone: zone) { context in
      try FitbitTakeout.read(takeout, unit: unit, context: context)
    }
  }
}
