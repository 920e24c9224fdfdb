import LedgerLog
import LedgerModel
import LedgerProjections

/// Finds the lines that are about one entry: its edits, and what names them. The fold knows which
/// those may be, so only they are looked at.
struct EntrySearch {
  let entry: EntryID
  /// The events that were found to be about it: answers name them by their seq.
  private var found: Set<Int> = []

  init(_ entry: EntryID) {
    self.entry = entry
  }

  /// - Returns: their places, oldest first, of those that the filter lets through.
  mutating func places(_ filter: LogFilter, in ledger: ReadLedger) throws -> [LogSearch.Place] {
    let candidates = try ledger.ask { $0.mentions(ofEntry: entry) }
    var places: [LogSearch.Place] = []
    for seq in candidates.compactMap({ Seq(exactly: $0) }) {
      let line = try ledger.view.line(seq)
      guard concerns(try line.event()) else { continue }
      found.insert(seq.number)
      if line.withEnvelope(filter.matches) ?? false {
        places.append(.init(seq: line.seq, offsetBytes: line.offsetBytes, count: line.bytes.count))
      }
    }
    return places
  }

  /// Whether an event names the entry, or one of the events that do.
  private func concerns(_ recorded: RecordedEvent) -> Bool {
    switch recorded.event.payload {
    case .progressLogged(let data): data.entry == entry
    case .progressPulled(let data): data.entry == entry
    case .progressCorrected(let data): data.entry == entry
    case .progressDeleted(let data): data.entry == entry
    case .duplicateSuspected(let data): data.entry == entry
    case .syncAcknowledged(let data):
      touches(data.events) || data.events.isEmpty && data.entry == entry
    case .syncAttempted(let data): touches(data.events)
    case .syncDeferred(let data): touches(data.events)
    case .syncRejected(let data): touches(data.events)
    case .syncHeld(let data): touches(data.events)
    case .syncDiffered(let data): touches(data.events)
    case .duplicateResolved(let data): touches([data.suspicion])
    case .editUndone(let data): touches([data.event])
    case .eventErased(let data): touches([data.event])
    case .conflictDetected(let data): data.subject == entry.description
    case .conflictResolved(let data): touches([data.conflict])
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .profilePulled,
      .rowSkipped, .accountSignedIn, .accountSignedOut, .accountReplaced, .logRepaired, .unknown,
      .erased:
      false
    }
  }

  private func touches(_ events: [Seq]) -> Bool { events.contains { found.contains($0.number) } }
}
