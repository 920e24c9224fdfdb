package import LedgerModel
package import LedgerProjections

/// How a person reads one metric: its name in words, and the unit they think in.
package struct MetricDisplay: Hashable, Sendable {
  package var metric: Metric
  package var name: String
  /// Empty for a plain number.
  package var unit: String
  /// What one unit shown is in the metric's own.
  package var factor: Double
  /// How many digits behind the point a value is shown with.
  package var decimals: Int
  /// Whether a day's values add up to something: steps do, weights do not.
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

  /// `75.5 kg`, `4,200 steps`.
  func words(_ value: Double) -> String {
    let noun = unit.isEmpty ? (addsUp ? " \(name)" : "") : unit == "%" ? unit : " \(unit)"
    return text(value) + noun
  }

  /// What stands over the axis.
  var axisTitle: String { unit.isEmpty ? name : unit }
}

/// What a metric came to on a day, in the unit that is shown: the sum of what adds up, else the
/// mean, and the day's lowest and highest value.
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

/// One metric over all days that have entries.
package struct MetricSeries: Hashable, Sendable {
  package var display: MetricDisplay
  /// In the order of days, each once.
  package var days: [DayValue]

  package init(_ display: MetricDisplay, days: [DayValue]) {
    self.display = display
    self.days = days
  }

  /// - Parameter groups: as the view of days gives them; those of other metrics are passed over.
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
