import LedgerLog
import LedgerModel

extension Case {
  /// Reading and writing the log itself.
  static func logs(_ ledger: SampleLedger, in folder: BenchmarkFolder) throws -> [Case] {
    [
      verify(ledger),
      try append(1, repeats: 50, in: folder),
      try append(1000, repeats: 1, in: folder),
      open(ledger),
    ] + searches(try LogView.open(ledger.directory), ledger)
  }

  private static func verify(_ ledger: SampleLedger) -> Case {
    Case(
      "verify", about: "form and chain of every line", events: ledger.head.seq,
      prepare: {},
      run: { _ in try Verification.verify(ledger.directory) },
      check: { _, found in
        try expect("the problem count", found.problems.count, toBe: 0, in: "verify")
        try expect("the event count", found.events, toBe: ledger.head.seq, in: "verify")
      })
  }

  /// On a ledger of its own: the one that the other cases read must not grow.
  private static func append(
    _ count: Int, repeats: Int, in folder: BenchmarkFolder
  ) throws -> Case {
    let name = "append-\(count)"
    let ledger = try SampleLedger(at: folder.path + "/" + name, seed: UInt64(count))
    var wanted = ledger.head.seq
    return Case(
      name, about: count == 1 ? "one event, durable" : "a batch, durable", events: count,
      repeats: repeats,
      prepare: {
        wanted += count * repeats
        let batches = (0..<repeats).map { _ in ledger.draw(count) }
        return batches[...]
      },
      run: { batches in try ledger.append(batches.removeFirst()) },
      check: { _, lastSeq in
        try expect("the last seq", lastSeq, toBe: wanted, in: name)
        let view = try LogView.open(ledger.directory)
        try expect("the durable seq", view.head?.seq ?? 0, toBe: wanted, in: name)
      })
  }

  private static func open(_ ledger: SampleLedger) -> Case {
    Case(
      "open", about: "open, then the last 20 lines", repeats: 50,
      prepare: {},
      run: { _ in try LogView.open(ledger.directory).lastLines(20) },
      check: { _, lines in
        try expect("the line count", lines.count, toBe: 20, in: "open")
        try expect(
          "the last seq", lines.map(\.seq).max() ?? 0, toBe: ledger.head.seq, in: "open")
      })
  }
}
