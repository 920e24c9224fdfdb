import LedgerLog
import LedgerModel

/// Logs one measurement, or with `--stdin` any number of edits.
enum AppendCommand: Command {
  static let spec = CommandSpec(
    "append", "log a measurement, or append edits from standard input", group: .write,
    usage: [
      "METRIC QUANTITY[UNIT] [--date D] [--time T] [--zone Z] [--notes N]",
      "--stdin",
    ],
    arguments: [
      .optional("METRIC", "what was measured: \(metricNames)", hint: .words(Metric.names)),
      .anyNumber("QUANTITY", "how much, with a unit if it is not the metric's own: 75.5, 165lb"),
    ],
    options: MomentOptions.specs + [
      .value("notes", "N", "a remark of at most 500 characters"),
      .flag("stdin", #"read edits as JSON lines: {"type":…,"data":{…}[,"id":…]}"#),
    ],
    examples: [
      .init("ledger append weight 75.5", "now"),
      .init("ledger append weight 165lb --date yesterday --time 07:30"),
      .init("ledger append steps 8000 --date 2026-11-21", "belongs to the day, without a time"),
      .init("ledger append sleep_hours 7.5 --date today --notes 'woke up once'"),
      .init("ledger append --stdin < edits.jsonl", "all of them in one durable write, or none"),
    ],
    notes: [
      "Without a date it is logged for now, with a date alone for that day as a whole. "
        + "A time without a zone is one of the ledger's zone."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    if arguments.flag("stdin") { return try AppendBatch.run(arguments, console) }
    let metric = try metric(arguments.required("METRIC"), orOneOf: kinds)
    let amount = try Amount(words: arguments.rest("QUANTITY"), of: metric)
    let options = try MomentOptions(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    try amount.check(in: opened.units(for: console))
    let (date, moment) = try options.logged(at: opened.now, in: opened.zone)
    let logged = ProgressLogged(
      entry: opened.makeEntry(), metric: metric, quantity: amount.quantity, date: date,
      moment: moment, notes: arguments.option("notes"))
    let edit = Edit(change: .logProgress(logged), hasFreshEntry: true)
    let outcome = try opened.append([edit])
    let context = LoggedContext(logged, in: opened, for: console)
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      let when = EntryText.moment(date, moment, home: opened.zone)
      return "\(metric.name) \(amount.shown(in: context.units)) on \(when) "
        + "(event \(event.seq), entry \(EntryText.short(logged.entry)))"
        + (context.trend.map { " · \($0)" } ?? "")
    }
    if !console.json, let advice = amount.advice(in: context.units) { console.note(advice) }
    return .done
  }

  /// What `append` can be followed by besides a metric.
  private static var kinds: [String] { LocalCommands.catalog.nextWords(after: ["append"]) }

  private static var metricNames: String {
    Metric.names.joined(separator: ", ")
  }

  /// - Parameter kinds: what else the word could have been meant to be.
  static func metric(
    _ name: String, orOneOf kinds: @autoclosure () -> [String] = []
  ) throws(CommandFailure) -> Metric {
    if let metric = Metric(name: name) { return metric }
    let near = nearest(to: name, among: Metric.names + kinds())
    throw CommandFailure(
      .usage,
      "\(quoted(name)) is not a metric; "
        + (near.isEmpty
          ? "those are \(metricNames)" : "did you mean \(listed(near))?"))
  }
}

extension Metric {
  static var names: [String] { allCases.map(\.name) }
}
