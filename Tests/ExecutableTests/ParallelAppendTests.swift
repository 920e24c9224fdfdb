import LedgerJSON
import LedgerTestSupport
import Testing

@Suite(.blocks) struct ParallelAppendTests {
  @Test("Four appending processes lose no event")
  func fourProcessesLoseNothing() throws {
    let ledger = try TestLedger()
    let each = TestSize.of(20, full: 500)
    // Each shell appends one at a time; the four of them compete for the lock. Who has waited too
    // long for it is told to try again, and does.
    let script = """
      i=0
      while [ $i -lt \(each) ]; do
        "$0" append steps $i --notes $1 --date 2026-01-02 > last.$1 2> error.$1
        code=$?
        if [ $code -eq 75 ]; then continue; fi
        if [ $code -ne 0 ] || [ -s error.$1 ]; then cat error.$1 >&2; exit 1; fi
        i=$((i+1))
      done
      """
    let runs = try (1...4).map { number in
      try Executable(path: "/bin/sh").start(
        ["-c", script, Executable.ledger.path, "\(number)"], in: ledger.folder.path)
    }
    for run in runs {
      let result = try run.wait()
      #expect(result.code == 0, "\(result.error)")
      #expect(result.error.isEmpty)
    }
    let log = try ledger.log()
    log.expectIntact()
    #expect(log.lines.count == 1 + 4 * each)
    for number in 1...4 {
      let quantities = log.lines.filter { $0.data["notes"]?.string == "\(number)" }
        .compactMap { $0.data["quantity"]?.integer }
      #expect(quantities == Array(0..<each), "what one process wrote stands in its order")
    }
  }
}
