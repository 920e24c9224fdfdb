package import LedgerModel
package import LedgerProjections

/// Everything that a report shows. The same content gives the same bytes.
package struct ReportContent: Sendable {
  /// The person's name, if set.
  package var person: String?
  /// The machine where the ledger was created.
  package var device: String?
  /// When the page was made, formatted.
  package var madeAt: String
  /// Series without days are skipped.
  package var series: [MetricSeries]
  package var sync: SyncHistory
  package var audit: AuditTrail

  package init(
    person: String?, device: String?, madeAt: String, series: [MetricSeries], sync: SyncHistory,
    audit: AuditTrail
  ) {
    self.person = person
    self.device = device
    self.madeAt = madeAt
    self.series = series
    self.sync = sync
    self.audit = audit
  }

  func series(of metric: Metric) -> MetricSeries? {
    series.first { $0.display.metric == metric && !$0.days.isEmpty }
  }
}

/// How many edits had which sync status over time.
package struct SyncHistory: Hashable, Sendable {
  /// The bars cover equal spans of time, or of events in a log that covers less than two days.
  package enum Axis: Hashable, Sendable {
    case days(ClosedRange<CalendarDate>)
    case events(ClosedRange<Int>)
  }

  /// Edits by sync status, each counted once.
  package struct Counts: Hashable, Sendable {
    package var acknowledged: Int
    package var pending: Int
    package var inDoubt: Int
    package var held: Int
    package var rejected: Int
    package var conflicts: Int

    /// Edits that the backend does not have.
    var waiting: Int { pending + inDoubt + held + rejected + conflicts }

    package init(
      acknowledged: Int = 0, pending: Int = 0, inDoubt: Int = 0, held: Int = 0, rejected: Int = 0,
      conflicts: Int = 0
    ) {
      self.acknowledged = acknowledged
      self.pending = pending
      self.inDoubt = inDoubt
      self.held = held
      self.rejected = rejected
      self.conflicts = conflicts
    }
  }

  package var axis: Axis
  /// At the end of each span; the last element is the present.
  package var counts: [Counts]
  /// When the last sync event was recorded, formatted; `nil` for never.
  package var lastSync: String?
  /// Whether the ledger has ever had an account.
  package var hasAccount: Bool

  /// Whether no backend has ever been used.
  var isLocal: Bool { !hasAccount && lastSync == nil }

  package init(axis: Axis, counts: [Counts], lastSync: String?, hasAccount: Bool) {
    self.axis = axis
    self.counts = counts
    self.lastSync = lastSync
    self.hasAccount = hasAccount
  }
}

package struct AuditTrail: Sendable {
  package struct Event: Hashable, Sendable {
    package var seq: Int
    /// When it was recorded, formatted.
    package var time: String
    /// `user`, `import`, `sync` or `system`.
    package var actor: String
    package var words: String
    /// 64 hexadecimal digits.
    package var hash: String

    package init(seq: Int, time: String, actor: String, words: String, hash: String) {
      self.seq = seq
      self.time = time
      self.actor = actor
      self.words = words
      self.hash = hash
    }
  }

  package struct TypeCount: Hashable, Sendable {
    package var type: String
    package var count: Int

    package init(type: String, count: Int) {
      self.type = type
      self.count = count
    }
  }

  /// Newest first, up to a limit.
  package var newest: [Event]
  package var byType: [TypeCount]
  package var events: Int
  package var erased: Int
  /// The hash of the last event.
  package var head: String
  /// Whether the whole chain was verified for this page.
  package var isVerified: Bool
  /// When the first and the last event were recorded, formatted.
  package var span: (first: String, last: String)?

  package init(
    newest: [Event], byType: [TypeCount], events: Int, erased: Int, head: String,
    isVerified: Bool, span: (first: String, last: String)?
  ) {
    self.newest = newest
    self.byType = byType
    self.events = events
    self.erased = erased
    self.head = head
    self.isVerified = isVerified
    self.span = span
  }
}

/// A metric's display name and unit.
package struct MetricDisplay: Hashable, Sendable {
  package var metric: Metric
  package var name: String
  /// Empty for a plain number.
  package var unit: String
  /// One displayed unit in the metric's own unit.
  package var factor: Double
  /// Decimal places shown.
  package var decimals: Int
  /// Whether a day's values are summed: true for steps, false for weight.
  package var addsUp: Bool

  package init(
    metric: Metric, name: String, unit: String, factor: Double = 1, decimals: Int, addsUp: Bool
  ) {
    self.metric = metric
    self.name = name
    self.unit = unit
    self.factor = factor
    self.decimals = decimals
    self.addsUp = addsUp
  }

  func text(_ value: Double) -> String { FigureText.fixed(value, decimals: decimals) }

  /// `75.5 kg`, `4,200 steps`
  func words(_ value: Double) -> String {
    let noun = unit.isEmpty ? (addsUp ? " \(name)" : "") : unit == "%" ? unit : " \(unit)"
    return text(value) + noun
  }

  var axisTitle: String { unit.isEmpty ? name : unit }
}

/// A metric's value on a day in the displayed unit: the sum if it adds up, otherwise the mean with
/// the lowest and highest value.
package struct DayValue: Hashable, Sendable {
  package var date: CalendarDate
  package var value: Double
  package var low: Double
  package var high: Double

  package init(date: CalendarDate, value: Double, low: Double, high: Double) {
    self.date = date
    self.value = value
    self.low = low
    self.high = high
  }
}

/// One metric on all days with entries.
package struct MetricSeries: Hashable, Sendable {
  package var display: MetricDisplay
  /// Ascending and unique.
  package var days: [DayValue]

  package init(_ display: MetricDisplay, days: [DayValue]) {
    self.display = display
    self.days = days
  }

  /// - Parameter groups: groups of other metrics are ignored.
  package init(_ display: MetricDisplay, groups: [DayGroup]) {
    self.display = display
    days = groups.filter { $0.metric == display.metric }.map { group in
      let value = (display.addsUp ? group.sum : group.mean) / display.factor
      return DayValue(
        date: group.date, value: value,
        low: display.addsUp ? value : group.min / display.factor,
        high: display.addsUp ? value : group.max / display.factor)
    }
  }
}
