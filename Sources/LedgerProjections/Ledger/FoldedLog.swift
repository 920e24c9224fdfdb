public import LedgerLog

/// A log folded with the help of the snapshot beside it, which is looked after on the way.
///
/// Where there is any doubt about the snapshot, the log is folded from line 1.
public enum FoldedLog {
  /// The state up to the log's end, all of it in memory.
  ///
  /// - Parameters:
  ///   - keepsSnapshot: whether a snapshot is written when it pays: not while the log is locked.
  ///   - onBytes: told now and then how many bytes more of the log have been read.
  /// - Throws: ``LogError``, damage included: a view of half a log would be a lie.
  public static func state(
    _ view: LogView, keepsSnapshot: Bool = true, onBytes: (@Sendable (_ count: Int) -> Void)? = nil
  ) throws(LogError) -> LedgerState {
    var knownSeq = 0
    var state: LedgerState?
    if let stored = Snapshot.open(view), let whole = try? stored.whole() {
      knownSeq = stored.position.seq
      state = caughtUp(whole, to: view)
    }
    if state == nil { knownSeq = 0 }
    let folded: LedgerState
    if let state { folded = state } else { folded = try replay(view, onBytes) }
    let lastSeq = folded.position.seq
    if keepsSnapshot, Snapshot.pays(after: lastSeq - knownSeq, of: lastSeq) {
      Snapshot.keep(folded, of: view)
    }
    return folded
  }

  /// Answers a question about the state up to the log's end, reading as little of it as will do.
  ///
  /// - Parameter question: is asked twice where the snapshot proves not to be whole; only an answer
  ///   that hangs on nothing doubtful is given. It must not let the state itself out.
  /// - Throws: ``LogError``, damage included; what `question` throws.
  public static func ask<Answer>(
    _ view: LogView, keepsSnapshot: Bool = true,
    onBytes: (@Sendable (_ count: Int) -> Void)? = nil,
    _ question: (LedgerState) throws -> Answer
  ) throws -> Answer {
    if let answer = try quickly(view, keepsSnapshot: keepsSnapshot, question) { return answer }
    return try question(state(view, keepsSnapshot: keepsSnapshot, onBytes: onBytes))
  }

  /// Answers from the snapshot and what came since.
  ///
  /// - Returns: `nil` where there is no snapshot to trust, or where it is time for another.
  static func quickly<Answer>(
    _ view: LogView, keepsSnapshot: Bool, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer? {
    guard let stored = Snapshot.open(view), let state = caughtUp(stored, to: view) else {
      return nil
    }
    let lastSeq = state.position.seq
    if keepsSnapshot, Snapshot.pays(after: lastSeq - stored.position.seq, of: lastSeq) {
      return nil
    }
    let answer = Result { try question(state) }
    return state.isBroken ? nil : try answer.get()
  }

  /// - Returns: `nil` where only a fold of the whole log can tell, or say what is wrong.
  private static func caughtUp(_ stored: LedgerState, to view: LogView) -> LedgerState? {
    var state = stored
    do throws(LogError) {
      try Replay.advance(&state, to: view)
    } catch {
      return nil
    }
    // What was erased since may still be in what was folded before (log-format.md, Erasing).
    return state.erasures == stored.erasures && !state.isBroken ? state : nil
  }

  private static func replay(
    _ view: LogView, _ onBytes: (@Sendable (_ count: Int) -> Void)?
  ) throws(LogError) -> LedgerState {
    var options = Replay.Options(verifies: false)
    options.onBytes = onBytes
    let outcome = try Replay.run(view, options)
    if let damage = outcome.damage { throw .damaged(damage) }
    return outcome.state
  }
}
