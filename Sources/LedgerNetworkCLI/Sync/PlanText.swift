import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerProjections

/// A plan as text, part by part: each call in two lines, then held edits with their reasons.
struct PlanText {
  /// For the entries.
  private let state: LedgerState
  /// The person's.
  private let units: UnitSystem
  private let console: Console

  init(state: LedgerState, console: Console) {
    (self.state, self.console) = (state, console)
    units = state.profileView().unitSystem ?? .metric
  }

  func write(_ calls: [PlannedCall]) throws {
    let paint = console.paint
    for call in calls {
      let events = call.events.map { "#\($0)" }.joined(separator: " ")
      try console.line(
        "\(paint.bold(call.request.method.rawValue)) \(console.shown(call.request.path))"
          + "  \(paint.dim("\(console.shown(why(call))) (\(events))"))")
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

  /// The call's reason with the quantity in the person's unit; the body stays in the metric's.
  private func why(_ call: PlannedCall) -> String {
    guard case .logProgress = call.kind, let row = state.edits.row(call.events[0].number) else {
      return call.why
    }
    let entry = state.entry(at: row)
    let quantities = QuantityText(units: units)
    guard quantities.unit(of: entry.metric) != entry.metric.unit,
      let place = call.why.firstRange(
        of: "\(JSONNumber.text(entry.quantity)) \(entry.metric.unit)")
    else { return call.why }
    let shown = quantities.words(entry.quantity, of: entry.metric)
    return "\(call.why[..<place.lowerBound])\(shown)\(call.why[place.upperBound...])"
  }

  private static func edits(_ seqs: [Seq]) -> String {
    "edit\(seqs.count == 1 ? "" : "s") " + seqs.map { "#\($0)" }.joined(separator: " ")
  }
}
