public import LedgerModel

/// The entries of one metric on one day, aggregated. Quantities are in the metric's own unit.
public struct DayGroup: Hashable, Identifiable, Codable, Sendable {
  public struct ID: Hashable, Codable, Sendable {
    /// The day.
    public var date: CalendarDate
    /// The metric.
    public var metric: Metric
  }

  public var id: ID { ID(date: date, metric: metric) }
  /// The local day.
  public var date: CalendarDate
  /// The metric of its entries.
  public var metric: Metric
  /// The number of entries.
  public var count: Int
  /// The sum of the quantities, in the metric's unit.
  public var sum: Double
  /// The smallest quantity, in the metric's unit.
  public var min: Double
  /// The largest quantity, in the metric's unit.
  public var max: Double
  /// The mean quantity, in the metric's unit.
  public var mean: Double { sum / Double(count) }
  /// The latest quantity by time (none counts as 00:00:00), then by seq.
  public var last: Double
}

/// A period of the calendar.
public enum CalendarPeriod: String, CaseIterable, Codable, Sendable {
  /// From Monday to Sunday.
  case week
  /// From the first to the last day of a month.
  case month
  /// From 1 January to 31 December.
  case year

  /// The first and the last day of the period that a day is in.
  public func days(around date: CalendarDate) -> ClosedRange<CalendarDate> {
    let (year, month, day) = date.components
    switch self {
    case .week:
      let monday = date.adding(days: 1 - date.weekday)
      return monday...monday.adding(days: 6)
    case .month:
      let first = date.adding(days: 1 - day)
      return first...first.adding(days: CalendarDate.daysIn(month: month, of: year) - 1)
    case .year:
      return
        (CalendarDate(year: year, month: 1, day: 1) ?? .first)...(CalendarDate(
          year: year, month: 12, day: 31) ?? .last)
    }
  }
}

/// The days of one metric in a period, aggregated. Quantities are in the metric's own unit.
public struct PeriodGroup: Hashable, Identifiable, Codable, Sendable {
  /// The period's days.
  public var days: ClosedRange<CalendarDate>
  /// The number of its days with entries.
  public var loggedDays: Int
  /// All entries of the period; its date is the period's first day.
  public var total: DayGroup
  /// ``typical`` of the period before; `nil` if that has no entries.
  public var before: Double?

  public var id: DayGroup.ID { total.id }
  /// The value by which periods are compared, incomplete ones too: the mean over the days with entries of
  /// the day's sum for a metric that adds up, else of the day's mean.
  public var typical: Double
  /// The smallest and the largest of what the days came to: of their sums for a metric that adds up, else
  /// of all quantities.
  public var extremes: ClosedRange<Double>
}

extension CalendarPeriod {
  /// The days of the whole periods that a range begins and ends in.
  package func whole(
    _ first: CalendarDate?, _ last: CalendarDate?
  ) -> (from: CalendarDate?, to: CalendarDate?) {
    (first.map { days(around: $0).lowerBound }, last.map { days(around: $0).upperBound })
  }
}

extension PeriodGroup {
  /// Sums up days by period, oldest period first, metrics in their order.
  ///
  /// - Parameter days: oldest first.
  public static func groups(of days: [DayGroup], by period: CalendarPeriod) -> [PeriodGroup] {
    var groups: [PeriodGroup] = []
    var sums: [Double] = []
    var places: [Metric: Int] = [:]
    for day in days {
      let known = places[day.metric]
      let value = day.metric.addsUp ? day.sum : day.mean
      if let known, groups[known].days.contains(day.date) {
        groups[known].loggedDays += 1
        groups[known].total.add(day)
        let (before, own) = (groups[known].extremes, day.extremes)
        groups[known].extremes =
          min(before.lowerBound, own.lowerBound)...max(before.upperBound, own.upperBound)
        sums[known] += value
        groups[known].typical = sums[known] / Double(groups[known].loggedDays)
        continue
      }
      var group = PeriodGroup(
        days: period.days(around: day.date), loggedDays: 1, total: day, typical: value,
        extremes: day.extremes)
      group.total.date = group.days.lowerBound
      if let known, groups[known].days.upperBound.adding(days: 1) == group.days.lowerBound {
        group.before = groups[known].typical
      }
      places[day.metric] = groups.count
      groups.append(group)
      sums.append(value)
    }
    return groups.sorted {
      ($0.total.date, $0.total.metric.index) < ($1.total.date, $1.total.metric.index)
    }
  }
}

extension DayGroup {
  fileprivate var extremes: ClosedRange<Double> { metric.addsUp ? sum...sum : min...max }

  /// Adds a later day of the same metric.
  fileprivate mutating func add(_ later: DayGroup) {
    count += later.count
    sum += later.sum
    min = Swift.min(min, later.min)
    max = Swift.max(max, later.max)
    last = later.last
  }
}

extension LedgerState {
  /// Live entries by day and metric, oldest day first, metrics in their order.
  package func days(
    metric: Metric? = nil, from: CalendarDate? = nil, to: CalendarDate? = nil
  ) -> [DayGroup] {
    let query = ProgressQuery(metric: metric, from: from, to: to)
    var groups = DayGroups()
    if let rows = rowsByDay(query) {
      // In the order of seq, in which every fold adds: the sums are equal to the last bit.
      for row in rows.sorted() {
        if let live = live(self.rows[row]), query.matches(live) { groups.add(live) }
      }
      return withSleep(groups.all, query)
    }
    let walked = withEntriesInMemory()
    let own = OwnRows(walked)
    for block in own.blocks {
      own.forEachMade(in: own.places(block), of: walked) { _, _, live in
        if let live, query.matches(live) { groups.add(live) }
      }
    }
    return withSleep(groups.all, query)
  }

  /// Replaces the figures of `sleep_hours` on days with sessions. The same night may be on record as
  /// both, so a day with sessions counts only these.
  func withSleep(_ groups: [DayGroup], _ query: ProgressQuery = ProgressQuery()) -> [DayGroup] {
    guard !sleep.isEmpty, query.metric == nil || query.metric == .sleepHours else { return groups }
    let nights = Dictionary(
      grouping: sleep(from: query.from, to: query.to).sessions, by: \.date)
    guard !nights.isEmpty else { return groups }
    let others = groups.filter { $0.metric != .sleepHours || nights[$0.date] == nil }
    let added = nights.map { date, sessions in DayGroup(date, sessions) }
    return (others + added).sorted {
      ($0.date, $0.metric.index) < ($1.date, $1.metric.index)
    }
  }
}

extension LedgerState {
  /// The durations of the sleep that ``days(metric:from:to:)`` counts, on days with sessions.
  package func sleepDurations(to: CalendarDate? = nil) -> [CalendarDate: SleepDurations] {
    guard !sleep.isEmpty else { return [:] }
    return Dictionary(grouping: sleep(to: to).sessions, by: \.date).mapValues { sessions in
      sessions.counted.reduce(into: SleepDurations(timeInBed: 0, totalSleep: 0)) { sum, session in
        sum.add(session.durations)
      }
    }
  }
}

extension [SleepView] {
  /// Of sessions that overlap, as two devices record them, the one with the most sleep counts. In the
  /// order of their ends.
  fileprivate var counted: [SleepView] {
    var counted: [SleepView] = []
    for session in sorted(by: { $0.durations.totalSleep > $1.durations.totalSleep })
    where !counted.contains(where: { $0.overlaps(session) }) {
      counted.append(session)
    }
    return counted.sorted { $0.end.secondsSince1970 < $1.end.secondsSince1970 }
  }
}

extension SleepDurations {
  fileprivate mutating func add(_ other: SleepDurations) {
    timeInBed += other.timeInBed
    totalSleep += other.totalSleep
    awake += other.awake
    rem += other.rem
    core += other.core
    deep += other.deep
  }
}

extension DayGroup {
  /// The hours of sleep of a day.
  fileprivate init(_ date: CalendarDate, _ sessions: [SleepView]) {
    let hours = sessions.counted.map { Double($0.durations.totalSleep) / 3600 }
    self.init(
      date: date, metric: .sleepHours, count: hours.count, sum: hours.reduce(0, +),
      min: hours.min() ?? 0, max: hours.max() ?? 0, last: hours.last ?? 0)
  }
}

extension SleepView {
  fileprivate func overlaps(_ other: SleepView) -> Bool {
    start.secondsSince1970 < other.end.secondsSince1970
      && other.start.secondsSince1970 < end.secondsSince1970
  }
}

/// Sums by metric and day: a dense grid for a lifetime, a dictionary for outliers such as the years 1
/// and 9999.
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
      // Branchless: whether an entry is later than the previous ones is unpredictable.
      let isEarlier = UInt64(bitPattern: (Int64(time) &- Int64(lastTime)) &>> 63)
      lastTime = Swift.max(lastTime, time)
      lastBits = lastBits & isEarlier | quantity.bitPattern & ~isEarlier
    }
  }

  /// About 164 years.
  private static let longestGridDays = 60_000
  /// How much further than needed a grid grows, since entries usually follow day by day.
  private static let spareDays = 1_000
  /// How far a grid extends beyond the days of the first and last expected rows.
  private static let fewSpareDays = 32
  private let metrics = Metric.allCases.count
  private var firstDay = 0
  private var grid: [Sums] = []
  /// Cells outside the grid.
  private var sparse: [Int: Sums] = [:]

  /// - Parameter rows: most of those that will be added. They are roughly in the order of their days, so
  ///   a grid from the first day to the last rarely has to grow.
  init(expecting rows: [EntryRow] = []) {
    guard let first = rows.first?.day, let last = rows.last?.day, first <= last else { return }
    let days = Int(last - first) + 2 * Self.fewSpareDays
    guard days <= Self.longestGridDays else { return }
    firstDay = Int(first) - Self.fewSpareDays
    grid = [Sums](repeating: Sums(), count: days * metrics)
  }

  /// Must be called in the order of seq.
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

  /// - Returns: `false` if the grid would become too long. It then never grows again, so that each sum
  ///   has one location.
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
    // Floored, for days before 1970.
    let metric = (cell % metrics + metrics) % metrics
    guard let date = CalendarDate(daysSince1970: (cell - metric) / metrics),
      let metric = Metric(index: UInt8(metric))
    else { return }
    groups.append(
      DayGroup(
        date: date, metric: metric, count: sums.count, sum: sums.sum, min: sums.min, max: sums.max,
        last: sums.last))
  }
}
