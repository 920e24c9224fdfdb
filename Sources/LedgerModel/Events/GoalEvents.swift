package import LedgerJSON

/// A goal for a metric; it is local, never sent, and replaces the metric's earlier goal.
public struct GoalSet: EventData {
  package static var kind: EventKind { .goalSet }
  /// The metric.
  public var metric: Metric
  /// In ``Metric/unit``, within ``Metric/range``.
  public var quantity: Double
  /// The day by which the quantity is to be reached; `nil` for a daily goal.
  public var by: CalendarDate?
  /// Whether the quantity is to be reached on each day.
  public var isDaily: Bool
  /// Whether a daily goal is a limit: at most the quantity, not at least.
  public var isAtMost: Bool
  /// The quantity from which the way to the goal is measured; `nil` for what the entries say of
  /// ``since``. A goal above it is reached from below, one below it from above, but for what people only
  /// want more of, as steps. Earlier versions wrote the latest quantity when the goal was set.
  public var start: Double?
  /// The local day on which the goal was set; `nil` before an edit is decided, and in events of earlier
  /// versions.
  public package(set) var since: CalendarDate?
  package var unknown = JSONObject()

  /// A goal to reach by a day; without a day, a goal for each day.
  public init(
    metric: Metric, quantity: Double, by: CalendarDate?, isAtMost: Bool = false,
    start: Double? = nil
  ) {
    self.metric = metric
    self.quantity = quantity
    self.by = by
    self.isAtMost = isAtMost
    self.start = start
    isDaily = by == nil
  }

  package init(from members: inout MemberReader) throws(EventError) {
    metric = try members.required("metric")
    quantity = try members.required("quantity")
    by = try members.optional("by")
    isDaily = try members.optional("daily") ?? false
    isAtMost = try members.optional("at_most") ?? false
    start = try members.optional("start")
    since = try members.optional("since")
  }

  package func write(to members: inout MemberWriter) {
    members.put("metric", metric)
    members.put("quantity", quantity)
    members.put("by", by)
    members.put("daily", isDaily ? true : nil)
    members.put("at_most", isAtMost ? true : nil)
    members.put("start", start)
    members.put("since", since)
  }
}

/// The removal of a metric's goal.
public struct GoalRemoved: EventData {
  package static var kind: EventKind { .goalRemoved }
  /// The metric.
  public var metric: Metric
  package var unknown = JSONObject()

  /// The removal of a metric's goal.
  public init(metric: Metric) { self.metric = metric }

  package init(from members: inout MemberReader) throws(EventError) {
    metric = try members.required("metric")
  }

  package func write(to members: inout MemberWriter) { members.put("metric", metric) }
}
