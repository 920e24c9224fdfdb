import FitIQClient
import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerLog
import LedgerProjections

/// `sync`: sends pending edits and pulls new rows, or prints the plan.
enum SyncCommand: AsyncCommand {
  static let spec = CommandSpec(
    "sync", "send to the backend what it has not heard, and take in what is new there",
    group: .sync,
    options: [
      .flag("dry-run", "print each call exactly as it would leave, and send nothing"),
      .flag("pull-only", "settle and take in what is new, send no edit"),
      .flag("push-only", "settle and send, without looking at what is new"),
      .flag("full", "list all rows of the backend, however long ago that was done"),
      .flag(
        "resend",
        "after the account was created again or lost its data: send again what the backend lacks"),
      .flag(
        "accept-deletions", "also delete here the many entries that are missing at the backend"),
      .flag("watch", "go on until stopped: after every edit, and once a minute"),
      .flag("trace", "show each request and its answer on standard error, secrets masked"),
    ],
    examples: [
      CommandExample("ledger sync"),
      CommandExample("ledger sync --dry-run --json", "one call a line, byte for byte"),
      CommandExample("ledger sync --resend --dry-run", "what would be sent again"),
      CommandExample("ledger sync --watch", "a daemon; Ctrl-C or SIGTERM stops it cleanly"),
    ],
    notes: [
      "Each call is recorded before it leaves and its answer after: what was sent is never sent "
        + "blindly again, and a second sync sends nothing.",
      "While it watches, an edit, SIGUSR1 and, on Linux, a change of the network end its pause at once, "
        + "but for one that the backend asked for (Retry-After).",
      "Exit 5 when a person is needed: an edit was refused or waits for another one, a conflict or "
        + "suspected duplicate is open, a row cannot be read, the account was created again, or sign "
        + "in again. 75 when the backend cannot be reached, was not read completely or asked to wait: "
        + "nothing is lost, try again.",
      "Most runs list the newest rows only; all rows are listed once a day, when their number is not "
        + "the expected one, and with --full. Only then a run says that the backend has everything.",
      "A run stops before anything is recorded when the account was created again, or when it would "
        + "delete a large part of the entries. --resend and --accept-deletions are the two ways on.",
    ])

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
    if isDry { return try await dryRun(target, options, trace, console) }
    let connection = try await target.connection(trace)
    if arguments.flag("watch") {
      return try await watch(target, connection, options, console)
    }
    return try await once(target, connection, options, console)
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
    let report = try await EndSignals().run {
      try await ledger.sync(over: connection, options: settled)
    }
    bars.finish()
    try SyncAnswer(report: report).write(to: console)
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
    let signals = EndSignals(onPoll: { if wakeUps.taken() { ledger.wake() } })
    let report = try await signals.run {
      try await ledger.watch(
        over: connection, options: options, onRun: { log.report($0) }, onDamage: { log.report($0) })
    }
    if let error = log.writeError { throw error }
    console.note("stopped")
    return report.stop == .cancelled ? .done : SyncAnswer.exitCode(report)
  }

  /// Plans from the log and, when signed in, the queries that a run makes before its first call.
  private static func dryRun(
    _ target: NetworkLedger, _ options: SyncOptions, _ trace: WireTraceText?, _ console: Console
  ) async throws -> ExitCode {
    let connection = try await target.ledger.connection(trace: trace?.write)
    let dryRun = try await target.ledger.plan(asking: connection, options: options)
    let plan = dryRun.plan
    if console.json {
      for call in plan.calls { try console.line(call.json.serialized) }
    } else {
      let state = try await target.ledger.verifiedState()
      try PlanText(plan: plan, state: state).write(to: console)
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
    var object: JSONObject = [
      "method": .string(request.method.rawValue), "path": .string(request.path),
    ]
    object["body"] = request.body.flatMap { try? JSONValue(parsing: $0) }
    object["events"] = .array(events.map { JSONValue($0.number) })
    object["why"] = .string(why)
    return object
  }
}
