import LedgerLog

/// `verify` for people: a line a ledger, and one for each problem.
struct VerifyText {
  let ledgers: [VerifiedLedger]
  /// Whether only one ledger was asked for, so that its path says nothing.
  let isAlone: Bool

  func write(to console: Console) throws(OutputFailure) {
    for ledger in ledgers {
      let verdict = ledger.isOK ? console.paint.green("ok") : console.paint.red("not ok")
      let place = isAlone ? "" : "\(console.shown(ledger.directory.path)): "
      try console.line("\(place)\(verdict), \(summary(ledger))")
      for problem in ledger.problems {
        try console.line("  " + console.shown(words(problem)))
      }
      if ledger.tornTailBytes > 0 {
        try console.line("  " + ReadLedger.tornTail(ledger.tornTailBytes))
      }
      if isAlone { try console.line(console.paint.dim("head \(ledger.head.hash)")) }
      if let seq = ledger.expectedAt, seq < ledger.events {
        let since = ledger.events - seq
        try console.line(
          "the given hash is event \(seq)'s; \(counted(since, "event")) came after it")
      }
    }
  }

  private func summary(_ ledger: VerifiedLedger) -> String {
    counted(ledger.events, "event")
      + (ledger.erased > 0 ? ", \(NumberText.count(ledger.erased)) of them erased" : "")
  }

  private func words(_ problem: Damage) -> String {
    let place = problem.line.map { "line \($0), byte \(problem.byte)" } ?? "byte \(problem.byte)"
    return "\(place): \(problem.problem)"
  }
}
