import LedgerModel
import LedgerProjections
import LedgerStore

enum AppendGoalCommand: Command {
  static let spec = CommandSpec(
    "append goal", "set a metric's goal, or remove it", group: .write,
    usage: [
      "METRIC QUANTITY[UNIT] --by DATE", "METRIC QUANTITY[UNIT] --daily|--at-most",
      "METRIC --remove",
    ],
    arguments: [
      .optional("METRIC", "a metric, as for append", hint: .words(Metric.names)),
      .anyNumber("QUANTITY", "what to reach, with a unit if it is not the metric's own"),
    ],
    options: [
      .value(
        "by", "DATE",
        "the day by which to reach it, today or later; of steps and other sums, on one day"),
      .flag("daily", "each day: the day's sum or last value is to be at least the quantity"),
      .flag("at-most", "each day, as a limit: it is to be at most the quantity"),
      .flag("remove", "remove the metric's goal"), UnusualInput.yes,
    ],
    examples: [
      .init("ledger append goal weight 72 --by 2027-03-01"),
      .init("ledger append goal steps 10000 --daily"),
      .init("ledger append goal calories_in 2000 --at-most"),
      .init("ledger append goal steps --remove"),
    ],
    notes: [
      "A metric has one goal; a new one replaces it. Goals are of this ledger alone and never sent. "
        + "'ledger status' and 'ledger show days' show how far they are."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try arguments.exclude("by", "daily")
    try arguments.exclude("by", "remove")
    try arguments.exclude("daily", "remove")
    try arguments.exclude("at-most", "by")
    try arguments.exclude("at-most", "remove")
    let words = [try arguments.required("METRIC")] + arguments.rest("QUANTITY")
    let (metric, rest) = try AppendCommand.metric(in: words)
    if arguments.flag("remove") {
      if let extra = rest.first { throw arguments.spec.unexpected(extra) }
      return try remove(metric, arguments, console)
    }
    let amount = try arguments.amount(rest, of: metric)
    if metric == .sleepHours, amount.typed.contains(":"),
      !metric.usualRange.contains(amount.quantity)
    {
      throw CommandFailure(
        .usage,
        "\(quoted(amount.typed)) is a time of day, and a goal for sleep is in hours, such as 7.5")
    }
    guard arguments.has("by") || arguments.flag("daily") || arguments.flag("at-most") else {
      throw UsageError.missingArgument("--by DATE, --daily or --at-most")
    }
    return try set(metric, amount, arguments, console)
  }

  private static func set(
    _ metric: Metric, _ amount: Amount, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let opened = try OpenedLedger.open(arguments, console)
    let units = try opened.unitSystem()
    let isOfOneDay = arguments.has("by") && metric.addsUp
    do {
      try amount.check(in: units)
    } catch var refusal as Refusal where isOfOneDay {
      refusal.description += "; \(ofOneDay)"
      throw refusal
    }
    let today = opened.today
    let by = try arguments.option("by").map { try deadline($0, today: today) }
    let isAtMost = arguments.flag("at-most")
    var unusual = UnusualInput.quantity(amount.quantity, of: metric, units: units)
    if isOfOneDay { unusual?.meant = ofOneDay }
    try console.confirm(
      [
        unusual,
        by == nil && !isAtMost ? .alwaysReached(amount.quantity, of: metric) : nil,
      ], in: arguments)
    let before = try opened.ledger.ask { $0.goals(today: today) }.first { $0.metric == metric }
    let goal = GoalSet(metric: metric, quantity: amount.quantity, by: by, isAtMost: isAtMost)
    let outcome = try opened.append([Edit(change: .setGoal(goal))])
    let text = GoalText(quantities: QuantityText(units: units))
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      "goal: \(text.target(goal, shown: amount.shown(in: units))) (event \(event.seq))"
    }
    if let before, !console.json { console.note("it replaces: \(text.target(before))") }
    if by == nil, !isAtMost, metric.isOftenLimited, !console.json {
      console.note("for a limit instead, give --at-most", .dim)
    }
    if isOfOneDay, !console.json { console.note(ofOneDay, .dim) }
    return .done
  }

  private static func deadline(_ text: String, today: CalendarDate) throws -> CalendarDate {
    if let day = NamedDay(text) { return day.date(ahead: today) }
    let near = NamedDay.dates(in: text) + NamedDay.firstDay(ofMonth: text)
    throw UsageError.badValue(
      option: "--by", value: text,
      why: NamedDay.impossible(text).map { .impossible($0) }
        ?? (near.isEmpty
          ? .expected("a day of the calendar such as 2027-03-01, '1 mar' or 'in 3 months'")
          : .meant(near)))
  }

  private static let ofOneDay =
    "with --by, the sum of one day is to reach the goal; --daily is for every day"

  private static func remove(
    _ metric: Metric, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let opened = try OpenedLedger.open(arguments, console)
    let today = opened.today
    let goals = try opened.ledger.ask { $0.goals(today: today) }
    guard goals.contains(where: { $0.metric == metric }) else {
      throw CommandFailure(.usage, "there is no goal for \(metric.words); nothing was written")
    }
    let outcome = try opened.append([Edit(change: .removeGoal(GoalRemoved(metric: metric)))])
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      "the goal for \(metric.words) is removed (event \(event.seq))"
    }
    return .done
  }
}
