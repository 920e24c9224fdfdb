import LedgerModel

/// Live entries from the newest to the oldest without looking at all of them: the order in the
/// snapshot without what has changed since, merged with the order of that.
struct NewestFirst: Sequence, IteratorProtocol {
  private let snapshot: OpenedSnapshot
  private let touched: Set<Int>
  /// What has come or changed since, oldest first.
  private var since: [DayKey]
  /// How many in the snapshot's order may still come.
  private var left: Int
  /// Where that order becomes too old.
  private let end: Int
  /// The next of these, looked up already.
  private var ahead: DayKey?

  /// - Parameter query: no others than those of its days need come.
  /// - Returns: `nil` for a state that is whole.
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
  /// Live entries of one metric or of all; `nil` for a state that is whole.
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
