public import LedgerModel

/// What `GET /api/v1/progress` can ask (docs/api): the same filters against the local view, but
/// without its 30-day default.
public struct ProgressQuery: Hashable, Sendable {
  /// Only this one; `nil` for all.
  public var metric: Metric?
  /// First and last day, inclusive.
  public var from: CalendarDate?
  /// The last day, itself included; `nil` for the last there is.
  public var to: CalendarDate?
  /// 1 to 100 for a person; a library may ask for more.
  public var limit: Int
  /// How many of the newest are left out.
  public var offset: Int

  /// The newest twenty entries, unless something else is said.
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
  /// Those on this page.
  public var entries: [EntryView]
  /// How many match, on all pages.
  public var total: Int
  /// As it was asked for.
  public var limit: Int
  /// As it was asked for.
  public var offset: Int
}

extension LedgerState {
  /// Live entries that match, newest first.
  public func progress(_ query: ProgressQuery) -> ProgressPage { progress(query, nil) }

  /// - Parameter walk: of all rows, so that the old ones need no look; only for all entries.
  func progress(_ query: ProgressQuery, _ walk: RowWalk?) -> ProgressPage {
    let offset = max(0, query.offset)
    let limit = max(0, query.limit)
    if let newest = NewestFirst(self, query) { return page(query, offset, limit, of: newest) }
    let (wanted, isBeyondCounting) = offset.addingReportingOverflow(limit)
    var newest = NewestKeys(keeping: isBeyondCounting ? rows.count : min(wanted, rows.count))
    // From the newest on, so that what is kept first is mostly what stays.
    // No snapshot, so all rows are the column's own.
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
}

extension LedgerState {
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
}

extension LedgerState {
  /// The same in an order that is there already.
  private func page(
    _ query: ProgressQuery, _ offset: Int, _ limit: Int, of newest: NewestFirst
  ) -> ProgressPage {
    let known = query.from == nil && query.to == nil ? countLive(query.metric) : nil
    var entries: [EntryView] = []
    var total = 0
    for key in newest where query.matches(metricIndex: UInt8(key.metricIndex), day: key.day) {
      total += 1
      if total > offset, entries.count < limit { entries.append(entry(at: Int(key.row))) }
      // Those behind the page are only counted, unless their number is known.
      if known != nil, entries.count == limit { break }
    }
    return ProgressPage(
      entries: entries, total: known ?? total, limit: query.limit, offset: query.offset)
  }
}

/// Keeps the newest few of many: when twice as many have gathered, the older half is dropped.
private struct NewestKeys {
  private var kept: [(key: EntryKey, row: Int)] = []
  private let count: Int
  private(set) var total = 0
  /// The oldest key worth keeping, once enough are known.
  private var floor: EntryKey?

  init(keeping count: Int) {
    self.count = max(1, count)
  }

  /// Whether nothing of these days is among the newest.
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
