public import LedgerJSON
import LedgerLog
public import LedgerModel

/// What is not the same in a ledger at two moments: the views of both, compared.
public struct LedgerDifference: Sendable {
  /// A field of the person with another value, or with another standing.
  public struct Field: Hashable, Sendable {
    public var field: ProfileField
    /// `nil` for a field that was never set; `null` for a cleared one.
    public var before: JSONValue?
    public var after: JSONValue?
    public var statusBefore: FieldStatus?
    public var statusAfter: FieldStatus?
    /// The event whose value is in force at the later moment.
    public var setBy: Seq?
  }

  /// Edits that have come from one state to another, counted.
  public struct Move: Hashable, Sendable {
    /// `nil` for edits that were made in between.
    public var before: EditState?
    public var after: EditState
    public var count: Int
  }

  /// A conflict that was found, decided or replaced in between.
  public struct Conflict: Hashable, Sendable {
    /// `nil` for one that was found in between.
    public var before: ConflictView?
    public var after: ConflictView
  }

  /// Events in between, by type.
  public private(set) var byType: [(type: String, count: Int)] = []
  public private(set) var fields: [Field] = []
  /// Of each kind the newest, in the order of the log.
  public private(set) var entries: [EntryDifference] = []
  /// How many entries there are of each kind, those that were not kept included.
  public private(set) var entryCounts: [EntryDifference.Kind: Int] = [:]
  public private(set) var moves: [Move] = []
  public private(set) var conflicts: [Conflict] = []
  public private(set) var accountBefore: AccountSignedIn?
  public private(set) var accountAfter: AccountSignedIn?
  /// How many contents were erased in between. What they were is gone from both moments.
  public private(set) var erasures = 0

  /// - Parameters:
  ///   - before: a state of the same log as `after`, folded no further. Both are whole.
  ///   - limit: how many entries of each kind are kept.
  public init(from before: LedgerState, to after: LedgerState, keeping limit: Int) {
    precondition(before.position.seq <= after.position.seq, "the earlier state comes first")
    byType = after.tally.byType(since: before.tally)
    fields = ProfileField.allCases.compactMap { Field($0, before, after) }
    compareEntries(before, after, keeping: limit)
    moves = Self.moves(before, after)
    conflicts = after.conflicts().compactMap { conflict in
      let earlier = before.conflict(conflict.seq)
      return earlier == conflict ? nil : Conflict(before: earlier, after: conflict)
    }
    (accountBefore, accountAfter) = (before.account.current, after.account.current)
    erasures = after.erasures - before.erasures
  }

  /// Whether nothing that a person could look at has changed.
  public var isEmpty: Bool {
    fields.isEmpty && entryCounts.isEmpty && moves.isEmpty && conflicts.isEmpty
      && accountBefore == accountAfter && erasures == 0
  }

  private mutating func compareEntries(
    _ before: LedgerState, _ after: LedgerState, keeping limit: Int
  ) {
    for row in Self.touchedRows(before, after).reversed() {
      let difference = EntryDifference(
        before: before.madeEntry(at: row), after: after.madeEntry(at: row),
        edits: after.edits(ofRow: row).filter { $0.number > before.position.seq })
      guard let difference else { continue }
      entryCounts[difference.kind, default: 0] += 1
      if entryCounts[difference.kind, default: 0] <= limit { entries.append(difference) }
    }
    entries.reverse()
  }

  /// Rows that are new, have new changes or answers, or whose edits have come further.
  private static func touchedRows(_ before: LedgerState, _ after: LedgerState) -> [Int] {
    var touched = [Bool](repeating: false, count: after.rows.count)
    for row in after.rows.indices {
      guard row < before.rows.count else {
        touched[row] = true
        continue
      }
      touched[row] =
        before.rows[row].lastChange != after.rows[row].lastChange
        || before.bound[row] != after.bound[row]
    }
    for seq in before.edits.cells.indices
    where before.edits.cells[seq].state != after.edits.cells[seq].state {
      if let row = after.edits.row(seq) { touched[row] = true }
    }
    return touched.indices.filter { touched[$0] }
  }

  private static func moves(_ before: LedgerState, _ after: LedgerState) -> [Move] {
    let states = EditState.allCases.count
    // The last column is for edits that were made in between.
    var counts = [Int](repeating: 0, count: states * (states + 1))
    for seq in after.edits.cells.indices {
      let cell = after.edits.cells[seq]
      let old = seq < before.edits.cells.count ? before.edits.cells[seq].state : nil
      // What came from the backend was there from the start, and has nowhere to go.
      let cameFromThere = old == nil && cell.state == .acknowledged && cell.marker == 0
      guard cell.state != .none, old != cell.state, !cameFromThere else { continue }
      let column = old.map { Int($0.rawValue) } ?? states
      counts[Int(cell.state.rawValue) * (states + 1) + column] += 1
    }
    return counts.indices.filter { counts[$0] > 0 }.compactMap { place in
      EditState(rawValue: UInt8(place / (states + 1))).map { after in
        Move(
          before: EditState(rawValue: UInt8(place % (states + 1))), after: after,
          count: counts[place])
      }
    }
  }
}

extension LedgerDifference.Field {
  fileprivate init?(_ field: ProfileField, _ before: LedgerState, _ after: LedgerState) {
    let new = after.profile.current(field, after.edits)
    self.init(
      field: field, before: before.profile.current(field, before.edits)?.value, after: new?.value,
      statusBefore: before.fieldStatus(field), statusAfter: after.fieldStatus(field),
      setBy: new.flatMap { Seq(exactly: $0.seq) })
    if self.before == self.after, statusBefore == statusAfter { return nil }
  }
}

extension LedgerState {
  /// `nil` where there is no such row yet, or where it counts as never made.
  fileprivate func madeEntry(at row: Int) -> EntryView? {
    row < rows.count && isMade(rows[row]) ? entry(at: row) : nil
  }
}

extension Tally {
  /// What was counted since an earlier count of the same log.
  fileprivate func byType(since earlier: Tally) -> [(type: String, count: Int)] {
    let before = Dictionary(uniqueKeysWithValues: earlier.byType.map { ($0.type, $0.count) })
    return byType.map { (type: $0.type, count: $0.count - before[$0.type, default: 0]) }
      .filter { $0.count > 0 }
  }
}
