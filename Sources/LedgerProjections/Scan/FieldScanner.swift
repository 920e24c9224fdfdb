import LedgerJSON
import LedgerLog
import LedgerModel

/// Reads the values of known members straight from their bytes, within a window that goes on behind
/// its last line (see ``LineWindows``). `nil` never means «wrong», only «not in the usual form»: the
/// general reader then decides, and words what is wrong.
struct FieldScanner: Sendable {
  let metrics = MetricTable()
  // Days and zones as they stood in the line before: most lines repeat them.
  private var dayText: (UInt64, UInt64) = (0, 0)
  private var dayValue: Int32 = 0
  private var zoneText: UInt64 = 0
  private var zoneValue: Int16 = 0

  /// `{"entry":"…"`
  @inline(__always)
  static func entry(_ bytes: RawSpan, _ position: inout Int) -> LedgerUUID? {
    guard bytes.uncheckedHolds(#"{"entry":""#, at: position),
      let id = FastHex.uuid(bytes, at: position &+ 10),
      bytes.uncheckedByte(position &+ 46) == UInt8(ascii: "\"")
    else { return nil }
    position &+= 47
    return id
  }

  /// `,"date":"YYYY-MM-DD"` as days since 1970.
  @inline(__always)
  mutating func day(_ bytes: RawSpan, _ position: inout Int) -> Int32? {
    guard bytes.uncheckedHolds(#","date":""#, at: position),
      bytes.uncheckedByte(position &+ 19) == UInt8(ascii: "\"")
    else { return nil }
    let text = (bytes.uncheckedWord(position &+ 9), bytes.uncheckedPair(position &+ 17))
    if text.0 != dayText.0 || text.1 != dayText.1 {
      guard let day = Self.readDay(bytes, at: position &+ 9) else { return nil }
      (dayText, dayValue) = (text, day)
    }
    position &+= 20
    return dayValue
  }

  /// `,"time":"HH:MM:SS","zone":"+HH:MM"` as seconds since midnight and minutes, or nothing: then -1
  /// and no zone.
  @inline(__always)
  mutating func moment(_ bytes: RawSpan, _ position: inout Int) -> (time: Int32, zone: Int16)? {
    guard bytes.uncheckedHolds(#","time":""#, at: position) else { return (-1, 0) }
    let time = FastNumber.time(bytes.uncheckedWord(position &+ 9))
    guard time >= 0, bytes.uncheckedHolds(#"","zone":""#, at: position &+ 17),
      bytes.uncheckedByte(position &+ 33) == UInt8(ascii: "\"")
    else { return nil }
    let text = bytes.uncheckedWord(position &+ 27) & 0xFFFF_FFFF_FFFF
    if text != zoneText {
      guard let zone = Self.readZone(bytes, at: position &+ 27) else { return nil }
      (zoneText, zoneValue) = (text, zone)
    }
    position &+= 34
    return (Int32(truncatingIfNeeded: time), zoneValue)
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
