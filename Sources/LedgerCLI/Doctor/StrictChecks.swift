import LedgerLog
import LedgerModel
import LedgerProjections

/// What takes reading the whole log twice: for the events, and for the fold.
struct StrictChecks {
  let view: LogView
  /// Whether damage has been found already: in the chain, or where `head` and log disagree.
  let isBroken: Bool
  let now: Timestamp
  let console: Console

  func findings() throws -> [Finding] {
    let bar = console.progress("reading the events", total: view.endBytes)
    let events = try EventsCheck(view) { bar.advance(to: $0) }
    bar.finish()
    var found = events.findings
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
    }
    found += try DoubtCheck.findings(outcome.state, view, now: now)
    return found
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
