package import LedgerLog
public import LedgerModel

/// Where an entry stands with the backend (docs/cli.md, The life of an edit).
public enum EntryStatus: String, CaseIterable, Sendable {
  /// Waits to be sent.
  case pending
  /// In doubt: sent, and the answer is not known.
  case syncing
  /// The backend has it as it is here.
  case synced
  /// Rejected, or in conflict: see ``EntryView/failure``.
  case failed
}

/// Why an entry is ``EntryStatus/failed``.
public enum FailureReason: String, CaseIterable, Sendable {
  /// The backend refused it; a correction sends it again.
  case rejected
  /// The backend has it with other values than were sent; a person decides.
  case conflict
}

extension EntryStatus {
  /// Where an entry stands whose only edit has come this far.
  @inline(__always)
  init(of edit: EditState) { self.init(weight: edit.weight) }

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
  /// Of an entry's edits, the one that weighs most says where the entry stands.
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

/// A progress entry as it is now: logged, then corrected. Texts are read from the log when they are
/// shown; here stands which event holds them.
public struct EntryView: Hashable, Sendable {
  /// What it is called here; the backend knows nothing of it.
  public var id: EntryID
  /// What was measured.
  public var metric: Metric
  /// In the metric's own unit.
  public var quantity: Double
  /// The day it belongs to.
  public var date: CalendarDate
  /// The time on that day; `nil` for an entry that belongs to the day.
  public var moment: ZonedTime?
  /// The event whose `notes` are in force.
  public var notesIn: Seq?
  /// The event that made it.
  public var seq: Seq
  /// The answer that bound the backend's id to it.
  public var boundBy: Seq?
  /// Whether it was deleted; views of what is live leave it out.
  public var isDeleted: Bool
  /// Where it stands with the backend.
  public var status: EntryStatus
  /// Why it is ``EntryStatus/failed``; `nil` for any other status.
  public var failure: FailureReason?

  /// The order of «newest first»: by day, by time (none counts as 00:00:00), by seq.
  var key: EntryKey {
    EntryKey(
      day: date.daysSince1970, time: moment?.time.secondsSinceMidnight ?? 0,
      seq: UInt32(seq.number))
  }
}

struct EntryKey: Comparable {
  var day: Int32
  var time: Int32
  var seq: UInt32

  static func < (left: EntryKey, right: EntryKey) -> Bool {
    (left.day, left.time, left.seq) < (right.day, right.time, right.seq)
  }
}

/// The numbers of an entry after its corrections: what folds over all entries need.
struct ResolvedRow {
  var quantity: Double
  var day: Int32
  var time: Int32
  var zone: Int16
  var notesIn: UInt32
  var isDeleted: Bool
}

extension ResolvedRow {
  /// As it was logged.
  init(_ row: EntryRow) {
    self.init(
      quantity: row.quantity, day: row.day, time: row.time, zone: row.zone,
      notesIn: row.flags & EntryRow.hasNotes != 0 ? row.seq : 0, isDeleted: false)
  }
}

extension LedgerState {
  /// Whether the row stands for something: an undone logging counts as never made.
  @inline(__always)
  func isMade(_ row: EntryRow) -> Bool { edits.state(Int(row.seq)) != .undone }

  /// A row with its changes laid over it, newest first; undone ones are passed over.
  @inline(__always)
  func resolve(_ row: EntryRow) -> ResolvedRow {
    row.lastChange == 0 ? ResolvedRow(row) : layChanges(of: row, over: ResolvedRow(row))
  }

  private func layChanges(
    of row: EntryRow, over base: ResolvedRow, upTo last: Int = .max, bySyncUpTo: Int? = nil
  ) -> ResolvedRow {
    layChanges(of: row, over: base, upTo: last, bySyncUpTo: bySyncUpTo) { _, _ in }
  }

  /// - Parameters:
  ///   - last: the last change of a person that counts.
  ///   - bySyncUpTo: the same for corrections made on other devices; `nil` for `last`.
  ///   - gave: called for each value that is no longer as it was logged, with the event that set it;
  ///     for a deletion from the newest to the oldest, which is the one that did it.
  @inline(__always)
  func layChanges(
    of row: EntryRow, over base: ResolvedRow, upTo last: Int = .max, bySyncUpTo: Int? = nil,
    _ gave: (_ part: EntryPart, _ seq: UInt32) -> Void
  ) -> ResolvedRow {
    var layer = ChangeLayer(base)
    var next = Int(row.lastChange)
    while next > 0 {
      let change = changes[next - 1]
      next = Int(change.previous)
      if change.isCorrectedElsewhere {
        layer = ChangeLayer(base)
        for change in changesInForce(of: row, upTo: last, bySyncUpTo: bySyncUpTo ?? last) {
          layer.lay(change, gave)
        }
        return layer.result
      }
      guard change.seq <= last, edits.state(Int(change.seq)) != .undone else { continue }
      layer.lay(change, gave)
    }
    return layer.result
  }

  /// An entry's changes by the order in which their values count, the first one first. A correction
  /// made here that another device's correction did not meet as acknowledged lies over that one.
  @inline(never)
  private func changesInForce(
    of row: EntryRow, upTo last: Int, bySyncUpTo: Int
  ) -> [EntryChange] {
    let counted = chain(of: row).filter { change in
      Int(change.seq) <= (change.isCorrectedElsewhere ? bySyncUpTo : last)
        && edits.state(Int(change.seq)) != .undone
    }
    let keyed = counted.map { change in (order: order(of: change), change: change) }
    return keyed.sorted { ($0.order, $0.change.seq) > ($1.order, $1.change.seq) }.map(\.change)
  }

  private func order(of change: EntryChange) -> Int {
    let seq = Int(change.seq)
    guard !change.has(EntryChange.bySync) else { return seq }
    return edits.state(seq) == .acknowledged ? edits.marker(seq) ?? seq : .max
  }

  /// An entry's changes, newest first.
  package func chain(of row: EntryRow) -> ChangeChain {
    ChangeChain(changes: changes, following: row.lastChange)
  }

  /// All edits of an entry that count, oldest first.
  public func edits(ofRow index: Int) -> [Seq] {
    let row = rows[index]
    let all = [Int(row.seq)] + chain(of: row).map { Int($0.seq) }.reversed()
    return all.filter { edits.state($0) != .undone }.map { Seq($0) }
  }

  /// Synced once every edit is covered, so a later correction makes an entry pending again.
  package func status(_ row: EntryRow) -> EntryStatus {
    var worst = edits.state(Int(row.seq)).weight
    guard row.lastChange != 0 else { return EntryStatus(weight: worst) }
    for change in chain(of: row) { worst = max(worst, edits.state(Int(change.seq)).weight) }
    return EntryStatus(weight: worst)
  }

  /// The entry of a row.
  public func entry(at index: Int) -> EntryView {
    view(ofRow: index, resolve(rows[index]))
  }

  /// The values that the entry of a row had after its edits up to `last`.
  public func entry(at index: Int, upTo last: Seq) -> EntryView {
    let row = rows[index]
    return view(ofRow: index, layChanges(of: row, over: ResolvedRow(row), upTo: last.number))
  }

  /// The values that a call carried: those after its edits, with the corrections of other devices that
  /// were known when it was attempted.
  public func entry(at index: Int, carriedBy events: [Seq], attempt: Seq) -> EntryView {
    let row = rows[index]
    let last = events.max()?.number ?? Int(row.seq)
    let laid = layChanges(
      of: row, over: ResolvedRow(row), upTo: last, bySyncUpTo: attempt.number)
    return view(ofRow: index, laid)
  }

  /// The values that the backend is known to have: those of edits that it acknowledged and of
  /// corrections made on other devices.
  public func acknowledgedEntry(at index: Int) -> EntryView {
    let row = rows[index]
    var layer = ChangeLayer(ResolvedRow(row))
    for change in changesInForce(of: row, upTo: .max, bySyncUpTo: .max)
    where edits.state(Int(change.seq)) == .acknowledged && !change.has(EntryChange.deletes) {
      layer.lay(change) { _, _ in }
    }
    return view(ofRow: index, layer.result)
  }

  private func view(ofRow index: Int, _ resolved: ResolvedRow) -> EntryView {
    let row = rows[index]
    let time = ClockTime(secondsSinceMidnight: Int(resolved.time))
    let status = status(row)
    return EntryView(
      id: EntryID(row.id), metric: row.metric, quantity: resolved.quantity,
      date: CalendarDate(daysSince1970: Int(resolved.day)) ?? .first,
      moment: time.map {
        ZonedTime(time: $0, zone: ZoneOffset(minutes: Int(resolved.zone)) ?? .utc)
      },
      notesIn: Seq(exactly: Int(resolved.notesIn)), seq: Seq(Int(row.seq)),
      boundBy: binding(ofRow: index), isDeleted: resolved.isDeleted, status: status,
      failure: status == .failed ? failure(row) : nil)
  }

  private func failure(_ row: EntryRow) -> FailureReason {
    let differs =
      edits.state(Int(row.seq)) == .differed
      || chain(of: row).contains { edits.state(Int($0.seq)) == .differed }
    return differs ? .conflict : .rejected
  }

  /// The row of an entry; the newest, should a foreign log have made it twice.
  public func row(of id: EntryID) -> Int? {
    allRows(of: id.uuid).first { isMade(rows[$0]) }
  }

  /// What an entry measures, or measured before its logging was undone.
  package func metric(of id: EntryID) -> Metric? {
    for row in allRows(of: id.uuid) { return rows[row].metric }
    return nil
  }

  /// Entries whose id begins with these characters.
  public func rows(withPrefix prefix: String) -> [Int] {
    let newer = (rows.countInSnapshot..<rows.count).filter {
      rows[$0].id.description.hasPrefix(prefix)
    }
    let all = (opened?.rows(withPrefix: prefix) ?? []) + newer
    return all.filter { isMade(rows[$0]) }
  }
}

/// The values of an entry while its changes are laid over it, those that count first.
struct ChangeLayer {
  private(set) var result: ResolvedRow
  private var needs = (quantity: true, day: true, time: true, notes: true)

  @inline(__always)
  init(_ base: ResolvedRow) { result = base }

  @inline(__always)
  mutating func lay(_ change: EntryChange, _ gave: (_ part: EntryPart, _ seq: UInt32) -> Void) {
    if change.has(EntryChange.deletes) {
      result.isDeleted = true
      gave(.deletion, change.seq)
    }
    if needs.quantity, !change.quantity.isNaN {
      result.quantity = change.quantity
      needs.quantity = false
      gave(.quantity, change.seq)
    }
    if needs.day, change.day != .min {
      result.day = change.day
      needs.day = false
      gave(.date, change.seq)
    }
    if needs.time, change.time >= 0 {
      (result.time, result.zone) = (change.time, change.zone)
      needs.time = false
      gave(.time, change.seq)
    }
    if needs.notes, change.has(EntryChange.setsNotes | EntryChange.clearsNotes) {
      result.notesIn = change.has(EntryChange.setsNotes) ? change.seq : 0
      needs.notes = false
      gave(.notes, change.seq)
    }
  }
}

/// Changes that hang on each other. It holds their column and not the whole state: a copy of that
/// counts references by dozens.
package struct ChangeChain: Sequence, IteratorProtocol {
  fileprivate let changes: Column<EntryChange>
  /// The next one's place, plus one; 0 for none.
  fileprivate var following: UInt32

  @inline(__always)
  package mutating func next() -> EntryChange? {
    guard following > 0 else { return nil }
    let change = changes[Int(following) - 1]
    following = change.previous
    return change
  }
}

extension LedgerState: LedgerFacts {
  public func entry(_ id: EntryID) -> EntryFacts? {
    row(of: id).map { EntryFacts(metric: rows[$0].metric, isDeleted: resolve(rows[$0]).isDeleted) }
  }
}

/// One of the values that an entry has.
public enum EntryPart: String, CaseIterable, Sendable {
  case quantity, date, time, notes, deletion
}

extension LogView {
  /// The backend's id that an event bound to an entry.
  package func boundID(by seq: Seq) throws(LogError) -> BackendID? {
    switch try line(seq).event().event.payload {
    case .syncAcknowledged(let data): data.backendID
    case .syncDiffered(let data): data.backendID
    case .progressPulled(let data): data.backendID
    case .progressCorrected(let data): data.backendID
    default: nil
    }
  }

  /// The notes that an event set; `nil` for none.
  package func notes(setBy seq: Seq) throws(LogError) -> String? {
    try line(seq).event().event.payload.entryNotes
  }
}

extension Event.Payload {
  /// The notes that it gives an entry; `nil` for none.
  package var entryNotes: String? {
    switch self {
    case .progressLogged(let data): data.notes
    case .progressPulled(let data): data.notes
    case .progressCorrected(let data): data.notes?.value
    default: nil
    }
  }
}

extension LedgerState {
  package func rowsByID() -> [LedgerUUID: Int] {
    var rows: [LedgerUUID: Int] = [:]
    for (index, row) in self.rows.enumerated() where isMade(row) { rows[row.id] = index }
    return rows
  }

  package func facts(ofRow row: Int) -> EntryFacts {
    EntryFacts(metric: rows[row].metric, isDeleted: resolve(rows[row]).isDeleted)
  }
}
