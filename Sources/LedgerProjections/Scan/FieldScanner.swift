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

  /// A whole string from its opening quote on, checked, its text of no interest.
  @inline(__always)
  static func skipString(_ bytes: RawSpan, at position: inout Int) -> Bool {
    guard bytes.uncheckedByte(position) == UInt8(ascii: "\"") else { return false }
    position &+= 1
    return skipText(bytes, at: &position)
  }

  /// A string's characters and its closing quote, checked, from behind its opening quote on.
  @inline(__always)
  static func skipText(_ bytes: RawSpan, at position: inout Int) -> Bool {
    let start = position
    // The line's end is a control character, at which this stops at the latest.
    JSONScanner.skipPlainUnchecked(in: bytes, at: &position)
    if bytes.uncheckedByte(position) == UInt8(ascii: "\"") {
      position &+= 1
      return true
    }
    position = start &- 1
    return skipUnusualString(bytes, at: &position)
  }

  /// A string with escapes or letters beyond ASCII.
  private static func skipUnusualString(_ bytes: RawSpan, at position: inout Int) -> Bool {
    do {
      _ = try JSONScanner.string(in: bytes, at: &position)
      return true
    } catch {
      return false
    }
  }

  /// A number, mostly of few digits and behind a comma or brace; anything else is rarer.
  @inline(__always)
  static func quantity(_ bytes: RawSpan, at position: inout Int) -> Double? {
    let digits = FastNumber.digits(bytes.uncheckedWord(position))
    let count = FastNumber.count(digits)
    guard count > 0, count < 8, digits & 0xFF != 0 || count == 1 else {
      return unusualQuantity(bytes, at: &position)
    }
    let whole = FastNumber.value(digits, count: count)
    let behind = bytes.uncheckedByte(position &+ count)
    if behind == UInt8(ascii: ",") || behind == UInt8(ascii: "}") {
      position &+= count
      return Double(whole)
    }
    guard behind == UInt8(ascii: ".") else { return unusualQuantity(bytes, at: &position) }
    let decimals = FastNumber.digits(bytes.uncheckedWord(position &+ count &+ 1))
    let places = FastNumber.count(decimals)
    let end = position &+ count &+ 1 &+ places
    let last = bytes.uncheckedByte(end)
    guard places > 0, places < 8, last == UInt8(ascii: ",") || last == UInt8(ascii: "}") else {
      return unusualQuantity(bytes, at: &position)
    }
    position = end
    // As ``JSONScanner/number(in:at:bounded:)``: an exact integer and one division.
    let tens: Int = places & 1 != 0 ? 10 : 1
    let hundreds: Int = places & 2 != 0 ? 100 : 1
    let power = tens &* hundreds &* (places & 4 != 0 ? 10_000 : 1)
    let mantissa =
      Int(truncatingIfNeeded: whole) &* power
      &+ Int(truncatingIfNeeded: FastNumber.value(decimals, count: places))
    return Double(mantissa) / Double(power)
  }

  private static func unusualQuantity(_ bytes: RawSpan, at position: inout Int) -> Double? {
    do {
      return try JSONScanner.number(in: bytes, at: &position, bounded: true)
    } catch {
      return nil
    }
  }
}
