package import LedgerModel
import LedgerProjections

/// Everything that a report shows. The same content gives the same bytes.
package struct ReportContent: Sendable {
  /// The person's name, if set.
  var person: String?
  /// The machine where the ledger was created.
  var device: String?
  /// When the page was made, formatted.
  var madeAt: String
  /// Series without days are skipped.
  var series: [MetricSeries]
  var sync: SyncHistory
  var audit: AuditTrail
  /// How far each goal is, in words.
  var goals: [Metric: String] = [:]

  /// With the series of the last days alone.
  func last(_ count: Int, to last: CalendarDate) -> ReportContent {
    guard count < .max else { return self }
    var content = self
    let first = last.adding(days: 1 - count)
    for place in series.indices { content.series[place].days.removeAll { $0.date < first } }
    return content
  }

  func series(of metric: Metric) -> MetricSeries? {
    series.first { $0.display.metric == metric && !$0.days.isEmpty }
  }
}

/// How many edits had which sync status over time.
struct SyncHistory: Hashable, Sendable {
  /// The bars cover equal spans of time, or of events in a log that covers less than two days.
  enum Axis: Hashable, Sendable {
    case days(ClosedRange<CalendarDate>)
    case events(ClosedRange<Int>)
  }

  /// Edits by sync status, each counted once.
  struct Counts: Hashable, Sendable {
    var acknowledged = 0
    var pending = 0
    var inDoubt = 0
    var held = 0
    var rejected = 0
    var conflicts = 0

    /// Edits that the backend does not have.
    var waiting: Int { pending + inDoubt + held + rejected + conflicts }
  }

  var axis: Axis
  /// At the end of each span; the last element is the present.
  var counts: [Counts]
  /// When the last sync event was recorded, formatted; `nil` for never.
  var lastSync: String?
  /// Whether the ledger has ever had an account.
  var hasAccount: Bool

  /// Whether no backend has ever been used.
  var isLocal: Bool { !hasAccount && lastSync == nil }
}

struct AuditTrail: Sendable {
  struct Event: Hashable, Sendable {
    var seq: Int
    /// When it was recorded, formatted.
    var time: String
    /// `user`, `import`, `sync` or `system`.
    var actor: String
    var words: String
    /// 64 hexadecimal digits.
    var hash: String
  }

  struct TypeCount: Hashable, Sendable {
    var type: String
    var count: Int
  }

  /// Newest first, up to a limit.
  var newest: [Event]
  var byType: [TypeCount]
  var events: Int
  var erased: Int
  /// The hash of the last event.
  var head: String
  /// When the first and the last event were recorded, formatted.
  var span: (first: String, last: String)?
}

package struct MetricDisplay: Hashable, Sendable {
  package var metric: Metric
  package var name: String
  /// Empty for a plain number.
  package var unit: String
  /// One displayed unit in the metric's own unit.
  package var factor: Double
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

  /// Without the unit, but for sleep: `7 h 18 min`.
  func text(_ value: Double) -> String {
    guard metric == .sleepHours else { return FigureText.fixed(value, decimals: decimals) }
    let minutes = Int((value * 60).rounded())
    return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }

  /// `75.5 kg`, `4,200 steps`
  func words(_ value: Double) -> String {
    guard metric != .sleepHours else { return text(value) }
    let noun = unit.isEmpty ? (addsUp ? " \(name)" : "") : unit == "%" ? unit : " \(unit)"
    return text(value) + noun
  }

  var axisTitle: String { unit.isEmpty ? name : unit }
}

/// A metric's value on a day in the displayed unit: the sum if it adds up, otherwise the mean with
/// the lowest and highest value.
struct DayValue: Hashable, Sendable {
  var date: CalendarDate
  var value: Double
  var low: Double
  var high: Double
}

/// One metric on all days with entries.
struct MetricSeries: Hashable, Sendable {
  var display: MetricDisplay
  /// Ascending and unique.
  var days: [DayValue]

  init(_ display: MetricDisplay, days: [DayValue]) {
    self.display = display
    self.days = days
  }

  /// - Parameter groups: groups of other metrics are ignored.
  init(_ display: MetricDisplay, groups: [DayGroup]) {
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
