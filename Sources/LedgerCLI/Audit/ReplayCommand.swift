import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

enum ReplayCommand: Command {
  static let spec = CommandSpec(
    "replay", "rebuild every view from the first event, checking the chain on the way",
    group: .check,
    options: [
      .value(
        "to", "SEQ|TIME", aliases: ["until"],
        "stop after that event, or after the last one recorded by then"),
      .flag("trace", "tell what each event changed in the views"),
      .flag("no-verify", "leave the chain of hashes and the snapshot unchecked"),
      .value("threads", "N", "how many threads read (default: one a core)"),
      .flag("up-to-break", "if the log is damaged, show what precedes the damage"),
    ],
    examples: [
      CommandExample("ledger replay"),
      CommandExample("ledger replay --trace --to 20", "how the first twenty events add up"),
      CommandExample("ledger replay --up-to-break", "what a damaged log still says"),
    ],
    notes: [
      "A damaged log ends with exit code 3, naming line and byte. --up-to-break then still prints "
        + "what was found before the damage, with 'verified' false, and ends with 3 all the same.",
      "A views.snapshot that differs from the log is removed, with a warning.",
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
    options.until = try ledger.lastSeq(
      "to", of: arguments, upToBreak: upToBreak, usesSnapshot: false)
    let snapshot = options.verifies ? Snapshot.open(ledger.view) : nil
    let began = console.streams.nanoseconds()
    if arguments.flag("trace") { try trace(ledger, options, console) }
    let fold = try ledger.replay(options, beside: snapshot)
    let outcome = fold.outcome
    let views = AllViews(
      outcome.state, threads: options.threads, isCompared: snapshot != nil)
    let seconds = Double(console.streams.nanoseconds() - began) / 1e9
    let damage = outcome.damage ?? ledger.damage
    let wrongSnapshot = damage == nil ? WrongSnapshot(discarding: fold.audit(views)) : nil
    if let wrongSnapshot { console.warn(wrongSnapshot.warning) }
    if damage == nil || upToBreak {
      let report = ReplayReport(
        state: outcome.state, views: views, seconds: seconds,
        isVerified: options.verifies && damage == nil,
        isHeadMissing: ledger.view.head == nil && ledger.damage == nil,
        wrongSnapshot: wrongSnapshot)
      try console.answer(report.json) {
        try report.write(to: console, zone: ledger.zone())
        if report.isHeadMissing { console.warn(VerifyCommand.headMissing) }
      }
    }
    if let damage { try ledger.checkingWhole { throw LogError.damaged(damage) } }
    return .done
  }

  /// With `--json` the trace goes to standard error, so that standard output is one object.
  private static func trace(
    _ ledger: ReadLedger, _ options: Replay.Options, _ console: Console
  ) throws {
    // Asked for once: of a log that cannot be folded, each question fails only at its end.
    let units = units(ledger, console)
    let text = TraceText(quantities: QuantityText(units: units))
    var failure: OutputFailure?
    _ = try Replay.trace(ledger.view, options) { step in
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
  }

  /// The user's current choice; metric for JSON and for a damaged log, which answers no question.
  private static func units(_ ledger: ReadLedger, _ console: Console) -> UnitSystem {
    guard !console.json else { return .metric }
    return (try? ledger.ask { $0.profileView().unitSystem ?? .metric }) ?? .metric
  }
}

private struct ReplayReport {
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
    let entries = views.entries
    return JSONObject([
      "events": events, "by_type": JSONObject(members: byType), "unknown": tally.unknownCount,
      "erased": tally.erased, "first_at": JSONValue.orNull(tally.firstAt),
      "last_at": JSONValue.orNull(tally.lastAt), "head": state.position.json,
      "verified": isVerified,
      "entries": JSONObject([
        "live": entries.live, "deleted": entries.deleted, "pending": entries.pending,
        "synced": entries.synced, "failed": entries.failed,
      ]),
      "seconds": (seconds * 1e6).rounded() / 1e6, "events_per_second": eventsPerSecond,
      "head_file": isHeadMissing ? "missing" : nil, "snapshot": wrongSnapshot?.word,
    ])
  }

  func write(to console: Console, zone: LocalZone) throws(OutputFailure) {
    var table = Table([.left(""), .right(""), .left("", shrinks: true)])
    for (type, count) in state.tally.byType {
      table.add(.init(""), .init(NumberText.count(count)), .init(type))
    }
    try console.line(headline(zone))
    try console.write(table)
    try console.write(facts)
  }

  private func headline(_ zone: LocalZone) -> String {
    let text = counted(events, "event")
    guard let first = state.tally.firstAt, let last = state.tally.lastAt else { return text }
    let times = TimeText(zone: zone)
    return "\(text), \(times.minute(first)) to \(times.minute(last))"
  }

  private var facts: Table {
    let entries = views.entries
    var table = Table([.left(""), .left("")])
    table.add(
      .init("entries", .dim),
      .init(
        "\(NumberText.count(entries.live)) live (\(NumberText.count(entries.pending)) pending, "
          + "\(NumberText.count(entries.synced)) synced, \(NumberText.count(entries.failed)) failed)"
          + ", \(NumberText.count(entries.deleted)) deleted"))
    table.add(.init("days", .dim), .init(counted(views.days.count, "group")))
    if state.tally.erased > 0 {
      table.add(.init("erased", .dim), .init(counted(state.tally.erased, "event")))
    }
    table.add(
      .init("chain", .dim),
      isVerified ? .init("checks out", .green) : .init("not checked", .yellow))
    table.add(.init("head", .dim), .init(state.position.hash.description, .dim))
    table.add(.init("took", .dim), .init(duration))
    return table
  }

  private var duration: String {
    let rate = NumberText.count(Int(eventsPerSecond))
    return "\(NumberText.decimal(seconds, decimals: 3)) s, \(rate) events a second"
  }
}

/// One line per event with its changes to the views. Values are exact and in the metric's own unit,
/// unless the user's differs; times are in UTC. An entry is named by the event that logged it,
/// because ids of entries created together share a prefix.
private struct TraceText {
  let quantities: QuantityText

  func line(_ step: TraceStep) -> String {
    let event = step.recorded.event
    let changes = step.changes.map(text).joined(separator: "; ")
    return "\(step.recorded.seq)  \(event.at)  \(event.by.rawValue)  \(event.payload.type)  "
      + (changes.isEmpty ? "–" : changes)
  }

  private func text(_ change: TraceStep.Change) -> String {
    switch change {
    case .entry(nil, nil): ""
    case .entry(nil, let after?): made(after)
    case .entry(let before?, nil): "entry #\(before.seq) never made"
    case .entry(let before?, let after?): changed(before, after)
    case .session(nil, nil): ""
    case .session(nil, let after?):
      "session #\(after.seq) \(after.start) to \(after.end), \(after.status.rawValue)"
    case .session(let before?, nil): "session #\(before.seq) never made"
    case .session(let before?, let after?): changed(before, after)
    case .field(let field, let before, let after):
      "\(field.qualifiedName): \(text(before)) → \(text(after))"
    case .fieldStatus(let field, let before, let after):
      "\(field.qualifiedName) status: \(before?.rawValue ?? "unset") → "
        + "\(after?.rawValue ?? "unset")"
    }
  }

  private func made(_ entry: EntryView) -> String {
    let time = entry.moment.map { " \($0.shortText)" } ?? ""
    return "entry #\(entry.seq) \(entry.metric.name) \(quantity(entry)) "
      + "on \(entry.date)\(time), \(entry.status.rawValue)"
  }

  private func quantity(_ entry: EntryView) -> String {
    let unit = quantities.unit(of: entry.metric)
    return number(entry) + (unit.isEmpty ? "" : " \(unit)")
  }

  private func number(_ entry: EntryView) -> String {
    quantities.unit(of: entry.metric) == entry.metric.unit
      ? JSONNumber.text(entry.quantity) : quantities.number(entry.quantity, of: entry.metric)
  }

  private func changed(_ before: EntryView, _ after: EntryView) -> String {
    var parts: [String] = []
    if before.quantity != after.quantity {
      parts.append("\(number(before)) → \(quantity(after))")
    }
    if before.date != after.date { parts.append("date \(before.date) → \(after.date)") }
    if before.moment != after.moment {
      parts.append("time \(text(before.moment)) → \(text(after.moment))")
    }
    if before.notesIn != after.notesIn { parts.append(notes(after.notesIn)) }
    if before.isDeleted != after.isDeleted { parts.append(deletion(after.isDeleted)) }
    if before.status != after.status { parts.append(status(before.status, after.status)) }
    if before.boundBy != after.boundBy { parts.append("bound to a row of the backend") }
    return "entry #\(after.seq) \(after.metric.name) " + parts.joined(separator: ", ")
  }

  private func changed(_ before: SleepView, _ after: SleepView) -> String {
    var parts: [String] = []
    if before.start != after.start { parts.append("start \(before.start) → \(after.start)") }
    if before.end != after.end { parts.append("end \(before.end) → \(after.end)") }
    if before.stagesIn != after.stagesIn {
      parts.append(after.stagesIn == nil ? "stages removed" : "stages set")
    }
    if before.notesIn != after.notesIn { parts.append(notes(after.notesIn)) }
    if before.isDeleted != after.isDeleted { parts.append(deletion(after.isDeleted)) }
    if before.status != after.status { parts.append(status(before.status, after.status)) }
    if before.boundBy != after.boundBy { parts.append("bound to a row of the backend") }
    return "session #\(after.seq) " + parts.joined(separator: ", ")
  }

  private func notes(_ seq: Seq?) -> String { seq == nil ? "notes cleared" : "notes set" }

  private func deletion(_ isDeleted: Bool) -> String {
    isDeleted ? "deleted" : "no longer deleted"
  }

  private func status(_ before: EntryStatus, _ after: EntryStatus) -> String {
    "status \(before.rawValue) → \(after.rawValue)"
  }

  private func text(_ value: JSONValue?) -> String { value?.serialized ?? "unset" }

  private func text(_ moment: ZonedTime?) -> String {
    moment.map { "\($0.time)\($0.zone)" } ?? "none"
  }
}
