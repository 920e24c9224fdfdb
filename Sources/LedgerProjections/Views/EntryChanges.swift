package import LedgerLog
package import LedgerModel

/// A value of an entry.
package enum EntryPart: String, CaseIterable, Sendable {
  case quantity, date, time, notes, deletion
}

/// The values of an entry after its corrections, as folds over all entries need them.
struct ResolvedRow {
  var quantity: Double
  var day: Int32
  var time: Int32
  var zone: Int16
  var notesIn: UInt32
  var isDeleted = false

  /// As it was logged.
  init(_ row: EntryRow) {
    (quantity, day, time, zone) = (row.quantity, row.day, row.time, row.zone)
    notesIn = row.flags & EntryRow.hasNotes != 0 ? row.seq : 0
  }

  /// With its only change in force, if there is one.
  init(_ row: EntryRow, onlyChange change: EntryChange?) {
    var values = LayeredValues(row)
    if let change { values.fill(from: change) { _, _ in } }
    self = values.result
  }
}

extension LedgerState {
  /// Whether the entry exists: an undone logging counts as never made.
  @inline(__always)
  func isMade(_ row: EntryRow) -> Bool { edits.state(Int(row.seq)) != .undone }

  /// A row with the changes in force applied.
  @inline(__always)
  func resolve(_ row: EntryRow) -> ResolvedRow {
    row.lastChange == 0 ? ResolvedRow(row) : resolve(row, upTo: .max, bySyncUpTo: .max)
  }

  /// - Parameters:
  ///   - last: the last of this device's changes that counts.
  ///   - bySyncUpTo: the same for corrections made on other devices.
  ///   - undoneUpTo: a change that a later event undid counts.
  func resolve(
    _ row: EntryRow, upTo last: Int, bySyncUpTo: Int, undoneUpTo: Int = .max
  ) -> ResolvedRow {
    applyChanges(to: row, upTo: last, bySyncUpTo: bySyncUpTo, undoneUpTo: undoneUpTo) { _, _ in }
  }

  /// Whether an edit counts as never made after an event.
  @inline(__always)
  func isUndone(_ edit: Int, upTo last: Int) -> Bool {
    edits.state(edit) == .undone && (last == .max || edits.marker(edit) ?? 0 <= last)
  }

  /// A row with acknowledged changes applied, except deletions.
  func resolveAcknowledged(_ row: EntryRow) -> ResolvedRow {
    var values = LayeredValues(row)
    for change in changesInForce(of: row, upTo: .max, bySyncUpTo: .max)
    where edits.state(Int(change.seq)) == .acknowledged && !change.has(EntryChange.deletes) {
      values.fill(from: change) { _, _ in }
    }
    return values.result
  }

  /// The event that gave each value of an entry; values not listed are as they were logged or pulled.
  package func origins(ofRow index: Int) -> [EntryPart: Seq] {
    var origins: [EntryPart: Seq] = [:]
    _ = applyChanges(to: rows[index], upTo: .max, bySyncUpTo: .max) { part, seq in
      origins[part] = Seq(exactly: Int(seq))
    }
    return origins
  }

  /// Applies changes, newest first, so that a value that is set is final.
  ///
  /// - Parameter gave: called for each changed value with the event that set it, for each of several
  ///   deletions from the newest to the oldest, which is the effective one.
  @inline(__always)
  private func applyChanges(
    to row: EntryRow, upTo last: Int, bySyncUpTo: Int, undoneUpTo: Int = .max,
    _ gave: (_ part: EntryPart, _ seq: UInt32) -> Void
  ) -> ResolvedRow {
    var values = LayeredValues(row)
    var next = Int(row.lastChange)
    while next > 0 {
      let change = changes[next - 1]
      next = Int(change.previous)
      if change.isCorrectedElsewhere {
        values = LayeredValues(row)
        for change in changesInForce(
          of: row, upTo: last, bySyncUpTo: bySyncUpTo, undoneUpTo: undoneUpTo)
        {
          values.fill(from: change, gave)
        }
        return values.result
      }
      guard change.seq <= last, !isUndone(Int(change.seq), upTo: undoneUpTo) else { continue }
      values.fill(from: change, gave)
    }
    return values.result
  }

  /// An entry's changes by precedence, the highest first. A correction made here takes precedence over
  /// one from another device unless it was acknowledged before that was pulled.
  @inline(never)
  private func changesInForce(
    of row: EntryRow, upTo last: Int, bySyncUpTo: Int, undoneUpTo: Int = .max
  ) -> [EntryChange] {
    let counted = chain(of: row).filter { change in
      Int(change.seq) <= (change.isCorrectedElsewhere ? bySyncUpTo : last)
        && !isUndone(Int(change.seq), upTo: undoneUpTo)
    }
    let keyed = counted.map { change in (order: order(of: change), change: change) }
    return keyed.sorted { ($0.order, $0.change.seq) > ($1.order, $1.change.seq) }.map(\.change)
  }

  /// An acknowledged correction counts from its answer on, an unsent one after all others.
  func order(of change: EntryChange) -> Int {
    let seq = Int(change.seq)
    guard !change.has(EntryChange.bySync) else { return seq }
    return edits.state(seq) == .acknowledged ? edits.marker(seq) ?? seq : .max
  }

  /// An entry's changes, newest first.
  package func chain(of row: EntryRow) -> ChangeChain {
    ChangeChain(changes: changes, following: row.lastChange)
  }

  /// The edits of an entry that are not undone, oldest first.
  package func edits(ofRow index: Int) -> [Seq] {
    let row = rows[index]
    let all = [Int(row.seq)] + chain(of: row).map { Int($0.seq) }.reversed()
    return all.filter { edits.state($0) != .undone }.map { Seq($0) }
  }

  /// The edits of an entry or session that are not undone, oldest first.
  func editsInForce(of id: EntryID) -> [Seq] {
    if let row = row(of: id) { return edits(ofRow: row) }
    return session(of: id).map(edits(ofSession:)) ?? []
  }

  /// All edits of an entry, undone ones included, oldest first.
  package func allEdits(ofRow index: Int) -> [Seq] {
    let row = rows[index]
    return [Seq(Int(row.seq))] + chain(of: row).map { Seq(Int($0.seq)) }.reversed()
  }

  /// Whether the entry of a row exists: an undone logging counts as never made.
  @inline(__always)
  package func isMade(row index: Int) -> Bool {
    edits.state(rows.pick(index, or: 0) { Int($0.seq) }) != .undone
  }

  /// Whether a change of an entry was recorded by sync.
  package func isBySync(_ seq: Seq, ofRow index: Int) -> Bool {
    chain(of: rows[index]).contains { Int($0.seq) == seq.number && $0.has(EntryChange.bySync) }
  }

  /// Whether only sync, not the user, deleted an entry.
  package func isDeletedBySync(row index: Int) -> Bool {
    let deletions = chain(of: rows[index]).filter {
      $0.has(EntryChange.deletes) && edits.state(Int($0.seq)) != .undone
    }
    return !deletions.isEmpty && deletions.allSatisfy { $0.has(EntryChange.bySync) }
  }

  /// The event that logged the entry or session that the user edited last, deleted ones included; imports
  /// and what sync recorded are not the user's edits. `nil` if there is none, or if a part of the log
  /// does not tell.
  ///
  /// - Parameters:
  ///   - count: how many of those that were edited later to skip.
  ///   - view: the log.
  /// - Throws: `LogError`.
  package func loggingEdited(
    lastBut count: Int = 0, in view: LogView
  ) throws(LogError) -> Seq? {
    guard !lacksEntries else { return nil }
    var seen: Set<Seq> = []
    var found: Seq?
    var own: [Int] = []
    func search() {
      while found == nil, let seq = own.popLast() {
        guard let logging = logging(ofEdit: seq), edits.state(seq) != .undone,
          edits.state(logging.number) != .undone, seen.insert(logging).inserted
        else { continue }
        if seen.count > count { found = logging }
      }
      own = []
    }
    try view.walkBackward { (_, _, envelope) throws(LineFault) in
      if envelope.by == .user, envelope.seq <= position.seq { own.append(envelope.seq) }
    } while: { _ in
      search()
      return found == nil
    }
    search()
    return found
  }
}

/// The values of an entry while its changes are applied, those of the highest precedence first.
private struct LayeredValues {
  private(set) var result: ResolvedRow
  private var needs = (quantity: true, day: true, time: true, notes: true)

  @inline(__always)
  init(_ row: EntryRow) { result = ResolvedRow(row) }

  @inline(__always)
  mutating func fill(
    from change: EntryChange, _ gave: (_ part: EntryPart, _ seq: UInt32) -> Void
  ) {
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

/// An entry's linked changes, newest first. Holds only their column: copying the whole state would
/// retain dozens of references.
package struct ChangeChain: Sequence, IteratorProtocol {
  fileprivate let changes: Column<EntryChange>
  /// The next one's index plus one; 0 for none.
  fileprivate var following: UInt32

  @inline(__always)
  package mutating func next() -> EntryChange? {
    guard following > 0 else { return nil }
    let change = changes[Int(following) - 1]
    following = change.previous
    return change
  }
}
