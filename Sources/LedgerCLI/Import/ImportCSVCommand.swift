import LedgerImport
import LedgerLog
import LedgerModel
import LedgerStore

enum ImportCSVCommand: SourceCommand {
  static let spec = CommandSpec(
    "import csv", "import a CSV file, one or several metrics", group: .write,
    arguments: [.required("FILE", "the file, or - for standard input")],
    options: [
      .value(
        "rules", "NAME",
        "a vendor's rules, or rules/NAME.rules in the ledger",
        hint: .words(VendorRules.names)),
      .value("metric", "M", "the metric that the rows are of", hint: .words(Metric.names)),
      .value("quantity", "COL", "the column that holds how much"),
      .value("date", "COL", "the column of dates, with or without a time"),
      .value("time", "COL", "the column of times"),
      .value("notes", "COL", "the column of remarks"),
      .value("id", "COL", "the column of ids, which tell rows of one moment apart"),
      .value("zone-column", "COL", "the column of UTC offsets"),
      .value("date-format", "P", "the format of dates: dd/MM/yyyy, M-d-yyyy HH:mm:ss"),
      .value("time-format", "P", "the format of times: HH:mm, h:mm:ss a"),
      .value("decimal", "MARK", allowed: ["point", "comma"], "the decimal mark"),
      .value("where", "COL=VAL", repeatable: true, "take only rows with this value"),
      .value(
        "unit", "U", repeatable: true,
        "the unit of bare numbers, as lb",
        hint: .words(Quantity.unitNames)),
      .value("source", "NAME", "whose data it is (default: csv)"),
      .value("zone", "Z", "the zone of the times (default: the ledger's)"),
    ] + ImportRun.options,
    examples: [
      .init("ledger import csv scale.csv --dry-run", "columns are recognized by their names"),
      .init("ledger import csv weight.csv --rules withings"),
      .init(
        "ledger import csv us.csv --metric weight --quantity lbs --unit lb --date Day "
          + "--date-format M/d/yyyy"),
      .init("ledger import csv - --metric steps --quantity n --date day --where person=anna"),
      .init("ledger import csv entries.csv", "what a ledger has exported; entries keep their ids"),
    ],
    notes: [
      "--metric, --quantity and --date together name the columns of a file that is not recognized. "
        + "Without --unit, a column's name or a column of units says the unit. --source tells apart two files of one metric.",
      "Importing again adds only what is new. Encoding, delimiter, decimal mark, header line, date form "
        + "and units in column names are found from all rows; what can be read in two ways is asked for. "
        + "A row that does not fit is left out and listed, and the exit code is then 5.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try run(ImportSource(path: arguments.required("FILE")), arguments, console)
  }

  static func run(
    _ source: ImportSource, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let needsMapping = ["metric", "quantity", "date"].contains { arguments.has($0) }
    let mapping = needsMapping ? try mapping(arguments) : nil
    let zone = try ImportRun.zone(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    if let mapping {
      return try ImportRun.answer(
        arguments, console, into: opened, zone: zone, totalBytes: source.sizeBytes
      ) { context in
        try CSVImport.read(source, mapping: mapping, context: context)
      }
    }
    return try recognize(source, arguments, console, into: opened, zone: zone)
  }

  /// A table of a ledger, a vendor's file, or one whose columns are known by name.
  private static func recognize(
    _ source: ImportSource, _ arguments: ParsedArguments, _ console: Console,
    into opened: OpenedLedger, zone: MomentOptions.Zone?
  ) throws -> ExitCode {
    let source = try source.rereadable()
    if !arguments.has("rules"), LedgerCSV.recognizes(source) {
      let adjust = hasForm(arguments) ? try adjustment(arguments) : nil
      return try ImportRun.answer(
        arguments, console, into: opened, zone: zone, namesEntries: true
      ) {
        try LedgerCSV.read(source, adjust: adjust, context: $0)
      }
    }
    let adjust = try adjustment(arguments)
    let folder = opened.ledger.directory.path + "/rules"
    let named = try arguments.option("rules").map { try VendorRules.named($0, in: folder) }
    let own = try named == nil ? VendorRules.own(in: folder) { console.warn("\($0)") } : []
    return try ImportRun.answer(
      arguments, console, into: opened, zone: zone, totalBytes: source.sizeBytes
    ) { context in
      if let named {
        return try CSVImport.read(source, rules: named.map(adjust), context: context)
      }
      return try CSVImport.read(
        recognizing: source, rules: (own + VendorRules.all()).map(adjust), adjust: adjust,
        context: context)
    }
  }

  /// Whether a person says anything about the form of the file.
  private static func hasForm(_ arguments: ParsedArguments) -> Bool {
    [
      "time", "notes", "id", "zone-column", "date-format", "time-format", "decimal", "where",
      "unit", "source",
    ].contains { arguments.has($0) }
  }

  /// Applies options to rules.
  private static func adjustment(
    _ arguments: ParsedArguments
  ) throws -> (CSVRules) -> CSVRules {
    let mapping = try optional(CSVMapping(metric: .weight, quantity: "", date: ""), arguments)
    if let unknown = mapping.unit.flatMap(CSVRules.unknownUnit) {
      throw UsageError.badValue(
        option: "--unit", value: unknown, why: .expected("a unit such as lb, mi or kJ"))
    }
    let source = arguments.option("source")
    return { $0.adjusted(by: mapping, source: source) }
  }

  private static func mapping(_ arguments: ParsedArguments) throws -> CSVMapping {
    try optional(
      CSVMapping(
        metric: try AppendCommand.metric(needed("metric", arguments)),
        quantity: try needed("quantity", arguments), date: try needed("date", arguments)),
      arguments)
  }

  private static func optional(
    _ mapping: CSVMapping, _ arguments: ParsedArguments
  ) throws -> CSVMapping {
    var mapping = mapping
    mapping.time = arguments.option("time")
    mapping.notes = arguments.option("notes")
    mapping.id = arguments.option("id")
    mapping.zone = arguments.option("zone-column")
    mapping.dateFormat = try arguments.option("date-format").map { try DateFormat($0) }
    mapping.timeFormat = try arguments.option("time-format").map { try DateFormat($0) }
    mapping.hasDecimalComma = arguments.option("decimal").map { $0 == "comma" }
    mapping.conditions = try arguments.options("where").map(condition)
    let units = arguments.options("unit")
    mapping.unit = units.isEmpty ? nil : units.joined(separator: ",")
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
