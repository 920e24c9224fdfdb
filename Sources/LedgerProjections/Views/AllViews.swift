import LedgerPlatform

/// Every view, so that the time of a replay includes all of them.
package struct AllViews: Equatable, Sendable {
  package let profile: ProfileView
  package let entries: EntryCounts
  package let newest: ProgressPage
  package let days: [DayGroup]
  package let sync: SyncCounts

  /// - Parameter threads: with two or more, the days, which cost about as much as all other views, are
  ///   summed on another thread; `nil` for the number of cores.
  package init(_ state: LedgerState, threads: Int? = nil) {
    let isWorthIt = state.opened == nil && state.rows.count >= Self.fewestRowsForAThread
    let days =
      isWorthIt && threads ?? Threads.available > 1 ? Threads.begin { state.days() } : nil
    profile = state.profileView()
    sync = state.syncCounts()
    guard state.opened == nil else {
      entries = state.entryCounts()
      newest = state.progress(ProgressQuery())
      self.days = state.days()
      return
    }
    let walk = RowWalk(state, withDays: days == nil)
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

  /// - Parameter state: rows still in its snapshot are skipped.
  init(_ state: LedgerState, withDays: Bool) {
    let own = OwnRows(state)
    var days = withDays ? DayGroups(expecting: own.rows) : nil
    latestDays.reserveCapacity(own.blocks.count)
    for block in own.blocks {
      latestDays.append(walk(own.places(block), of: own, state, &days))
    }
    entries.add(unchanged)
    self.days = days
  }

  /// - Returns: the latest day of a live entry.
  @inline(__always)
  private mutating func walk(
    _ places: Range<Int>, of own: OwnRows, _ state: LedgerState, _ days: inout DayGroups?
  ) -> Int32 {
    var latest = Int32.min
    for place in places {
      let made = own.madePlace(place)
      guard made != Int(EditState.undone.code) else { continue }
      let row = own.rows[place]
      guard let live = state.live(row) else {
        entries.addDeleted(1)
        continue
      }
      if row.lastChange == 0 {
        unchanged.count(at: made)
      } else {
        entries.add(state.status(row), 1)
      }
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
  func madePlace(_ place: Int) -> Int { cells[Int(rows[place].seq) &- firstSeq].statePlace }
}

/// What views need of a live entry.
struct LiveRow {
  var metricIndex: UInt8
  var seq: UInt32
  var quantity: Double
  var day: Int32
  /// Seconds since midnight; none counts as 00:00:00.
  var time: Int32
}

extension LedgerState {
  /// The entry of a row with its changes; `nil` if it is deleted.
  @inline(__always)
  func live(_ row: EntryRow) -> LiveRow? {
    guard row.lastChange != 0 else {
      return LiveRow(
        metricIndex: row.metricIndex, seq: row.seq, quantity: row.quantity, day: row.day,
        time: max(row.time, 0))
    }
    return liveAfterChanges(row)
  }

  @inline(never)
  private func liveAfterChanges(_ row: EntryRow) -> LiveRow? {
    let resolved = resolve(row)
    guard !resolved.isDeleted else { return nil }
    return LiveRow(
      metricIndex: row.metricIndex, seq: row.seq, quantity: resolved.quantity, day: resolved.day,
      time: max(resolved.time, 0))
  }
}
