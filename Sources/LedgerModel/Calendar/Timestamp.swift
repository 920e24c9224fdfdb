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
    let shifted = Timestamp(
      millisecondsSince1970: millisecondsSince1970 + Int64(zone.seconds) * 1000)
    return shifted.utc.map { ($0.date, $0.time) }
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
