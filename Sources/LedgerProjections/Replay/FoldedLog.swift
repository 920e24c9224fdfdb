package import LedgerLog
package import LedgerModel

/// A log folded with the help of its snapshot, which is rewritten when that pays.
///
/// On any doubt about the snapshot the log is folded from line 1. Not `Sendable`: use it from one
/// actor or one thread.
package final class FoldedLog {
  private let view: LogView
  private let keepsSnapshot: Bool
  private let longestTailBytes: Int
  private let onBytes: (@Sendable (_ count: Int) -> Void)?
  /// The state with most columns still in the snapshot; `.some(nil)` if there is none to use. Never
  /// returned to callers.
  private var opened: LedgerState??
  private var whole: LedgerState?
  private var verified: LedgerState?

  /// - Parameters:
  ///   - view: the log up to its end.
  ///   - keepsSnapshot: whether to write a snapshot when it pays; false while this process holds
  ///     the log's lock.
  ///   - longestTailBytes: the snapshot is not used if more of the log follows it.
  ///   - onBytes: receives now and then how many more bytes have been read.
  package init(
    _ view: LogView, keepsSnapshot: Bool = true, longestTailBytes: Int = .max,
    onBytes: (@Sendable (_ count: Int) -> Void)? = nil
  ) {
    self.view = view
    self.keepsSnapshot = keepsSnapshot
    self.longestTailBytes = longestTailBytes
    self.onBytes = onBytes
  }

  /// Answers a question about the state, reading only what the answer needs.
  ///
  /// - Parameter question: called a second time if the snapshot proves broken; only an answer from
  ///   sound data is returned. It must not keep the state.
  /// - Throws: ``LogError``, damage included; what `question` throws.
  package func ask<Answer>(_ question: (LedgerState) throws -> Answer) throws -> Answer {
    try quickly(question) ?? question(state())
  }

  /// Answers from the snapshot and the events after it.
  ///
  /// - Returns: `nil` if no snapshot can be used, or if it is time to write another.
  package func quickly<Answer>(_ question: (LedgerState) throws -> Answer) throws -> Answer? {
    guard whole == nil, let state = openedState() else { return nil }
    let answer = Result { try question(state) }
    guard !state.isBroken else {
      opened = .some(nil)
      return nil
    }
    return try answer.get()
  }

  /// Answers a question about the state after an event. A snapshot holds no history, but the events
  /// after it can be folded up to any seq.
  ///
  /// - Parameter question: as for ``ask(_:)``.
  /// - Throws: ``LogError``, damage before the event included; what `question` throws.
  package func ask<Answer>(
    until seq: Seq, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer {
    if let state = openedState(until: seq) {
      let answer = Result { try question(state) }
      if !state.isBroken { return try answer.get() }
    }
    return try question(replay(until: seq))
  }

  /// The state, all of it in memory.
  ///
  /// - Throws: ``LogError``, damage included: half a log has no state.
  package func state() throws(LogError) -> LedgerState {
    if let whole { return whole }
    var knownSeq = 0
    var folded: LedgerState?
    if let stored = Snapshot.open(view), let all = try? stored.loaded() {
      folded = caughtUp(all)
      knownSeq = folded == nil ? 0 : stored.position.seq
    }
    let state: LedgerState
    if let folded { state = folded } else { state = try replay() }
    if paysSnapshot(since: knownSeq, state) { Snapshot.keep(state, of: view) }
    whole = state
    return state
  }

  /// The state after an event, all of it in memory.
  ///
  /// - Throws: ``LogError``, damage before the event included.
  package func state(until seq: Seq) throws(LogError) -> LedgerState {
    if let state = openedState(until: seq), let whole = try? state.loaded() { return whole }
    return try replay(until: seq)
  }

  /// Answers a question about the states after two events; 0 is before the first one.
  ///
  /// - Parameters:
  ///   - onBytes: receives how many more bytes were read from the first state to the last.
  ///   - question: as for ``ask(_:)``.
  /// - Throws: ``LogError``, damage before the last event included; what `question` throws.
  package func ask<Answer>(
    from first: Int, until last: Int, onBytes: ((_ count: Int) -> Void)? = nil,
    _ question: (_ before: LedgerState, _ after: LedgerState) throws(LogError) -> Answer
  ) throws(LogError) -> Answer {
    func answer(_ before: LedgerState) throws(LogError) -> Answer {
      var after = before
      if let last = Seq(exactly: last) {
        try Replay.advance(&after, to: view, until: last, onBytes: onBytes)
      }
      return try question(before, after)
    }
    guard let seq = Seq(exactly: first) else { return try answer(LedgerState()) }
    if let before = openedState(until: seq) {
      let found = Result { () throws(LogError) in try answer(before) }
      if !before.isBroken { return try found.get() }
    }
    return try answer(replay(until: seq))
  }

  /// The state folded from the log's own lines with every chain link checked, without a snapshot.
  ///
  /// - Throws: ``LogError``, damage included.
  package func verifiedState() throws(LogError) -> LedgerState {
    if let verified { return verified }
    let state = try replay(verifies: true)
    if keepsSnapshot, paysSnapshot(since: Snapshot.open(view)?.position.seq ?? 0, state) {
      Snapshot.keep(state, of: view)
    }
    verified = state
    return state
  }

  /// Writes a snapshot now, for example in an app's idle time. Failures to write are ignored. Does
  /// nothing if `keepsSnapshot` is false.
  ///
  /// - Throws: as ``state()``.
  package func keepSnapshot() throws(LogError) {
    guard keepsSnapshot else { return }
    Snapshot.keep(try state(), of: view)
  }

  func replay(until seq: Seq? = nil, verifies: Bool = false) throws(LogError) -> LedgerState {
    var options = Replay.Options(verifies: verifies, until: seq)
    options.onBytes = onBytes
    options.isForSnapshot = seq == nil && keepsSnapshot
    let outcome = try Replay.run(view, options)
    if let damage = outcome.damage { throw .damaged(damage) }
    return outcome.state
  }

  private func paysSnapshot(since seq: Int, _ state: LedgerState) -> Bool {
    keepsSnapshot && Snapshot.pays(after: state.position.seq - seq)
  }

  private func openedState() -> LedgerState? {
    if let opened { return opened }
    var state = Snapshot.open(view)
    if let stored = state, view.endBytes - stored.offsetBytes > longestTailBytes { state = nil }
    if let stored = state {
      state = caughtUp(stored)
      if let folded = state, paysSnapshot(since: stored.position.seq, folded) { state = nil }
    }
    opened = .some(state)
    return state
  }

  /// - Returns: `nil` if the whole log must be folded to answer, or to say what is wrong.
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

  /// - Returns: `nil` if the snapshot is of later events or cannot be trusted.
  private func openedState(until seq: Seq) -> LedgerState? {
    guard var state = Snapshot.open(view), state.position.seq <= seq.number else { return nil }
    let erasures = state.erasures
    do throws(LogError) {
      try Replay.advance(&state, to: view, until: seq)
      guard state.erasures == erasures, !state.isBroken, try !hasErasure(after: state)
      else { return nil }
    } catch {
      return nil
    }
    return state
  }

  /// Whether the rest of the log erases something.
  private func hasErasure(after state: LedgerState) throws(LogError) -> Bool {
    var erasures = Erasures()
    try erasures.read(view, from: state.position, offsetBytes: state.offsetBytes)
    return !erasures.isEmpty
  }
}
