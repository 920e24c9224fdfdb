import LedgerJSON
import LedgerModel

/// A month of made-up progress, the same for everybody: a weight each morning, steps each evening.
enum DemoMonth {
  static let days = 30

  /// As `append --stdin` takes it.
  static func lines(before today: CalendarDate) -> String {
    var text = ""
    for index in 0..<days {
      let date = today.adding(days: index - days)
      let zone = LocalZone.current
      let morning = ClockTime(hour: 7, minute: 15 + index % 20) ?? .midnight
      // Half a wave of weight around a slow loss, to a tenth of a kilogram.
      let weight = 782 - index + [0, 2, 3, 1, -2, -3, -1][index % 7]
      text += line(
        .weight, Double(weight) / 10, date,
        ZonedTime(time: morning, zone: zone.offset(of: morning, on: date)))
      text += line(.steps, Double(6000 + index * 7919 % 5000), date, nil)
    }
    return text
  }

  private static func line(
    _ metric: Metric, _ quantity: Double, _ date: CalendarDate, _ moment: ZonedTime?
  ) -> String {
    var data: JSONObject = [
      "metric": .string(metric.name), "quantity": .number(quantity),
      "date": .string(date.description),
    ]
    data["time"] = moment.map { .string($0.time.description) }
    data["zone"] = moment.map { .string($0.zone.description) }
    let edit: JSONObject = ["type": "progress.logged", "data": .object(data)]
    return edit.serialized + "\n"
  }
}
