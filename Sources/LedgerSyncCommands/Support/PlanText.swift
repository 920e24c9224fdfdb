import LedgerCommands
import LedgerKit

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
