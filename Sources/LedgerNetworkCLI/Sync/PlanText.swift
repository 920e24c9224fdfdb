import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerProjections

/// A plan as text, part by part: each call in two lines, then held edits with their reasons.
struct PlanText {
  let console: Console

  func write(_ calls: [PlannedCall]) throws {
    let paint = console.paint
    for call in calls {
      let events = call.events.map { "#\($0)" }.joined(separator: " ")
      try console.line(
        "\(paint.bold(call.request.method.rawValue)) \(console.shown(call.request.path))"
          + "  \(paint.dim("\(console.shown(call.why)) (\(events))"))")
      if let body = call.request.body {
        try console.line("  " + console.shown(String(decoding: body, as: UTF8.self)))
      }
    }
  }

  /// What follows the calls.
  ///
  /// - Parameter hasCalls: whether there were any.
  func writeRest(of plan: Plan, hasCalls: Bool) throws {
    let paint = console.paint
    for hold in plan.holds {
      try console.done(
        "\(Self.edits(hold.events)): \(hold.reason.advice)", sign: "held", .yellow)
    }
    for elision in plan.elisions {
      try console.line("\(paint.dim("no call needed for")) \(Self.edits(elision.events))")
    }
    if !plan.inDoubt.isEmpty {
      try console.line("\(paint.yellow("in doubt")) \(Self.edits(plan.inDoubt)): not sent again")
    }
    if !hasCalls, plan == Plan() { try console.line("nothing to send") }
  }

  private static func edits(_ seqs: [Seq]) -> String {
    "edit\(seqs.count == 1 ? "" : "s") " + seqs.map { "#\($0)" }.joined(separator: " ")
  }
}
