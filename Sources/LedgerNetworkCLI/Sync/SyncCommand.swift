import FitIQClient
import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerLog
import Synchronization

/// `sync`: sends pending edits and pulls new rows, or prints the plan.
enum SyncCommand: AsyncCommand {
  static let spec = NetworkCommandSpecs.sync

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    let isDry = arguments.flag("dry-run")
    try forbid(
      [
        ("pull-only", "push-only"), ("dry-run", "watch"), ("dry-run", "pull-only"),
        ("resend", "accept-deletions"), ("push-only", "resend"),
        ("push-only", "accept-deletions"), ("push-only", "full"), ("resend", "watch"),
        ("accept-deletions", "watch"),
      ], arguments)
    let target = try NetworkLedger(arguments, console)
    let trace = arguments.flag("trace") ? WireTraceText(console: console) : nil
    var options = target.syncOptions
    options.configuration.pulls = !arguments.flag("push-only")
    options.configuration.pushes = !arguments.flag("pull-only")
    options.configuration.listsAll = arguments.flag("full")
    options.configuration.onReplacedAccount = policy(arguments)
    do {
      if isDry { return try await dryRun(target, options, trace, console) }
      let connection = try await target.connection(trace)
      if arguments.flag("watch") {
        return try await watch(target, connection, options, console)
      }
      return try await once(target, connection, options, console)
    } catch {
      VerificationRecord.keep(damageIn: error, at: console.now(), in: target.directory)
      throw error
    }
  }

  private static func policy(_ arguments: ParsedArguments) -> ReplacementPolicy? {
    if arguments.flag("resend") { return .resend }
    return arguments.flag("accept-deletions") ? .acceptDeletions : nil
  }

  private static func forbid(
    _ pairs: [(String, String)], _ arguments: ParsedArguments
  ) throws {
    for (first, second) in pairs where arguments.flag(first) && arguments.flag(second) {
      throw CommandFailure(
        .usage, "--\(first) and --\(second) exclude each other; give one of them")
    }
  }

  private static func once(
    _ target: NetworkLedger, _ connection: BackendSession, _ options: SyncOptions,
    _ console: Console
  ) async throws -> ExitCode {
    let bars = SyncBars(console)
    var options = options
    options.onProgress = { bars.show($0) }
    let (ledger, settled) = (target.ledger, options)
    // Damage is reported by the run.
    let decisions = try? RunDecisions(since: target.directory)
    let report = try await EndSignals().run {
      try await ledger.sync(over: connection, options: settled)
    }
    bars.finish()
    let decided = report.conflicts > 0 ? try decisions?.conflicts() : nil
    try SyncAnswer(report: report, decided: decided).write(to: console)
    if !console.json, report.pulled + report.conflicts > 0 {
      for sentence in try decisions?.lostItems() ?? [] { console.warn(sentence) }
    }
    return SyncAnswer.exitCode(report)
  }

  private static func watch(
    _ target: NetworkLedger, _ connection: BackendSession, _ options: SyncOptions,
    _ console: Console
  ) async throws -> ExitCode {
    let ledger = target.ledger
    let log = WatchLog(console)
    console.note("watching \(console.shown(target.directory.path)); Ctrl-C stops it")
    let wakeUps = ExternalWakeUps()
    let report = try await EndSignals().run { [elements = wakeUps.elements] in
      try await ledger.watch(
        over: connection, options: options, wake: elements, onRun: { log.report($0) },
        onDamage: { log.report($0) })
    }
    wakeUps.cancel()
    if let error = log.writeError { throw error }
    console.note("stopped")
    return report.stop == .cancelled ? .done : SyncAnswer.exitCode(report)
  }

  /// Plans from the log and, when signed in, the queries that a run makes before its first call.
  private static func dryRun(
    _ target: NetworkLedger, _ options: SyncOptions, _ trace: WireTraceText?, _ console: Console
  ) async throws -> ExitCode {
    let connection = try await target.ledger.connection(trace: trace?.write)
    let text = console.json ? nil : PlanText(console: console)
    let hasCalls = Mutex(false)
    let dryRun = try await target.ledger.plan(asking: connection, options: options) { calls in
      if !calls.isEmpty { hasCalls.withLock { $0 = true } }
      guard let text else {
        for call in calls { try console.line(call.json.serialized) }
        return
      }
      try text.write(calls)
    }
    try text?.writeRest(of: dryRun.plan, hasCalls: hasCalls.withLock { $0 })
    if dryRun.deletions > 0 {
      let rows =
        dryRun.deletions == 1
        ? "1 entry, whose row is" : "\(dryRun.deletions) entries, whose rows are"
      console.warn("the run would delete here \(rows) missing at the backend")
    }
    if dryRun.openConflicts > 0 {
      let conflicts =
        dryRun.openConflicts == 1
        ? "a conflict would wait" : "\(NumberText.count(dryRun.openConflicts)) conflicts would wait"
      console.warn("\(conflicts) for you, and the edits in it are not sent: ledger conflicts")
    }
    if connection == nil {
      console.warn("not signed in; this is the plan by the log alone")
    }
    guard let stop = dryRun.stopped?.stop else { return .done }
    console.warn(SyncAnswer.sentence(stop) + "; this is the plan by the log alone")
    switch stop {
    case .accountReplaced, .massDeletion, .returnedRows: return .needsUser
    case .offline, .rateLimited, .signedOut, .refreshFailed, .cancelled: return .done
    }
  }
}

extension PlannedCall {
  /// A line of `sync --dry-run --json` (docs/cli.md). The body has the bytes that are sent, since both come
  /// from the canonical writer.
  var json: JSONObject {
    JSONObject([
      "method": request.method.rawValue, "path": request.path,
      "body": request.body.flatMap { try? JSONValue(parsing: $0) }, "events": events, "why": why,
    ])
  }
}
