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
      if isAlone, ledger.events > 0 { try console.line(console.paint.dim(head(ledger))) }
      if let seq = ledger.expectedAt {
        let since = ledger.events - seq
        let after = since == 0 ? "it is the last" : "\(counted(since, "event")) came after it"
        try console.line("the given hash is event \(seq)'s; \(after)")
      }
    }
  }

  /// The hash to keep elsewhere; where something is wrong, it is not the log's but that of the last
  /// event that is right.
  private func head(_ ledger: VerifiedLedger) -> String {
    ledger.problems.isEmpty
      ? "head \(ledger.head.hash)" : "event \(ledger.events) has the hash \(ledger.head.hash)"
  }

  private func summary(_ ledger: VerifiedLedger) -> String {
    counted(ledger.events, "event") + (ledger.isOK ? "" : " right")
      + (ledger.erased > 0 ? ", \(NumberText.count(ledger.erased)) of them erased" : "")
  }

  private func words(_ problem: Damage) -> String {
    let place = problem.line.map { "line \($0), byte \(problem.byte)" } ?? "byte \(problem.byte)"
    return "\(place): \(problem.problem)"
  }
}
