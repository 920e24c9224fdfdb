public import LedgerModel

/// What one metric came to on one day.
public struct DayGroup: Hashable, Sendable {
  public var date: CalendarDate
  public var metric: Metric
  public var count: Int
  public var sum: Double
  public var min: Double
  public var max: Double
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
    for index in 0..<rows.countInSnapshot { add(rows[index], to: &groups, query) }
    for row in rows.own { add(row, to: &groups, query) }
    return groups.all
  }

  @inline(__always)
  private func add(_ row: EntryRow, to groups: inout DayGroups, _ query: ProgressQuery) {
    guard isMade(row) else { return }
    let resolved = resolve(row)
    guard !resolved.isDeleted, query.matches(metricIndex: row.metricIndex, day: resolved.day)
    else { return }
    groups.add(
      resolved.quantity, metricIndex: row.metricIndex, day: resolved.day,
      time: Swift.max(resolved.time, 0))
  }

  /// The days that entries can lie on, changes included.
  private func daySpan() -> ClosedRange<Int32>? {
    var first = Int32.max
    var last = Int32.min
    for row in rows {
      first = Swift.min(first, row.day)
      last = Swift.max(last, row.day)
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
  private static let metrics = Metric.allCases.count
  private let firstDay: Int
  private var grid: [Sums]
  private var sparse: [Int: Sums] = [:]

  init(span: ClosedRange<Int32>?) {
    firstDay = Int(span?.lowerBound ?? 0)
    let days = span.map { Int($0.upperBound) - Int($0.lowerBound) + 1 } ?? 0
    let cells = days <= Self.longestGridDays ? days * Self.metrics : 0
    grid = [Sums](repeating: Sums(), count: cells)
  }

  /// Called in the order of seq.
  @inline(__always)
  mutating func add(_ quantity: Double, metricIndex: UInt8, day: Int32, time: Int32) {
    let cell = (Int(day) - firstDay) * Self.metrics + Int(metricIndex)
    if grid.isEmpty {
      sparse[cell, default: Sums()].add(quantity, time: time)
    } else {
      grid[cell].add(quantity, time: time)
    }
  }

  var all: [DayGroup] {
    let used =
      grid.isEmpty
      ? sparse.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      : grid.indices.lazy.filter { grid[$0].count > 0 }.map { ($0, grid[$0]) }
    return used.compactMap { cell, sums in
      guard let date = CalendarDate(daysSince1970: firstDay + cell / Self.metrics),
        let metric = Metric(rawValue: UInt8(cell % Self.metrics))
      else { return nil }
      return DayGroup(
        date: date, metric: metric, count: sums.count, sum: sums.sum, min: sums.min, max: sums.max,
        last: sums.last)
    }
  }
}
