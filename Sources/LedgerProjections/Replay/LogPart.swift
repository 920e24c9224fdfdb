package import LedgerLog
package import LedgerModel

// A write takes what it depends on from the log's lines, never from a snapshot. Those since an entry was
// logged tell all about it, and those since a field was set its value, so they are folded alone: if they are
// few, that takes no longer than a snapshot.

extension Replay {
  /// The state of a log's lines from one on, with each chain link checked, as if no event were before it.
  ///
  /// What it tells of an entry or a session that it has is right. It lacks those that were logged
  /// earlier (``LedgerState/requireEntry(ofEdit:)``), and tells of the profile only what
  /// ``LedgerState/requireLines(since:)`` and ``LedgerState/requireValue(of:before:)`` let pass.
  ///
  /// - Throws: ``LogError``, damage in these lines included.
  package static func part(of view: LogView, from seq: Seq) throws(LogError) -> LedgerState {
    let start = try view.line(seq).offsetBytes
    var state = LedgerState()
    if let before = try view.position(after: start) {
      state = LedgerState(after: before, offsetBytes: start)
    }
    try advance(&state, to: view, verifies: true)
    return state
  }
}

/// The state of a part of the log does not tell what is asked.
package struct NeedsEarlierLines: Error {
  package init() {}
}

extension LedgerState {
  fileprivate init(after position: ChainPosition, offsetBytes: Int) {
    self.init()
    (self.position, self.offsetBytes) = (position, offsetBytes)
    edits = EditTable(unknownUpTo: position.seq)
  }

  /// Whether it is that of a part of the log; see ``Replay/part(of:from:)``.
  package var isPart: Bool { edits.cells.hasUnknown }

  /// Whether events of the part are about entries that were logged before it.
  var lacksEntries: Bool {
    isPart && (changes.contains { $0.row == .max } || sleep.contains { $0.session == .max })
  }

  /// - Throws: ``NeedsEarlierLines`` if a part of the log does not tell what an event has changed.
  package func requireEntry(ofEdit seq: Seq) throws(NeedsEarlierLines) {
    guard isPart, logging(ofEdit: seq.number) == nil else { return }
    throw NeedsEarlierLines()
  }

  /// - Throws: ``NeedsEarlierLines`` if a part of the log does not tell what became of an edit of the profile.
  package func requireLines(since seq: Seq) throws(NeedsEarlierLines) {
    guard isPart else { return }
    // Of what the backend lost, edits are sent again that later ones have not replaced.
    guard seq.number >= edits.cells.countInSnapshot, tally.count(of: .accountReplaced) == 0 else {
      throw NeedsEarlierLines()
    }
  }

  /// - Parameter seq: `nil` for the current value.
  /// - Throws: ``NeedsEarlierLines`` if a part of the log does not tell the value of a field before an event.
  package func requireValue(
    of field: ProfileField, before seq: Seq? = nil
  ) throws(NeedsEarlierLines) {
    guard isPart else { return }
    // Whether a pulled value was taken, and what a decision means, depends on earlier edits.
    guard tally.count(of: .profilePulled) == 0, tally.count(of: .conflictResolved) == 0,
      tally.count(of: .accountReplaced) == 0,
      profile.value(of: field, before: seq ?? nextSeq, edits) != nil
    else { throw NeedsEarlierLines() }
  }

  /// - Throws: ``NeedsEarlierLines`` for the state of a part of the log.
  package func requireAll() throws(NeedsEarlierLines) {
    if isPart { throw NeedsEarlierLines() }
  }
}
