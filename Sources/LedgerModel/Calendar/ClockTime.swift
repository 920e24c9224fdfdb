package import LedgerJSON

/// A time of day without a time zone, without 24:00 and leap seconds.
public struct ClockTime: Hashable, Comparable,
  LosslessStringConvertible, Sendable, PlainText, TextCodable
{
  /// 0 to 86,399.
  public let secondsSinceMidnight: Int32

  /// 00:00:00.
  public static let midnight = ClockTime(secondsSinceMidnight: 0)!

  /// - Returns: `nil` outside 0 to 86,399.
  public init?(secondsSinceMidnight: Int) {
    guard (0..<86_400).contains(secondsSinceMidnight) else { return nil }
    self.secondsSinceMidnight = Int32(secondsSinceMidnight)
  }

  /// - Returns: `nil` for an invalid time.
  public init?(hour: Int, minute: Int, second: Int = 0) {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else {
      return nil
    }
    secondsSinceMidnight = Int32(hour * 3600 + minute * 60 + second)
  }

  /// Exactly `HH:MM:SS`.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 8, bytes[2] == UInt8(ascii: ":"), bytes[5] == UInt8(ascii: ":"),
      let hour = decimal(bytes[0..<2]), let minute = decimal(bytes[3..<5]),
      let second = decimal(bytes[6..<8])
    else { return nil }
    self.init(hour: hour, minute: minute, second: second)
  }

  /// `HH:MM:SS`.
  package func appendText(to bytes: inout ByteSink) {
    let seconds = Int(secondsSinceMidnight)
    bytes.append(twoDigits: seconds / 3600)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(twoDigits: seconds / 60 % 60)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(twoDigits: seconds % 60)
  }

  public static func < (left: ClockTime, right: ClockTime) -> Bool {
    left.secondsSinceMidnight < right.secondsSinceMidnight
  }
}

/// An offset from UTC in whole minutes, such as `+02:00`.
public struct ZoneOffset: Hashable, LosslessStringConvertible, Sendable, PlainText, TextCodable {
  /// Minutes east of UTC.
  public let minutes: Int16

  /// UTC itself.
  public static let utc = ZoneOffset(minutes: 0)!

  /// - Returns: `nil` beyond ±15:59, which no time zone has ever exceeded.
  public init?(minutes: Int) {
    guard (-959...959).contains(minutes) else { return nil }
    self.minutes = Int16(minutes)
  }

  /// Exactly `+HH:MM` or `-HH:MM`.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"),
      bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
      let hours = decimal(bytes[1..<3]), let minutes = decimal(bytes[4..<6]), minutes < 60
    else { return nil }
    let total = hours * 60 + minutes
    self.init(minutes: bytes[0] == UInt8(ascii: "-") ? -total : total)
  }

  /// As people write it: `+02:00`, `+2`, `UTC+2`, `GMT-5:30`, `UTC+0530` or `Z`, always east of UTC. `TZ`
  /// counts those with a name west of UTC.
  ///
  /// - Returns: `nil` beyond the offsets in use, -12:00 to +14:00, and for other forms.
  package init?(written text: String) {
    let compact = text.uppercased().filter { $0 != " " }
    let isNamed = compact.hasPrefix("UTC") || compact.hasPrefix("GMT")
    let offset = compact == "Z" ? "+0" : isNamed ? compact.dropFirst(3) : compact[...]
    guard let sign = offset.first, "+-\u{2212}".contains(sign) else { return nil }
    let parts = offset.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    let hasColon = parts.count == 2
    let hours = hasColon || parts[0].count < 3 ? parts[0] : parts[0].dropLast(2)
    let minutes = hasColon ? parts[1] : parts[0].count < 3 ? "00" : parts[0].suffix(2)
    self.init("\(sign == "+" ? "+" : "-")\(hours.count == 1 ? "0" : "")\(hours):\(minutes)")
    // Without a colon, `+123` is rather a mistake than an hour and 23 minutes.
    guard parts.count <= 2, (-12 * 60...14 * 60).contains(self.minutes),
      hasColon || self.minutes.isMultiple(of: 15)
    else { return nil }
  }

  /// Seconds east of UTC.
  public var seconds: Int { Int(minutes) * 60 }

  /// `+HH:MM` or `-HH:MM`.
  package func appendText(to bytes: inout ByteSink) {
    let magnitude = Int(minutes.magnitude)
    bytes.append(minutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    bytes.append(twoDigits: magnitude / 60)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(twoDigits: magnitude % 60)
  }
}

/// A local time with its offset from UTC; with a date, it is an instant.
public struct ZonedTime: Hashable, Codable, Sendable {
  /// The local time.
  public var time: ClockTime
  /// Its offset from UTC.
  public var zone: ZoneOffset

  /// A local time with its offset.
  public init(time: ClockTime, zone: ZoneOffset) {
    self.time = time
    self.zone = zone
  }

  /// The instant on a day.
  public func instant(on date: CalendarDate) -> Timestamp {
    let seconds = Int(date.daysSince1970) * 86_400 + Int(time.secondsSinceMidnight) - zone.seconds
    return Timestamp(millisecondsSince1970: Int64(seconds) * 1000)
  }
}
