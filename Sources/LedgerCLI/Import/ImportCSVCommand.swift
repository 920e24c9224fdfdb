import LedgerImport
import LedgerModel
import LedgerStore

enum ImportCSVCommand: Command {
  static let spec = CommandSpec(
    "import csv", "import a CSV file, one metric at a time, or what export csv has written",
    group: .write, usage: ["FILE --metric M --quantity COL --date COL [options]", "FILE [--all]"],
    arguments: [.required("FILE", "the file, or - for standard input")],
    options: [
      .value(
        "metric", "M", "the metric that the rows are of (required)", hint: .words(Metric.names)),
      .value("quantity", "COL", "the column that holds how much (required)"),
      .value("date", "COL", "the column of dates, with or without a time (required)"),
      .value("time", "COL", "the column of times"),
      .value("notes", "COL", "the column of remarks"),
      .value("date-format", "P", "the format of dates: dd/MM/yyyy, M-d-yyyy HH:mm:ss"),
      .value("time-format", "P", "the format of times: HH:mm, h:mm:ss a"),
      .value("where", "COL=VAL", repeatable: true, "take only rows that have this value there"),
      .value(
        "unit", "U", "what quantities without a unit are in, as lb",
        hint: .words(Quantity.unitNames)),
      .value("source", "NAME", "whose data it is, for two files of one metric (default: csv)"),
      .value("zone", "Z", "the zone of the times (default: the ledger's)"),
      .flag("all", "list every skipped row, not just the first"),
    ],
    examples: [
      .init("ledger import csv scale.csv --metric weight --quantity Weight --date Date"),
      .init(
        "ledger import csv us.csv --metric weight --quantity lbs --unit lb --date Day "
          + "--date-format M/d/yyyy"),
      .init("ledger import csv - --metric steps --quantity n --date day --where person=anna"),
      .init("ledger import csv entries.csv", "what a ledger has exported; entries keep their ids"),
    ],
    notes: [
      "Importing again adds only what is new. Nothing is guessed: a row that does not fit is "
        + "left out and listed, and the exit code is then 5."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let file = try arguments.required("FILE")
    let source: ImportSource = file == "-" ? .standardInput : .file(file)
    // Without a mapping, it must be a table that a ledger has exported.
    guard spec.options.contains(where: { $0.takesValue && arguments.has($0.name) }) else {
      let opened = try OpenedLedger.open(arguments, console)
      return try ImportRun.answer(arguments, console, into: opened, namesEntries: true) {
        try LedgerCSV.read(source, context: $0)
      }
    }
    let mapping = try mapping(arguments)
    let zone = try ImportRun.zone(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    return try ImportRun.answer(
      arguments, console, into: opened, zone: zone, totalBytes: source.sizeBytes
    ) { context in
      try CSVImport.read(source, mapping: mapping, context: context)
    }
  }

  private static func mapping(_ arguments: ParsedArguments) throws -> CSVMapping {
    var mapping = CSVMapping(
      metric: try AppendCommand.metric(needed("metric", arguments)),
      quantity: try needed("quantity", arguments), date: try needed("date", arguments))
    mapping.time = arguments.option("time")
    mapping.notes = arguments.option("notes")
    mapping.dateFormat = try arguments.option("date-format").map { try DateFormat($0) }
    mapping.timeFormat = try arguments.option("time-format").map { try DateFormat($0) }
    mapping.conditions = try arguments.options("where").map(condition)
    mapping.unit = arguments.option("unit")
    if let source = arguments.option("source") { mapping.source = source }
    return mapping
  }

  private static func needed(
    _ option: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> String {
    guard let value = arguments.option(option) else { throw .missingArgument("--\(option)") }
    return value
  }

  private static func condition(_ text: String) throws -> CSVMapping.Condition {
    guard let condition = CSVMapping.Condition(text) else {
      throw UsageError.badValue(
        option: "--where", value: text, why: .expected("a column and a value, as person=anna"))
    }
    return condition
  }
}
