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
  var goals: [Metric: GoalProgress] = [:]
  /// The first and the last day of all entries, also outside the chosen days; `nil` without entries.
  var loggedSpan: ClosedRange<CalendarDate>?
  /// How many entries are dated after the day when the page was made and are left out; 0 if the person chose
  /// the last day.
  var laterEntries = 0
  /// The first day of the charts, chosen by the user; earlier days are there to compare with.
  var from: CalendarDate?
  /// The last day that the goals are about.
  var today: CalendarDate
  /// The day when the page was made: dates of other years have their year.
  var madeOn: CalendarDate

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
  }

  var axis: Axis
  /// At the end of each span; the last element is the present.
  var counts: [Counts]
  /// When the last sync event was recorded, formatted; `nil` for never.
  var lastSync: String?
  /// Whether the ledger has ever had an account.
  var hasAccount: Bool
  /// The newest days on which sync recorded anything, newest first.
  var days: [SyncDay] = []

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
  /// The text of a checkpoint of the head; `nil` for an empty log.
  var checkpoint: String?
  /// The last whole check before this one.
  var checkedBefore: Check?

  struct Check: Hashable, Sendable {
    /// When, formatted.
    var time: String
    /// The last event that it covered.
    var seq: Int
  }
}

/// A goal in force, and how far it is.
package struct GoalProgress: Hashable, Sendable {
  /// In the displayed unit.
  package var quantity: Double
  package var isDaily: Bool
  /// Whether a daily goal is a limit.
  package var isAtMost: Bool
  /// `72 kg by Mon 1 Mar 2027`
  package var target: String
  /// `3.5 kg to go, 97 days left`
  package var progress: String
  /// The consecutive days on which a daily goal was reached.
  package var streakDays: Int

  package init(
    quantity: Double, isDaily: Bool, isAtMost: Bool = false, target: String, progress: String,
    streakDays: Int
  ) {
    self.quantity = quantity
    self.isDaily = isDaily
    self.isAtMost = isAtMost
    self.target = target
    self.progress = progress
    self.streakDays = streakDays
  }

  /// Whether the sum or last value of a day reaches a daily goal. Tolerates the rounding of converted units.
  func isReached(by value: Double) -> Bool {
    let tolerance = quantity.magnitude * 1e-9
    return isAtMost ? value <= quantity + tolerance : value >= quantity - tolerance
  }
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
    let (hours, minutes) = Int((value * 60).rounded()).quotientAndRemainder(dividingBy: 60)
    if hours == 0 { return "\(minutes) min" }
    return minutes == 0 ? "\(hours) h" : "\(hours) h \(minutes) min"
  }

  /// Whether it is a plain number of no things, such as a mood from 1 to 10.
  var isScore: Bool { unit.isEmpty && !addsUp }

  /// A single value: a whole score has no decimals.
  func reading(_ value: Double) -> String {
    isScore && value == value.rounded() ? FigureText.fixed(value, decimals: 0) : text(value)
  }

  /// `75.5 kg`, `4,200 steps`
  func words(_ value: Double) -> String {
    guard metric != .sleepHours else { return text(value) }
    let noun = unit.isEmpty ? (addsUp ? " \(name)" : "") : unit == "%" ? unit : " \(unit)"
    return reading(value) + noun
  }

  var axisTitle: String { unit.isEmpty ? name : unit }

  /// `−0.4`, `+12 min`, `same`, without the unit.
  func change(from before: Double, to now: Double) -> String {
    let text = text(abs(now - before))
    return text == self.text(0) ? "same" : (now < before ? "−" : "+") + text
  }
}

/// A metric's value on a day in the displayed unit: the sum if it adds up, otherwise the mean with
/// the lowest and highest value.
struct DayValue: Hashable, Sendable {
  var date: CalendarDate
  var value: Double
  var low: Double
  var high: Double
  /// The last value of the day; the sum if it adds up.
  var latest: Double
  /// Of a night whose stages are known.
  var stages: SleepStages?
  /// Whether it is far from the values around it.
  fileprivate(set) var isUnusual = false

  /// - Parameter latest: `value` by default.
  init(
    date: CalendarDate, value: Double, low: Double, high: Double, latest: Double? = nil,
    stages: SleepStages? = nil
  ) {
    self.date = date
    self.latest = latest ?? value
    self.value = value
    self.low = low
    self.high = high
    self.stages = stages
  }
}

/// The hours of a night by stage.
struct SleepStages: Hashable, Sendable {
  var deep = 0.0
  var core = 0.0
  var rem = 0.0
  /// Asleep, in no more exact stage.
  var asleep = 0.0
  /// On top of the hours of sleep.
  var awake = 0.0

  /// - Returns: `nil` without stages.
  init?(_ durations: SleepDurations) {
    let staged = durations.deep + durations.core + durations.rem
    guard staged + durations.awake > 0 else { return nil }
    func hours(_ seconds: Int) -> Double { Double(seconds) / 3600 }
    deep = hours(durations.deep)
    core = hours(durations.core)
    rem = hours(durations.rem)
    asleep = hours(max(0, durations.totalSleep - staged))
    awake = hours(durations.awake)
  }

  /// A night without stages.
  init(asleep: Double) { self.asleep = asleep }

  /// From the bottom of a bar to its top: the kind of mark, and its name.
  static let kinds = [
    (kind: "deep", name: "deep"), (kind: "core", name: "core"), (kind: "rem", name: "REM"),
    (kind: "asleep", name: "asleep"), (kind: "awake", name: "awake"),
  ]

  /// In the order of ``kinds``.
  var parts: [(kind: String, name: String, hours: Double)] {
    zip(Self.kinds, [deep, core, rem, asleep, awake]).map { ($0.kind, $0.name, $1) }
  }

  static func + (one: SleepStages, other: SleepStages) -> SleepStages {
    var sum = one
    sum.deep += other.deep
    sum.core += other.core
    sum.rem += other.rem
    sum.asleep += other.asleep
    sum.awake += other.awake
    return sum
  }

  static func / (one: SleepStages, count: Int) -> SleepStages {
    var share = one
    share.deep /= Double(count)
    share.core /= Double(count)
    share.rem /= Double(count)
    share.asleep /= Double(count)
    share.awake /= Double(count)
    return share
  }
}

/// One metric on all days with entries.
struct MetricSeries: Hashable, Sendable {
  let display: MetricDisplay
  /// Ascending and unique.
  let days: [DayValue]
  /// The moving average of the days that are not unusual.
  let trend: [TrendPoint]

  init(_ display: MetricDisplay, days: [DayValue]) {
    self.display = display
    var days = days
    for place in UnusualValues.places(in: days.map(\.value)) { days[place].isUnusual = true }
    self.days = days
    trend = MovingAverage.points(days.usual)
  }

  /// - Parameters:
  ///   - groups: of this metric, oldest first.
  ///   - nights: the durations of days with sleep sessions.
  init(
    _ display: MetricDisplay, groups: [DayGroup], nights: [CalendarDate: SleepDurations] = [:]
  ) {
    self.init(
      display,
      days: groups.map { group in
        let value = (display.addsUp ? group.sum : group.mean) / display.factor
        return DayValue(
          date: group.date, value: value,
          low: display.addsUp ? value : group.min / display.factor,
          high: display.addsUp ? value : group.max / display.factor,
          latest: display.addsUp ? value : group.last / display.factor,
          stages: nights.isEmpty ? nil : nights[group.date].flatMap(SleepStages.init))
      })
  }

  /// The days of a span.
  func days(in span: ClosedRange<CalendarDate>) -> ArraySlice<DayValue> {
    let first = days.partitioningIndex { $0.date >= span.lowerBound }
    return days[first...].prefix { $0.date <= span.upperBound }
  }

  /// The moving average in a span.
  func trend(in span: ClosedRange<CalendarDate>) -> ArraySlice<TrendPoint> {
    let first = trend.partitioningIndex { $0.date >= span.lowerBound }
    return trend[first...].prefix { $0.date <= span.upperBound }
  }
}

/// Finds values far from the values around them: typing errors, wrong units, exceptional days.
enum UnusualValues {
  /// How many values before and after one are compared with it.
  private static let neighbours = 7
  /// Fewer values do not show what is usual.
  private static let fewest = 10
  /// Standard deviations. Of values that vary normally, one in two million is further away.
  private static let limit = 5.0
  /// If more than this share is far away, the values vary that much, and none is unusual.
  private static let mostShare = 0.05

  /// The places of the unusual values, ascending.
  ///
  /// A value's distance is that from the median of its neighbours, which one wrong value does not
  /// move. Distances are normal up to some multiple of their median, or of their mean where that is
  /// more, because most values equal their neighbours.
  static func places(in values: [Double]) -> [Int] {
    guard values.count >= fewest else { return [] }
    let distances = zip(values, movingMedians(values)).map { ($0 - $1).magnitude }
    let mean = distances.reduce(0, +) / Double(distances.count)
    // The factors estimate the standard deviation of a normal distribution.
    let spread = max(1.4826 * median(distances), 1.2533 * mean)
    // Of values that are nearly all equal, one is not unusual because it is a rounded step away.
    let least = median(values).magnitude * 0.02
    let places = distances.indices.filter { distances[$0] > limit * max(spread, least) }
    return places.count > max(1, Int(Double(values.count) * mostShare)) ? [] : places
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted[sorted.count / 2]
  }

  /// For each value the median of it and its neighbours.
  private static func movingMedians(_ values: [Double]) -> [Double] {
    // Kept sorted, so that a step costs one removal and one insertion.
    var window: [Double] = []
    var added = 0
    return values.indices.map { place in
      while added < min(values.count, place + neighbours + 1) {
        window.insert(values[added], at: window.partitioningIndex { $0 >= values[added] })
        added += 1
      }
      if place > neighbours {
        let left = values[place - neighbours - 1]
        window.remove(at: window.partitioningIndex { $0 >= left })
      }
      return window[window.count / 2]
    }
  }
}
