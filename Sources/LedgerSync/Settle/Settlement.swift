import LedgerLog
public import LedgerModel
import LedgerProjections

/// What a listing says of lost answers (backend.md, Settling doubt).
public struct Settlement: Hashable, Sendable {
  /// How many edits turned out to have arrived.
  public var reconciled = 0
  /// Entries that the backend surely does not have: they may be sent again.
  public var notFound: Set<EntryID> = []
  public var suspected = 0

  public init() {}
}

extension SyncDesk {
  /// Binds what was found, and says what was not. Rows beyond those that were missed are suspected
  /// to be doubles.
  ///
  /// - Parameters:
  ///   - doubts: those whose days were listed whole.
  ///   - listed: the rows of those days.
  func settle(
    _ doubts: [Doubt], _ listed: [ListedRow]
  ) -> (payloads: [Event.Payload], settlement: Settlement) {
    var settlement = Settlement()
    var payloads: [Event.Payload] = []
    let candidates = unbound(listed)
    let open = doubts.filter(isStillOpen)
    let groups = Dictionary(grouping: open, by: \.key).values
    for missed in groups.sorted(by: { $0[0] < $1[0] }) {
      var rows = candidates[missed[0].key] ?? []
      var last: EntryID?
      for doubt in missed {
        guard !rows.isEmpty else {
          settlement.notFound.insert(doubt.entry)
          continue
        }
        payloads.append(Self.reconciled(doubt, rows.removeFirst().id))
        settlement.reconciled += doubt.events.count
        last = doubt.entry
      }
      if let last, !rows.isEmpty {
        settlement.suspected += rows.count
        payloads.append(
          .duplicateSuspected(DuplicateSuspected(entry: last, backendIDs: rows.map(\.id))))
      }
    }
    return (payloads, settlement)
  }

  static func reconciled(_ doubt: Doubt, _ id: BackendID) -> Event.Payload {
    .syncAcknowledged(
      SyncAcknowledged(
        call: doubt.call, events: doubt.events, status: 200, via: .reconciled, entry: doubt.entry,
        backendID: id))
  }

  /// Rows that no entry was ever bound to, by what they hold, the one added first in front.
  private func unbound(_ rows: [ListedRow]) -> [RowKey: [ListedRow]] {
    var seen: Set<BackendID> = []
    var candidates: [RowKey: [ListedRow]] = [:]
    // The backend lists newest first.
    for row in rows.reversed() where !index.knows(row.id) && seen.insert(row.id).inserted {
      candidates[row.key, default: []].append(row)
    }
    return candidates
  }

  /// Another program may have settled it meanwhile.
  private func isStillOpen(_ doubt: Doubt) -> Bool {
    doubt.events.contains { seq in
      state.edits.state(seq.number) == .inDoubt
        && state.edits.marker(seq.number) == doubt.attemptSeq.number
    }
  }
}

extension Doubt {
  fileprivate static func < (left: Doubt, right: Doubt) -> Bool {
    left.attemptSeq < right.attemptSeq
  }
}
