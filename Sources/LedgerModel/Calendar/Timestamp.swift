package import LedgerJSON

/// An instant in UTC, to the millisecond. It does not order events; `seq` does
/// (docs/log-format.md).
public struct Timestamp: Hashable, Comparable,
  LosslessStringConvertible, Sendable, PlainText, TextCodable
{
  /// Leap seconds are not counted.
  public var millisecondsSince1970: Int64

  /// The instant this many milliseconds after 1970 began in UTC.
  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  /// `nil` outside the years 1 to 9999.
  public var utc: (date: CalendarDate, time: ClockTime, milliseconds: Int)? {
    let (day, rest) = millisecondsSince1970.flooredDivision(by: 86_400_000)
    guard let date = CalendarDate(daysSince1970: Int(day)),
      let time = ClockTime(secondsSinceMidnight: Int(rest / 1000))
    else { return nil }
    return (date, time, Int(rest % 1000))
  }

  /// `YYYY-MM-DDTHH:MM:SS.mmmZ`, always 24 characters; clamped to the years 1 to 9999.
  package func appendText(to bytes: inout ByteSink) {
    let (date, time, milliseconds) = utc ?? clamped
    date.appendText(to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    time.appendText(to: &bytes)
    bytes.append(UInt8(ascii: "."))
    bytes.append(decimal: milliseconds, digits: 3)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// RFC 3339 in UTC without fractional seconds, the form of times on the wire (docs/api).
  public var rfc3339Seconds: String {
    let (date, time, _) = utc ?? clamped
    return "\(date)T\(time)Z"
  }

  /// Without fractions of a second, which the API does not have.
  package var wholeSeconds: Timestamp {
    let (seconds, _) = millisecondsSince1970.flooredDivision(by: 1000)
    return Timestamp(millisecondsSince1970: seconds * 1000)
  }

  private var clamped: (date: CalendarDate, time: ClockTime, milliseconds: Int) {
    (millisecondsSince1970 < 0 ? .first : .last, .midnight, 0)
  }

  /// Exactly `YYYY-MM-DDTHH:MM:SS.mmmZ`, the log's form.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 24, bytes[19] == UInt8(ascii: ".") else { return nil }
    self.init(rfc3339: text)
  }

  /// RFC 3339 with any offset. Fractional digits beyond a millisecond are dropped, and a leap
  /// second is refused.
  public init?(rfc3339 text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"),
      let date = CalendarDate(String(decoding: bytes[0..<10], as: UTF8.self)),
      let time = ClockTime(String(decoding: bytes[11..<19], as: UTF8.self))
    else { return nil }
    var rest = bytes[19...]
    var milliseconds = 0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard !digits.isEmpty else { return nil }
      let three = digits.prefix(3) + Array(repeating: UInt8(ascii: "0"), count: 3)
      milliseconds = decimal(three.prefix(3)) ?? 0
      rest = rest.dropFirst(1 + digits.count)
    }
    let zone: ZoneOffset?
    if rest.elementsEqual("Z".utf8) {
      zone = .utc
    } else {
      zone = ZoneOffset(String(decoding: rest, as: UTF8.self))
    }
    guard let zone else { return nil }
    self = ZonedTime(time: time, zone: zone).instant(on: date)
    millisecondsSince1970 += Int64(milliseconds)
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// The local day and time at this offset; `nil` outside the years 1 to 9999.
  public func localTime(at zone: ZoneOffset) -> (date: CalendarDate, time: ClockTime)? {
    let (shifted, isTooLarge) = millisecondsSince1970.addingReportingOverflow(
      Int64(zone.seconds) * 1000)
    guard !isTooLarge else { return nil }
    return Timestamp(millisecondsSince1970: shifted).utc.map { ($0.date, $0.time) }
  }
}

extension Int64 {
  func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

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
