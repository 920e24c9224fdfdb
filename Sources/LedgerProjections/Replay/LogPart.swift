package import LedgerLog
package import LedgerModel

// A write depends on the log's lines, never on a snapshot. The lines since an entry was logged determine its
// state, and those since a field was set its value, so only these are folded: if they are few, that takes no
// longer than reading a snapshot.

extension Replay {
  /// The state of a log's lines from one on, with each chain link checked, as if no event were before it.
  ///
  /// The entries and sessions in it are complete. It lacks those that were logged earlier
  /// (``LedgerState/requireEntry(ofEdit:)``), and of the profile it has only what
  /// ``LedgerState/requireLines(since:)`` and ``LedgerState/requireValue(of:before:)`` accept.
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

/// The question cannot be answered without lines before the folded part.
package struct NeedsEarlierLines: Error {
  package init() {}
}

extension LedgerState {
  fileprivate init(after position: ChainPosition, offsetBytes: Int) {
    self.init()
    (self.position, self.offsetBytes) = (position, offsetBytes)
    edits = EditTable(unknownUpTo: position.seq)
  }

  /// Whether it is the state of a part of the log; see ``Replay/part(of:from:)``.
  package var isPart: Bool { edits.cells.hasUnknown }

  /// Whether events of the part are about entries that were logged before it.
  var lacksEntries: Bool {
    isPart && (changes.contains { $0.row == .max } || sleep.contains { $0.session == .max })
  }

  /// - Throws: ``NeedsEarlierLines`` if what an event changed depends on earlier lines.
  package func requireEntry(ofEdit seq: Seq) throws(NeedsEarlierLines) {
    guard isPart, logging(ofEdit: seq.number) == nil else { return }
    throw NeedsEarlierLines()
  }

  /// - Throws: ``NeedsEarlierLines`` if what became of an edit of the profile depends on earlier lines.
  package func requireLines(since seq: Seq) throws(NeedsEarlierLines) {
    guard isPart else { return }
    // After `account.replaced`, edits that no later edit replaced are sent again.
    guard seq.number >= edits.cells.countInSnapshot, tally.count(of: .accountReplaced) == 0 else {
      throw NeedsEarlierLines()
    }
  }

  /// - Parameter seq: `nil` for the current value.
  /// - Throws: ``NeedsEarlierLines`` if the value of a field before an event depends on earlier lines.
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
