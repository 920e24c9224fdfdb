import LedgerModel

/// All goals that were set and removed, in the order of seq.
///
/// Without the event of an erased goal the one before it is in force again, as in a fold of the erased
/// log.
struct GoalTable: Hashable, Sendable {
  private(set) var events: [RareEvent] = []

  /// The goals in force, in the order of the metrics.
  var current: [(seq: Seq, goal: GoalSet)] {
    Metric.allCases.compactMap { metric in
      let last = events.last { $0.payload.goalMetric == metric }
      guard let last, case .goalSet(let goal) = last.payload else { return nil }
      return (Seq(last.seq), goal)
    }
  }

  /// The goals that are others than before, after an event.
  func differences(since before: GoalTable, at seq: Int) -> [LedgerDifference.Goal] {
    Metric.allCases.compactMap { metric in
      let old = before.current.first { $0.goal.metric == metric }?.goal
      let new = current.first { $0.goal.metric == metric }?.goal
      guard old != new else { return nil }
      let last = events.last { $0.payload.goalMetric == metric }
      return LedgerDifference.Goal(
        metric: metric, before: old, after: new,
        changedBy: last.flatMap { $0.seq > seq ? Seq($0.seq) : nil })
    }
  }

  mutating func add(_ payload: Event.Payload, at seq: Seq) {
    events.append(RareEvent(payload, seq: seq.number))
  }

  mutating func erase(_ seq: Seq) { events.removeAll { $0.seq == seq.number } }
}

extension Event.Payload {
  /// The metric of a goal's event.
  var goalMetric: Metric? {
    switch self {
    case .goalSet(let data): data.metric
    case .goalRemoved(let data): data.metric
    default: nil
    }
  }
}
