import LedgerLog
import LedgerModel
import LedgerProjections

/// What takes a reading of the whole log, three times: for the chain, for the events, for the fold.
struct StrictChecks {
  let directory: LedgerDirectory
  let view: LogView
  /// Whether it is told of already that `head` and log contradict each other.
  let isDamaged: Bool
  let now: Timestamp
  let console: Console

  func findings() throws -> [Finding] {
    let chain = try chainFindings()
    let bar = console.progress("reading the events", total: view.endBytes)
    let events = try EventsCheck(view) { bar.advance(to: $0) }
    bar.finish()
    var found = chain + events.findings
    let isBroken = isDamaged || chain.contains { $0.level == .damage }
    let fold = console.progress("folding the log", total: view.endBytes)
    var options = Replay.Options(verifies: false)
    options.onBytes = { fold.advance(by: $0) }
    let outcome = try Replay.run(view, options)
    fold.finish()
    if let damage = outcome.damage {
      if !isBroken, !events.stopsFold { found.append(Self.foldBroken(damage)) }
      return found
    }
    let views = AllViews(outcome.state)
    if !isBroken {
      let (live, deleted) = (views.entries.live, views.entries.deleted)
      found.append(
        .fine(
          "replay",
          "\(counted(live, "entry", "entries")) live, \(NumberText.count(deleted)) deleted"))
      found += try SnapshotChecks.answerFindings(view, views)
    }
    found += try DoubtCheck.findings(outcome.state, view, now: now)
    return found
  }

  private func chainFindings() throws(LogError) -> [Finding] {
    let ledger = try VerifiedLedger(directory, on: console)
    guard !isDamaged else { return [] }
    guard !ledger.problems.isEmpty else {
      let head = ledger.head.hash.description.prefix(16)
      return [.fine("chain", "every line follows from the one before; head \(head)…")]
    }
    return ledger.problems.map { problem in
      Finding(
        "chain-broken", .damage,
        "\(problem.description); what stands before it is as it was written",
        advice: LogEndCheck.keepWhole, command: LogEndCheck.upToBreak)
    }
  }

  private static func foldBroken(_ damage: Damage) -> Finding {
    Finding(
      "replay-fails", .damage, damage.description, advice: LogEndCheck.keepWhole,
      command: LogEndCheck.upToBreak)
  }
}

/// Edits that were sent and never answered for.
enum DoubtCheck {
  /// A sync settles doubts first of all, so a day without an answer is a day without a sync.
  static let longMilliseconds: Int64 = 86_400_000

  static func findings(
    _ state: LedgerState, _ view: LogView, now: Timestamp
  ) throws(LogError) -> [Finding] {
    var old = 0
    var oldest: Timestamp?
    var sentAt: [Int: Timestamp] = [:]
    for edit in state.edits.seqs(where: { $0 == .inDoubt }) {
      guard let call = state.edits.marker(edit), let seq = Seq(exactly: call) else { continue }
      let at: Timestamp
      if let known = sentAt[call] { at = known } else { at = try view.line(seq).event().event.at }
      sentAt[call] = at
      guard now.millisecondsSince1970 - at.millisecondsSince1970 > longMilliseconds else {
        continue
      }
      old += 1
      oldest = min(oldest ?? at, at)
    }
    guard let oldest else { return [.fine("in-doubt", "no edit for more than a day")] }
    return [
      Finding(
        "long-in-doubt", .warning,
        "\(counted(old, "edit")) \(old == 1 ? "was" : "were") sent more than a day ago (the first "
          + "at \(oldest)) and never answered for: the backend may have \(old == 1 ? "it" : "them")",
        advice: "a sync asks the backend", command: "ledger sync")
    ]
  }
}
