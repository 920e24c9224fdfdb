import LedgerPlatform

/// Every view, so that the time of a replay includes all of them.
package struct AllViews: Equatable, Sendable {
  package let profile: ProfileView
  package let entries: EntryCounts
  package let newest: ProgressPage
  package let days: [DayGroup]
  package let sync: SyncCounts
  /// The live entries by row, to compare a snapshot's order with; `nil` unless asked for.
  let dayKeys: [DayKey]?

  /// - Parameters:
  ///   - threads: with two or more, the days, which cost about as much as all other views, are summed on
  ///     another thread; `nil` for the number of cores.
  ///   - isCompared: whether a snapshot will be compared with them.
  package init(_ state: LedgerState, threads: Int? = nil, isCompared: Bool = false) {
    let isWorthIt = state.opened == nil && state.rows.count >= Self.fewestRowsForAThread
    let days =
      isWorthIt && threads ?? Threads.available > 1 ? Threads.begin { state.days() } : nil
    profile = state.profileView()
    sync = state.syncCounts()
    guard state.opened == nil else {
      entries = state.entryCounts()
      newest = state.progress(ProgressQuery())
      self.days = state.days()
      dayKeys = nil
      return
    }
    let walk = RowWalk(state, withDays: days == nil, withKeys: isCompared)
    dayKeys = walk.dayKeys
    entries = walk.entries
    newest = state.progress(ProgressQuery(), walk)
    self.days = days.map { $0.wait() } ?? state.withSleep(walk.days?.all ?? [])
  }

  /// Summing their days takes ten times as long as starting a thread.
  private static let fewestRowsForAThread = 20_000
}

/// What several views need of every row, in one pass: a million rows exceed the caches, so a pass for
/// each view would load them again.
struct RowWalk {
  private(set) var entries = EntryCounts()
  /// Live entries without changes, by the state of their logging.
  private var unchanged = StateCounts()
  /// The latest day of a live entry in each block of rows.
  private(set) var latestDays: [Int32] = []
  /// The sums by day; `nil` if another thread computes them.
  private(set) var days: DayGroups?
  /// The key of each row, ``DayKey/beforeAll`` for one that is not a live entry; `nil` unless asked for.
  private(set) var dayKeys: [DayKey]?

  /// - Parameter state: rows still in its snapshot are skipped.
  init(_ state: LedgerState, withDays: Bool, withKeys: Bool = false) {
    let own = OwnRows(state)
    var days = withDays ? DayGroups(expecting: own.rows) : nil
    latestDays.reserveCapacity(own.blocks.count)
    var keys: [DayKey] = []
    if withKeys { keys.reserveLarge(own.rows.count) }
    for block in own.blocks {
      let places = own.places(block)
      if withKeys { keys.append(contentsOf: repeatElement(.beforeAll, count: places.count)) }
      latestDays.append(walk(places, of: own, state, &days, &keys))
    }
    entries.add(unchanged)
    (self.days, dayKeys) = (days, withKeys ? keys : nil)
  }

  /// - Returns: the latest day of a live entry.
  @inline(__always)
  private mutating func walk(
    _ places: Range<Int>, of own: OwnRows, _ state: LedgerState, _ days: inout DayGroups?,
    _ keys: inout [DayKey]
  ) -> Int32 {
    var latest = Int32.min
    own.forEachMade(in: places, of: state) { place, made, live in
      guard let live else { return entries.addDeleted(1) }
      if own.rows[place].lastChange == 0 {
        unchanged.count(at: made)
      } else {
        entries.add(state.status(own.rows[place]), 1)
      }
      if !keys.isEmpty { keys[place] = DayKey(live, row: place) }
      latest = max(latest, live.day)
      days?.add(live)
    }
    return latest
  }
}

/// The rows after the snapshot and the edits that logged them, as two plain arrays: reading a million
/// rows through columns costs three times as much.
struct OwnRows {
  let rows: [EntryRow]
  private let cells: [EditCell]
  /// The seq of the first cell.
  private let firstSeq: Int

  init(_ state: LedgerState) {
    rows = state.rows.own
    cells = state.edits.cells.own
    firstSeq = state.edits.cells.countInSnapshot
  }

  private static let rowsPerBlock = 2048

  /// The rows in blocks that fit a cache.
  var blocks: Range<Int> { 0..<(rows.count + Self.rowsPerBlock - 1) / Self.rowsPerBlock }

  func places(_ block: Int) -> Range<Int> {
    block * Self.rowsPerBlock..<min(rows.count, (block + 1) * Self.rowsPerBlock)
  }

  /// The state of the edit that logged a row. Rows after the snapshot were logged after it.
  @inline(__always)
  func made(_ place: Int) -> EditState { cells[Int(rows[place].seq) &- firstSeq].state }

  /// The same as a place in ``StateCounts``.
  @inline(__always)
  private func madePlace(_ place: Int) -> Int { cells[Int(rows[place].seq) &- firstSeq].statePlace }

  /// Calls `body` for each entry that exists, in the order of seq.
  ///
  /// - Parameter body: receives the row's place, the state of its logging as a place in ``StateCounts``,
  ///   and the entry, `nil` if it is deleted.
  @inline(__always)
  func forEachMade(
    in places: Range<Int>, of state: LedgerState,
    _ body: (_ place: Int, _ made: Int, _ live: LiveRow?) -> Void
  ) {
    var changes = NewestChanges(of: rows[places], in: state)
    for place in places {
      let row = rows[place]
      let live = changes.live(row, in: state)
      let made = madePlace(place)
      if made != Int(EditState.undone.code) { body(place, made, live) }
    }
  }
}

/// The newest changes of rows, read ahead. A change and the state of its edit are two reads far apart in
/// memory, the second after the first; read for many rows at once, their cache misses overlap.
struct NewestChanges {
  private var changes: [EntryChange] = []
  private let areUndone: [Bool]
  private var next = 0

  init(of rows: some Sequence<EntryRow>, in state: LedgerState) {
    for row in rows where row.lastChange != 0 {
      changes.append(state.changes[Int(row.lastChange) - 1])
    }
    areUndone = changes.map { state.edits.state(Int($0.seq)) == .undone }
  }

  /// The entry of a row with its changes; `nil` if it is deleted. Must be called for each row, in order.
  @inline(__always)
  mutating func live(_ row: EntryRow, in state: LedgerState) -> LiveRow? {
    guard row.lastChange != 0 else { return LiveRow(row) }
    defer { next += 1 }
    return state.live(row, after: changes[next], isUndone: areUndone[next])
  }
}

/// What views need of a live entry.
struct LiveRow {
  var metricIndex: UInt8
  var seq: UInt32
  var quantity: Double
  var day: Int32
  /// Seconds since midnight; none counts as 00:00:00.
  var time: Int32

  /// As it was logged.
  @inline(__always)
  init(_ row: EntryRow) {
    (metricIndex, seq, quantity, day) = (row.metricIndex, row.seq, row.quantity, row.day)
    time = max(row.time, 0)
  }

  /// `nil` if it is deleted.
  init?(_ row: EntryRow, _ resolved: ResolvedRow) {
    guard !resolved.isDeleted else { return nil }
    (metricIndex, seq, quantity) = (row.metricIndex, row.seq, resolved.quantity)
    (day, time) = (resolved.day, max(resolved.time, 0))
  }
}

extension LedgerState {
  /// The entry of a row with its changes; `nil` if it is deleted.
  @inline(__always)
  func live(_ row: EntryRow) -> LiveRow? {
    row.lastChange == 0 ? LiveRow(row) : liveAfterChanges(row)
  }

  @inline(never)
  private func liveAfterChanges(_ row: EntryRow) -> LiveRow? { LiveRow(row, resolve(row)) }

  /// The same for a row whose newest change is known.
  @inline(never)
  fileprivate func live(
    _ row: EntryRow, after newest: EntryChange, isUndone: Bool
  ) -> LiveRow? {
    guard newest.previous == 0 else { return liveAfterChanges(row) }
    return LiveRow(row, ResolvedRow(row, onlyChange: isUndone ? nil : newest))
  }
}
