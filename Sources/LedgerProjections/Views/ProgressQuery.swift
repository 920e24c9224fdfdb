public import LedgerModel

/// The filters of `GET /api/v1/progress` (docs/api) for the local view, without its 30-day default.
public struct ProgressQuery: Hashable, Sendable {
  /// `nil` for all.
  public var metric: Metric?
  /// The first day; `nil` for the first there is.
  public var from: CalendarDate?
  /// The last day, inclusive; `nil` for the last there is.
  public var to: CalendarDate?
  /// 1 to 100 in the CLI; a library may use more.
  public var limit: Int
  /// How many of the newest are skipped.
  public var offset: Int

  public init(
    metric: Metric? = nil, from: CalendarDate? = nil, to: CalendarDate? = nil, limit: Int = 20,
    offset: Int = 0
  ) {
    self.metric = metric
    self.from = from
    self.to = to
    self.limit = limit
    self.offset = offset
  }

  @inline(__always)
  func matches(_ row: LiveRow) -> Bool { matches(metricIndex: row.metricIndex, day: row.day) }

  @inline(__always)
  func matches(metricIndex: UInt8, day: Int32) -> Bool {
    if let metric, metric.rawValue != metricIndex { return false }
    if let from, day < from.daysSince1970 { return false }
    if let to, day > to.daysSince1970 { return false }
    return true
  }
}

/// A page of entries, newest first.
public struct ProgressPage: Hashable, Sendable {
  public var entries: [EntryView]
  /// The number of matches on all pages.
  public var total: Int
  /// As in the query.
  public var limit: Int
  /// As in the query.
  public var offset: Int
}

extension LedgerState {
  /// Live entries that match, newest first.
  public func progress(_ query: ProgressQuery) -> ProgressPage { progress(query, nil) }

  /// - Parameter walk: of all rows, to skip blocks of old ones; only for a query without filters.
  func progress(_ query: ProgressQuery, _ walk: RowWalk?) -> ProgressPage {
    let offset = max(0, query.offset)
    let limit = max(0, query.limit)
    if let newest = NewestFirst(self, query) { return page(query, offset, limit, of: newest) }
    let (wanted, isBeyondCounting) = offset.addingReportingOverflow(limit)
    var newest = NewestKeys(keeping: isBeyondCounting ? rows.count : min(wanted, rows.count))
    // No snapshot, so all rows are the column's own. The newest come first, so that most of those kept
    // first stay.
    let own = OwnRows(self)
    for block in own.blocks.reversed() {
      if let walk, newest.areTooOld(walk.latestDays[block]) { continue }
      for place in own.places(block).reversed() where own.made(place) != .undone {
        guard let live = live(own.rows[place]), query.matches(live) else { continue }
        newest.offer(EntryKey(day: live.day, time: live.time, seq: live.seq), row: place)
      }
    }
    let page = newest.sorted().dropFirst(offset).prefix(limit)
    return ProgressPage(
      entries: page.map { entry(at: $0) }, total: walk?.entries.live ?? newest.total,
      limit: query.limit, offset: query.offset)
  }

  /// The newest live entry that matches, without counting the others.
  public func newest(_ query: ProgressQuery) -> EntryView? {
    var query = query
    (query.limit, query.offset) = (1, 0)
    guard let newest = NewestFirst(self, query) else { return progress(query).entries.first }
    for key in newest where query.matches(metricIndex: UInt8(key.metricIndex), day: key.day) {
      return entry(at: Int(key.row))
    }
    return nil
  }

  /// A page from the snapshot's order.
  private func page(
    _ query: ProgressQuery, _ offset: Int, _ limit: Int, of newest: NewestFirst
  ) -> ProgressPage {
    let known = query.from == nil && query.to == nil ? countLive(query.metric) : nil
    var entries: [EntryView] = []
    var total = 0
    for key in newest where query.matches(metricIndex: UInt8(key.metricIndex), day: key.day) {
      total += 1
      if total > offset, entries.count < limit { entries.append(entry(at: Int(key.row))) }
      // Later matches are only counted, unless the total is known.
      if known != nil, entries.count == limit { break }
    }
    return ProgressPage(
      entries: entries, total: known ?? total, limit: query.limit, offset: query.offset)
  }
}

/// The order of "newest first": by day, by time (none counts as 00:00:00), by seq.
struct EntryKey: Comparable {
  var day: Int32
  var time: Int32
  var seq: UInt32

  static func < (left: EntryKey, right: EntryKey) -> Bool {
    (left.day, left.time, left.seq) < (right.day, right.time, right.seq)
  }
}

/// Keeps the newest few of many keys: the older half is dropped whenever it holds twice as many.
private struct NewestKeys {
  private var kept: [(key: EntryKey, row: Int)] = []
  private let count: Int
  private(set) var total = 0
  /// The oldest key worth keeping, once enough are known.
  private var floor: EntryKey?

  init(keeping count: Int) {
    self.count = max(1, count)
  }

  /// Whether entries up to this day are older than all that are kept.
  func areTooOld(_ latestDay: Int32) -> Bool { floor.map { latestDay < $0.day } ?? false }

  mutating func offer(_ key: EntryKey, row: Int) {
    total += 1
    if let floor, key < floor { return }
    kept.append((key, row))
    if kept.count >= 2 * count + 64 { shrink() }
  }

  private mutating func shrink() {
    kept.sort { $0.key > $1.key }
    kept.removeLast(max(0, kept.count - count))
    floor = kept.last?.key
  }

  func sorted() -> [Int] {
    kept.sorted { $0.key > $1.key }.prefix(count).map(\.row)
  }
}

/// Live entries, newest first, without reading all of them: the snapshot's order without entries that
/// changed since, merged with those.
private struct NewestFirst: Sequence, IteratorProtocol {
  private let snapshot: OpenedSnapshot
  private let touched: Set<Int>
  /// Entries that are new or changed since, oldest first.
  private var since: [DayKey]
  /// The number of entries in the snapshot's order up to the current one.
  private var left: Int
  /// Entries before this index are too old.
  private let end: Int
  /// The next of the snapshot's entries.
  private var ahead: DayKey?

  /// - Parameter query: limits the days.
  /// - Returns: `nil` for a state that is completely in memory.
  init?(_ state: LedgerState, _ query: ProgressQuery) {
    guard let snapshot = state.opened else { return nil }
    self.snapshot = snapshot
    touched = state.touchedRows()
    let newer = state.rows.countInSnapshot..<state.rows.count
    since = (Array(touched) + Array(newer)).compactMap { state.dayKey(ofRow: $0) }
    since.sort(by: <)
    let first = query.from?.daysSince1970
    end = first.map { day in snapshot.byDay.firstIndex { $0.day < day } } ?? 0
    let last = query.to?.daysSince1970
    left = last.map { day in snapshot.byDay.firstIndex { $0.day <= day } } ?? snapshot.byDay.count
    step()
  }

  private mutating func step() {
    ahead = nil
    while left > end, ahead == nil {
      left -= 1
      let key = snapshot.byDay.element(left)
      if !touched.contains(Int(key.row)) { ahead = key }
    }
  }

  mutating func next() -> DayKey? {
    guard let stored = ahead else { return since.popLast() }
    if let newest = since.last, stored < newest { return since.popLast() }
    step()
    return stored
  }
}

extension LedgerState {
  /// The number of live entries of one metric or all; `nil` for a state that is completely in memory.
  func countLive(_ metric: Metric?) -> Int? {
    guard let opened else { return nil }
    var count: Int
    if let metric {
      count = opened.counts.liveByMetric[Int(metric.rawValue)]
    } else {
      count = opened.counts.entries.live
    }
    let touched = touchedRows()
    for row in touched where opened.state.dayKey(ofRow: row).isOf(metric) { count -= 1 }
    for row in touched where dayKey(ofRow: row).isOf(metric) { count += 1 }
    for row in rows.countInSnapshot..<rows.count where dayKey(ofRow: row).isOf(metric) {
      count += 1
    }
    return count
  }
}

extension DayKey? {
  fileprivate func isOf(_ metric: Metric?) -> Bool {
    guard let self else { return false }
    return metric == nil || metric.map { UInt32($0.rawValue) } == self.metricIndex
  }
}
