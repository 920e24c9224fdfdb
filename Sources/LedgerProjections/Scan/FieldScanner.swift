import LedgerJSON
import LedgerLog
import LedgerModel

/// Reads the values of known members straight from their bytes, within a window that goes on behind
/// its last line (see ``LineWindows``). `nil` never means «wrong», only «not in the usual form»: the
/// general reader then decides, and words what is wrong.
struct FieldScanner: Sendable {
  let metrics = MetricTable()
  // Days and zones as they stood in the line before: most lines repeat them.
  private var dayBefore: (UInt64, UInt64) = (0, 0)
  private var dayValue: Int32 = 0
  private var zoneBefore: UInt64 = 0
  private var zoneValue: Int16 = 0

  /// `{"entry":"…"`
  @inline(__always)
  static func entry(_ bytes: RawSpan, _ position: inout Int) -> LedgerUUID? {
    guard bytes.uncheckedHolds(#"{"entry":""#, at: position) else { return nil }
    position &+= 10
    return uuid(bytes, &position)
  }

  /// `,"date":"YYYY-MM-DD"` as days since 1970.
  @inline(__always)
  mutating func day(_ bytes: RawSpan, _ position: inout Int) -> Int32? {
    guard bytes.uncheckedHolds(#","date":""#, at: position) else { return nil }
    position &+= 9
    return dayText(bytes, &position)
  }

  /// `,"time":"HH:MM:SS","zone":"+HH:MM"` as seconds since midnight and minutes, or nothing: then -1
  /// and no zone.
  @inline(__always)
  mutating func moment(_ bytes: RawSpan, _ position: inout Int) -> (time: Int32, zone: Int16)? {
    guard bytes.uncheckedHolds(#","time":""#, at: position) else { return (-1, 0) }
    position &+= 9
    guard let time = Self.timeText(bytes, &position),
      bytes.uncheckedHolds(#","zone":""#, at: position)
    else { return nil }
    position &+= 9
    guard let zone = zoneText(bytes, &position) else { return nil }
    return (time, zone)
  }

  // MARK: Texts, from behind the opening quote over the closing one

  @inline(__always)
  static func uuid(_ bytes: RawSpan, _ position: inout Int) -> LedgerUUID? {
    guard let id = FastHex.uuid(bytes, at: position),
      bytes.uncheckedByte(position &+ 36) == UInt8(ascii: "\"")
    else { return nil }
    position &+= 37
    return id
  }

  /// `YYYY-MM-DD` as days since 1970.
  @inline(__always)
  mutating func dayText(_ bytes: RawSpan, _ position: inout Int) -> Int32? {
    guard bytes.uncheckedByte(position &+ 10) == UInt8(ascii: "\"") else { return nil }
    let text = (bytes.uncheckedWord(position), bytes.uncheckedPair(position &+ 8))
    if text.0 != dayBefore.0 || text.1 != dayBefore.1 {
      guard let day = Self.readDay(bytes, at: position) else { return nil }
      (dayBefore, dayValue) = (text, day)
    }
    position &+= 11
    return dayValue
  }

  /// `HH:MM:SS` as seconds since midnight.
  @inline(__always)
  static func timeText(_ bytes: RawSpan, _ position: inout Int) -> Int32? {
    let time = FastNumber.time(bytes.uncheckedWord(position))
    guard time >= 0, bytes.uncheckedByte(position &+ 8) == UInt8(ascii: "\"") else { return nil }
    position &+= 9
    return Int32(truncatingIfNeeded: time)
  }

  /// `+HH:MM` as minutes.
  @inline(__always)
  mutating func zoneText(_ bytes: RawSpan, _ position: inout Int) -> Int16? {
    guard bytes.uncheckedByte(position &+ 6) == UInt8(ascii: "\"") else { return nil }
    let text = bytes.uncheckedWord(position) & 0xFFFF_FFFF_FFFF
    if text != zoneBefore {
      guard let zone = Self.readZone(bytes, at: position) else { return nil }
      (zoneBefore, zoneValue) = (text, zone)
    }
    position &+= 7
    return zoneValue
  }

  /// `YYYY-MM-DD` as days since 1970.
  private static func readDay(_ bytes: RawSpan, at offset: Int) -> Int32? {
    guard let year = digits(bytes, offset, 4), bytes.byte(offset + 4) == UInt8(ascii: "-"),
      let month = digits(bytes, offset + 5, 2), bytes.byte(offset + 7) == UInt8(ascii: "-"),
      let day = digits(bytes, offset + 8, 2)
    else { return nil }
    return CalendarDate(year: year, month: month, day: day)?.daysSince1970
  }

  /// `+HH:MM` as minutes.
  private static func readZone(_ bytes: RawSpan, at offset: Int) -> Int16? {
    let sign = bytes.byte(offset)
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = digits(bytes, offset + 1, 2), bytes.byte(offset + 3) == UInt8(ascii: ":"),
      let minutes = digits(bytes, offset + 4, 2), minutes < 60
    else { return nil }
    let total = hours * 60 + minutes
    return ZoneOffset(minutes: sign == UInt8(ascii: "-") ? -total : total)?.minutes
  }

  private static func digits(_ bytes: RawSpan, _ offset: Int, _ count: Int) -> Int? {
    var value = 0
    for index in offset..<offset + count {
      let digit = bytes.byte(index) &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int(digit)
    }
    return value
  }
}
