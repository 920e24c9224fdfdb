package import LedgerJSON

/// An instant to the second, with the UTC offset that was in force: RFC 3339 in the log
/// (docs/log-format.md, Events).
public struct ZonedTimestamp: Hashable, LosslessStringConvertible, Sendable, PlainText,
  TextCodable
{
  /// Leap seconds are not counted.
  public let secondsSince1970: Int64
  /// The offset in force.
  public let zone: ZoneOffset

  /// - Returns: `nil` outside the years 1 to 9999 of local time.
  public init?(secondsSince1970: Int64, zone: ZoneOffset) {
    let (local, overflows) = secondsSince1970.addingReportingOverflow(Int64(zone.seconds))
    guard !overflows, Self.localSeconds.contains(local) else { return nil }
    (self.secondsSince1970, self.zone) = (secondsSince1970, zone)
  }

  /// A local time on a day.
  public init(_ date: CalendarDate, _ moment: ZonedTime) {
    let local =
      Int64(date.daysSince1970) * 86_400 + Int64(moment.time.secondsSinceMidnight)
    (secondsSince1970, zone) = (local - Int64(moment.zone.seconds), moment.zone)
  }

  /// `YYYY-MM-DDTHH:MM:SS` with `Z` or an offset such as `+02:00`.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 20 || bytes.count == 25, bytes[10] == UInt8(ascii: "T"),
      let date = CalendarDate(String(decoding: bytes[0..<10], as: UTF8.self)),
      let time = ClockTime(String(decoding: bytes[11..<19], as: UTF8.self)),
      let zone = bytes[19...].elementsEqual("Z".utf8)
        ? .utc : ZoneOffset(String(decoding: bytes[19...], as: UTF8.self))
    else { return nil }
    self.init(date, ZonedTime(time: time, zone: zone))
  }

  private static let localSeconds =
    Int64(CalendarDate.first.daysSince1970) * 86_400..<(Int64(CalendarDate.last.daysSince1970) + 1)
    * 86_400

  /// The local day.
  public var date: CalendarDate { local.date }

  /// The local time of day, with its offset.
  public var moment: ZonedTime { ZonedTime(time: local.time, zone: zone) }

  /// The instant.
  public var timestamp: Timestamp { Timestamp(millisecondsSince1970: secondsSince1970 * 1000) }

  private var local: (date: CalendarDate, time: ClockTime) {
    timestamp.localTime(at: zone) ?? (.first, .midnight)
  }

  /// `YYYY-MM-DDTHH:MM:SS+HH:MM`.
  package func appendText(to bytes: inout ByteSink) {
    let (date, time) = local
    date.appendText(to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    time.appendText(to: &bytes)
    zone.appendText(to: &bytes)
  }
}
