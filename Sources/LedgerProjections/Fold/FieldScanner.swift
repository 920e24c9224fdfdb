import LedgerJSON
import LedgerLog
import LedgerModel

/// Reads the values of known members straight from their bytes, within a window that goes on behind
/// its last line (see ``LineWindows``). `nil` never means «wrong», only «not in the usual form»: the
/// general reader then decides, and words what is wrong.
struct FieldScanner: Sendable {
  let metrics = MetricTable()
  /// The days seen last, each in the place of its day of the month: entries are of few days for long.
  private var days = [KnownDay](repeating: KnownDay(), count: 64)
  /// The zone seen last: people seldom move to another.
  private var zone = KnownZone()

  /// `{"entry":"…"`
  @inline(__always)
  static func entry(_ bytes: RawSpan, _ position: inout Int) -> LedgerUUID? {
    guard bytes.uncheckedHolds(#"{"entry":""#, at: position) else { return nil }
    position &+= 10
    return uuid(bytes, &position)
  }

  /// The same, its digits yet to be judged with the others of the line.
  @inline(__always)
  static func entry(
    _ bytes: RawSpan, _ position: inout Int, _ faults: inout FastHex.Words
  ) -> LedgerUUID? {
    let digits = UUIDDigits(bytes, at: position &+ 10)
    guard bytes.uncheckedHolds(#"{"entry":""#, at: position), digits.areHyphensThere,
      bytes.uncheckedByte(position &+ 46) == UInt8(ascii: "\"")
    else { return nil }
    position &+= 47
    faults |= digits.faults
    return digits.value
  }

  /// `,"date":"YYYY-MM-DD"` as days since 1970.
  @inline(__always)
  package mutating func day(_ bytes: RawSpan, _ position: inout Int) -> Int32? {
    guard bytes.uncheckedHolds(#","date":""#, at: position) else { return nil }
    position &+= 9
    return dayText(bytes, &position)
  }

  /// `,"time":"HH:MM:SS","zone":"+HH:MM"` as seconds since midnight and minutes, or nothing: then -1
  /// and no zone.
  @inline(__always)
  mutating func moment(
    _ bytes: RawSpan, _ position: inout Int
  ) -> (time: Int32, zone: Int16)? {
    guard bytes.uncheckedHolds(#","time":""#, at: position) else { return (-1, 0) }
    let time = FastNumber.clock(bytes.uncheckedWord(position &+ 9))
    let zoneText = bytes.uncheckedWord(position &+ 27) & KnownZone.mask
    guard bytes.uncheckedHolds(#"","zone":""#, at: position &+ 17), time.faults == 0,
      zoneText == zone.text || remember(zoneText)
    else { return nil }
    position &+= 34
    return (Int32(truncatingIfNeeded: time.seconds), zone.minutes)
  }

  /// Takes a zone and the quote behind it for the one that comes next, too.
  private mutating func remember(_ text: UInt64) -> Bool {
    let (minutes, faults) = FastNumber.zone(text)
    guard faults == 0, text >> 48 == UInt64(UInt8(ascii: "\"")) else { return false }
    zone = KnownZone(text: text, minutes: Int16(truncatingIfNeeded: minutes))
    return true
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
    let (first, rest) = (bytes.uncheckedWord(position), bytes.uncheckedPair(position &+ 8))
    // Two bits of the first digit, four of the second.
    let place = Int(truncatingIfNeeded: (rest & 3) << 4 | rest >> 8 & 0xF)
    if days[place].first != first || days[place].rest != rest {
      guard let day = Self.readDay(bytes, at: position) else { return nil }
      days[place] = KnownDay(first: first, rest: rest, value: day)
    }
    position &+= 11
    return days[place].value
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
  static func zoneText(_ bytes: RawSpan, _ position: inout Int) -> Int16? {
    let zone = FastNumber.zone(bytes.uncheckedWord(position))
    guard zone.faults == 0, bytes.uncheckedByte(position &+ 6) == UInt8(ascii: "\"") else {
      return nil
    }
    position &+= 7
    return Int16(truncatingIfNeeded: zone.minutes)
  }

  /// `YYYY-MM-DD` and a quote, of a day that exists.
  static func skipDay(_ bytes: RawSpan, _ position: inout Int) -> Bool {
    guard bytes.uncheckedByte(position &+ 10) == UInt8(ascii: "\""),
      readDay(bytes, at: position) != nil
    else { return false }
    position &+= 11
    return true
  }

  /// `YYYY-MM-DD` as days since 1970.
  private static func readDay(_ bytes: RawSpan, at offset: Int) -> Int32? {
    guard let year = digits(bytes, offset, 4), bytes.byte(offset + 4) == UInt8(ascii: "-"),
      let month = digits(bytes, offset + 5, 2), bytes.byte(offset + 7) == UInt8(ascii: "-"),
      let day = digits(bytes, offset + 8, 2)
    else { return nil }
    return CalendarDate(year: year, month: month, day: day)?.daysSince1970
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

/// A zone as it was written, and as minutes ahead of UTC.
private struct KnownZone {
  /// `+HH:MM` and a quote.
  static let mask: UInt64 = 0xFF_FFFF_FFFF_FFFF

  /// What nothing reads as at first.
  var text: UInt64 = .max
  var minutes: Int16 = 0
}

/// A day as it was written, and as days since 1970.
private struct KnownDay {
  var first: UInt64 = 0
  /// The last two characters; what nothing reads as at first.
  var rest: UInt64 = .max
  var value: Int32 = 0
}
