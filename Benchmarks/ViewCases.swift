import LedgerLog
import LedgerProjections

extension Case {
  /// Answers from a state that is already folded.
  static func views(_ ledger: SampleLedger) throws -> [Case] {
    let state = try Replay.run(LogView.open(ledger.directory)).state
    return [days(state, ledger), progressPage(state, ledger)]
  }

  private static func days(_ state: LedgerState, _ ledger: SampleLedger) -> Case {
    Case(
      "days", about: "every day and metric", repeats: 10,
      prepare: {},
      run: { _ in state.days() },
      check: { _, days in
        try expect(
          "the live count", days.reduce(0) { $0 + $1.count }, toBe: ledger.mixture.liveCount,
          in: "days")
      })
  }

  private static func progressPage(_ state: LedgerState, _ ledger: SampleLedger) -> Case {
    let query = ProgressQuery(limit: 20)
    let name = "progress page"
    return Case(
      name, about: "the newest 20 of all", repeats: 10,
      prepare: {},
      run: { _ in state.progress(query) },
      check: { _, page in
        try expect("the live count", page.total, toBe: ledger.mixture.liveCount, in: name)
        try expect(
          "the page's length", page.entries.count, toBe: min(20, ledger.mixture.liveCount),
          in: name)
      })
  }
}
