import LedgerLog
public import LedgerModel
import LedgerProjections

/// What a listing says of lost answers (docs/sync.md, What an answer means).
public struct Settlement: Hashable, Sendable {
  /// How many edits turned out to have arrived.
  public var reconciled = 0
  /// Entries that the backend surely does not have: they may be sent again.
  public var notFound: Set<EntryID> = []
  public var suspected = 0

  public init() {}
}

extension SyncContext {
  /// Binds what was found, and says what was not. Rows beyond those that were missed are suspected
  /// to be doubles.
  ///
  /// - Parameters:
  ///   - doubts: those whose days were listed whole.
  ///   - listed: the rows of those days.
  func settle(
    _ doubts: [UnresolvedCall], _ listed: [ListedRow]
  ) -> (payloads: [Event.Payload], settlement: Settlement) {
    var settlement = Settlement()
    var payloads: [Event.Payload] = []
    var candidates = unbound(listed)
    let open = doubts.filter(isStillOpen)
    var found: [UnresolvedCall] = []
    for doubt in open.sorted(by: <) {
      guard let row = candidates.take(matching: doubt.key, isTimed: doubt.isTimed) else {
        settlement.notFound.insert(doubt.entry)
        continue
      }
      payloads.append(Self.reconciled(doubt, row))
      settlement.reconciled += doubt.events.count
      found.append(doubt)
    }
    for doubt in found {
      var rows: [BackendID] = []
      while let row = candidates.take(matching: doubt.key, isTimed: doubt.isTimed) {
        rows.append(row.id)
      }
      guard !rows.isEmpty else { continue }
      settlement.suspected += rows.count
      payloads.append(
        .duplicateSuspected(DuplicateSuspected(entry: doubt.entry, backendIDs: rows)))
    }
    return (payloads, settlement)
  }

  static func reconciled(_ doubt: UnresolvedCall, _ row: ListedRow) -> Event.Payload {
    .syncAcknowledged(
      SyncAcknowledged(
        call: doubt.call, events: doubt.events, status: 200, via: .reconciled, entry: doubt.entry,
        backendID: row.id, remote: doubt.key.agreed(with: row)))
  }

  /// Rows that no entry was ever bound to, the one added first in front.
  private func unbound(_ rows: [ListedRow]) -> UnknownRows {
    // The backend lists newest first.
    UnknownRows(rows.reversed().filter { !index.knows($0.id) && !index.isAdmitted($0.id) })
  }

  /// Another program may have settled it meanwhile.
  private func isStillOpen(_ doubt: UnresolvedCall) -> Bool {
    doubt.events.contains { seq in
      state.edits.state(seq.number) == .inDoubt
        && state.edits.marker(seq.number) == doubt.attemptSeq.number
    }
  }
}

extension UnresolvedCall {
  fileprivate static func < (left: UnresolvedCall, right: UnresolvedCall) -> Bool {
    left.attemptSeq < right.attemptSeq
  }
}
