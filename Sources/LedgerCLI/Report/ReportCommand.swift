import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerReport

enum ReportCommand: Command {
  static let standardName = "ledger-report.html"

  static let spec = CommandSpec(
    "report", "make an HTML page with charts and the audit trail",
    group: .look,
    options: [
      .output("\(standardName) in this folder"),
      ShowOptions.from, ShowOptions.to,
      .flag("open", "open the page in the browser"),
      .value("events", "N", "how many of the newest events the page lists (default: 50)"),
    ],
    examples: [
      CommandExample("ledger report"),
      CommandExample("ledger report -o ~/ledger.html"),
      CommandExample("ledger report --from 2026-01-01 --open"),
      CommandExample("ledger report -o - > page.html"),
    ],
    notes: [
      "The page is one file that needs nothing from anywhere, and runs no script. Only its owner "
        + "can read it: it says what the ledger says.",
      "--from and --to limit the charts, which end today without --to; the audit view is always of the "
        + "whole log.",
      "The chain is checked on the way; a damaged log ends with exit code 3 and makes no page.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let newest = try arguments.integer("events", in: 0...1000) ?? 50
    let path = arguments.option("output") ?? standardName
    if path == "-", console.json || arguments.flag("open") {
      throw OutputFile.needed(by: console.json ? "--json" : "--open")
    }
    let ledger = try ReadLedger(arguments, console)
    // Checks the path before the log is read.
    let file = path == "-" ? nil : try OutputFile(path, outside: ledger.directory)
    let bar = console.progress("reading the log", total: ledger.view.endBytes)
    let zone = try ledger.zone()
    let today = zone.today(at: console.now())
    let days = try ShowOptions.days(arguments, in: ledger)
    let report = try ledger.checkingWhole {
      try ReportBuilder(
        view: ledger.view, zone: zone, now: console.now(), days: days, newestEvents: newest,
        wording: .english(TimeText(zone: zone), today: today), onBytes: { bar.advance(by: $0) }
      ).build()
    }
    bar.finish()
    VerificationRecord.keep(
      .init(
        report.head, offsetBytes: report.offsetBytes, at: console.now(),
        of: try? ledger.view.file.identity()), in: ledger.directory)
    let page = ReportPage.html(report.content)
    guard let file else {
      try console.write(page)
      return .done
    }
    try file.write(page)
    try file.commit()
    try tell(file, report.head, console)
    if arguments.flag("open") { try open(file) }
    return .done
  }

  /// Opens the page with the desktop's program for that.
  ///
  /// - Throws: a failure if there is none, or it fails; the page is written by then.
  private static func open(_ file: OutputFile) throws(CommandFailure) {
    #if canImport(Darwin)
      let program = "open"
    #else
      let program = "xdg-open"
    #endif
    let failure = CommandFailure(
      .failed, "the page is written, but \(program) could not open it")
    let child: ChildProcess
    do {
      child = try ChildProcess(
        program, [file.url ?? file.path], input: .null, output: .null, error: .null)
    } catch {
      throw failure
    }
    guard child.wait() == 0 else { throw failure }
  }

  private static func tell(
    _ file: OutputFile, _ head: ChainPosition, _ console: Console
  ) throws(OutputFailure) {
    guard !console.json else {
      let answer = JSONObject([
        "path": file.path, "bytes": file.bytes, "events": head.seq, "head": head.json,
      ])
      return try console.line(answer.serialized)
    }
    try console.line(
      "\(console.paint.green("✓")) \(console.shown(file.path)): \(SizeText.bytes(file.bytes)), "
        + "\(counted(head.seq, "event")), chain checked")
    console.note(
      "open it in a browser; it needs no network" + (file.url.map { ": \($0)" } ?? ""), .dim)
  }
}

extension ReportWording {
  fileprivate static func english(_ times: TimeText, today: CalendarDate) -> ReportWording {
    ReportWording(
      time: { instant, precision in
        switch precision {
        case .minute: times.minute(instant)
        case .second: times.second(instant)
        case .full: times.exact(instant)
        }
      },
      metric: { metric, units in MetricDisplay(metric, QuantityText(units: units)) },
      sentences: { events, state in
        let words = EventText(
          names: EntryNames(state, for: events.map(\.event)), home: times.zone)
        return events.map { words.sentence($0) }
      },
      goals: { state in
        let quantities = QuantityText(units: state.profileView().unitSystem ?? .metric)
        let text = GoalText(quantities: quantities)
        return Dictionary(
          state.goals(today: today).map { goal in
            let progress = GoalProgress(
              quantity: goal.quantity / quantities.shown(goal.metric).factor,
              isDaily: goal.isDaily, isAtMost: goal.isAtMost, target: text.amount(goal),
              progress: text.remaining(goal, today: today), streakDays: goal.streakDays)
            return (goal.metric, progress)
          }
        ) { $1 }
      })
  }
}

extension MetricDisplay {
  fileprivate init(_ metric: Metric, _ quantities: QuantityText) {
    let shown = quantities.shown(metric)
    self.init(
      metric: metric, name: metric.words, unit: shown.unit, factor: shown.factor,
      // 10 ml are a third of a fluid ounce.
      decimals: metric == .waterLiters && shown.factor != 1 ? 0 : metric.reportDecimals,
      addsUp: metric.addsUp)
  }
}

extension Metric {
  fileprivate var reportDecimals: Int {
    switch self {
    case .weight, .height, .bodyFatPercentage, .bmi, .sleepHours, .moodScore: 1
    case .distanceKM, .waterLiters: 2
    case .steps, .caloriesOut, .caloriesIn, .activeMinutes, .restingHeartRate, .proteinG, .carbsG,
      .fatG:
      0
    }
  }
}
