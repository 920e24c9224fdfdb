public import LedgerModel

/// What one metric came to on one day.
public struct DayGroup: Hashable, Sendable {
  /// The day.
  public var date: CalendarDate
  /// What was measured.
  public var metric: Metric
  /// How many entries.
  public var count: Int
  /// In the metric's own unit, as are the other numbers.
  public var sum: Double
  /// The least quantity.
  public var min: Double
  /// The greatest quantity.
  public var max: Double
  /// The sum by the count.
  public var mean: Double { sum / Double(count) }
  /// The latest by time (none counts as 00:00:00), then by seq.
  public var last: Double
}

extension LedgerState {
  /// Live entries gathered by day and metric, oldest day first, metrics in their order.
  public func days(
    metric: Metric? = nil, from: CalendarDate? = nil, to: CalendarDate? = nil
  ) -> [DayGroup] {
    let query = ProgressQuery(metric: metric, from: from, to: to)
    var groups = DayGroups(span: daySpan())
    for index in 0..<rows.countInSnapshot where isMade(rows[index]) {
      guard let live = live(rows[index]), query.matches(live) else { continue }
      groups.add(live)
    }
    let own = OwnRows(self)
    for place in own.rows.indices where own.made(place) != .undone {
      guard let live = live(own.rows[place]), query.matches(live) else { continue }
      groups.add(live)
    }
    return groups.all
  }

  /// The days that entries can lie on, changes included.
  private func daySpan() -> ClosedRange<Int32>? {
    var first = Int32.max
    var last = Int32.min
    for index in 0..<rows.countInSnapshot {
      let day = rows[index].day
      (first, last) = (Swift.min(first, day), Swift.max(last, day))
    }
    let own = rows.own
    for place in own.indices {
      let day = own[place].day
      (first, last) = (Swift.min(first, day), Swift.max(last, day))
    }
    for change in changes where change.day != .min {
      first = Swift.min(first, change.day)
      last = Swift.max(last, change.day)
    }
    return first <= last ? first...last : nil
  }
}

/// Sums by metric and day: a plain grid for the years a life has, a dictionary should somebody have
/// logged in the years 1 and 9999.
private struct DayGroups {
  private struct Sums {
    var count = 0
    var sum = 0.0
    var min = Double.infinity
    var max = -Double.infinity
    var last = 0.0
    var lastTime: Int32 = -1

    @inline(__always)
    mutating func add(_ quantity: Double, time: Int32) {
      count += 1
      sum += quantity
      min = Swift.min(min, quantity)
      max = Swift.max(max, quantity)
      if time >= lastTime {
        lastTime = time
        last = quantity
      }
    }
  }

  private static let longestGridDays = 60_000
  private let metrics = Metric.allCases.count
  private let firstDay: Int
  private let isGrid: Bool
  private var grid: [Sums]
  private var sparse: [Int: Sums] = [:]

  init(span: ClosedRange<Int32>?) {
    firstDay = Int(span?.lowerBound ?? 0)
    let days = span.map { Int($0.upperBound) - Int($0.lowerBound) + 1 } ?? 0
    let cells = days <= Self.longestGridDays ? days * metrics : 0
    isGrid = cells > 0
    grid = [Sums](repeating: Sums(), count: cells)
  }

  /// Called in the order of seq.
  @inline(__always)
  mutating func add(_ row: LiveRow) {
    let cell = (Int(row.day) &- firstDay) &* metrics &+ Int(row.metricIndex)
    if isGrid {
      grid[cell].add(row.quantity, time: row.time)
    } else {
      sparse[cell, default: Sums()].add(row.quantity, time: row.time)
    }
  }

  var all: [DayGroup] {
    let used =
      grid.isEmpty
      ? sparse.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      : grid.indices.lazy.filter { grid[$0].count > 0 }.map { ($0, grid[$0]) }
    return used.compactMap { cell, sums in
      guard let date = CalendarDate(daysSince1970: firstDay + cell / metrics),
        let metric = Metric(rawValue: UInt8(cell % metrics))
      else { return nil }
      return DayGroup(
        date: date, metric: metric, count: sums.count, sum: sums.sum, min: sums.min, max: sums.max,
        last: sums.last)
    }
  }
}
