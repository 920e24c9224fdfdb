import LedgerModel
import LedgerProjections

/// Sentences for goals, in the user's units.
struct GoalText {
  let quantities: QuantityText

  /// `weight 72 kg by Mon 1 Mar 2027`, `steps at least 10,000 a day`
  func target(_ goal: GoalSet) -> String {
    let amount = amount(goal.quantity, of: goal.metric, by: goal.by, isAtMost: goal.isAtMost)
    return "\(goal.metric.words) \(amount)"
  }

  func target(_ goal: GoalView) -> String { "\(goal.metric.words) \(amount(goal))" }

  /// ``target(_:)`` without the metric.
  func amount(_ goal: GoalView) -> String {
    amount(goal.quantity, of: goal.metric, by: goal.by, isAtMost: goal.isAtMost)
  }

  private func amount(
    _ quantity: Double, of metric: Metric, by: CalendarDate?, isAtMost: Bool
  ) -> String {
    let amount = quantities.words(quantity, of: metric)
    return by.map { "\(amount) by \(EntryText.day($0))" }
      ?? "at \(isAtMost ? "most" : "least") \(amount) a day"
  }

  /// `3.5 kg to go, 97 days left`; of a daily goal `2,000 to go today, streak 5 days`
  func progress(_ goal: GoalView, today: CalendarDate) -> String {
    let distance = remaining(goal, today: today)
    return goal.streakDays > 0
      ? distance + ", streak \(counted(goal.streakDays, "day"))" : distance
  }

  /// ``progress(_:today:)`` without the streak.
  func remaining(_ goal: GoalView, today: CalendarDate) -> String {
    guard let by = goal.by else { return remainingToday(goal) }
    guard goal.latest != nil else { return "nothing logged yet" }
    guard !goal.isReached else { return "reached" }
    let left = by.daysSince1970 - today.daysSince1970
    let term =
      left < 0
      ? "\(counted(Int(-left), "day")) overdue"
      : left == 0 ? "due today" : "\(counted(Int(left), "day")) left"
    return "\(distance(goal)) to go, \(term)"
  }

  private func remainingToday(_ goal: GoalView) -> String {
    if goal.latest == nil { return "nothing today" }
    guard goal.isReached else {
      return "\(distance(goal)) \(goal.isAtMost ? "over" : "to go") today"
    }
    return goal.isAtMost && goal.metric.addsUp ? "\(distance(goal)) left today" : "reached today"
  }

  private func distance(_ goal: GoalView) -> String {
    let latest = goal.latest ?? 0
    if goal.metric == .sleepHours {
      return SleepText.duration(Int((abs(goal.quantity - latest) * 3600).rounded()))
    }
    let difference = quantities.difference(goal.quantity, above: latest, of: goal.metric)
    return quantities.words(difference: difference, of: goal.metric)
  }
}
