import LedgerModel

/// A row in the order of entry ids: the first half of an id, which tells most ids apart.
struct IDKey: ColumnElement {
  static let placeholder = IDKey(LedgerUUID(high: 0, low: 0), row: 0)

  private var upper: UInt32
  private var lower: UInt32
  var row: UInt32

  init(_ id: LedgerUUID, row: Int) {
    upper = UInt32(truncatingIfNeeded: id.high >> 32)
    lower = UInt32(truncatingIfNeeded: id.high)
    self.row = UInt32(row)
  }

  var high: UInt64 { UInt64(upper) << 32 | UInt64(lower) }

  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool { row < bounds.rowCount }

  static func sorted(_ rows: Column<EntryRow>) -> [IDKey] {
    var keys: [IDKey] = []
    keys.reserveCapacity(rows.count)
    for index in rows.indices { keys.append(IDKey(rows[index].id, row: index)) }
    // Ids made later sort later, so this is mostly sorted already.
    keys.sort { ($0.high, $0.row) < ($1.high, $1.row) }
    return keys
  }
}

/// A live entry in the order of «newest first», from its end.
struct DayKey: ColumnElement, Equatable {
  static let placeholder = DayKey(day: 0, time: 0, row: 0, metricIndex: 0)

  var day: Int32
  /// Seconds since midnight; 0 for an entry of the whole day.
  var time: Int32
  /// Rows are in the order of seq.
  var row: UInt32
  var metricIndex: UInt32

  /// Both as one number that compares as they do.
  private var moment: Int64 { Int64(day) << 32 | Int64(time) }

  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    row < bounds.rowCount && metricIndex < Metric.allCases.count && SnapshotBounds.isDay(day)
      && time >= 0 && time < 86_400
  }

  static func sorted(_ state: LedgerState) -> [DayKey] {
    var keys: [DayKey] = []
    keys.reserveCapacity(state.rows.count)
    for index in state.rows.indices {
      if let key = state.dayKey(ofRow: index) { keys.append(key) }
    }
    keys.sort { ($0.moment, $0.row) < ($1.moment, $1.row) }
    return keys
  }

  static func < (left: DayKey, right: DayKey) -> Bool {
    (left.moment, left.row) < (right.moment, right.row)
  }
}

extension LedgerState {
  /// Where an entry stands among all by day; `nil` for one that is not live.
  func dayKey(ofRow index: Int) -> DayKey? {
    let row = rows[index]
    guard isMade(row) else { return nil }
    let resolved = resolve(row)
    guard !resolved.isDeleted else { return nil }
    return DayKey(
      day: resolved.day, time: max(resolved.time, 0), row: UInt32(index),
      metricIndex: UInt32(row.metricIndex))
  }
}
