import LedgerLog
import LedgerModel

extension Case {
  /// Finding lines in an open log: none of these may take longer for a longer one.
  static func searches(_ view: LogView, _ ledger: SampleLedger) -> [Case] {
    [tail(view, ledger), find(view, ledger), since(view, ledger), asOf(view, ledger)]
  }

  private static func tail(_ view: LogView, _ ledger: SampleLedger) -> Case {
    Case(
      "tail", about: "the last 20 lines", events: 20, repeats: 50,
      prepare: {},
      run: { _ in try view.lastLines(20) },
      check: { _, lines in
        let wanted = Array((ledger.head.seq - 19)...ledger.head.seq)
        guard lines.map(\.seq) == wanted else {
          throw Failure(description: "tail: the lines are \(lines.map(\.seq)), not \(wanted)")
        }
      })
  }

  private static func find(_ view: LogView, _ ledger: SampleLedger) -> Case {
    // Other places in every round, the same in every run.
    var generator = SplitMix64(seed: 1)
    return Case(
      "find", about: "a line by its seq", repeats: 50,
      prepare: { (0..<50).map { _ in 1 + generator.below(ledger.head.seq) }[...] },
      run: { seqs in
        let seq = seqs.removeFirst()
        return (seq, try view.line(Seq(seq)).seq)
      },
      check: { _, found in try expect("the seq", found.1, toBe: found.0, in: "find") })
  }

  /// What an app asks that has seen the log up to a seq.
  private static func since(_ view: LogView, _ ledger: SampleLedger) -> Case {
    let count = min(1000, ledger.head.seq / 2)
    let first = Seq(ledger.head.seq - count + 1)
    return Case(
      "since", about: "the last \(count) events, from a seq on", events: count,
      prepare: {},
      run: { _ in
        let line = try view.line(first)
        guard let position = try view.position(behind: line.offsetBytes) else { return 0 }
        var events = 0
        try view.forEachEvent(from: position, offsetBytes: line.offsetBytes) { _, _ in
          events += 1
          return true
        }
        return events
      },
      check: { _, events in try expect("the count", events, toBe: count, in: "since") })
  }

  /// The drawn clock never steps back, so the moment of an event is that of no earlier one.
  private static func asOf(_ view: LogView, _ ledger: SampleLedger) -> Case {
    let wanted = ledger.head.seq - min(1000, ledger.head.seq / 2)
    return Case(
      "as of", about: "the last event up to a moment",
      prepare: { try view.line(Seq(wanted + 1)).event().event.at },
      run: { moment in
        moment.millisecondsSince1970 -= 1
        return try view.lastSeq(notAfter: moment)?.number ?? 0
      },
      check: { moment, found in
        let next = try view.line(Seq(found + 1)).event().event.at
        let last = try view.line(Seq(found)).event().event.at
        guard last <= moment, next > moment else {
          throw Failure(description: "as of: event \(found) is not the last up to \(moment)")
        }
      })
  }
}
