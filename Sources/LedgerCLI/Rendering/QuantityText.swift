import LedgerJSON
package import LedgerModel

/// Formats quantities in the user's system of units, rounded.
package struct QuantityText {
  /// Evaluated only if needed, since it may require a fold of the log.
  private let units: () -> UnitSystem
  private var isOfMeans = false

  /// For means and slopes: of whole things, such as steps, without decimals.
  var means: QuantityText {
    var text = self
    text.isOfMeans = true
    return text
  }

  package init(units: @autoclosure @escaping () -> UnitSystem) {
    self.units = units
  }

  /// The number without its unit, which is ``unit(of:)``.
  func number(_ quantity: Double, of metric: Metric) -> String {
    let (factor, _, decimals) = shown(metric)
    // Dividing by the exact definition restores what was typed; multiplying two rounded numbers may
    // not. A mean may have a remainder of binary arithmetic.
    let value = (quantity / factor).rounded9
    let text = NumberText.decimal(value, decimals: decimals, grouped: true)
    return text == "0" && !isOfMeans ? JSONNumber.text(value) : text
  }

  /// A change of a mean: `+0.3`, or `0`.
  func change(_ difference: Double, of metric: Metric) -> String {
    let text = means.number(difference, of: metric)
    return difference > 0 && text != "0" ? "+" + text : text
  }

  /// The difference of two quantities as displayed.
  func difference(_ quantity: Double, above other: Double, of metric: Metric) -> Double {
    let (factor, _, decimals) = shown(metric)
    let scale = pow10(decimals)
    return ((quantity / factor * scale).rounded() - (other / factor * scale).rounded()) / scale
  }

  /// A difference with its unit; percentages differ by points.
  func words(difference: Double, of metric: Metric) -> String {
    let number = NumberText.decimal(
      abs(difference), decimals: shown(metric).decimals, grouped: true)
    let unit = unit(of: metric)
    if unit.isEmpty { return number }
    return "\(number) \(unit == "%" ? "points" : unit)"
  }

  private func pow10(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  package func unit(of metric: Metric) -> String { shown(metric).unit }

  package func words(_ quantity: Double, of metric: Metric) -> String {
    let unit = unit(of: metric)
    guard unit != metric.unit else { return EntryText.quantity(quantity, metric) }
    return "\(number(quantity, of: metric)) \(unit)"
  }

  /// The profile's `height_cm`; feet and inches in imperial units.
  func height(centimetres: Double) -> String {
    guard units() == .imperial else {
      return NumberText.decimal(centimetres, decimals: 1) + " cm"
    }
    let tenths = (centimetres / 2.54 * 10).rounded()
    let feet = Int(tenths) / 120
    let inches = (tenths - Double(feet * 120)) / 10
    return "\(feet) ft \(NumberText.decimal(inches, decimals: 1)) in"
  }

  /// The displayed unit, and its factor to the metric's own.
  func shown(_ metric: Metric) -> (factor: Double, unit: String, decimals: Int) {
    guard let imperial = metric.imperialUnit, units() == .imperial else {
      return (1, metric.unit, isOfMeans && metric.isWhole ? 0 : 2)
    }
    return (imperial.factor, imperial.name, imperial.decimals)
  }

  /// A metric's range: "more than 0 and less than 1,102.3".
  func words(_ range: QuantityRange, of metric: Metric) -> String {
    (range.includesLowest ? "at least " : "more than ") + number(range.lowest, of: metric)
      + (range.includesHighest ? " and at most " : " and less than ")
      + number(range.highest, of: metric)
  }
}

extension Metric {
  /// Whether a fraction of it says nothing.
  fileprivate var isWhole: Bool {
    switch self {
    case .steps, .caloriesOut, .caloriesIn, .activeMinutes: true
    case .weight, .height, .bodyFatPercentage, .bmi, .distanceKM, .sleepHours, .waterLiters,
      .restingHeartRate, .moodScore, .proteinG, .carbsG, .fatG:
      false
    }
  }
}

package enum EntryText {
  /// `Sat 21 Nov 2026, 07:30`, with the offset where ``ZonedTime/offsetIfNeeded(on:home:)`` has it.
  package static func moment(
    _ date: CalendarDate, _ moment: ZonedTime?, home: LocalZone
  ) -> String {
    guard let moment else { return day(date) }
    return "\(day(date)), \(moment.shortText)" + moment.offsetIfNeeded(on: date, home: home)
  }

  package static func day(_ date: CalendarDate) -> String {
    let (year, month, day) = date.components
    return "\(weekdays[date.weekday - 1]) \(day) \(months[month - 1]) \(year)"
  }

  /// `75.5 kg`; a value that would round to 0 is shown in full.
  package static func quantity(_ value: Double, _ metric: Metric) -> String {
    let rounded = NumberText.decimal(value, decimals: 2, grouped: true)
    let number = rounded == "0" ? JSONNumber.text(value) : rounded
    return number + (metric.unit.isEmpty || metric.unit == "%" ? "" : " ") + metric.unit
  }

  /// A prefix that is unique among ids of different milliseconds. Eight digits would change only
  /// about once a minute.
  package static func short(_ entry: EntryID) -> String {
    String("\(entry)".prefix(13))
  }

  /// `Jan` for 1.
  static func month(_ number: Int) -> String { months[number - 1] }

  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
