import LedgerJSON
import LedgerLog
public import LedgerModel
import LedgerProjections

/// An entry that the backend had, and that a listing of everything does not show.
public struct MissingRow: Hashable, Sendable {
  public var entry: EntryID
  /// The event that bound its id.
  var boundBy: Seq
  /// The hash of its id.
  var hash: UInt64
  /// Where to look again before it is believed.
  var day: CalendarDate
  /// Whether edits of it wait for the backend.
  var isEdited: Bool
}

extension SyncDesk {
  /// Entries that the backend has had and whose rows were not listed.
  ///
  /// - Parameter listed: hashes of all ids that a listing of everything showed.
  func missing(from listed: Set<UInt64>) throws(LogError) -> [MissingRow] {
    var missing: [MissingRow] = []
    for (index, row) in state.rows.enumerated() {
      guard let boundBy = state.binding(ofRow: index), let hash = self.index.hash(boundBy: boundBy),
        !listed.contains(hash)
      else { continue }
      let entry = state.entry(at: index)
      guard !entry.isDeleted, state.edits.state(Int(row.seq)) != .undone else { continue }
      let key = try key(of: acknowledgedValues(ofRow: index, entry))
      missing.append(
        MissingRow(
          entry: entry.id, boundBy: boundBy, hash: hash, day: key.day,
          isEdited: state.edits(ofRow: index).contains { state.edits.state($0.number).isOpen }))
    }
    return missing
  }

  /// The values that the backend was told last: the row stands on their day.
  private func acknowledgedValues(ofRow row: Int, _ entry: EntryView) -> EntryView {
    let told = state.edits(ofRow: row).last { state.edits.state($0.number) == .acknowledged }
    return told.map { state.entry(at: row, upTo: $0) } ?? entry
  }

  /// A row that a second listing of its day does not show either is gone: it counts as deleted
  /// there. An edit that waits is not overwritten by that, unless the policy says so.
  ///
  /// - Parameter listed: hashes of all ids that the days' listings showed.
  func drop(
    _ missing: [MissingRow], unlessIn listed: Set<UInt64>, policy: ConflictDecision
  ) throws(LogError) -> (payloads: [Event.Payload], dropped: Int) {
    var payloads: [Event.Payload] = []
    var dropped = 0
    for row in missing where !listed.contains(row.hash) {
      guard let index = state.row(of: row.entry), state.binding(ofRow: index) == row.boundBy,
        !state.entry(at: index).isDeleted
      else { continue }
      let isEdited = state.edits(ofRow: index).contains { state.edits.state($0.number).isOpen }
      if isEdited {
        payloads.append(
          .conflictDetected(
            ConflictDetected(
              subject: row.entry.description, field: "entry", local: "edited", remote: "deleted",
              decision: policy == .remote ? .remote : .local)))
        guard policy == .remote else { continue }
      }
      dropped += 1
      payloads.append(
        .progressDeleted(ProgressDeleted(entry: row.entry, reason: "deleted at the backend")))
    }
    return (payloads, dropped)
  }
}
