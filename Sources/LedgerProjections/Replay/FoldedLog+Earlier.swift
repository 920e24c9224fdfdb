public import LedgerLog
public import LedgerModel

/// The state as it was behind an event. A snapshot holds no history, but what came after it can be
/// folded up to any event.
extension FoldedLog {
  /// Answers a question about the state behind an event, reading as little of it as will do.
  ///
  /// - Parameter question: may be asked twice, and must not let the state itself out.
  /// - Throws: ``LogError``, damage before the event included; what `question` throws.
  public func ask<Answer>(
    until seq: Seq, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer {
    if let state = opened(until: seq) {
      let answer = Result { try question(state) }
      if !state.isBroken { return try answer.get() }
    }
    return try question(replay(until: seq))
  }

  /// The state behind an event, all of it in memory.
  ///
  /// - Throws: ``LogError``, damage before the event included.
  public func state(until seq: Seq) throws(LogError) -> LedgerState {
    if let state = opened(until: seq), let whole = try? state.whole() { return whole }
    return try replay(until: seq)
  }

  /// - Returns: `nil` where the snapshot is of later events, or not to be trusted.
  private func opened(until seq: Seq) -> LedgerState? {
    guard var state = Snapshot.open(view), state.position.seq <= seq.number else { return nil }
    let erasures = state.erasures
    do throws(LogError) {
      try Replay.advance(&state, to: view, until: seq)
      guard state.erasures == erasures, !state.isBroken, try !view.hasErasure(behind: state)
      else { return nil }
    } catch {
      return nil
    }
    return state
  }
}

extension LogView {
  /// Whether something was erased behind what a state has folded.
  fileprivate func hasErasure(behind state: LedgerState) throws(LogError) -> Bool {
    var erasures = Erasures()
    try erasures.read(self, from: state.position, offsetBytes: state.offsetBytes)
    return !erasures.isEmpty
  }
}
