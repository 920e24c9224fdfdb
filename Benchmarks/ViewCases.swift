import LedgerLog
import LedgerProjections

extension Case {
  /// Answers from a state that is already folded.
  static func views(_ ledger: SampleLedger) throws -> [Case] {
    let state = try Replay.run(LogView.open(ledger.directory)).state
    return [
      profile(state), status(state, ledger), days(state, ledger), progressPage(state, ledger),
    ]
  }

  private static func profile(_ state: LedgerState) -> Case {
    let wanted = state.profileView()
    return Case(
      "profile", about: "the person, field by field", repeats: 100,
      prepare: {},
      run: { _ in state.profileView() },
      check: { _, view in
        guard view == wanted else { throw Failure(description: "profile: two answers differ") }
      })
  }

  private static func status(_ state: LedgerState, _ ledger: SampleLedger) -> Case {
    Case(
      "status", about: "counts of edits by where they stand", repeats: 10,
      prepare: {},
      run: { _ in state.syncCounts() },
      check: { _, counts in
        let open = state.edits.seqs { $0 == .pending }.count
        try expect("pending", counts.pending, toBe: open, in: "status")
      })
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
