import LedgerJSON
import LedgerModel
import LedgerPlatform

/// A row's source id, such as `csv:steps:2016-04-12T01:00:00?Id=1503960366`.
///
/// It consists of metric, moment and conditions, not of file name or row number, so that a file
/// that was renamed, sorted or exported again still matches.
struct CSVSourceID {
  private let metric: Metric
  private let conditions: String

  init(_ metric: Metric, _ conditions: [CSVRules.Condition]) {
    self.metric = metric
    // Encoded, so that ids stay unambiguous.
    let terms = conditions.map { condition in
      PercentEncoding.encode((condition.columns.first ?? "").utf8) + "="
        + PercentEncoding.encode(condition.values.joined(separator: "|").utf8)
    }
    self.conditions = terms.isEmpty ? "" : "?" + Set(terms).sorted().joined(separator: "&")
  }

  func of(_ date: CalendarDate, _ time: ClockTime?, isUTC: Bool = false) -> String {
    var text = ByteSink(capacity: 64)
    text.append("csv:")
    text.append(plain: metric.name)
    text.append(UInt8(ascii: ":"))
    date.appendText(to: &text)
    if let time {
      text.append(UInt8(ascii: "T"))
      time.appendText(to: &text)
    }
    if isUTC { text.append(UInt8(ascii: "Z")) }
    text.append(plain: conditions)
    return text.text
  }

  /// An instant has the same id in every zone.
  func of(_ read: CSVInstant) -> String {
    if read.isMidnight { return of(read.date, .midnight, isUTC: read.isDayOfUTC) }
    guard read.isInstant, let time = read.time, let zone = read.zone,
      let utc = ZonedTime(time: time, zone: zone).instant(on: read.date).localTime(at: .utc)
    else { return of(read.date, read.time) }
    return of(utc.date, utc.time, isUTC: true)
  }

  func of(id: String) -> String {
    "csv:\(metric.name):id:\(PercentEncoding.encode(id.utf8))\(conditions)"
  }

  /// Whether an id is that of a row with an id of its own.
  static func isOfRow(_ id: UnsafeRawBufferPointer, _ metric: Metric) -> Bool {
    let name = metric.name.utf8
    return id.starts(with: "csv:".utf8) && id.dropFirst(4).starts(with: name)
      && id.dropFirst(4 + name.count).starts(with: ":id:".utf8)
  }
}
