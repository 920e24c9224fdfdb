import FitIQClient
import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerModel
import LedgerSync

/// The result of a sync, as text or JSON.
struct SyncAnswer {
  let report: SyncReport

  /// When the run ended, for `--watch`.
  var end: Timestamp?
  /// Conflicts that a policy decided in the run; `nil` if that is not known.
  var decided: Int?

  func write(to console: Console) throws {
    let time = end.map { TimeText(zone: .current).second($0) + " " } ?? ""
    try console.answer(json) {
      if Self.exitCode(report) == .done {
        try console.done(summary, time: time)
      } else {
        try console.done(summary, sign: "!", .yellow, time: time)
      }
    }
    for remark in report.remarks { console.warn(time + remark) }
    for advice in SyncAdvice(report: report).sentences { console.warn(time + advice) }
  }

  private var json: JSONObject {
    func positive(_ count: Int) -> Int? { count > 0 ? count : nil }
    return JSONObject([
      "at": end?.description,
      "sent": report.sent, "acknowledged": report.acknowledged, "reconciled": report.reconciled,
      "elided": report.elided, "rejected": report.rejected, "held": report.held,
      "pulled": report.pulled, "deleted": report.deleted, "conflicts": report.conflicts,
      "differs": report.differing, "pending": report.pending, "pull": report.pull.rawValue,
      "stop": report.stop?.code, "open_conflicts": positive(report.openConflicts),
      "suspicions": positive(report.suspicions), "unreadable": positive(report.unreadable.count),
      "missing_sessions": positive(report.missingSessions),
      "rows_of_others": positive(report.rowsOfOthers),
    ])
  }

  private var summary: String {
    let counts = [
      (report.acknowledged, "acknowledged"), (report.reconciled, "already at the backend"),
      (report.elided, "needed no call"), (report.rejected, "refused"),
      (report.differing, "stored with other values"), (report.held, "held"),
      (report.pending, "still pending"),
    ]
    let edits = counts.filter { $0.0 > 0 }.map { "\(NumberText.count($0.0)) \($0.1)" }
    var parts: [String] = []
    if report.sent > 0 { parts.append("\(counted(report.sent, "call")) sent") }
    if !edits.isEmpty { parts.append("edits: " + edits.joined(separator: ", ")) }
    if report.pulled > 0 { parts.append("\(counted(report.pulled, "change")) pulled") }
    if report.deleted > 0 {
      parts.append("\(NumberText.count(report.deleted)) deleted at the backend")
    }
    // The report does not say which of the open ones are older.
    let decided = decided ?? report.conflicts - report.openConflicts
    if decided > 0 {
      parts.append("\(counted(decided, "conflict")) decided: ledger conflicts --all")
    }
    if report.sent == 0, edits.isEmpty { parts.append(ending) }
    return parts.joined(separator: "; ")
  }

  /// The summary of a run without calls. Only a full listing shows that the backend has everything.
  private var ending: String {
    if report.hasEverything { return "nothing to send: the backend has everything" }
    guard report.stop == nil, report.pull != .failed else { return "nothing was sent" }
    guard report.rowsOfOthers > 0 else { return "nothing to send" }
    return "nothing to send; \(counted(report.rowsOfOthers, "row")) left to other devices, which "
      + "corrected the same entry: ledger conflicts --all"
  }

  static func sentence(_ stop: SyncReport.Stop) -> String {
    switch stop {
    case .offline(let reason):
      "the backend cannot be reached (\(reason)); nothing is lost, try again"
    case .busy(let reason): "\(reason); nothing is lost, try again"
    case .rateLimited(0): "the backend takes no more requests at the moment; try again"
    case .rateLimited(let seconds): "the backend asks to wait \(seconds) s; try again then"
    case .signedOut(let reason):
      "\(reason); sign in again with 'ledger login', every edit stays pending"
    case .refreshFailed(let reason):
      "the session could not be renewed just now (\(reason)); try again"
    case .cancelled: "stopped; what is left goes with the next sync"
    case .accountReplaced(let change):
      "\(change.reason): the account was created again, or its data is missing; nothing was changed "
        + "here. " + replacementOptions
    case .massDeletion(let missing, let live):
      "\(missing) of \(live) synced entries are missing at the backend; nothing was changed here. "
        + replacementOptions
    case .returnedRows(let count):
      "\(count == 1 ? "1 row that was" : "\(count) rows that were") deleted \(count == 1 ? "is" : "are") "
        + "at the backend again, as after a restored backup; nothing was changed here. "
        + optionsForReturnedRows
    }
  }

  private static let optionsForReturnedRows =
    "'ledger sync --resend' makes the backend what the ledger says; 'ledger sync "
    + "--accept-deletions' takes the backend's rows"

  /// The options for an account that was created again, and for many missing rows.
  static let replacementOptions =
    "'ledger sync --resend' sends again what the backend lacks; 'ledger sync --accept-deletions' "
    + "deletes here what is missing there"

  /// 5 when a person is needed, 75 when a retry is enough (docs/cli.md).
  static func exitCode(_ report: SyncReport) -> ExitCode {
    switch report.stop {
    case .signedOut, .accountReplaced, .massDeletion, .returnedRows: return .needsUser
    case .offline, .busy, .rateLimited, .refreshFailed, .cancelled: return .temporary
    case nil: break
    }
    if report.needsUser || report.pull == .failed && !report.mayPass { return .needsUser }
    if report.pull == .failed { return .temporary }
    // What waits was to wait where nothing was to be sent.
    return (report.pushes ? report.pending : report.inDoubt) > 0 ? .temporary : .done
  }
}

/// The problems left after a sync, each with the command that helps.
struct SyncAdvice {
  let report: SyncReport

  var sentences: [String] {
    let all = [
      deletions, holds, lastingHolds, unreadable, missingSessions, differences, conflicts,
      suspicions, refusals,
      incompletePull, ending,
    ]
    return all.flatMap(\.self)
  }

  private var deletions: [String] {
    guard let events = report.deletions else { return [] }
    let (first, last) = (events.lowerBound, events.upperBound)
    let range = first == last ? "\(first)" : "\(first)..\(last)"
    let them = first == last ? "it" : "them"
    // A correction of an entry without a time arrives as a deletion and a new row.
    let lead = report.pulled > 0 ? "; unless another device corrected \(them), " : ": "
    return [
      "\(NumberText.count(report.deleted)) deleted at the backend\(lead)'ledger undo \(range)' logs "
        + "\(them) again"
    ]
  }

  private var holds: [String] {
    report.holds.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
      "\(counted(count, "edit")) held: \(reason.cause)"
        + (reason.remedy.map { "; '\($0)' lifts it" } ?? "")
    }
  }

  private var lastingHolds: [String] {
    report.lastingHolds.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
      "\(counted(count, "edit")) held for good: \(reason.cause)"
    }
  }

  private var differences: [String] {
    guard report.differing > 0 else { return [] }
    return [
      "\(counted(report.differing, "edit")) not synced: the backend has other values than were sent"
    ]
  }

  private var conflicts: [String] {
    guard report.openConflicts > 0 else { return [] }
    let subject =
      report.openConflicts == 1
      ? "a conflict waits" : "\(NumberText.count(report.openConflicts)) conflicts wait"
    return [
      "\(subject) for you: 'ledger conflicts' shows what differs, 'ledger resolve SEQ --take "
        + "local|remote' decides"
    ]
  }

  private var suspicions: [String] {
    guard report.suspicions > 0 else { return [] }
    let subject =
      report.suspicions == 1
      ? "a suspected duplicate waits"
      : "\(NumberText.count(report.suspicions)) suspected duplicates wait"
    return [
      "\(subject) for you: 'ledger conflicts' shows what may be there twice, a guess from equal values or "
        + "moments, 'ledger resolve SEQ --take one|both' decides"
    ]
  }

  private var refusals: [String] {
    let earlier = report.counts.rejected - report.rejected
    guard earlier > 0 else { return [] }
    return [
      "\(counted(earlier, "edit")) refused earlier: 'ledger show sync' names the reason, a correction "
        + "is sent again"
    ]
  }

  private var missingSessions: [String] {
    guard report.missingSessions > 0 else { return [] }
    let sessions =
      report.missingSessions == 1
      ? "a synced sleep session is"
      : "\(NumberText.count(report.missingSessions)) synced sleep sessions are"
    return [
      "\(sessions) missing at the backend; nothing was changed here. \(SyncAnswer.replacementOptions)"
    ]
  }

  private static let maximumRows = 10

  private var unreadable: [String] {
    var sentences = report.unreadable.prefix(Self.maximumRows).map { row in
      let id = row.id.map { " \($0)" } ?? " without an id"
      let value = row.value.map { " \($0.serialized)" } ?? ""
      return "row\(id) of the backend cannot be read: \(row.field)\(value), \(row.reason)"
    }
    let rest = report.unreadable.count - sentences.count
    if rest > 0 { sentences.append("\(counted(rest, "more row")) of the backend cannot be read") }
    return sentences
  }

  private var incompletePull: [String] {
    guard report.pull == .failed, report.stop == nil else { return [] }
    return [
      "the backend was not read completely, so what is new or deleted there may be missing here"
        + (report.mayPass ? "; try again" : "")
    ]
  }

  private var ending: [String] {
    if let stop = report.stop { return [SyncAnswer.sentence(stop)] }
    guard report.inDoubt > 0 else { return [] }
    return [
      "\(counted(report.inDoubt, "edit")) in doubt: the answer was lost, and the next sync finds out "
        + "whether the call arrived"
    ]
  }
}

/// `sync --trace`: each exchange on standard error, secrets masked.
struct WireTraceText: Sendable {
  let console: Console

  func write(_ trace: WireTrace) {
    for line in console.json ? [json(trace).serialized] : text(trace) { console.note(line) }
  }

  private func text(_ trace: WireTrace) -> [String] {
    let paint = console.paint
    var lines = ["\(paint.bold("→ \(trace.method)")) \(console.shown(trace.target))"]
    lines += trace.headers.map { "  " + paint.dim("\($0.name): \($0.value)") }
    if let body = trace.body { lines.append("  " + console.shown(body)) }
    switch trace.outcome {
    case .answered(let status, let body):
      let isFine = (200..<300).contains(status)
      let line = "← \(status) in \(trace.milliseconds) ms"
      lines.append(isFine ? paint.green(line) : paint.yellow(line))
      if !body.isEmpty { lines.append("  " + console.shown(body)) }
    case .lost(let reason):
      lines.append(
        paint.yellow(
          "← no complete answer after \(trace.milliseconds) ms: \(console.shown(reason))"))
    case .notSent(let reason):
      lines.append(paint.yellow("← not sent: \(console.shown(reason))"))
    }
    return lines
  }

  private func json(_ trace: WireTrace) -> JSONObject {
    var headers = JSONObject()
    for header in trace.headers { headers[header.name] = .string(header.value) }
    var object = JSONObject([
      "method": trace.method, "target": trace.target, "headers": headers, "body": trace.body,
    ])
    switch trace.outcome {
    case .answered(let status, let body):
      object["status"] = JSONValue(status)
      object["answer"] = .string(body)
    case .lost(let reason): object["lost"] = .string(reason)
    case .notSent(let reason): object["not_sent"] = .string(reason)
    }
    object["milliseconds"] = JSONValue(trace.milliseconds)
    return object
  }
}
