public import LedgerLog

extension Replay {
  /// Folds a log from line 1 on one thread and looks at the state now and then: for those who tell
  /// how something came about. Where a state that was folded before would do, ask that one.
  ///
  /// - Parameters:
  ///   - stops: seqs, ascending; those behind the log's end stand for its end.
  ///   - look: is called at each of them, in order, and once more at the end if it is no stop.
  /// - Returns: the state at the log's end, or before the damage, if there is any.
  /// - Throws: ``LogError`` for what keeps the log from being read; damage is in the outcome.
  public static func run(
    _ view: LogView, verifies: Bool, stops: [Int], onBytes: ((_ count: Int) -> Void)? = nil,
    _ look: (_ state: LedgerState) -> Void
  ) throws(LogError) -> Outcome {
    var state = LedgerState()
    for stop in stops + [.max] where stop > state.position.seq {
      guard state.offsetBytes < view.endBytes else { break }
      var reader = BatchReader(
        from: state.position, offsetBytes: state.offsetBytes, checks: verifies ? .chain : .form,
        until: stop)
      // Room for all of it at once; later stretches are put behind.
      if state.position.seq == 0 { reader.expectedBytes = view.endBytes }
      let before = state.offsetBytes
      do throws(LogError) {
        try reader.read(view, to: view.endBytes)
      } catch {
        state.join(&reader)
        return try outcome(state, error, view)
      }
      state.join(&reader)
      onBytes?(state.offsetBytes - before)
      look(state)
    }
    return try outcome(state, nil, view)
  }
}
