public import LedgerJSON
import LedgerLog
public import LedgerModel

/// The views of a ledger at two positions of its log, compared.
public struct LedgerDifference: Sendable {
  /// A profile field with another value or status.
  public struct Field: Hashable, Sendable {
    /// The changed field.
    public var field: ProfileField
    /// `nil` for a field that was never set; `null` for a cleared one.
    public var before: JSONValue?
    /// `nil` if the field is not set.
    public var after: JSONValue?
    /// The sync status before; `nil` if the field was not set.
    public var statusBefore: FieldStatus?
    /// The sync status after; `nil` if the field is not set.
    public var statusAfter: FieldStatus?
    /// The event that set the later value.
    public var setBy: Seq?
  }

  /// The number of edits that changed from one state to another.
  public struct Move: Hashable, Sendable {
    /// `nil` for edits made in between.
    public var before: EditState?
    /// The state after.
    public var after: EditState
    /// The number of edits.
    public var count: Int
  }

  /// A conflict detected, decided or replaced in between.
  public struct Conflict: Hashable, Sendable {
    /// `nil` for one detected in between.
    public var before: ConflictView?
    /// The conflict as it is after.
    public var after: ConflictView
    /// Whether the user has to decide it.
    public var isOpen: Bool
    /// The entry in conflict as it is after; `nil` for a conflict over another subject.
    public var entry: EntryView?
    /// The sleep session in conflict as it is after.
    public var session: SleepView?
  }

  /// A metric with another goal.
  public struct Goal: Hashable, Sendable {
    /// The metric.
    public var metric: Metric
    /// The goal before; `nil` for none.
    public var before: GoalSet?
    /// The goal after; `nil` for none.
    public var after: GoalSet?
    /// The event that set or removed it; `nil` if an erasure brought back an earlier goal.
    public var changedBy: Seq?
  }

  /// Events in between, by type.
  public private(set) var byType: [(type: String, count: Int)] = []
  /// Changed profile fields.
  public private(set) var fields: [Field] = []
  /// The newest of each kind, in log order.
  public private(set) var entries: [EntryDifference] = []
  /// The number of entries of each kind, beyond the limit as well.
  public private(set) var entryCounts: [EntryDifference.Kind: Int] = [:]
  /// The newest changed sleep sessions of each kind, in log order.
  public private(set) var sessions: [SessionDifference] = []
  /// The number of changed sleep sessions, beyond the limit as well.
  package private(set) var sessionCount = 0
  /// Changed goals, in the order of the metrics.
  public private(set) var goals: [Goal] = []
  /// How many edits went from one state to another.
  public private(set) var moves: [Move] = []
  /// New conflicts and decisions.
  public private(set) var conflicts: [Conflict] = []
  /// The account before; `nil` for none.
  public private(set) var accountBefore: AccountSignedIn?
  /// The account after; `nil` for none.
  public private(set) var accountAfter: AccountSignedIn?
  /// Events erased in between; neither state has their content.
  public private(set) var erasures = 0

  /// - Parameters:
  ///   - before: an earlier or the same state of the same log, read from the same snapshot if any.
  ///   - limit: the number of entries, and of sessions, of each kind to keep.
  package init(from before: LedgerState, to after: LedgerState, keeping limit: Int) {
    precondition(before.position.seq <= after.position.seq, "the earlier state comes first")
    byType = after.tally.byType(since: before.tally)
    fields = ProfileField.allCases.compactMap { Field($0, before, after) }
    compareEntries(before, after, keeping: limit)
    let sessions = after.sessionDifferences(since: before)
    sessionCount = sessions.count
    var kept: [EntryDifference.Kind: Int] = [:]
    self.sessions = sessions.reversed().filter { session in
      kept[session.kind, default: 0] += 1
      return kept[session.kind, default: 0] <= limit
    }.reversed()
    goals = after.goalTable.differences(since: before.goalTable, at: before.position.seq)
    moves = Self.moves(before, after)
    let open = Set(after.openConflicts().map(\.seq))
    conflicts = after.conflicts().compactMap { conflict in
      let earlier = before.conflict(conflict.seq)
      guard earlier != conflict else { return nil }
      return Conflict(
        before: earlier, after: conflict, isOpen: open.contains(conflict.seq),
        entry: conflict.entry.flatMap(after.row(of:)).map { after.entry(at: $0) },
        session: conflict.entry.flatMap(after.session(of:)).map { after.session(at: $0) })
    }
    (accountBefore, accountAfter) = (before.account.current, after.account.current)
    erasures = after.erasures - before.erasures
  }

  /// Whether no view has changed.
  public var isEmpty: Bool {
    fields.isEmpty && entryCounts.isEmpty && sessions.isEmpty && goals.isEmpty && moves.isEmpty
      && conflicts.isEmpty && accountBefore == accountAfter && erasures == 0
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

  /// Rows that are new or have new changes, answers or edit states.
  private static func touchedRows(_ before: LedgerState, _ after: LedgerState) -> [Int] {
    // What the snapshot has, and no later event touched, is the same in both.
    let stored = after.touchedRows().sorted()
    let first = after.rows.countInSnapshot
    var touched = [Bool](repeating: false, count: after.rows.count - first)
    for row in first..<after.rows.count {
      guard row < before.rows.count else {
        touched[row - first] = true
        continue
      }
      touched[row - first] =
        before.rows[row].lastChange != after.rows[row].lastChange
        || before.bound[row] != after.bound[row]
    }
    for seq in after.edits.cells.countInSnapshot..<before.edits.cells.count
    where before.edits.cells[seq].state != after.edits.cells[seq].state {
      if let row = after.edits.row(seq), row >= first { touched[row - first] = true }
    }
    return stored + touched.indices.filter { touched[$0] }.map { first + $0 }
  }

  private static func moves(_ before: LedgerState, _ after: LedgerState) -> [Move] {
    let states = EditState.allCases.count
    // The last column counts edits made in between.
    var counts = [Int](repeating: 0, count: states * (states + 1))
    let cells = after.edits.cells
    func count(_ seq: Int) {
      let cell = cells[seq]
      let old = seq < before.edits.cells.count ? before.edits.cells[seq].state : nil
      // What was pulled from the backend was acknowledged from the start.
      let wasPulled = old == nil && cell.state == .acknowledged && cell.marker == 0
      guard cell.state != .none, old != cell.state, !wasPulled else { return }
      let column = old.map { Int($0.code) } ?? states
      counts[Int(cell.state.code) * (states + 1) + column] += 1
    }
    for seq in cells.changedInSnapshot { count(seq) }
    for seq in cells.countInSnapshot..<cells.count { count(seq) }
    return counts.indices.filter { counts[$0] > 0 }.compactMap { place in
      EditState(code: UInt8(place / (states + 1))).map { after in
        Move(
          before: EditState(code: UInt8(place % (states + 1))), after: after,
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
  /// `nil` if there is no such row yet or its logging was undone.
  fileprivate func madeEntry(at row: Int) -> EntryView? {
    row < rows.count && isMade(rows[row]) ? entry(at: row) : nil
  }
}

extension Tally {
  /// The counts since an earlier tally of the same log.
  fileprivate func byType(since earlier: Tally) -> [(type: String, count: Int)] {
    let before = Dictionary(uniqueKeysWithValues: earlier.byType.map { ($0.type, $0.count) })
    return byType.map { (type: $0.type, count: $0.count - before[$0.type, default: 0]) }
      .filter { $0.count > 0 }
  }
}

/// An entry that differs between two positions of the log.
public struct EntryDifference: Hashable, Sendable {
  /// How an entry changed.
  public enum Kind: String, CaseIterable, Sendable {
    /// Logged or pulled in between.
    case added
    /// Logged and deleted in between.
    case cameAndWent = "came_and_went"
    /// Its quantity, date, time or notes changed.
    case corrected
    /// It was deleted.
    case deleted
    /// Its deletion was undone.
    case restored
    /// Its logging was undone.
    case unmade = "undone"
    /// Only its status at the backend changed.
    case statusChanged = "standing"
  }

  /// How it changed.
  public var kind: Kind
  /// `nil` for an entry not logged yet.
  public var before: EntryView?
  /// `nil` for one whose logging was undone.
  public var after: EntryView?
  /// Its edits in between that are not undone, oldest first.
  public var edits: [Seq]

  /// - Returns: `nil` if nothing changed.
  init?(before: EntryView?, after: EntryView?, edits: @autoclosure () -> [Seq]) {
    guard before != after, let kind = Kind(before, after) else { return nil }
    // Of a deleted entry the row that it had does not count.
    if kind == .statusChanged, let before, before.isDeleted, before.status == after?.status {
      return nil
    }
    self.kind = kind
    self.before = before
    self.after = after
    self.edits = edits()
  }
}

/// A sleep session that differs between two positions of the log.
public struct SessionDifference: Hashable, Sendable {
  /// How it changed.
  public var kind: EntryDifference.Kind
  /// `nil` for a session not logged yet.
  public var before: SleepView?
  /// `nil` for one whose logging was undone.
  public var after: SleepView?
}

extension LedgerState {
  fileprivate func sessionDifferences(since before: LedgerState) -> [SessionDifference] {
    sleep.indices.filter { sleep[$0].isSession }.compactMap { index in
      let (old, new) = (before.madeSession(at: index), madeSession(at: index))
      guard old != new, let kind = EntryDifference.Kind(old, new) else { return nil }
      return SessionDifference(kind: kind, before: old, after: new)
    }
  }

  private func madeSession(at index: Int) -> SleepView? {
    index < sleep.count && isMade(session: index) ? session(at: index) : nil
  }
}

/// An entry or a session.
private protocol Compared {
  var isDeleted: Bool { get }
  func hasSameValues(as other: Self) -> Bool
}

extension EntryDifference.Kind {
  fileprivate init?<View: Compared>(_ before: View?, _ after: View?) {
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, let after?): self = after.isDeleted ? .cameAndWent : .added
    case (_?, nil): self = .unmade
    case (let before?, let after?):
      if before.isDeleted != after.isDeleted {
        self = after.isDeleted ? .deleted : .restored
      } else {
        self = before.hasSameValues(as: after) ? .statusChanged : .corrected
      }
    }
  }
}

extension SleepView: Compared {
  fileprivate func hasSameValues(as other: SleepView) -> Bool {
    start == other.start && end == other.end && stagesIn == other.stagesIn
      && notesIn == other.notesIn
  }
}

extension EntryView: Compared {
  fileprivate func hasSameValues(as other: EntryView) -> Bool {
    quantity == other.quantity && date == other.date && moment == other.moment
      && notesIn == other.notesIn
  }
}
