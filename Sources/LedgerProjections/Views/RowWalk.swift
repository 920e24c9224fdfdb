/// What several views want of every row, in one walk: a million rows fit no cache, so a walk for each
/// view would fetch them as often.
struct RowWalk {
  private(set) var entries = EntryCounts()
  /// The latest day of a live entry in each block of rows.
  private(set) var latestDays: [Int32] = []
  /// The sums by day; `nil` where somebody else adds them up.
  private(set) var days: DayGroups?

  /// - Parameter state: one that is whole, or the rows of its snapshot are left out.
  init(_ state: LedgerState, withDays: Bool) {
    let own = OwnRows(state)
    var days = withDays ? DayGroups() : nil
    latestDays.reserveCapacity(own.blocks.count)
    for block in own.blocks {
      latestDays.append(walk(own.places(block), of: own, state, &days))
    }
    self.days = days
  }

  /// - Returns: the latest day of a live entry.
  @inline(__always)
  private mutating func walk(
    _ places: Range<Int>, of own: OwnRows, _ state: LedgerState, _ days: inout DayGroups?
  ) -> Int32 {
    var latest = Int32.min
    for place in places {
      let made = own.made(place)
      guard made != .undone else { continue }
      let row = own.rows[place]
      let hasChanged = row.lastChange != 0
      guard let live = state.live(row) else {
        entries.addDeleted(1)
        continue
      }
      entries.add(hasChanged ? state.status(row) : EntryStatus(of: made), 1)
      latest = max(latest, live.day)
      days?.add(live)
    }
    return latest
  }
}
