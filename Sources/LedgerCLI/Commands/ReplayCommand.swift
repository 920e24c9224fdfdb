import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// `replay`: every view from line 1, and what was found on the way.
enum ReplayCommand: Command {
  static let spec = CommandSpec(
    "replay", "rebuild every view from the first event, checking the chain on the way",
    group: .check,
    options: [
      .value("until", "SEQ|TIME", "stop after that event, or after the last one recorded by then"),
      .flag("trace", "tell what each event changed in the views"),
      .flag("no-verify", "leave the chain of hashes unchecked"),
      .value("threads", "N", "how many threads read (default: one a core)"),
      .flag("up-to-break", "where the log is damaged, show what stands before it"),
    ],
    examples: [
      CommandExample("ledger replay"),
      CommandExample("ledger replay --trace --until 20", "how the first twenty events add up"),
      CommandExample("ledger replay --up-to-break", "what a damaged log still says"),
    ],
    notes: [
      "A damaged log ends with exit code 3, naming line and byte. --up-to-break then still prints "
        + "what was found before the damage, with 'verified' false, and ends with 3 all the same.",
      "A views.snapshot that says something else than the log is removed, with a warning.",
      "--trace reads on one thread. With --json the trace goes to standard error, so that standard "
        + "output is one JSON object.",
      "TIME is a day (all of it), a moment such as 2025-01-31T08:00, or yesterday, -3d, -12h, "
        + "'2 weeks ago', 'last monday'.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let upToBreak = arguments.flag("up-to-break")
    var options = Replay.Options(verifies: !arguments.flag("no-verify"))
    options.threads = try arguments.integer("threads", in: 1...64)
    let ledger = try ReadLedger(arguments, console, damaged: upToBreak)
    options.until = try ledger.lastSeq("until", of: arguments, upToBreak: upToBreak)
    let began = console.streams.nanoseconds()
    let outcome =
      arguments.flag("trace")
      ? try traced(ledger, options, console) : try ledger.replay(options)
    let views = AllViews(outcome.state, threads: options.threads)
    let seconds = Double(console.streams.nanoseconds() - began) / 1e9
    let damage = outcome.damage ?? ledger.damage
    let wrongSnapshot =
      damage == nil
      ? WrongSnapshot(discarding: SnapshotAudit(ledger.view, outcome.state)) : nil
    if let wrongSnapshot { console.warn(wrongSnapshot.warning) }
    if damage == nil || upToBreak {
      let report = ReplayReport(
        state: outcome.state, views: views, seconds: seconds,
        isVerified: options.verifies && damage == nil,
        isHeadMissing: ledger.view.head == nil && ledger.damage == nil,
        wrongSnapshot: wrongSnapshot)
      if console.json {
        try console.line(report.json.serialized)
      } else {
        try ReplayText(report: report, zone: ledger.zone()).write(to: console)
        if report.isHeadMissing { console.warn(VerifyText.headMissing) }
      }
    }
    if let damage { throw LogError.damaged(damage) }
    return .done
  }

  /// The trace is what a person asked for; in JSON it must not stand in the way of the answer.
  private static func traced(
    _ ledger: ReadLedger, _ options: Replay.Options, _ console: Console
  ) throws -> Replay.Outcome {
    let text = TraceText(quantities: QuantityText(units: units(ledger, console)))
    var failure: OutputFailure?
    let outcome = try Replay.trace(ledger.view, options) { step in
      do throws(OutputFailure) {
        if console.json {
          console.diagnostic(text.line(step))
        } else {
          try console.line(console.shown(text.line(step)))
        }
      } catch {
        failure = error
      }
      return failure == nil
    }
    if let failure { throw failure }
    return outcome
  }

  /// The person's, as they are now; what a program reads stays as the log has it. A damaged log
  /// answers no question, and is traced up to its break all the same.
  private static func units(_ ledger: ReadLedger, _ console: Console) -> UnitSystem {
    guard !console.json else { return .metric }
    return (try? ledger.ask { $0.profileView().unitSystem ?? .metric }) ?? .metric
  }
}

struct ReplayReport {
  let state: LedgerState
  let views: AllViews
  let seconds: Double
  let isVerified: Bool
  let isHeadMissing: Bool
  let wrongSnapshot: WrongSnapshot?

  var events: Int { state.position.seq }
  var eventsPerSecond: Double { seconds > 0 ? (Double(events) / seconds).rounded() : 0 }

  var json: JSONObject {
    let tally = state.tally
    let byType = tally.byType.map {
      JSONObject.Member(name: $0.type, value: JSONValue($0.count))
    }
    let entries: JSONObject = [
      "live": JSONValue(views.entries.live), "deleted": JSONValue(views.entries.deleted),
      "pending": JSONValue(views.entries.pending), "synced": JSONValue(views.entries.synced),
      "failed": JSONValue(views.entries.failed),
    ]
    var object: JSONObject = [
      "events": JSONValue(events), "by_type": .object(JSONObject(members: byType)),
      "unknown": JSONValue(tally.unknownCount), "erased": JSONValue(tally.erased),
      "first_at": tally.firstAt.map { .string($0.description) } ?? .null,
      "last_at": tally.lastAt.map { .string($0.description) } ?? .null,
      "head": .object(state.position.json), "verified": .bool(isVerified),
      "entries": .object(entries), "seconds": .number((seconds * 1e6).rounded() / 1e6),
      "events_per_second": .number(eventsPerSecond),
    ]
    if isHeadMissing { object["head_file"] = "missing" }
    object["snapshot"] = wrongSnapshot.map { .string($0.word) }
    return object
  }
}
