import LedgerLog
import LedgerModel
import LedgerProjections

/// Entries that an unknown row may duplicate, limited to the moments of unknown rows.
struct SentEntries {
  /// Present and earlier values of entries that a row had or a call carried: those with a time and
  /// those without. Entries deleted here count too, since their calls may have arrived twice.
  private var timed = RowTable<EntryID>()
  private var untimed = RowTable<EntryID>()
  /// Those of entries deleted here.
  private var timedDeleted = RowTable<EntryID>()
  private var untimedDeleted = RowTable<EntryID>()
  /// Values that calls of entries carried that may have made more than one row.
  private(set) var mayRepeat = RowTable<EntryID>()
  /// Values of live timed entries that have a row.
  private(set) var own = RowTable<EntryID>()
  /// Moments of entries with a row and unsent corrections. A row of that moment may be another
  /// device's correction; the run after the correction is answered decides.
  private(set) var waiting: Set<RowMoment> = []
  /// Values of entries that were sent again after `account.replaced`.
  private var sentAgain = RowTable<EntryID>()
  /// Those with a time, by metric and moment.
  private var sentAgainAt: [RowMoment: EntryID] = [:]
  /// Timed entries deleted here, by metric and moment.
  private(set) var deleted: [RowMoment: EntryID] = [:]

  init(
    _ context: SyncContext<some LedgerTexts>, repeatedBy unknown: UnknownRows
  ) throws(LogError) {
    let state = context.state
    for row in state.rowsWithOpenEdits() where state.binding(ofRow: row) != nil {
      let entry = state.acknowledgedEntry(at: row)
      guard entry.moment != nil, !state.entry(at: row).isDeleted,
        !state.hasOpenConflict(of: entry.id)
      else { continue }
      waiting.insert(RowMoment(RowKey(entry, notes: "")))
    }
    for row in state.rowsSentInDoubt() {
      for seq in state.edits(ofRow: row) {
        let values = state.entry(at: row, upTo: seq)
        if unknown.hasMoment(of: values) { mayRepeat.add(try context.key(of: values), values.id) }
      }
    }
    for index in state.rows.indices where state.isMade(row: index) {
      let entry = state.entry(at: index)
      if state.rows[index].isChanged || unknown.hasMoment(of: entry) {
        if !entry.isDeleted, state.isSentAgain(row: index) {
          try addSentAgain(index, context, unknown)
        }
        if !(entry.isDeleted && state.isDeletedBySync(row: index)) {
          try addVersions(ofRow: index, context, unknown)
        }
      }
      guard entry.moment != nil, entry.boundBy != nil, unknown.hasMoment(of: entry)
      else { continue }
      guard entry.isDeleted else {
        own.add(try context.key(of: entry), entry.id)
        continue
      }
      if !state.isDeletedBySync(row: index) {
        deleted[RowMoment(RowKey(entry, notes: ""))] = entry.id
      }
    }
  }

  private mutating func addVersions(
    ofRow index: Int, _ context: SyncContext<some LedgerTexts>, _ unknown: UnknownRows
  ) throws(LogError) {
    let edits = context.state.edits
    for seq in context.state.edits(ofRow: index)
    where edits.state(seq.number) == .acknowledged || edits.attempts(seq.number) > 0 {
      let values = context.state.entry(at: index, upTo: seq)
      guard unknown.hasMoment(of: values) else { continue }
      let key = try context.key(of: values)
      let isDeleted = context.state.entry(at: index).isDeleted
      guard values.moment != nil else {
        untimed.add(key, values.id)
        if isDeleted { untimedDeleted.add(key, values.id) }
        continue
      }
      timed.add(key, values.id)
      if isDeleted { timedDeleted.add(key, values.id) }
    }
  }

  private mutating func addSentAgain(
    _ index: Int, _ context: SyncContext<some LedgerTexts>, _ unknown: UnknownRows
  ) throws(LogError) {
    for seq in context.state.edits(ofRow: index) {
      let values = context.state.entry(at: index, upTo: seq)
      guard unknown.hasMoment(of: values) else { continue }
      let key = try context.key(of: values)
      sentAgain.add(key, values.id)
      if values.moment != nil { sentAgainAt[RowMoment(key)] = values.id }
    }
  }

  /// The entry whose rows have or had a row's values: a call arrived twice or late.
  ///
  /// - Parameter entry: comes before others with the same values.
  func owner(of row: ListedRow, preferring entry: EntryID) -> EntryID? {
    let table = row.hasTime ? timed : untimed
    return table.first(matching: row.key) { $0 == entry } ?? table.first(matching: row.key)
      ?? mayRepeat.first(matching: row.key)
  }

  /// The entry that was sent again after `account.replaced` and that a row may belong to: another device
  /// may have sent it again as well, one with a time also corrected.
  func sentAgain(_ row: ListedRow, except deleted: Set<EntryID>) -> EntryID? {
    let entry =
      sentAgain.first(matching: row.key) { !deleted.contains($0) }
      ?? (row.hasTime ? sentAgainAt[RowMoment(row.key)] : nil)
    return entry.flatMap { deleted.contains($0) ? nil : $0 }
  }

  /// The entry deleted here that had a row's values: another device that did not know of the deletion
  /// may have sent it again.
  func deletedEntry(of row: ListedRow, where isWanted: (EntryID) -> Bool) -> EntryID? {
    (row.hasTime ? timedDeleted : untimedDeleted).first(matching: row.key, where: isWanted)
  }

  /// Whether a timed row has values that a call of an entry deleted here carried, and none of `entry`:
  /// that call arrived late.
  func isOfDeleted(_ row: ListedRow, besides entry: EntryID) -> Bool {
    timedDeleted.first(matching: row.key) != nil
      && timed.first(matching: row.key) { $0 == entry } == nil
  }
}

/// The values of an entry's row at some time.
struct EntryVersion: Hashable, Sendable {
  var key: RowKey
  var hasTime: Bool
}

extension SyncContext {
  /// The newest acknowledged correction made here. Corrections sent together with the entry itself do
  /// not count: no other device has seen an earlier row.
  func lastCorrection(ofRow index: Int) -> Seq? {
    let edits = state.edits(ofRow: index)
    return edits.dropFirst().last { seq in
      state.edits.state(seq.number) == .acknowledged && !state.isBySync(seq, ofRow: index)
        && answer(to: seq) != answer(to: edits[0])
    }
  }

  /// The event that bound an edit's values to a row.
  func answer(to edit: Seq) -> Int { state.edits.marker(edit.number) ?? edit.number }

  /// The values of the entry's rows before a correction.
  func earlierVersions(
    ofRow index: Int, before corrected: Seq
  ) throws(LogError) -> [EntryVersion] {
    var versions: [EntryVersion] = []
    let edits = state.edits(ofRow: index).filter { seq in
      seq < corrected && state.edits.state(seq.number) == .acknowledged
        || seq == state.edits(ofRow: index).first
    }
    for (edit, next) in zip(edits, edits.dropFirst() + [corrected])
    where answer(to: edit) != answer(to: next) {
      let values = state.entry(at: index, upTo: edit)
      let version = EntryVersion(key: try key(of: values), hasTime: values.moment != nil)
      if !versions.contains(version) { versions.append(version) }
    }
    return versions
  }

  /// The number of live timed entries with a row, by metric and moment.
  func entryCountsByMoment() -> [RowMoment: Int] {
    var counts: [RowMoment: Int] = [:]
    for index in state.rows.indices
    where state.isMade(row: index) && state.binding(ofRow: index) != nil {
      let entry = state.acknowledgedEntry(at: index)
      guard entry.moment != nil, !state.entry(at: index).isDeleted else { continue }
      counts[RowMoment(RowKey(entry, notes: "")), default: 0] += 1
    }
    return counts
  }
}
