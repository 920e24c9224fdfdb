import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore

enum AppendCommand: Command {
  static let spec = CommandSpec(
    "append", "log a measurement, or append edits from standard input", group: .write,
    usage: [
      "METRIC QUANTITY[UNIT] [options]",
      "--stdin",
    ],
    arguments: [
      .optional("METRIC", "what was measured: \(metricNames)", hint: .words(Metric.names)),
      .anyNumber("QUANTITY", "how much, with a unit if it is not the metric's own: 75.5, 165lb"),
    ],
    options: MomentOptions.specs + [
      .value("notes", "N", "a remark of at most 500 characters"),
      UnusualInput.yes,
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
        + "A time without a zone is in the ledger's zone.",
      "Weights are read in kg, g, lb and stones, as 11st7, and shown in kg, or in lb if the profile's units "
        + "are imperial.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    if arguments.flag("stdin") { return try AppendBatch.run(arguments, console) }
    let first = try arguments.required("METRIC")
    let words = [first] + arguments.rest("QUANTITY")
    if first.first?.isNumber == true, let name = words.last, Metric(spoken: name) != nil {
      let meant = ([name] + words.dropLast()).joined(separator: " ")
      throw CommandFailure(
        .usage, "\(quoted(first)) is not a metric; did you mean \(quoted(meant))?")
    }
    let (metric, rest) = try metric(in: words, orOneOf: kinds)
    return try log(rest, of: metric, arguments, console)
  }

  /// The metric that the words begin with, whose name may have several: `resting heart rate 58`.
  static func metric(
    in words: [String], orOneOf kinds: @autoclosure () -> [String] = []
  ) throws(CommandFailure) -> (metric: Metric, rest: [String]) {
    for count in (2...3).reversed() where words.count >= count {
      guard let metric = Metric(spoken: words[..<count].joined(separator: " ")) else { continue }
      return (metric, Array(words[count...]))
    }
    return (try metric(words[0], orOneOf: kinds()), Array(words.dropFirst()))
  }

  /// Logs a quantity of a metric.
  static func log(
    _ words: [String], of metric: Metric, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let amount = try arguments.amount(words, of: metric)
    let options = try MomentOptions(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    try amount.check(in: try opened.unitSystem())
    let (date, moment) = try options.logged(at: opened.now, in: opened.zone)
    let logged = ProgressLogged(
      entry: opened.makeEntry(), metric: metric, quantity: amount.quantity, date: date,
      moment: moment, notes: arguments.option("notes").flatMap { $0.isEmpty ? nil : $0 })
    try console.confirm(
      [
        .quantity(amount.quantity, of: metric, units: opened.units(for: console)),
        metric == .height ? .feet(amount.typed) : nil, .moment(date, moment, in: opened),
        .sleep(logged, in: opened),
      ],
      remarks: [
        .change(logged, in: opened), .repetition(of: logged, in: opened, for: console),
      ], in: arguments)
    let edit = Edit(change: .logProgress(logged), hasFreshEntry: true)
    let outcome = try opened.append([edit])
    let context = LoggedContext(logged, in: opened, for: console)
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      let when = EntryText.moment(date, moment, home: opened.zone)
      return "\(metric.words) \(amount.shown(in: context.units)) on \(when) "
        + "(event \(event.seq), entry \(EntryText.short(logged.entry)))"
        + context.remarks.map { " · \($0)" }.joined()
    }
    if let moment, options.time != nil {
      tellClockChange(at: moment, on: date, zone: options.zone, opened, console)
    }
    return .done
  }

  /// Says that the clocks were changed at that time, in the named zone or the ledger's.
  ///
  /// - Parameter second: what to write for the later of two equal times, given its offset.
  static func tellClockChange(
    at moment: ZonedTime, on date: CalendarDate, zone: MomentOptions.Zone?, _ opened: OpenedLedger,
    _ console: Console, second: (ZoneOffset) -> String = { "--zone \($0)" }
  ) {
    let time = moment.time
    let (change, real) = ZoneRules.with(zone, home: opened.zone) { rules in
      (rules.clockChange(at: time, on: date), rules.localTime(at: moment.instant(on: date)))
    }
    switch change {
    case .skipped:
      console.note(
        "the clocks skipped \(time) on that day; it is stored as \(time) \(moment.zone)"
          + ", the moment of \(real.time) \(real.zone)")
    case .repeated(let later):
      console.note(
        "\(time) came twice on that day; it is stored as the first, \(moment.zone), and "
          + "\(second(later)) is the second")
    case nil: break
    }
  }

  /// The subcommands of `append`.
  private static var kinds: [String] { LocalCommands.catalog.nextWords(after: ["append"]) }

  private static var metricNames: String {
    Metric.allCases.map(\.words).joined(separator: ", ")
  }

  /// - Parameter kinds: other words to suggest.
  static func metric(
    _ name: String, orOneOf kinds: @autoclosure () -> [String] = []
  ) throws(CommandFailure) -> Metric {
    if let metric = Metric(spoken: name) { return metric }
    let near = Metric.suggestions(for: name, orOneOf: kinds())
    throw CommandFailure(
      .usage,
      "\(quoted(name)) is not a metric; "
        + (near.isEmpty
          ? "those are \(metricNames); other things cannot be logged, and a remark goes to --notes "
            + "of an entry"
          : "did you mean \(listed(near))?"))
  }
}

/// The user's units and remarks for the confirmation of a new entry. Uses only what needs no long
/// fold.
private struct LoggedContext {
  let units: UnitSystem
  let remarks: [String]

  init(_ logged: ProgressLogged, in opened: OpenedLedger, for console: Console) {
    let today = opened.today
    let found = opened.askIfCheap(for: console) { state in
      let units = state.profileView().unitSystem ?? .metric
      let quantities = QuantityText(units: units)
      let remarks = [
        LoggedTrend(logged, quantities, today: today).words(state),
        Self.profileHeight(logged, quantities, state),
        state.entry(equalTo: logged).map {
          "event \($0.seq) already logged the same; 'ledger undo' takes this one back"
        },
      ]
      return (units, remarks.compactMap(\.self))
    }
    (units, remarks) = found ?? (.metric, [])
  }

  /// The height of the profile, which an entry does not set; `nil` if it is the same.
  private static func profileHeight(
    _ logged: ProgressLogged, _ quantities: QuantityText, _ state: LedgerState
  ) -> String? {
    guard logged.metric == .height else { return nil }
    let height = state.profileView().physical[ProfileField.heightCM.rawValue]?.number
    guard height != logged.quantity else { return nil }
    let shown = height.map { quantities.words($0, of: .height) } ?? "unset"
    let (factor, unit, _) = quantities.shown(.height)
    let number = JSONNumber.text((logged.quantity / factor).rounded9)
    return "the profile's height stays \(shown): ledger append physical "
      + (factor == 1 ? "--height-cm \(number)" : "--height \(number)\(unit)")
  }
}

extension OpenedLedger {
  /// The user's units, metric by default.
  ///
  /// - Throws: `LogError`, damage included.
  func unitSystem() throws -> UnitSystem {
    try ledger.ask { $0.profileView().unitSystem ?? .metric }
  }

  /// The user's units if known without a long fold, otherwise metric.
  func units(for console: Console) -> UnitSystem {
    askIfCheap(for: console) { $0.profileView().unitSystem ?? .metric } ?? .metric
  }

  /// Ignores errors: the edit is already in the log.
  func askIfCheap<Answer>(
    for console: Console, _ question: (LedgerState) -> Answer
  ) -> Answer? {
    guard !console.json else { return nil }
    let answer = try? ledger.askIfCheap(question)
    return answer.flatMap(\.self)
  }
}

/// Compares a new quantity with earlier ones of its metric.
private struct LoggedTrend {
  private let logged: ProgressLogged
  private let quantities: QuantityText
  private let today: CalendarDate

  /// Older entries are not compared.
  private static let mostDaysBack = 92

  init(_ logged: ProgressLogged, _ quantities: QuantityText, today: CalendarDate) {
    (self.logged, self.quantities, self.today) = (logged, quantities, today)
  }

  func words(_ state: LedgerState) -> String? {
    logged.metric.addsUp ? total(state) : comparison(state)
  }

  /// The day's total, for a metric that adds up.
  private func total(_ state: LedgerState) -> String? {
    let when = logged.date == today ? "today so far" : "on that day"
    if logged.metric == .sleepHours,
      state.sleep(from: logged.date, to: logged.date, limit: 1).total > 0
    {
      let sum = state.days(metric: logged.metric, from: logged.date, to: logged.date).first?.sum
      return "\(quantities.words(sum ?? 0, of: logged.metric)) \(when): its sessions count, not "
        + "hours of sleep"
    }
    let day = state.progress(
      ProgressQuery(metric: logged.metric, from: logged.date, to: logged.date, limit: 100))
    guard (2...100).contains(day.total) else { return nil }
    let sum = day.entries.reduce(0) { $0 + $1.quantity }
    return "\(quantities.words(sum, of: logged.metric)) \(when)"
  }

  /// The difference from about a week before, or else from the previous entry.
  private func comparison(_ state: LedgerState) -> String? {
    guard
      let earlier = newest(state, from: 13, to: 7) ?? newest(state, from: Self.mostDaysBack, to: 1)
    else { return nil }
    let difference = quantities.difference(
      logged.quantity, above: earlier.quantity, of: logged.metric)
    let how =
      difference == 0
      ? "the same as"
      : quantities.words(difference: difference, of: logged.metric)
        + (difference < 0 ? " less than" : " more than")
    return "\(how) \(when(earlier.date))"
  }

  private func newest(_ state: LedgerState, from: Int, to: Int) -> EntryView? {
    let (first, last) = (logged.date.adding(days: -from), logged.date.adding(days: -to))
    return state.newest(ProgressQuery(metric: logged.metric, from: first, to: last))
  }

  private func when(_ date: CalendarDate) -> String {
    switch (logged.date.daysSince1970 - date.daysSince1970, logged.date == today) {
    case (1, true): "yesterday"
    case (7, true): "a week ago"
    case (7, false): "a week before"
    default: "on \(EntryText.day(date))"
    }
  }
}
