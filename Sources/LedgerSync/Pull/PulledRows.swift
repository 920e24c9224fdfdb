import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// What became of listed rows.
public struct Pulled: Hashable, Sendable {
  /// Rows that became entries.
  public var entries = 0
  /// Edits whose lost answer showed up after all.
  public var reconciled = 0
  public var suspected = 0
  /// Rows that an entry cannot hold; they stay where they are.
  public var unusable = 0

  public init() {}
}

extension SyncDesk {
  /// So few that they fit a line of the log (64 KiB) at the length that an id may have.
  private static var mostDoublesInAnEvent: Int { 8 }

  /// Rows whose ids were never bound become entries (backend.md, Pulling), with two exceptions. A row
  /// that looks like one whose answer was lost settles that doubt, or waits for it to be settled. A
  /// row that looks like an entry that was sent more than once is suspected to be its double.
  ///
  /// - Parameter settled: entries whose doubt was looked into in this run.
  func take(
    _ rows: [ListedRow], settled: Set<EntryID>, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (payloads: [Event.Payload], pulled: Pulled) {
    var pulled = Pulled()
    var payloads: [Event.Payload] = []
    var seen: Set<BackendID> = []
    let fresh = rows.filter { !index.knows($0.id) && seen.insert($0.id).inserted }
    guard !fresh.isEmpty else { return ([], pulled) }
    var waiting = Dictionary(grouping: try doubts().entries, by: \.key)
    var doubles: [EntryID: [BackendID]] = [:]
    let sent = try keysSentInDoubt()
    for row in fresh.reversed() {
      if let doubt = waiting[row.key]?.first {
        // Listed only now, it is found all the same; one that was not looked into yet waits.
        guard settled.contains(doubt.entry) else { continue }
        waiting[row.key]?.removeFirst()
        if waiting[row.key]?.isEmpty == true { waiting[row.key] = nil }
        payloads.append(Self.reconciled(doubt, row.id))
        pulled.reconciled += doubt.events.count
      } else if let entry = sent[row.key] {
        doubles[entry, default: []].append(row.id)
        pulled.suspected += 1
      } else if let entry = entry(from: row, at: now, using: &generator) {
        payloads.append(.progressPulled(entry))
        pulled.entries += 1
      } else {
        pulled.unusable += 1
      }
    }
    for (entry, ids) in doubles.sorted(by: { $0.key.description < $1.key.description }) {
      for first in stride(from: 0, to: ids.count, by: Self.mostDoublesInAnEvent) {
        let some = Array(ids[first...].prefix(Self.mostDoublesInAnEvent))
        payloads.append(.duplicateSuspected(DuplicateSuspected(entry: entry, backendIDs: some)))
      }
    }
    return (payloads, pulled)
  }

  /// What the attempts of entries that may have doubles carried: their values now and at each edit.
  private func keysSentInDoubt() throws(LogError) -> [RowKey: EntryID] {
    var keys: [RowKey: EntryID] = [:]
    for row in state.rowsSentInDoubt() {
      for seq in state.edits(ofRow: row) {
        let values = state.entry(at: row, upTo: seq)
        keys[try key(of: values)] = values.id
      }
    }
    return keys
  }

  /// - Returns: `nil` for what the log could not hold.
  private func entry(
    from row: ListedRow, at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> ProgressPulled? {
    guard let quantity = JSONNumber.writable(row.key.quantity), row.key.notes.utf8.count <= 8_192
    else { return nil }
    let id = EntryID.make(at: now, using: &generator)
    let isDay = row.moment.millisecondsSince1970 % 86_400_000 == 0
    let date: CalendarDate
    var moment: ZonedTime?
    if isDay {
      guard let utc = row.moment.utc else { return nil }
      date = utc.date
    } else {
      guard let wall = zone.wall(at: row.moment) else { return nil }
      date = wall.date
      moment = ZonedTime(time: wall.time, zone: wall.zone)
    }
    return ProgressPulled(
      entry: id, backendID: row.id, metric: row.key.metric, quantity: quantity, date: date,
      moment: moment, notes: row.key.notes.isEmpty ? nil : row.key.notes)
  }
}
