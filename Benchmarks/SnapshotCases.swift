import LedgerLog
import LedgerModel
import LedgerProjections

extension Case {
  /// How many events of the sample ledger came after its snapshot.
  static func tail(of events: Int) -> Int { min(1000, events / 2) }

  /// Opening by a snapshot with some events after it, and what it costs to have one.
  ///
  /// - Parameter before: the log without those events.
  static func snapshots(_ ledger: SampleLedger, _ before: LogView) throws -> [Case] {
    let view = try LogView.open(ledger.directory)
    let since = "snapshot and \(tail(of: ledger.head.seq)) events since"
    return [
      Case(
        "opened status", about: since, prepare: {},
        run: { _ in
          try folded(view).ask { ($0.entryCounts(), $0.syncCounts()) }
        },
        check: { _, counts in
          try expect(
            "the live count", counts.0.live, toBe: ledger.mixture.liveCount, in: "opened status")
        }),
      Case(
        "opened profile", about: since, prepare: {},
        run: { _ in try folded(view).ask { ($0.profileView(), $0.position.seq) } },
        check: { _, answer in
          try expect("the last seq", answer.1, toBe: ledger.head.seq, in: "opened profile")
        }),
      Case(
        "opened page", about: since, prepare: {},
        run: { _ in try folded(view).ask { $0.progress(ProgressQuery(limit: 20)) } },
        check: { _, page in
          try expect("the total", page.total, toBe: ledger.mixture.liveCount, in: "opened page")
        }),
      Case(
        "opened whole", about: since, events: ledger.head.seq, prepare: {},
        run: { _ in try folded(view).state() },
        check: { _, state in
          try expect(
            "the live count", state.entryCounts().live, toBe: ledger.mixture.liveCount,
            in: "opened whole")
        }),
      Case(
        "snapshot", about: "written, with its orders", events: ledger.head.seq,
        prepare: {
          let log = folded(view)
          _ = try log.state()
          return log
        },
        run: { log in try log.keepSnapshot() },
        check: { _, _ in
          let seq = try FoldedLog(view).ask { $0.position.seq }
          try expect("the last seq", seq, toBe: ledger.head.seq, in: "snapshot")
          try FoldedLog(before).keepSnapshot()
        }),
    ]
  }

  private static func folded(_ view: LogView) -> FoldedLog {
    FoldedLog(view, keepsSnapshot: false)
  }
}
