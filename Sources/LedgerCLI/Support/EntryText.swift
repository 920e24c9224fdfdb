import LedgerJSON
package import LedgerModel

/// Entries in words, the same wherever one is spoken of.
package enum EntryText {
  /// `Sat 21 Nov 2026, 07:30`, with its offset only where it is not that of `home`.
  package static func moment(
    _ date: CalendarDate, _ moment: ZonedTime?, home: LocalZone
  ) -> String {
    guard let moment else { return day(date) }
    let seconds = Int(moment.time.secondsSinceMidnight) % 60
    let time = seconds == 0 ? "\(moment.time)".dropLast(3) : "\(moment.time)"[...]
    let isHome = home.offset(of: moment.time, on: date) == moment.zone
    return "\(day(date)), \(time)" + (isHome ? "" : " \(moment.zone)")
  }

  package static func day(_ date: CalendarDate) -> String {
    let (year, month, day) = date.components
    return "\(weekdays[date.weekday - 1]) \(day) \(months[month - 1]) \(year)"
  }

  /// `75.5 kg`; what rounding would turn into nothing is shown whole.
  package static func quantity(_ value: Double, _ metric: Metric) -> String {
    let rounded = NumberText.decimal(value, decimals: 2, grouped: true)
    let number = rounded == "0" ? JSONNumber.text(value) : rounded
    return number + (metric.unit.isEmpty || metric.unit == "%" ? "" : " ") + metric.unit
  }

  /// The start of an id that names one entry among those of other milliseconds. The first eight
  /// digits would not do: they change about once a minute.
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
