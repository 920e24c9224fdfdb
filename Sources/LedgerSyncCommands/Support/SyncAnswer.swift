import LedgerCommands
import LedgerJSON
import LedgerKit

/// What a sync came to, for people and for programs.
struct SyncAnswer {
  let report: SyncReport

  func give(_ console: Console) throws {
    if console.json {
      try console.line(json.serialized)
    } else {
      try console.line(summary(console.paint))
    }
    for remark in report.remarks { console.warn(remark) }
    if let stop = report.stop { console.warn(Self.sentence(stop)) }
  }

  private var json: JSONObject {
    [
      "sent": JSONValue(report.sent), "acknowledged": JSONValue(report.acknowledged),
      "reconciled": JSONValue(report.reconciled), "elided": JSONValue(report.elided),
      "rejected": JSONValue(report.rejected), "held": JSONValue(report.held),
      "pulled": JSONValue(report.pulled), "conflicts": JSONValue(report.conflicts),
      "pending": JSONValue(report.pending),
    ]
  }

  private func summary(_ paint: Paint) -> String {
    let counts = [
      (report.acknowledged, "acknowledged"), (report.elided, "deleted before they were sent"),
      (report.rejected, "refused"), (report.held, "held"), (report.pending, "still pending"),
    ]
    let said = counts.filter { $0.0 > 0 }.map { "\(NumberText.count($0.0)) \($0.1)" }
    guard report.sent > 0 || !said.isEmpty else {
      return "\(paint.green("✓")) nothing to send: the backend has everything"
    }
    let calls = "\(NumberText.count(report.sent)) call\(report.sent == 1 ? "" : "s") sent"
    let edits = said.isEmpty ? "" : "; edits: " + said.joined(separator: ", ")
    let isWhole = Self.exitCode(report) == .done
    return "\(isWhole ? paint.green("✓") : paint.yellow("!")) \(calls)\(edits)"
  }

  static func sentence(_ stop: SyncReport.Stop) -> String {
    switch stop {
    case .offline(let reason):
      "the backend cannot be reached (\(reason)); nothing is lost, try again"
    case .rateLimited(let seconds): "the backend asks to wait \(seconds) s; try again then"
    case .signedOut(let reason):
      "\(reason); sign in again with 'ledger login', every edit stays pending"
    case .refreshFailed(let reason):
      "the session could not be renewed just now (\(reason)); try again"
    case .cancelled: "stopped; what is left goes with the next sync"
    }
  }

  /// 5 when a person is needed, 75 when trying again is all there is to do (cli.md).
  static func exitCode(_ report: SyncReport) -> ExitCode {
    switch report.stop {
    case .signedOut: return .needsPerson
    case .offline, .rateLimited, .refreshFailed, .cancelled: return .temporary
    case nil: break
    }
    if report.needsPerson { return .needsPerson }
    return report.pending > 0 ? .temporary : .done
  }
}

/// A plan as people read it: each call in two lines, what waits and why behind them.
struct PlanText {
  let plan: Plan

  func write(to console: Console) throws {
    let paint = console.paint
    for call in plan.calls {
      let events = call.events.map { "#\($0)" }.joined(separator: " ")
      try console.line(
        "\(paint.bold(call.request.method.rawValue)) \(console.shown(call.request.path))"
          + "  \(paint.dim("\(console.shown(call.why)) (\(events))"))")
      if let body = call.request.body {
        try console.line("  " + console.shown(String(decoding: body, as: UTF8.self)))
      }
    }
    for hold in plan.holds {
      try console.line("\(paint.yellow("held")) \(Self.edits(hold.events)): \(hold.reason.advice)")
    }
    for elision in plan.elisions {
      try console.line("\(paint.dim("nothing to say of")) \(Self.edits(elision.events)), deleted")
    }
    if !plan.inDoubt.isEmpty {
      try console.line("\(paint.yellow("in doubt")) \(Self.edits(plan.inDoubt)): not sent again")
    }
    if plan == Plan() { try console.line("nothing to send") }
  }

  private static func edits(_ seqs: [Seq]) -> String {
    "edit\(seqs.count == 1 ? "" : "s") " + seqs.map { "#\($0)" }.joined(separator: " ")
  }
}
