import LedgerJSON
import LedgerModel
import LedgerProjections

/// Sentences for goals, in the user's units.
struct GoalText {
  let quantities: QuantityText

  /// `weight 72 kg by Mon 1 Mar 2027`, `steps at least 10,000 a day`; of a metric that adds up
  /// `distance 21 km on one day by Sun 4 Apr 2027`
  ///
  /// - Parameter shown: the quantity in words; `nil` for that of the goal in the user's units.
  func target(_ goal: GoalSet, shown: String? = nil) -> String {
    let shown = shown ?? quantities.words(goal.quantity, of: goal.metric)
    let amount = amount(shown, of: goal.metric, by: goal.by, isAtMost: goal.isAtMost)
    return "\(goal.metric.words) \(amount)"
  }

  func target(_ goal: GoalView) -> String { "\(goal.metric.words) \(amount(goal))" }

  /// `steps at least 8,000 a day → at least 10,000 a day #12`
  func change(_ goal: LedgerDifference.Goal) -> String {
    let after = goal.after.map { amount($0) } ?? "removed"
    let change = goal.before.map { "\(amount($0)) → \(after)" } ?? after
    return "\(goal.metric.words) \(change)" + (goal.changedBy.map { " #\($0)" } ?? "")
  }

  /// ``target(_:)`` without the metric.
  func amount(_ goal: GoalSet) -> String {
    amount(
      quantities.words(goal.quantity, of: goal.metric), of: goal.metric, by: goal.by,
      isAtMost: goal.isAtMost)
  }

  func amount(_ goal: GoalView) -> String {
    amount(
      quantities.words(goal.quantity, of: goal.metric), of: goal.metric, by: goal.by,
      isAtMost: goal.isAtMost)
  }

  private func amount(
    _ amount: String, of metric: Metric, by: CalendarDate?, isAtMost: Bool
  ) -> String {
    guard let by else { return "at \(isAtMost ? "most" : "least") \(amount) a day" }
    return "\(amount) \(metric.addsUp ? "on one day " : "")by \(EntryText.day(by))"
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

extension LedgerDifference.Goal {
  /// For `diff --json`.
  var json: JSONObject {
    JSONObject([
      "metric": metric, "before": JSONValue.orNull(before.map(Self.values)),
      "after": JSONValue.orNull(after.map(Self.values)), "set_by": JSONValue.orNull(changedBy),
    ])
  }

  private static func values(of goal: GoalSet) -> JSONObject {
    JSONObject([
      "quantity": goal.quantity.rounded9, "by": goal.by, "daily": goal.isDaily ? true : nil,
      "at_most": goal.isAtMost ? true : nil,
    ])
  }
}
