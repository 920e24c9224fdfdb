public import LedgerLog
import LedgerModel

/// A log folded with the help of the snapshot beside it, which is looked after on the way.
///
/// Where there is any doubt about the snapshot, the log is folded from line 1. Not `Sendable`: give
/// it to one actor or one thread.
public final class FoldedLog {
  let view: LogView
  private let keepsSnapshot: Bool
  private let longestTailBytes: Int
  private let onBytes: (@Sendable (_ count: Int) -> Void)?
  /// The state with most of it still in the snapshot, once that was looked for; never let out.
  private var quick: LedgerState??
  private var whole: LedgerState?
  private var verified: LedgerState?

  /// - Parameters:
  ///   - view: up to its end the log is folded.
  ///   - keepsSnapshot: whether a snapshot is written when it pays: not while this process has locked
  ///     the log.
  ///   - longestTailBytes: how much of the log may have come since a snapshot that is answered from.
  ///   - onBytes: told now and then how many bytes more of the log have been read.
  public init(
    _ view: LogView, keepsSnapshot: Bool = true, longestTailBytes: Int = .max,
    onBytes: (@Sendable (_ count: Int) -> Void)? = nil
  ) {
    self.view = view
    self.keepsSnapshot = keepsSnapshot
    self.longestTailBytes = longestTailBytes
    self.onBytes = onBytes
  }

  /// Answers a question about the state, reading as little of it as will do.
  ///
  /// - Parameter question: is asked twice where the snapshot proves not to be whole; only an answer
  ///   that hangs on nothing doubtful is given. It must not let the state itself out.
  /// - Throws: ``LogError``, damage included; what `question` throws.
  public func ask<Answer>(_ question: (LedgerState) throws -> Answer) throws -> Answer {
    try quickly(question) ?? question(state())
  }

  /// Answers from the snapshot and what came since.
  ///
  /// - Returns: `nil` where there is no snapshot to trust, or where it is time for another.
  package func quickly<Answer>(_ question: (LedgerState) throws -> Answer) throws -> Answer? {
    guard whole == nil, let state = openedState() else { return nil }
    let answer = Result { try question(state) }
    guard !state.isBroken else {
      quick = .some(nil)
      return nil
    }
    return try answer.get()
  }

  /// The state, all of it in memory.
  ///
  /// - Throws: ``LogError``, damage included: a view of half a log would be a lie.
  public func state() throws(LogError) -> LedgerState {
    if let whole { return whole }
    var knownSeq = 0
    var folded: LedgerState?
    if let stored = Snapshot.open(view), let all = try? stored.whole() {
      folded = caughtUp(all)
      knownSeq = folded == nil ? 0 : stored.position.seq
    }
    let state: LedgerState
    if let folded { state = folded } else { state = try replay() }
    if paysSnapshot(since: knownSeq, state) { Snapshot.keep(state, of: view) }
    whole = state
    return state
  }

  /// The state folded from the log's own lines, with the chain link of each line checked. No
  /// snapshot is read for it.
  ///
  /// - Throws: ``LogError``, damage included.
  public func verifiedState() throws(LogError) -> LedgerState {
    if let verified { return verified }
    let state = try replay(verifies: true)
    if keepsSnapshot, paysSnapshot(since: Snapshot.open(view)?.position.seq ?? 0, state) {
      Snapshot.keep(state, of: view)
    }
    verified = state
    return state
  }

  /// Writes a snapshot now, whether it pays or not: where an app has a moment to spare. What cannot
  /// be written is not, and nothing is lost by it. Does nothing where no snapshot is to be kept.
  ///
  /// - Throws: as ``state()``.
  public func keepSnapshot() throws(LogError) {
    guard keepsSnapshot else { return }
    Snapshot.keep(try state(), of: view)
  }

  private func openedState() -> LedgerState? {
    if let quick { return quick }
    var opened = Snapshot.open(view)
    if let stored = opened, view.endBytes - stored.offsetBytes > longestTailBytes { opened = nil }
    if let stored = opened {
      opened = caughtUp(stored)
      if let state = opened, paysSnapshot(since: stored.position.seq, state) { opened = nil }
    }
    quick = .some(opened)
    return opened
  }

  private func paysSnapshot(since seq: Int, _ state: LedgerState) -> Bool {
    keepsSnapshot && Snapshot.pays(after: state.position.seq - seq, of: state.position.seq)
  }

  /// - Returns: `nil` where only a fold of the whole log can tell, or say what is wrong.
  private func caughtUp(_ stored: LedgerState) -> LedgerState? {
    var state = stored
    do throws(LogError) {
      try Replay.advance(&state, to: view)
    } catch {
      return nil
    }
    // What was erased since may still be in what was folded before (docs/log-format.md, Erasing).
    return state.erasures == stored.erasures && !state.isBroken ? state : nil
  }

  func replay(until seq: Seq? = nil, verifies: Bool = false) throws(LogError) -> LedgerState {
    var options = Replay.Options(verifies: verifies, until: seq)
    options.onBytes = onBytes
    if seq == nil, keepsSnapshot { options.blocks = LineBlockBuilder() }
    let outcome = try Replay.run(view, options)
    if let damage = outcome.damage { throw .damaged(damage) }
    return outcome.state
  }
}
