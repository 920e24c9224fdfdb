import LedgerCLI
import LedgerLog

extension Case {
  /// The page, from the log's first byte to its own last: chain checked, folded, drawn.
  static func report(_ ledger: SampleLedger) -> Case {
    let name = "report"
    return Case(
      name, about: "the page with charts, 1 thread", events: ledger.head.seq,
      prepare: { MemorySink() },
      run: { page in
        page = MemorySink()
        let streams = ConsoleStreams.captured(
          output: page, error: MemorySink(), environment: ["LEDGER_DIR": ledger.directory.path])
        return CommandTable(LocalCommands.all).run(["report", "-o", "-"], streams: streams)
      },
      check: { page, code in
        try expect("the exit code", Int(code.rawValue), toBe: 0, in: name)
        guard page.text.contains("\(ledger.head.hash)"), page.text.hasSuffix("</html>\n") else {
          throw Failure(description: "report: the page is not whole")
        }
        // However long the log, a page is one that a phone can show.
        guard page.bytes.count < 500_000 else {
          throw Failure(description: "report: the page has \(page.bytes.count) bytes")
        }
      })
  }
}
