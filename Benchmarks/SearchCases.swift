import LedgerLog
import LedgerModel
import LedgerProjections

extension Case {
  /// Finding lines in an open log: none of these may take longer for a longer one.
  static func searches(_ view: LogView, _ ledger: SampleLedger) -> [Case] {
    [
      tail(view, ledger), find(view, ledger), since(view, ledger), asOf(view, ledger),
      sinceTime(view, ledger), asOfOld(view, ledger), knownID(view, ledger), newID(view, ledger),
    ]
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
        guard let position = try view.position(after: line.offsetBytes) else { return 0 }
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

  /// What `log --since` asks that is given a time: no line says anything of those before it.
  private static func sinceTime(_ view: LogView, _ ledger: SampleLedger) -> Case {
    let count = min(1000, ledger.head.seq / 2)
    return Case(
      "since time", about: "the last \(count) events, by the clock", events: count,
      prepare: { try view.line(Seq(ledger.head.seq - count + 1)).event().event.at },
      run: { moment in
        let first = moment.millisecondsSince1970
        var events = 0
        for stretch in view.ranges(view.lineBlocks(), where: { $0.latestAt >= first }) {
          try view.forEachEvent(
            from: stretch.position, offsetBytes: stretch.bytes.lowerBound
          ) { event, line in
            if event.event.at >= moment { events += 1 }
            return event.seq.number < ledger.head.seq
          }
        }
        return events
      },
      check: { moment, events in
        let before = try view.line(Seq(ledger.head.seq - count)).event().event.at
        guard events == count || before == moment else {
          throw Failure(description: "since time: there are \(count) events, not \(events)")
        }
      })
  }

  private static func asOfOld(_ view: LogView, _ ledger: SampleLedger) -> Case {
    let wanted = max(1, ledger.head.seq / 4)
    return Case(
      "as of old", about: "the last event up to a moment long ago",
      prepare: { try view.line(Seq(wanted)).event().event.at },
      run: { moment in try view.lastSeq(notAfter: moment, in: view.lineBlocks())?.number ?? 0 },
      check: { moment, found in
        guard try view.line(Seq(found)).event().event.at == moment, found >= wanted else {
          throw Failure(description: "as of old: event \(found) is not the last up to \(moment)")
        }
      })
  }

  /// What an append asks that brings an id along.
  private static func knownID(_ view: LogView, _ ledger: SampleLedger) -> Case {
    let wanted = Seq(max(1, ledger.head.seq / 3))
    return Case(
      "known id", about: "an event by its id",
      prepare: { try view.line(wanted).event().event.id },
      run: { id in try view.seqs(of: [id], in: view.lineBlocks()) },
      check: { id, found in
        guard found == [id: wanted] else {
          throw Failure(description: "known id: \(found) is not event \(wanted)")
        }
      })
  }

  private static func newID(_ view: LogView, _ ledger: SampleLedger) -> Case {
    Case(
      "new id", about: "that no event has an id",
      prepare: {
        var generator = SplitMix64(seed: 2)
        return EventID.make(
          at: try view.line(Seq(ledger.head.seq)).event().event.at, using: &generator)
      },
      run: { id in try view.seqs(of: [id], in: view.lineBlocks()) },
      check: { _, found in try expect("the count", found.count, toBe: 0, in: "new id") })
  }
}
