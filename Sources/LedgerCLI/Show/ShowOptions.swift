import LedgerModel
import LedgerProjections

/// Options that the `show` commands share.
enum ShowOptions {
  static let at = OptionSpec.value(
    "at", "SEQ|TIME", "as it was after that event, or after the last one recorded by then")
  static let metric = OptionSpec.value(
    "metric", "METRIC", aliases: ["type"], allowed: Metric.names, "only this metric",
    normalize: { Metric(spoken: $0)?.name ?? $0 })
  static let metrics = OptionSpec.value(
    "metric", "METRIC", aliases: ["type"], allowed: Metric.names, repeatable: true,
    "only this metric", normalize: { Metric(spoken: $0)?.name ?? $0 })

  /// The values of ``metrics``, each once, in the given order.
  static func metrics(_ arguments: ParsedArguments) -> [Metric] {
    var metrics: [Metric] = []
    for name in arguments.options("metric") {
      if let metric = Metric(name: name), !metrics.contains(metric) { metrics.append(metric) }
    }
    return metrics
  }

  static let limitHelp = "at most this many (default: 20)"
  static let from = OptionSpec.value("from", "DAY", aliases: ["since"], "the first day")
  static let to = OptionSpec.value("to", "DAY", aliases: ["until"], "the last day")

  static let notes = [
    "TIME is a day (all of it), a moment such as 2025-01-31T08:00 on the wall clock here or "
      + "2025-01-31T08:00:00Z, or words: now, today, yesterday, 'yesterday 08:00', -3d, -12h, -2w, "
      + "'3 days ago', 'last monday'. DAY is 2025-01-31, '31 jan', today, yesterday, -7d, "
      + "'2 weeks ago' or 'last monday'.",
    "A time before the ledger's first event is answered with exit code 4.",
  ]

  /// The filters of `show progress`.
  static func query(
    _ arguments: ParsedArguments, in ledger: ReadLedger
  ) throws -> ProgressQuery {
    let days = try days(arguments, in: ledger)
    return ProgressQuery(
      metric: arguments.option("metric").flatMap { Metric(name: $0) }, from: days.from,
      to: days.to)
  }

  /// `--from` and `--to`.
  static func days(
    _ arguments: ParsedArguments, in ledger: ReadLedger
  ) throws -> (from: CalendarDate?, to: CalendarDate?) {
    let (from, to) = (try ledger.day("from", of: arguments), try ledger.day("to", of: arguments))
    if let from, let to, from > to {
      throw UsageError.badValue(
        option: "--from", value: from.description, why: .expected("a day not after --to \(to)"))
    }
    return (from, to)
  }
}

extension ReadLedger {
  /// Queries the state at `--at`; see ``ask(until:_:)``.
  func ask<Answer>(
    _ arguments: ParsedArguments, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer {
    try ask(until: lastSeq("at", of: arguments), question)
  }
}
