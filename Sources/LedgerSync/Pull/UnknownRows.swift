import LedgerModel
import LedgerProjections

/// Metric and moment of a row.
struct RowMoment: Hashable, Sendable {
  var metric: Metric
  var second: Int64

  init(_ key: RowKey) {
    metric = key.metric
    second = key.second
  }
}

/// A lookup by row values that the backend may have rounded.
struct RowTable<Value> {
  private var groups: [RowGroup: [(key: RowKey, value: Value)]] = [:]

  mutating func add(_ key: RowKey, _ value: Value) {
    groups[key.group, default: []].append((key, value))
  }

  /// The first value whose key was sent and may have become a row with these values.
  func first(matching row: RowKey, where isWanted: (Value) -> Bool = { _ in true }) -> Value? {
    for group in row.group.withNeighbors {
      let found = groups[group]?.first { $0.key.matches(row) && isWanted($0.value) }
      if let found { return found.value }
    }
    return nil
  }
}

/// Listed rows that no entry is bound to, oldest first, with lookup by moment and by values.
struct UnknownRows {
  private struct Values: Hashable {
    var metric: Metric
    var notes: String
    var hundredths: Int64

    init(_ group: RowGroup) {
      metric = group.metric
      notes = group.notes
      hundredths = group.hundredths
    }
  }

  private let rows: [ListedRow]
  private var isLeft: [Bool]
  private var count: Int
  private var byMoment: [RowMoment: [Int]] = [:]
  private var byValues: [Values: [Int]] = [:]
  private var places: [BackendID: Int] = [:]
  /// Rows that open conflicts are about. They wait for the decision: no other entry takes one.
  private let disputed: [BackendID: EntryID]

  init(_ all: [ListedRow], _ conflicts: [ConflictView]) {
    disputed = Dictionary(
      conflicts.compactMap { conflict in
        conflict.backendID.flatMap { id in conflict.entry.map { (id, $0) } }
      }, uniquingKeysWith: { first, _ in first })
    var seen: Set<BackendID> = []
    rows = all.filter { seen.insert($0.id).inserted }
    isLeft = [Bool](repeating: true, count: rows.count)
    count = rows.count
    for (place, row) in rows.enumerated() {
      byMoment[RowMoment(row.key), default: []].append(place)
      byValues[Values(row.key.group), default: []].append(place)
      places[row.id] = place
    }
  }

  var isEmpty: Bool { count == 0 }
  /// Those that are in no open conflict.
  var left: [ListedRow] {
    rows.indices.filter { isLeft[$0] && disputed[rows[$0].id] == nil }.map { rows[$0] }
  }

  /// Whether an entry may take a row: no open conflict of another one is about it.
  func isFree(_ row: ListedRow, for entry: EntryID) -> Bool {
    disputed[row.id] ?? entry == entry
  }

  mutating func remove(_ row: ListedRow) {
    guard let place = places[row.id], isLeft[place] else { return }
    isLeft[place] = false
    count -= 1
  }

  private func left(_ places: [Int]?) -> [ListedRow] {
    (places ?? []).filter { isLeft[$0] }.map { rows[$0] }
  }

  /// Rows that calls with these values may have created. Midnight and no time are equal as values but
  /// not as rows: midnight is sent as one second past it.
  private func matches(_ key: RowKey, isTimed: Bool) -> [ListedRow] {
    left(byMoment[RowMoment(key)]).filter { key.matches($0.key) && $0.hasTime == isTimed }
  }

  /// A row that a call with these values may have created, preferably with the exact quantity.
  mutating func take(
    matching key: RowKey, isTimed: Bool, for entry: EntryID
  ) -> ListedRow? {
    let found = matches(key, isTimed: isTimed).filter { isFree($0, for: entry) }
    guard let row = found.first(where: { $0.key == key }) ?? found.first else { return nil }
    remove(row)
    return row
  }

  /// The row with this id, if a call with these values may have created it.
  mutating func take(
    _ id: BackendID, matching key: RowKey, isTimed: Bool, for entry: EntryID
  ) -> ListedRow? {
    guard let place = places[id], isLeft[place], case let row = rows[place],
      isFree(row, for: entry),
      RowMoment(row.key) == RowMoment(key), key.matches(row.key), row.hasTime == isTimed
    else { return nil }
    remove(row)
    return row
  }

  /// Timed rows of this metric and moment.
  func rows(at key: RowKey) -> [ListedRow] { left(byMoment[RowMoment(key)]).filter(\.hasTime) }

  mutating func takeTimed(at key: RowKey) -> [ListedRow] {
    let found = rows(at: key)
    for row in found { remove(row) }
    return found
  }

  /// Rows without a time of this metric and day.
  mutating func takeDay(of key: RowKey) -> [ListedRow] {
    let found = left(byMoment[RowMoment(key)]).filter { !$0.hasTime }
    for row in found { remove(row) }
    return found
  }

  /// Rows of this metric, quantity and notes, at any moment.
  func rows(likeIn key: RowKey) -> [ListedRow] {
    key.group.withNeighbors.flatMap { left(byValues[Values($0)]) }.filter {
      key.hasValues(of: $0.key)
    }
  }

  /// Whether any row has an entry's metric and moment; for an untimed entry, midnight of its day.
  func hasMoment(of entry: EntryView) -> Bool {
    byMoment[RowMoment(RowKey(entry, notes: ""))]?.contains { isLeft[$0] } == true
  }
}

extension RowKey {
  /// Whether metric, quantity and notes are equal.
  func hasValues(of row: RowKey) -> Bool {
    metric == row.metric && notes == row.notes && hasQuantity(of: row)
  }

  /// Whether notes or quantity are equal.
  func isLike(_ row: RowKey) -> Bool { notes == row.notes || hasQuantity(of: row) }

  func hasQuantity(of row: RowKey) -> Bool {
    QuantityMatch(sent: quantity, got: row.quantity) != .different
  }
}

extension DuplicateSuspected {
  /// Fits a line of the log (64 KiB) even with the longest ids.
  static let mostRows = 8
}
