public import LedgerModel

/// A goal in force, and how far it is. Quantities are in the metric's unit.
public struct GoalView: Hashable, Identifiable, Codable, Sendable {
  /// The metric; it has one goal at a time.
  public var metric: Metric
  /// What is to be reached.
  public var quantity: Double
  /// The day by which it is to be reached; `nil` for a daily goal.
  public var by: CalendarDate?
  /// Whether a daily goal is a limit: at most ``quantity``, not at least.
  public var isAtMost: Bool
  /// The event that set it.
  public var setBy: Seq
  /// From where ``progress`` is measured: the start that the goal was given, else the latest quantity when
  /// it was set, as that entry is now, else that of the first entry since. For a metric that adds up, the
  /// sum of the latest day before. `nil` for a daily goal and without such an entry.
  public var start: Double?
  /// The latest quantity. For a metric that adds up it is the latest day's sum; if the goal is below its
  /// start, that of the latest completed day. For a daily goal it is today's value so far. `nil` without an
  /// entry.
  public var latest: Double?
  /// Whether ``latest`` reaches the goal.
  public var isReached: Bool
  /// The consecutive days on which a daily goal was reached, the last of them today or yesterday; 0 once
  /// today is over a limit.
  public var streakDays: Int

  public var id: Metric { metric }

  /// Whether it is a goal for each day.
  public var isDaily: Bool { by == nil }

  /// How much of the way to the goal is done, 0 to 1: from ``start``, else from 0 for a daily goal and for a
  /// metric that adds up. `nil` without an entry, if the way has no beginning, and beyond a limit.
  public var progress: Double? {
    guard let latest else { return nil }
    if isReached { return 1 }
    if isAtMost { return nil }
    let first = start ?? (isDaily || metric.addsUp ? 0 : nil)
    guard let first, first != quantity else { return nil }
    return min(1, max(0, (latest - first) / (quantity - first)))
  }

  /// The distance from ``latest`` to the goal; 0 if it is reached, `nil` without an entry.
  public var remaining: Double? {
    isReached ? 0 : latest.map { abs(quantity - $0) }
  }

  /// Whether the value of a day reaches a daily goal.
  package func isReached(onDayOf value: Double) -> Bool {
    isAtMost ? value <= quantity : value >= quantity
  }
}

extension GoalSet {
  /// Whether a value reaches the goal. A limit is reached at its quantity or less; a daily goal and one for a
  /// metric of which people want more at its quantity or more; any other when its quantity is reached or
  /// passed, coming from its start.
  fileprivate func isReached(by latest: Double) -> Bool {
    if isAtMost { return latest <= quantity }
    guard !isDaily, metric.isOftenLimited else { return latest >= quantity }
    guard let start else { return metric.addsUp ? latest >= quantity : latest == quantity }
    if start == quantity { return latest == quantity }
    return start > quantity ? latest <= quantity : latest >= quantity
  }
}

extension LedgerState {
  /// The events that set the goals in force.
  package var goalSeqs: [Seq] { goalTable.current.map(\.seq) }

  /// The goals in force, in the order of the metrics.
  ///
  /// - Parameter today: the local day.
  package func goals(today: CalendarDate) -> [GoalView] {
    goalTable.current.map { seq, goal in
      var goal = goal
      goal.start = goal.isDaily ? nil : start(of: goal, setBy: seq)
      let latest = latest(goal, today: today)
      return GoalView(
        metric: goal.metric, quantity: goal.quantity, by: goal.by, isAtMost: goal.isAtMost,
        setBy: seq, start: goal.start, latest: latest,
        isReached: latest.map(goal.isReached) ?? false,
        streakDays: goal.isDaily ? streak(of: goal, today: today) : 0)
    }
  }

  private func latest(_ goal: GoalSet, today: CalendarDate) -> Double? {
    let metric = goal.metric
    if goal.isDaily { return dayValues(of: metric, from: today, to: today)[today] }
    // The sum of a day that is not over is below any limit.
    let isToFall = metric.addsUp && metric.isOftenLimited && (goal.start ?? 0) > goal.quantity
    return latestQuantity(of: metric, upTo: isToFall ? today.adding(days: -1) : today)
  }

  /// From where the way to a goal with a day is measured.
  private func start(of goal: GoalSet, setBy seq: Seq) -> Double? {
    let metric = goal.metric
    guard let day = goal.since else {
      // An event of an earlier version, whose start is a copy of an entry.
      if metric.addsUp { return goal.start }
      let query = ProgressQuery(metric: metric)
      return newest(query, madeBefore: seq)?.quantity ?? goal.start ?? oldest(query)?.quantity
    }
    if let given = goal.start { return given }
    let before = day > .first ? day.adding(days: -1) : day
    if metric.addsUp { return latestQuantity(of: metric, upTo: before) }
    let entry =
      newest(ProgressQuery(metric: metric, to: day), madeBefore: seq)
      // The past may be logged or imported later.
      ?? newest(ProgressQuery(metric: metric, to: before))
      ?? oldest(ProgressQuery(metric: metric, from: day))
    return entry?.quantity
  }

  /// The latest quantity of a metric; of one that adds up, the latest day's sum.
  private func latestQuantity(of metric: Metric, upTo day: CalendarDate) -> Double? {
    let entry = newest(ProgressQuery(metric: metric, to: day))?.date
    let night = metric == .sleepHours ? sleep(to: day, limit: 1).sessions.first?.date : nil
    guard let last = [entry, night].compactMap(\.self).max() else { return nil }
    return dayValues(of: metric, from: last, to: last)[last]
  }

  private func streak(of goal: GoalSet, today: CalendarDate) -> Int {
    var (count, date, span) = (0, today, 14)
    while true {
      let first = date.adding(days: -span)
      let values = dayValues(of: goal.metric, from: first, to: date)
      while date >= first {
        let isReached = values[date].map(goal.isReached)
        if isReached == true {
          count += 1
        } else if date != today || goal.isAtMost && isReached == false {
          // Today may still reach a goal, but not come back below a limit.
          return count
        }
        guard date > .first else { return count }
        date = date.adding(days: -1)
      }
      span = min(span * 2, 366)
    }
  }

  private func dayValues(
    of metric: Metric, from: CalendarDate, to: CalendarDate
  ) -> [CalendarDate: Double] {
    let days = days(metric: metric, from: from, to: to)
    return Dictionary(days.map { ($0.date, metric.addsUp ? $0.sum : $0.last) }) { $1 }
  }
}
