import LedgerLog
import LedgerModel
import LedgerProjections

extension Case {
  /// Folding the whole log, and catching up with its end.
  static func replays(_ ledger: SampleLedger) throws -> [Case] {
    let view = try LogView.open(ledger.directory)
    return [
      scan(view, ledger),
      replay("replay", "verified, all threads", .init(), view, ledger),
      replay("replay-1", "verified, 1 thread", .init(threads: 1), view, ledger),
      replay(
        "replay-unverified-1", "form only, 1 thread", .init(verifies: false, threads: 1), view,
        ledger),
      advance(view, ledger),
    ]
  }

  /// Lines, envelopes and their order alone: what every reading of a log pays.
  private static func scan(_ view: LogView, _ ledger: SampleLedger) -> Case {
    Case(
      "scan", about: "envelopes only, 1 thread", events: ledger.head.seq,
      prepare: {},
      run: { _ in
        var count = 0
        var scan = EventScan(checks: .form)
        try view.forEachWindow { (window, offset) throws(LogError) in
          try scan.walk(window, at: offset) { (_, _) throws(LineFault) in count += 1 }
        }
        return count
      },
      check: { _, count in
        try LedgerBenchmarks.expect("the count", count, toBe: ledger.head.seq, in: "scan")
      })
  }

  private static func replay(
    _ name: String, _ about: String, _ options: Replay.Options, _ view: LogView,
    _ ledger: SampleLedger
  ) -> Case {
    Case(
      name, about: about, events: ledger.head.seq,
      prepare: {},
      run: { _ in try Replay.run(view, options) },
      check: { _, outcome in
        if let damage = outcome.damage { throw Failure(description: "\(name): \(damage)") }
        try expect(outcome.state, of: ledger, in: name)
      })
  }

  private static func advance(_ view: LogView, _ ledger: SampleLedger) -> Case {
    let name = "advance"
    let tail = min(1000, ledger.head.seq / 2)
    let prefix = Seq(ledger.head.seq - tail)
    return Case(
      name, about: "the last \(tail) events", events: tail,
      // Folded anew each time: a kept prefix would be copied inside the measurement.
      prepare: { try Replay.run(view, .init(verifies: false, until: prefix)).state },
      run: { state in try Replay.advance(&state, to: view) },
      check: { state, _ in try expect(state, of: ledger, in: name) })
  }

  /// However a state was come by, it must be the one that the drawn events give.
  private static func expect(
    _ state: LedgerState, of ledger: SampleLedger, in name: String
  ) throws {
    let counts = state.entryCounts()
    try LedgerBenchmarks.expect(
      "the last seq", state.position.seq, toBe: ledger.head.seq, in: name)
    try LedgerBenchmarks.expect(
      "the live count", counts.live, toBe: ledger.mixture.liveCount, in: name)
    try LedgerBenchmarks.expect(
      "the deleted count", counts.deleted, toBe: ledger.mixture.deletedCount, in: name)
  }
}
