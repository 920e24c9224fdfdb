package import LedgerLog
public import LedgerModel

/// The state of an entry at the backend (docs/cli.md, The life of an edit).
public enum EntryStatus: String, CaseIterable, Codable, Sendable {
  /// To be sent.
  case pending
  /// In doubt: sent, the answer unknown.
  case syncing
  /// The backend has the same values.
  case synced
  /// Rejected or in conflict: see ``EntryView/failure``.
  case failed
}

/// Why an entry is ``EntryStatus/failed``.
public enum FailureReason: String, CaseIterable, Codable, Sendable {
  /// The backend refused it; a correction sends it again.
  case rejected
  /// The backend has other values than were sent; the user decides.
  case conflict
}

extension EntryStatus {
  /// The status of an entry whose only edit has this state.
  @inline(__always)
  init(of edit: EditState) { self.init(weight: edit.weight) }

  /// The status of a session with edits in these states.
  init(ofAll states: [EditState]) { self.init(weight: states.map(\.weight).max() ?? 0) }

  @inline(__always)
  fileprivate init(weight: Int) {
    switch weight {
    case 3: self = .syncing
    case 2: self = .pending
    case 1: self = .failed
    default: self = .synced
    }
  }
}

extension EditState {
  /// The greatest weight of an entry's edits gives the entry's status.
  @inline(__always)
  fileprivate var weight: Int {
    switch self {
    case .inDoubt: 3
    case .pending, .held: 2
    case .rejected, .differed: 1
    case .acknowledged, .undone, .none: 0
    }
  }
}

/// A progress entry with its corrections. Notes stay in the log; ``notesIn`` names their event.
public struct EntryView: Hashable, Identifiable, Codable, Sendable {
  /// Not known to the backend.
  public var id: EntryID
  /// What was measured.
  public var metric: Metric
  /// In the metric's own unit.
  public var quantity: Double
  /// The local day of the measurement.
  public var date: CalendarDate
  /// The time on that day; `nil` for an entry of the whole day.
  public var moment: ZonedTime?
  /// The event whose `notes` are in force; `nil` for none.
  public var notesIn: Seq?
  /// The event that logged or pulled it.
  public var seq: Seq
  /// The answer that bound the backend's id to it.
  public var boundBy: Seq?
  /// Whether the user deleted it; its events stay in the log.
  public var isDeleted: Bool
  /// The sync status.
  public var status: EntryStatus
  /// `nil` unless it is ``EntryStatus/failed``.
  public var failure: FailureReason?
}

/// What a user sees of an entry, without its status.
package struct EntryValues: Sendable {
  package var quantity: Double
  package var date: CalendarDate
  package var moment: ZonedTime?
  package var notesIn: Seq?

  @inline(__always)
  fileprivate init(_ row: ResolvedRow) {
    quantity = row.quantity
    date = CalendarDate(daysSince1970: Int(row.day)) ?? .first
    moment = ClockTime(secondsSinceMidnight: Int(row.time)).map {
      ZonedTime(time: $0, zone: ZoneOffset(minutes: Int(row.zone)) ?? .utc)
    }
    notesIn = Seq(exactly: Int(row.notesIn))
  }
}

extension LedgerState {
  /// Synced once every edit is acknowledged, so a later correction makes an entry pending again.
  package func status(_ row: EntryRow) -> EntryStatus {
    var worst = edits.state(Int(row.seq)).weight
    guard row.lastChange != 0 else { return EntryStatus(weight: worst) }
    for change in chain(of: row) { worst = max(worst, edits.state(Int(change.seq)).weight) }
    return EntryStatus(weight: worst)
  }

  package func entry(at index: Int) -> EntryView {
    view(ofRow: index, resolve(rows[index]))
  }

  /// The entry after its edits up to `last`.
  package func entry(at index: Int, upTo last: Seq) -> EntryView {
    view(ofRow: index, resolve(rows[index], upTo: last.number, bySyncUpTo: last.number))
  }

  /// The entry as a call carried it: after the call's edits, with the corrections of other devices that
  /// were known when it was attempted.
  package func entry(at index: Int, carriedBy events: [Seq], attempt: Seq) -> EntryView {
    let row = rows[index]
    let last = events.max()?.number ?? Int(row.seq)
    return view(ofRow: index, resolve(row, upTo: last, bySyncUpTo: attempt.number))
  }

  /// The entry as it was before an event that changed it, whatever was undone since.
  ///
  /// - Parameter indexes: those of its rows, the newest first.
  package func entry(at indexes: [Int], before seq: Seq) -> EntryView? {
    let last = seq.number - 1
    for row in indexes where rows[row].seq <= last {
      let values = resolve(rows[row], upTo: last, bySyncUpTo: last, undoneUpTo: last)
      return view(ofRow: row, values)
    }
    return nil
  }

  /// The entry as the backend is known to have it: with acknowledged edits and the corrections of
  /// other devices.
  package func acknowledgedEntry(at index: Int) -> EntryView {
    view(ofRow: index, resolveAcknowledged(rows[index]))
  }

  /// The values of an entry as it is now.
  ///
  /// - Returns: `nil` if it is deleted or its logging was undone.
  package func liveValues(ofRow index: Int) -> EntryValues? {
    let row = rows[index]
    guard isMade(row) else { return nil }
    let resolved = resolve(row)
    return resolved.isDeleted ? nil : EntryValues(resolved)
  }

  private func view(ofRow index: Int, _ resolved: ResolvedRow) -> EntryView {
    let row = rows[index]
    let values = EntryValues(resolved)
    let status = status(row)
    return EntryView(
      id: EntryID(row.id), metric: row.metric, quantity: values.quantity, date: values.date,
      moment: values.moment, notesIn: values.notesIn, seq: Seq(Int(row.seq)),
      boundBy: binding(ofRow: index), isDeleted: resolved.isDeleted, status: status,
      failure: status == .failed ? failure(row) : nil)
  }

  private func failure(_ row: EntryRow) -> FailureReason {
    let differs =
      edits.state(Int(row.seq)) == .differed
      || chain(of: row).contains { edits.state(Int($0.seq)) == .differed }
    return differs ? .conflict : .rejected
  }

  /// The row of an entry; the newest if a foreign log contains it twice.
  package func row(of id: EntryID) -> Int? {
    allRows(of: id.uuid).first { isMade(rows[$0]) }
  }

  /// The ids of the entries in the snapshot that begin with these characters and whose logging is not
  /// undone; none if fewer entries begin with them, to save reading those.
  package func storedIDs(withPrefix prefix: String, atLeast count: Int) -> [LedgerUUID] {
    guard let opened, let prefix = IDPrefix(prefix) else { return [] }
    guard opened.mayHave(count, with: prefix) else { return [] }
    return opened.rows(with: prefix).map { rows[$0] }.filter(isMade).map(\.id)
  }

  /// The ids of the entries after the snapshot whose logging is not undone.
  package func newerIDs() -> [LedgerUUID] { rows.own.filter(isMade).map(\.id) }

  /// Entries whose id begins with these characters.
  package func rows(withPrefix prefix: String) -> [Int] {
    guard let prefix = IDPrefix(prefix) else { return [] }
    let (first, own) = (rows.countInSnapshot, rows.own)
    let newer = own.indices.filter { prefix.isPrefix(of: own[$0].id) }.map { first + $0 }
    return ((opened?.rows(with: prefix) ?? []) + newer).filter { isMade(rows[$0]) }
  }

  /// The ids of all entries whose logging is not undone.
  package func madeIDs() -> [LedgerUUID] {
    let own = OwnRows(withEntriesInMemory())
    return own.rows.indices.filter { own.made($0) != .undone }.map { own.rows[$0].id }
  }

  /// The state of an edit; one that waits is undone with the logging of its entry.
  package func outcome(ofEdit seq: Int) -> EditState {
    let state = edits.state(seq)
    guard state == .pending, let row = edits.row(seq), row < rows.count, !isMade(rows[row]) else {
      return state
    }
    return .undone
  }

  /// The rows that were logged for these days, live or not. Reads all rows.
  package func rows(loggedFor days: Set<Int32>) -> [Int] {
    do throws(SnapshotFault) {
      let own = try rows.loaded().own
      return own.indices.filter { days.contains(own[$0].day) }
    } catch {
      opened?.pages.distrust()
      return []
    }
  }

  /// The rows of each id, the newest first.
  package func allRowsByID() -> [LedgerUUID: [Int]] {
    var rows: [LedgerUUID: [Int]] = [:]
    for (index, row) in self.rows.enumerated().reversed() {
      rows[row.id, default: []].append(index)
    }
    return rows
  }

  package func rowsByID() -> [LedgerUUID: Int] {
    var rows: [LedgerUUID: Int] = [:]
    for (index, row) in self.rows.enumerated() where isMade(row) { rows[row.id] = index }
    return rows
  }

  package func facts(ofRow row: Int) -> EntryFacts {
    EntryFacts(metric: rows[row].metric, isDeleted: resolve(rows[row]).isDeleted)
  }
}

extension LedgerState: LedgerFacts {
  package func entry(_ id: EntryID) -> EntryFacts? {
    row(of: id).map(facts(ofRow:))
  }
}

extension LogView {
  /// The backend's id that an event bound to an entry.
  package func boundID(by seq: Seq) throws(LogError) -> BackendID? {
    try line(seq).event().event.payload.backendID
  }

  /// The notes that an event set.
  package func notes(setBy seq: Seq) throws(LogError) -> String? {
    try line(seq).event().event.payload.entryNotes
  }
}
