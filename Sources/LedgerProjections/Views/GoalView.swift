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
  /// The latest quantity when it was set, else that of the first day on record, from which ``progress`` is
  /// measured; `nil` for a daily goal and without an entry.
  public var start: Double?
  /// The latest quantity, for a metric that adds up the latest day's sum. Of a daily goal, what today
  /// came to so far. `nil` without an entry.
  public var latest: Double?
  /// Whether ``latest`` reaches the goal.
  public var isReached: Bool
  /// The consecutive days on which a daily goal was reached, the last of them today or yesterday.
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
  /// A daily goal is reached by at least its quantity, or at most; another from the side on which it was
  /// set.
  fileprivate func isReached(by latest: Double) -> Bool {
    if isAtMost { return latest <= quantity }
    guard !isDaily, let start else {
      return isDaily || metric.addsUp ? latest >= quantity : latest == quantity
    }
    return start > quantity ? latest <= quantity : latest >= quantity
  }
}

extension LedgerState {
  /// The events that set the goals in force.
  package var goalSeqs: [Seq] { goalTable.current.map(\.seq) }

  /// The goals in force, in the order of the metrics.
  ///
  /// - Parameter today: the local day.
  public func goals(today: CalendarDate) -> [GoalView] {
    goalTable.current.map { seq, goal in
      var goal = goal
      if !goal.isDaily, goal.start == nil, !goal.metric.addsUp {
        goal.start = days(metric: goal.metric).first?.last
      }
      let latest =
        goal.isDaily
        ? dayValues(of: goal.metric, from: today, to: today)[today]
        : latestQuantity(of: goal.metric, upTo: today)
      return GoalView(
        metric: goal.metric, quantity: goal.quantity, by: goal.by, isAtMost: goal.isAtMost,
        setBy: seq,
        start: goal.isDaily ? nil : goal.start, latest: latest,
        isReached: latest.map(goal.isReached) ?? false,
        streakDays: goal.isDaily ? streak(of: goal, today: today) : 0)
    }
  }

  /// Where a goal starts that is set now: the latest quantity, rounded as an event holds it.
  package func goalStart(of metric: Metric, upTo day: CalendarDate) -> Double? {
    latestQuantity(of: metric, upTo: day).flatMap(metric.stored)
  }

  /// The latest quantity of a metric; of one that adds up, the latest day's sum.
  private func latestQuantity(of metric: Metric, upTo day: CalendarDate) -> Double? {
    guard let newest = newest(ProgressQuery(metric: metric, to: day)) else { return nil }
    return dayValues(of: metric, from: newest.date, to: newest.date)[newest.date]
  }

  private func streak(of goal: GoalSet, today: CalendarDate) -> Int {
    var (count, date, span) = (0, today, 14)
    while true {
      let first = date.adding(days: -span)
      let values = dayValues(of: goal.metric, from: first, to: date)
      while date >= first {
        if values[date].map(goal.isReached) == true {
          count += 1
        } else if date != today {
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
