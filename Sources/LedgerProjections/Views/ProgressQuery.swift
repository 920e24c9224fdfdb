package import LedgerLog
public import LedgerModel

/// The filters of `GET /api/v1/progress` (docs/api) for the local view, without its 30-day default, and
/// filters that only a ledger has. An entry matches if it matches all of them.
public struct ProgressQuery: Hashable, Codable, Sendable {
  /// `nil` for all.
  public var metric: Metric?
  /// The first day; `nil` for the first there is.
  public var from: CalendarDate?
  /// The last day, inclusive; `nil` for the last there is.
  public var to: CalendarDate?
  /// 1 to 100 in the CLI; a library may use more.
  public var limit: Int
  /// How many of the newest are skipped.
  ///
  /// An entry that is logged between two pages moves the others: use ``cursor``.
  public var offset: Int
  /// ``ProgressPage/next`` of the previous page; `nil` for the first page.
  ///
  /// Pages by cursor show no entry twice and leave none out, whatever is logged or deleted meanwhile.
  public var cursor: ProgressCursor?
  /// `nil` for all.
  public var statuses: Set<EntryStatus>?
  /// ``ProgressLogged/source`` of the entry; `nil` for all. Reads the log.
  public var source: String?
  /// Part of the notes, in any case; `nil` or empty for all. Reads the log.
  public var text: String?
  /// Whether the page has ``ProgressPage/notes``.
  public var includesNotes: Bool

  /// All entries by default.
  public init(
    metric: Metric? = nil, from: CalendarDate? = nil, to: CalendarDate? = nil,
    statuses: Set<EntryStatus>? = nil, source: String? = nil, text: String? = nil,
    includesNotes: Bool = false, limit: Int = 20, offset: Int = 0,
    after cursor: ProgressCursor? = nil
  ) {
    self.metric = metric
    self.from = from
    self.to = to
    self.statuses = statuses
    self.source = source
    self.text = text
    self.includesNotes = includesNotes
    self.limit = limit
    self.offset = offset
    self.cursor = cursor
  }

  /// Whether the answer needs what only the log's lines contain.
  package var readsLog: Bool { source != nil || text?.isEmpty == false || includesNotes }

  @inline(__always)
  func matches(_ row: LiveRow) -> Bool { matches(metricIndex: row.metricIndex, day: row.day) }

  @inline(__always)
  func matches(metricIndex: UInt8, day: Int32) -> Bool {
    if let metric, metric.index != metricIndex { return false }
    if let from, day < from.daysSince1970 { return false }
    if let to, day > to.daysSince1970 { return false }
    return true
  }
}

/// A page of entries, newest first.
public struct ProgressPage: Hashable, Codable, Sendable {
  /// Newest first.
  public var entries: [EntryView]
  /// The number of matches on all pages.
  public var total: Int
  /// As in the query.
  public var limit: Int
  /// As in the query.
  public var offset: Int
  /// For ``ProgressQuery/cursor`` of the next page; `nil` if this is the last page, or empty.
  public var next: ProgressCursor?
  /// Notes by entry, if the query asks for them.
  public var notes: [EntryID: String] = [:]
}

/// A place in the order of entries, to continue after.
public struct ProgressCursor: Hashable, Codable, Sendable {
  let key: EntryKey
}

extension LedgerState {
  /// Live entries that match, newest first.
  ///
  /// - Precondition: the query does not read the log (``ProgressQuery/readsLog``).
  package func progress(_ query: ProgressQuery) -> ProgressPage {
    precondition(!query.readsLog, "the query needs the log")
    return progress(query, nil)
  }

  /// Live entries that match, newest first.
  ///
  /// - Parameter view: read only for what the state does not have (``ProgressQuery/readsLog``).
  /// - Throws: ``LogError`` for lines that cannot be read.
  package func progress(
    _ query: ProgressQuery, in view: LogView
  ) throws(LogError) -> ProgressPage {
    var page = progress(query, nil, try LineMatches(query, in: view))
    if query.includesNotes {
      for entry in page.entries {
        guard let seq = entry.notesIn else { continue }
        page.notes[entry.id] = try view.notes(setBy: seq)
      }
    }
    return page
  }

  /// - Parameters:
  ///   - walk: of all rows, to skip blocks of old ones; only for a query without filters.
  ///   - lines: the lines that match the filters by source and text.
  private func progress(
    _ query: ProgressQuery, _ walk: RowWalk?, _ lines: LineMatches
  ) -> ProgressPage {
    let offset = max(0, query.offset)
    let limit = max(0, query.limit)
    if let opened { return page(query, offset, limit, lines, of: opened) }
    let (wanted, isBeyondCounting) = offset.addingReportingOverflow(limit)
    var newest = NewestKeys(
      keeping: isBeyondCounting ? rows.count : min(wanted, rows.count), after: query.cursor?.key)
    let filtersRows = query.statuses != nil || lines.filters
    // No snapshot, so all rows are the column's own. The newest come first, so that most of those kept
    // first stay.
    let own = OwnRows(self)
    for block in own.blocks.reversed() {
      if let walk, newest.areTooOld(walk.latestDays[block]) { continue }
      for place in own.places(block).reversed() where own.made(place) != .undone {
        guard let live = live(own.rows[place]), query.matches(live),
          !filtersRows || matches(query, lines, row: place)
        else { continue }
        newest.offer(EntryKey(day: live.day, time: live.time, seq: live.seq), row: place)
      }
    }
    let page = newest.sorted().dropFirst(offset).prefix(limit)
    return ProgressPage(
      query, page.map { entry(at: $0) }, total: walk?.entries.live ?? newest.total,
      hasMore: !isBeyondCounting && newest.following > wanted)
  }

  /// Whether a row that matches by metric and day matches the other filters.
  private func matches(_ query: ProgressQuery, _ lines: LineMatches, row: Int) -> Bool {
    let row = rows[row]
    if let statuses = query.statuses, !statuses.contains(status(row)) { return false }
    if let logged = lines.logged, !logged.contains(Int(row.seq)) { return false }
    if let notes = lines.notes, !notes.contains(Int(resolve(row).notesIn)) { return false }
    return true
  }

  func progress(_ query: ProgressQuery, _ walk: RowWalk?) -> ProgressPage {
    progress(query, walk, LineMatches())
  }

  /// The newest live entry that matches, without counting the others.
  package func newest(_ query: ProgressQuery) -> EntryView? {
    var query = query
    (query.limit, query.offset) = (1, 0)
    guard let opened else { return progress(query).entries.first }
    for key in NewestFirst(self, opened, query)
    where query.matches(metricIndex: UInt8(key.metricIndex), day: key.day) {
      if matches(query, LineMatches(), row: Int(key.row)) { return entry(at: Int(key.row)) }
    }
    return nil
  }

  /// The newest live entry that matches and that was logged or pulled before an event.
  func newest(_ query: ProgressQuery, madeBefore seq: Seq) -> EntryView? {
    guard let opened else { return all(query).first { $0.seq < seq } }
    // None of the entries was there: a walk through all would find nothing.
    guard let first = rows.indices.first, rows[first].seq < seq.number else { return nil }
    for key in NewestFirst(self, opened, query)
    where query.matches(metricIndex: UInt8(key.metricIndex), day: key.day) {
      if rows[Int(key.row)].seq < seq.number { return entry(at: Int(key.row)) }
    }
    return nil
  }

  /// The oldest live entry that matches.
  func oldest(_ query: ProgressQuery) -> EntryView? {
    guard let opened else { return all(query).last }
    var oldest: DayKey?
    for key in NewestFirst(self, opened, query)
    where query.matches(metricIndex: UInt8(key.metricIndex), day: key.day) { oldest = key }
    return oldest.map { entry(at: Int($0.row)) }
  }

  private func all(_ query: ProgressQuery) -> [EntryView] {
    var query = query
    (query.limit, query.offset) = (.max, 0)
    return progress(query).entries
  }

  /// A page from the snapshot's order.
  private func page(
    _ query: ProgressQuery, _ offset: Int, _ limit: Int, _ lines: LineMatches,
    of snapshot: OpenedSnapshot
  ) -> ProgressPage {
    let filtersRows = query.statuses != nil || lines.filters
    let countsAll = filtersRows || query.from != nil || query.to != nil
    let known = countsAll ? nil : countLive(query.metric)
    var entries: [EntryView] = []
    var total = 0
    // The total counts entries before the cursor, too, unless it is known.
    let newest = NewestFirst(
      self, snapshot, query, after: known == nil ? nil : query.cursor,
      skipping: countsAll || query.metric != nil || query.cursor != nil ? 0 : offset)
    var following = newest.skipped
    for key in newest where query.matches(metricIndex: UInt8(key.metricIndex), day: key.day) {
      if filtersRows, !matches(query, lines, row: Int(key.row)) { continue }
      total += 1
      if let cursor = query.cursor, !isOlder(key, than: cursor) { continue }
      following += 1
      guard following > offset else { continue }
      if entries.count < limit {
        entries.append(entry(at: Int(key.row)))
      }
      // Later matches are only counted, unless the total is known.
      else if known != nil {
        break
      }
    }
    return ProgressPage(
      query, entries, total: known ?? total, hasMore: following - entries.count > offset)
  }

  /// The rows of the live entries between the query's days by the snapshot's order; `nil` if a walk
  /// over all rows costs less.
  func rowsByDay(_ query: ProgressQuery) -> [Int]? {
    guard let opened, query.from != nil || query.to != nil else { return nil }
    let newest = NewestFirst(self, opened, query)
    guard newest.storedCount <= rows.count / 8 else { return nil }
    return newest.filter { query.matches(metricIndex: UInt8($0.metricIndex), day: $0.day) }
      .map { Int($0.row) }
  }

  /// Reads the row only if day and time do not decide.
  fileprivate func isOlder(_ key: DayKey, than cursor: ProgressCursor) -> Bool {
    let (moment, other) = ((key.day, key.time), (cursor.key.day, cursor.key.time))
    return moment == other ? rows[Int(key.row)].seq < cursor.key.seq : moment < other
  }
}

extension ProgressPage {
  init(_ query: ProgressQuery, _ entries: [EntryView], total: Int, hasMore: Bool) {
    self.init(entries: entries, total: total, limit: query.limit, offset: query.offset)
    if hasMore { next = entries.last.map { ProgressCursor(key: EntryKey($0)) } }
  }
}

extension EntryKey {
  init(_ entry: EntryView) {
    self.init(
      day: entry.date.daysSince1970, time: entry.moment?.time.secondsSinceMidnight ?? 0,
      seq: UInt32(entry.seq.number))
  }
}

/// The order of "newest first": by day, by time (none counts as 00:00:00), by seq.
struct EntryKey: Hashable, Comparable, Codable {
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
  /// Only older keys are kept.
  private let cursor: EntryKey?
  private(set) var total = 0
  /// The number of keys after the cursor.
  private(set) var following = 0
  /// The oldest key worth keeping, once enough are known.
  private var floor: EntryKey?

  init(keeping count: Int, after cursor: EntryKey?) {
    self.count = max(1, count)
    self.cursor = cursor
  }

  /// Whether entries up to this day are older than all that are kept.
  func areTooOld(_ latestDay: Int32) -> Bool { floor.map { latestDay < $0.day } ?? false }

  mutating func offer(_ key: EntryKey, row: Int) {
    total += 1
    if let cursor, key >= cursor { return }
    following += 1
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
struct NewestFirst: Sequence, IteratorProtocol {
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
  /// How many of the newest entries are left out.
  private(set) var skipped = 0

  /// - Parameters:
  ///   - query: limits the days.
  ///   - cursor: only older entries; `nil` for all.
  ///   - count: how many of the newest may be left out, if nothing limits the days.
  init(
    _ state: LedgerState, _ snapshot: OpenedSnapshot, _ query: ProgressQuery,
    after cursor: ProgressCursor? = nil, skipping count: Int = 0
  ) {
    self.snapshot = snapshot
    touched = state.touchedRows()
    let newer = state.rows.countInSnapshot..<state.rows.count
    since = (Array(touched) + Array(newer)).compactMap { state.dayKey(ofRow: $0) }
    since.sort(by: <)
    let first = query.from?.daysSince1970
    end = first.map { day in snapshot.byDay.firstIndex { $0.day < day } } ?? 0
    let last = query.to?.daysSince1970
    left = last.map { day in snapshot.byDay.firstIndex { $0.day <= day } } ?? snapshot.byDay.count
    if let cursor {
      since.removeAll { !state.isOlder($0, than: cursor) }
      left = Swift.min(left, snapshot.byDay.firstIndex { state.isOlder($0, than: cursor) })
    }
    // Fewer are passed faster than what has changed is looked up.
    if count > touched.count { skip(count) }
    step()
  }

  /// Leaves out as many entries as the snapshot's order can tell without being read.
  private mutating func skip(_ count: Int) {
    let changed = touched.compactMap { snapshot.state.dayKey(ofRow: $0) }
    func entries(from index: Int) -> Int {
      let key = snapshot.byDay.element(index)
      return left - index - changed.count { !($0 < key) } + since.count { !($0 < key) }
    }
    let index = (0..<left).partitioningIndex { entries(from: $0) <= count }
    guard index < left else { return }
    let key = snapshot.byDay.element(index)
    skipped = entries(from: index)
    since.removeAll { !($0 < key) }
    left = index
  }

  /// The number of entries of the snapshot that are left, changed ones included.
  var storedCount: Int { left - end }

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
      count = opened.counts.liveByMetric[Int(metric.index)]
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
    return metric == nil || metric.map { UInt32($0.index) } == self.metricIndex
  }
}
