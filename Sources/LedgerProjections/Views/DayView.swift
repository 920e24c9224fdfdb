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
    var groups = DayGroups()
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
}

/// Sums by metric and day: a plain grid for the years a life has, a dictionary should somebody have
/// logged in the years 1 and 9999.
struct DayGroups {
  private struct Sums {
    var count = 0
    var sum = 0.0
    var min = Double.infinity
    var max = -Double.infinity
    private var lastBits: UInt64 = 0
    private var lastTime: Int32 = -1

    var last: Double { Double(bitPattern: lastBits) }

    @inline(__always)
    mutating func add(_ quantity: Double, time: Int32) {
      count += 1
      sum += quantity
      min = Swift.min(min, quantity)
      max = Swift.max(max, quantity)
      // Without a branch: whether an entry is of a later time than those before nobody can guess.
      let isEarlier = UInt64(bitPattern: (Int64(time) &- Int64(lastTime)) &>> 63)
      lastTime = Swift.max(lastTime, time)
      lastBits = lastBits & isEarlier | quantity.bitPattern & ~isEarlier
    }
  }

  /// A hundred and sixty years.
  private static let longestGridDays = 60_000
  /// How much further than asked for a grid grows: entries come day after day.
  private static let spareDays = 1_000
  /// How much further than the first and the last row's days a grid goes that expects them.
  private static let fewSpareDays = 32
  private let metrics = Metric.allCases.count
  private var firstDay = 0
  private var grid: [Sums] = []
  /// What lies too far from everything else.
  private var sparse: [Int: Sums] = [:]

  /// - Parameter rows: those that will be added, or most of them: they stand about in the order of
  ///   their days, so that a grid from the first one's to the last one's seldom needs to grow.
  init(expecting rows: [EntryRow] = []) {
    guard let first = rows.first?.day, let last = rows.last?.day, first <= last else { return }
    let days = Int(last - first) + 2 * Self.fewSpareDays
    guard days <= Self.longestGridDays else { return }
    firstDay = Int(first) - Self.fewSpareDays
    grid = [Sums](repeating: Sums(), count: days * metrics)
  }

  /// Called in the order of seq.
  @inline(__always)
  mutating func add(_ row: LiveRow) {
    let cell = (Int(row.day) &- firstDay) &* metrics &+ Int(row.metricIndex)
    if cell >= 0, cell < grid.count {
      grid[cell].add(row.quantity, time: row.time)
    } else {
      addBeyond(row)
    }
  }

  @inline(never)
  private mutating func addBeyond(_ row: LiveRow) {
    let day = Int(row.day)
    if sparse.isEmpty, grow(to: day) {
      grid[(day - firstDay) * metrics + Int(row.metricIndex)].add(row.quantity, time: row.time)
    } else {
      sparse[day * metrics + Int(row.metricIndex), default: Sums()]
        .add(row.quantity, time: row.time)
    }
  }

  /// - Returns: false where the grid would become too long. From then on it stays as it is, so that a
  ///   sum is in one place only.
  private mutating func grow(to day: Int) -> Bool {
    let end = firstDay + grid.count / metrics
    let (first, last) =
      grid.isEmpty
      ? (day, day + Self.spareDays)
      : day < firstDay ? (day - Self.spareDays, end) : (firstDay, day + Self.spareDays)
    guard last - first <= Self.longestGridDays else { return false }
    var larger = [Sums](repeating: Sums(), count: (last - first) * metrics)
    let shift = grid.isEmpty ? 0 : (firstDay - first) * metrics
    for cell in grid.indices { larger[cell + shift] = grid[cell] }
    (firstDay, grid) = (first, larger)
    return true
  }

  /// Oldest day first, metrics in their order.
  var all: [DayGroup] {
    let far = sparse.map { (cell: $0.key, sums: $0.value) }.sorted { $0.cell < $1.cell }
    var groups: [DayGroup] = []
    groups.reserveCapacity(grid.count { $0.count > 0 } + far.count)
    let firstCell = firstDay * metrics
    let before = far.prefix { $0.cell < firstCell }
    for (cell, sums) in before { append(cell, sums, to: &groups) }
    for cell in grid.indices where grid[cell].count > 0 {
      append(firstCell + cell, grid[cell], to: &groups)
    }
    for (cell, sums) in far[before.endIndex...] { append(cell, sums, to: &groups) }
    return groups
  }

  @inline(__always)
  private func append(_ cell: Int, _ sums: Sums, to groups: inout [DayGroup]) {
    // Rounded down, for the days before 1970.
    let metric = (cell % metrics + metrics) % metrics
    guard let date = CalendarDate(daysSince1970: (cell - metric) / metrics),
      let metric = Metric(rawValue: UInt8(metric))
    else { return }
    groups.append(
      DayGroup(
        date: date, metric: metric, count: sums.count, sum: sums.sum, min: sums.min, max: sums.max,
        last: sums.last))
  }
}
