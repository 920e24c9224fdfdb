/// What several views want of every row, in one walk: a million rows fit no cache, so a walk for each
/// view would fetch them as often.
struct RowWalk {
  private(set) var entries = EntryCounts()
  /// Live entries that are as they were logged, by how far that edit has come.
  private var unchanged = StateCounts()
  /// The latest day of a live entry in each block of rows.
  private(set) var latestDays: [Int32] = []
  /// The sums by day; `nil` where somebody else adds them up.
  private(set) var days: DayGroups?

  /// - Parameter state: one that is whole, or the rows of its snapshot are left out.
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
      guard made != Int(EditState.undone.rawValue) else { continue }
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
