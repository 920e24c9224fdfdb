import LedgerCommands
import LedgerJSON
import LedgerKit

/// `sync`: carries what is pending to the backend, or prints what it would carry.
enum SyncCommand: AsyncCommand {
  static let spec = CommandSpec(
    "sync", "send to the backend what it has not heard, and record its answers", group: .sync,
    options: [
      .flag("dry-run", "print each call exactly as it would leave, and send nothing")
    ],
    examples: [
      CommandExample("ledger sync"),
      CommandExample("ledger sync --dry-run --json", "one call a line, byte for byte"),
    ],
    notes: [
      "Each call is recorded before it leaves and its answer after: what was sent is never sent "
        + "blindly again, and a second sync sends nothing.",
      "Exit 5 when a person is needed (an edit was refused, or sign in again), 75 when the backend "
        + "cannot be reached: nothing is lost, try again.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    let target = try NetworkLedger(arguments, console)
    if arguments.flag("dry-run") { return try await dryRun(target, console) }
    let connection = try await target.connection()
    let bar = console.progress("Syncing")
    var options = target.syncOptions
    options.onProgress = { _ in bar.advance() }
    let report = try await target.ledger.sync(over: connection, options: options)
    bar.finish()
    try SyncAnswer(report: report).give(console)
    return SyncAnswer.exitCode(report)
  }

  /// Asks the backend only whether it has a profile, and only when somebody is signed in.
  private static func dryRun(_ target: NetworkLedger, _ console: Console) async throws -> ExitCode {
    let connection = try await target.ledger.connection()
    let plan = try await target.ledger.plan(asking: connection, dialect: target.dialect)
    if console.json {
      for call in plan.calls { try console.line(call.json.serialized) }
    } else {
      try PlanText(plan: plan).write(to: console)
    }
    return .done
  }
}

extension PlannedCall {
  /// A line of `sync --dry-run --json` (cli.md). The body is the one that is sent, byte for byte:
  /// both are written by the same canonical writer.
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
