public import LedgerModel

extension LedgerState {
  /// The state as it would be, were these recorded now: the same fold, and nothing is written.
  ///
  /// - Precondition: their seqs go on where the state ends.
  public func foreseeing(_ events: [RecordedEvent]) -> LedgerState {
    guard let last = events.last else { return self }
    precondition(events[0].seq.number == edits.lastSeq + 1, "what is foreseen comes next")
    var batch = ColumnBatch(after: edits.lastSeq)
    batch.lastSeq = last.seq.number
    for recorded in events {
      batch.add(recorded.event.payload, seq: recorded.seq.number, by: recorded.event.by)
    }
    var state = self
    state.apply(&batch)
    return state
  }

  /// The seq that the next event will have.
  public var nextSeq: Seq { Seq(edits.lastSeq + 1) }
}
