import LedgerLog
import LedgerProjections
import LedgerStore

/// `verify` of one ledger for people: a line, and one for each problem.
struct VerifyText {
  let ledger: VerifiedLedger
  /// Whether only one ledger was asked for, so that its path says nothing.
  let isAlone: Bool

  func write(to console: Console) throws(OutputFailure) {
    let verdict = ledger.isOK ? console.paint.green("ok") : console.paint.red("not ok")
    let place = isAlone ? "" : "\(console.shown(ledger.directory.path)): "
    try console.line("\(place)\(verdict), \(summary)")
    for problem in ledger.problems {
      try console.line("  " + console.shown(words(problem)))
    }
    if ledger.tornTailBytes > 0 {
      try console.line("  " + ReadLedger.tornTail(ledger.tornTailBytes))
    }
    if isAlone, ledger.events > 0 { try console.line(console.paint.dim(head)) }
    if let since = ledger.since { try console.line(words(since)) }
    switch ledger.signature {
    case .good(let words)?: try console.line("signature: \(console.shown(words))")
    case .notChecked?:
      try console.line("the checkpoint's signature was not checked: no --allowed-signers was given")
    case nil: break
    }
    if ledger.isHeadMissing { console.warn(place + Self.headMissing) }
    if let snapshot = ledger.wrongSnapshot { console.warn(place + snapshot.warning) }
  }

  static let headMissing = "head file missing: a cut tail cannot be excluded"

  private func words(_ since: VerifiedLedger.Since) -> String {
    let what =
      switch since.reference {
      case .hash: "the given hash is event \(since.seq)'s"
      case .checkpoint: "the checkpoint is of event \(since.seq)"
      }
    let after =
      since.events == 0 ? "it is the last" : "\(counted(since.events, "event")) came after it"
    guard !since.erased.isEmpty else { return "\(what); \(after)" }
    let ranges = Checkpoint.text(of: Checkpoint.ranges(of: since.erased))
    return "\(what); \(after); erased since: \(ranges)"
  }

  /// The hash to keep elsewhere; where something is wrong, it is not the log's but that of the last
  /// event that is right.
  private var head: String {
    ledger.problems.isEmpty
      ? "head \(ledger.head.hash)" : "event \(ledger.events) has the hash \(ledger.head.hash)"
  }

  private var summary: String {
    counted(ledger.events, "event") + (ledger.isOK ? "" : " right")
      + (ledger.erased > 0 ? ", \(NumberText.count(ledger.erased)) of them erased" : "")
  }

  private func words(_ problem: Damage) -> String {
    let place = problem.line.map { "line \($0), byte \(problem.byte)" } ?? "byte \(problem.byte)"
    return "\(place): \(problem.problem)"
  }
}

/// What `verify` found out about several ledgers taken together.
struct VerifySummary {
  private var right = 0
  private var wrong = 0
  private var unread = 0
  private var events = 0
  /// Damage is worse than what could not be looked at; of that, the first decides.
  private(set) var code = ExitCode.done

  mutating func add(_ ledger: VerifiedLedger) {
    events += ledger.events
    if ledger.isOK {
      right += 1
    } else {
      wrong += 1
      code = .damaged
    }
  }

  mutating func addUnread(code failure: ExitCode) {
    unread += 1
    if code == .done { code = failure }
  }

  /// Names only what there is, so that who looks for «not ok» finds it only where it is true.
  var text: String {
    let parts = [(right, "ok"), (wrong, "not ok"), (unread, "not read")].filter { $0.0 > 0 }
    return counted(right + wrong + unread, "ledger") + ": "
      + parts.map { "\(NumberText.count($0.0)) \($0.1)" }.joined(separator: ", ")
      + "; \(counted(events, "event"))"
  }
}
