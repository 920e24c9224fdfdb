import LedgerLog
import LedgerModel

/// Whether every line follows from the one before: at once in a log that is not long, in a longer one
/// a part each time.
struct ChainCheck {
  /// What takes a fraction of a second to read.
  static let mostBytes = 64 << 20

  let findings: [Finding]
  /// Whether damage was found.
  let isBroken: Bool

  /// - Parameters:
  ///   - isWhole: whether a long log is checked at once, too.
  ///   - mostBytes: up to this length a log is checked at once.
  init(
    _ view: LogView, isWhole: Bool, mostBytes: Int = ChainCheck.mostBytes, now: Timestamp,
    _ console: Console
  ) throws(LogError) {
    if isWhole || view.endBytes <= mostBytes {
      (findings, isBroken) = try Self.whole(view, now, console)
    } else {
      (findings, isBroken) = try Self.part(view, mostBytes, now)
    }
  }

  private static func whole(
    _ view: LogView, _ now: Timestamp, _ console: Console
  ) throws(LogError) -> ([Finding], Bool) {
    let ledger = try VerifiedLedger(view.directory, on: console)
    ledger.remember(at: now)
    guard ledger.problems.isEmpty else { return (ledger.problems.map(broken), true) }
    let head = ledger.head.hash.description.prefix(16)
    let chain = Finding.fine("chain", "every line follows from the one before; head \(head)…")
    return ([chain] + (ledger.snapshot.map { SnapshotChecks.findings($0) } ?? []), false)
  }

  private static func part(
    _ view: LogView, _ mostBytes: Int, _ now: Timestamp
  ) throws(LogError) -> ([Finding], Bool) {
    let checked = try PartialVerification.verify(view.directory, mostBytes: mostBytes, at: now)
    if let damage = checked.damage { return ([broken(damage)], true) }
    let part = checked.seqs.map {
      "events \(NumberText.count($0.lowerBound)) to \(NumberText.count($0.upperBound))"
    }
    let rest =
      checked.isComplete
      ? "the ones before them were checked earlier"
      : "the next run goes on from there, and --strict checks all at once"
    return (
      [
        .fine(
          "chain",
          "of \(counted(checked.lastSeq, "event")), \(part ?? "none") were checked now; \(rest)")
      ], false
    )
  }

  private static func broken(_ damage: Damage) -> Finding {
    Finding(
      "chain-broken", .damage,
      "\(damage.description); what stands before it is as it was written",
      advice: LogEndCheck.keepWhole, command: LogEndCheck.upToBreak)
  }
}
