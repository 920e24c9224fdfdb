import LedgerJSON
import LedgerLog
package import LedgerModel

/// What a snapshot holds besides the state: counts and sorted keys. With these a question about the
/// whole state only needs what has changed since.
final class OpenedSnapshot: Sendable {
  /// The state as it was written, to which counts and keys belong.
  let state: LedgerState
  let counts: SnapshotCounts
  let pages: SnapshotPages
  private let byID: StoredColumn<IDKey>
  let byDay: StoredColumn<DayKey>
  let blocks: StoredColumn<LineBlock>
  /// One for each page of ``blocks``.
  let blockSummaries: StoredColumn<LineBlock>

  init(
    _ state: LedgerState, _ counts: SnapshotCounts, in layout: SnapshotLayout
  ) throws(SnapshotFault) {
    self.state = state
    self.counts = counts
    pages = layout.pages
    byID = try layout.column(SnapshotLayout.byID, of: IDKey.self)
    byDay = try layout.column(SnapshotLayout.byDay, of: DayKey.self)
    blocks = try layout.column(SnapshotLayout.blocks, of: LineBlock.self)
    blockSummaries = try layout.column(SnapshotLayout.blockSummaries, of: LineBlock.self)
    guard byID.count == state.rows.count, byDay.count <= state.rows.count,
      blockSummaries.count == StoredColumn<LineBlock>.pageCount(of: blocks.count)
    else {
      throw SnapshotFault()
    }
  }

  /// Whether a part of the id keys is in order, of distinct rows, and of their rows' ids. There are as
  /// many keys as rows.
  ///
  /// - Parameter folded: the state folded from line 1, possibly with later events.
  func isOrderedByID(
    _ folded: LedgerState, in part: SnapshotPart
  ) throws(SnapshotFault) -> Bool {
    let rows = folded.rows.own
    guard byID.count <= rows.count else { return false }
    var (high, row) = byID.element(before: part).map { ($0.high, Int($0.row)) } ?? (0, -1)
    return try byID.allSatisfy(in: part) { key in
      let isAfter = key.high > high || (key.high == high && Int(key.row) > row)
      (high, row) = (key.high, Int(key.row))
      return isAfter && row < byID.count && rows[row].id.high == high
    }
  }

  /// Counts a part of the day keys by the place of their metric.
  ///
  /// - Parameters:
  ///   - folded: the state folded from line 1, possibly with later events.
  ///   - rightKeys: the keys of its rows, if they were made already.
  ///   - touched: whether a row may have changed since; empty if none has.
  /// - Returns: `nil` if the keys are not in order, or one is not that of a live entry.
  func liveByMetric(
    _ folded: LedgerState, _ rightKeys: [DayKey]? = nil, touched: [Bool], in part: SnapshotPart
  ) throws(SnapshotFault) -> [Int]? {
    let rowCount = state.rows.count
    guard rowCount <= folded.rows.count else { return nil }
    var liveByMetric = [Int](repeating: 0, count: counts.liveByMetric.count)
    var last = byDay.element(before: part) ?? .beforeAll
    let isOrdered = try byDay.allPagesSatisfy(part) { (payload, indices) in
      let keys = (0..<indices.count).map { StoredColumn<DayKey>.element($0, of: payload) }
      guard
        keys.allSatisfy({ $0.row < rowCount && $0.metricIndex < liveByMetric.count })
      else { return false }
      return keys.allSatisfy { key in
        let row = Int(key.row)
        guard last < key else { return false }
        last = key
        liveByMetric[Int(key.metricIndex)] &+= 1
        if !touched.isEmpty, touched[row] { return state.dayKey(ofRow: row) == key }
        return (rightKeys.map { $0[row] } ?? folded.dayKey(ofRow: row)) == key
      }
    }
    return isOrdered ? liveByMetric : nil
  }

  /// The rows with this entry id, oldest first.
  func rows(of id: LedgerUUID) -> [Int] {
    var rows: [Int] = []
    var place = byID.firstIndex { $0.high < id.high }
    while place < byID.count {
      let key = byID.element(place)
      guard key.high == id.high else { break }
      if state.rows[Int(key.row)].id == id { rows.append(Int(key.row)) }
      place += 1
    }
    return rows
  }

  /// Whether this many entry ids may have the prefix, by their first halves. Reads no rows.
  func mayHave(_ count: Int, with prefix: IDPrefix) -> Bool {
    let first = byID.firstIndex { $0.high < prefix.least }
    let last = first + count - 1
    return last < byID.count && prefix.isPrefix(ofHigh: byID.element(last).high)
  }

  /// The rows whose entry ids have this prefix, oldest first.
  func rows(with prefix: IDPrefix) -> [Int] {
    var rows: [Int] = []
    var place = byID.firstIndex { $0.high < prefix.least }
    while place < byID.count {
      let key = byID.element(place)
      guard prefix.isPrefix(ofHigh: key.high) else { break }
      // Rows with equal first halves are not sorted by their second halves.
      if prefix.isPrefix(of: state.rows[Int(key.row)].id) { rows.append(Int(key.row)) }
      place += 1
    }
    return rows.sorted()
  }
}

/// Sums over a whole state. Those of a snapshot are as they were when it was written.
struct SnapshotCounts: Hashable, Sendable {
  var entries = EntryCounts()
  var edits = SyncCounts()
  /// The edits that waited for a decision.
  var inConflict: Set<Int> = []
  /// Live entries by the place of their metric.
  var liveByMetric = [Int](repeating: 0, count: Metric.allCases.count)

  /// - Precondition: the state is whole.
  init(_ state: LedgerState) {
    entries = state.entryCounts()
    edits = state.syncCounts()
    inConflict = state.editsInConflict()
    for index in state.rows.indices {
      if let key = state.dayKey(ofRow: index) { liveByMetric[Int(key.metricIndex)] += 1 }
    }
  }

  var json: JSONObject {
    [
      "live": JSONValue(entries.live), "deleted": JSONValue(entries.deleted),
      "entries_pending": JSONValue(entries.pending), "synced": JSONValue(entries.synced),
      "failed": JSONValue(entries.failed), "pending": JSONValue(edits.pending),
      "in_doubt": JSONValue(edits.inDoubt), "held": JSONValue(edits.held),
      "rejected": JSONValue(edits.rejected), "conflicts": JSONValue(edits.conflicts),
      "in_conflict": .array(inConflict.sorted().map { JSONValue($0) }),
      "live_by_metric": .array(liveByMetric.map { JSONValue($0) }),
    ]
  }

  init(json: JSONObject, in bounds: SnapshotBounds) throws(SnapshotFault) {
    func count(_ name: String) throws(SnapshotFault) -> Int {
      try json.required(name).count(in: bounds)
    }
    entries.live = try count("live")
    entries.deleted = try count("deleted")
    entries.pending = try count("entries_pending")
    entries.synced = try count("synced")
    entries.failed = try count("failed")
    edits.pending = try count("pending")
    edits.inDoubt = try count("in_doubt")
    edits.held = try count("held")
    edits.rejected = try count("rejected")
    edits.conflicts = try count("conflicts")
    for value in try json.array("in_conflict") { inConflict.insert(try value.seq(in: bounds)) }
    let live = try json.array("live_by_metric").map { value throws(SnapshotFault) in
      try value.count(in: bounds)
    }
    guard live.count == liveByMetric.count else { throw SnapshotFault() }
    liveByMetric = live
  }
}

/// The first characters of ids.
struct IDPrefix {
  private let text: String
  /// The first half of the smallest id that may have it.
  let least: UInt64
  private let mask: UInt64

  /// - Returns: `nil` if no id has it.
  init?(_ text: String) {
    var least: UInt64 = 0
    var digits = 0
    for byte in text.utf8 where byte != UInt8(ascii: "-") {
      guard digits < 16 else { break }
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
      least = least << 4 | UInt64(digit)
      digits += 1
    }
    let missingBits = UInt64(16 - digits) * 4
    (self.text, self.least, mask) = (text, least << missingBits, .max << missingBits)
  }

  /// Whether an id with this first half may have it.
  @inline(__always)
  func isPrefix(ofHigh high: UInt64) -> Bool { (high ^ least) & mask == 0 }

  @inline(__always)
  func isPrefix(of id: LedgerUUID) -> Bool {
    isPrefix(ofHigh: id.high) && id.description.hasPrefix(text)
  }
}

extension LedgerState {
  /// The rows with this entry id, newest first, live or not. Lazy.
  package func allRows(of id: LedgerUUID) -> some Sequence<Int> {
    let (first, own) = (rows.countInSnapshot, rows.own)
    let newer = own.indices.reversed().lazy.filter { own[$0].id == id }.map { first + $0 }
    let older = sequence(state: [Int]?.none) { rows -> Int? in
      if rows == nil { rows = opened?.rows(of: id) ?? [] }
      return rows?.popLast()
    }
    return sequence(state: (newer.makeIterator(), older.makeIterator())) { both -> Int? in
      both.0.next() ?? both.1.next()
    }
  }

  /// The rows of the snapshot whose entries may have changed since.
  func touchedRows() -> Set<Int> {
    guard opened != nil else { return [] }
    var touched = Set(rows.changedInSnapshot).union(bound.changedInSnapshot)
    for seq in edits.cells.changedInSnapshot {
      if let row = edits.row(seq), row < rows.countInSnapshot { touched.insert(row) }
    }
    return touched
  }

  /// Whether a row is found by its id with a binary search instead of a scan.
  package var findsByOrder: Bool { opened != nil }

  /// Whether answers may be wrong because a page of the snapshot is broken.
  var isBroken: Bool { opened?.pages.isBroken ?? false }

  /// The state with all columns in memory, and every page of them checked.
  func loaded() throws(SnapshotFault) -> LedgerState {
    guard opened != nil else { return self }
    var state = self
    state.rows = try rows.loaded()
    state.bound = try bound.loaded()
    state.changes = try changes.loaded()
    state.sleep = try sleep.loaded()
    state.edits = try edits.loaded()
    state.profile = try profile.loaded()
    state.mentions = try mentions.loaded()
    state.blocks = try blocks?.loaded()
    state.opened = nil
    if isBroken { throw SnapshotFault() }
    return state
  }

  /// A state whose entries can be walked fast: rows, changes and edits in memory. Empty if the
  /// snapshot proves broken; then no answer from it counts.
  func withEntriesInMemory() -> LedgerState {
    guard let opened else { return self }
    var state = self
    do throws(SnapshotFault) {
      state.rows = try rows.loaded()
      state.changes = try changes.loaded()
      state.edits = try edits.loaded()
      return state
    } catch {
      opened.pages.distrust()
      return LedgerState()
    }
  }
}

extension LineBlock {
  /// A summary for each page of blocks.
  static func summaries(of blocks: [LineBlock]) -> [LineBlock] {
    summaries(of: blocks, perSummary: StoredColumn<LineBlock>.perPage)
  }
}

/// A row sorted by the first half of its entry id, which distinguishes most ids.
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
    // Mostly sorted already: ids start with the time.
    keys.sort { ($0.high, $0.row) < ($1.high, $1.row) }
    return keys
  }
}

/// A live entry sorted by day, time and row, oldest first.
struct DayKey: ColumnElement, Equatable {
  static let placeholder = DayKey(day: 0, time: 0, row: 0, metricIndex: 0)
  /// Before every entry's key.
  static let beforeAll = DayKey(day: .min, time: 0, row: 0, metricIndex: 0)

  var day: Int32
  /// Seconds since midnight; 0 for an entry without a time.
  var time: Int32
  /// Rows are in order of seq.
  var row: UInt32
  var metricIndex: UInt32

  init(day: Int32, time: Int32, row: UInt32, metricIndex: UInt32) {
    (self.day, self.time, self.row, self.metricIndex) = (day, time, row, metricIndex)
  }

  init(_ live: LiveRow, row: Int) {
    self.init(
      day: live.day, time: live.time, row: UInt32(row), metricIndex: UInt32(live.metricIndex))
  }

  /// Day and time as one number that sorts the same.
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
  /// `nil` if the row's entry is not live.
  func dayKey(ofRow index: Int) -> DayKey? {
    let row = rows[index]
    return isMade(row) ? live(row).map { DayKey($0, row: index) } : nil
  }
}
