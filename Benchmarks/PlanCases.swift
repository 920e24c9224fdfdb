import LedgerLog
import LedgerProjections
import LedgerSync

extension Case {
  /// The projector's plan of a full outbox, a thousand entries at a time.
  static func plans(_ ledger: SampleLedger) throws -> [Case] {
    let view = try LogView.open(ledger.directory)
    let state = try Replay.run(view, .init(verifies: false)).state
    let waiting = min(1000, state.rowsWithOpenEdits().count)
    var request = PlanRequest(.present)
    request.includesPerson = false
    request.includesLeftovers = false
    request.limit = 1000
    let batch = request
    return [
      Case(
        "sync plan", about: "calls for \(waiting) entries",
        prepare: {},
        run: { _ in try Planner.plan(state, texts: view, dialect: .dateTime, batch) },
        check: { _, plan in
          let entries = Set(plan.calls.compactMap(\.entry)).count
          let elided = plan.elisions.count
          guard entries + elided <= waiting, entries > 0 else {
            throw Failure(description: "sync plan: \(entries) entries of \(waiting)")
          }
        })
    ]
  }
}
