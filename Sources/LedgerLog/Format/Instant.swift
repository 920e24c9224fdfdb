public import LedgerJSON
import LedgerModel

/// The 24 characters of `at`, checked and read eight bytes at a time.
enum Instant {
  /// Whether a valid `YYYY-MM-DDTHH:MM:SS.mmmZ` is at the offset.
  @inline(__always)
  static func isValid(in bytes: RawSpan, at offset: Int) -> Bool {
    // The separators first, then the digits with the separators masked out.
    let date = bytes.word(offset)
    let middle = bytes.word(offset + 8)
    let end = bytes.word(offset + 16)
    let separators =
      (date & 0xFF00_00FF_0000_0000) == 0x2D00_002D_0000_0000
      && (middle & 0x0000_FF00_00FF_0000) == 0x0000_3A00_0054_0000
      && (end & 0xFF00_0000_FF00_00FF) == 0x5A00_0000_2E00_003A
    guard separators,
      areDigits(date | 0x3000_0030_0000_0000, keeping: 0x00FF_FF00_FFFF_FFFF),
      areDigits(middle | 0x0000_3000_0030_0000, keeping: 0xFFFF_00FF_FF00_FFFF),
      areDigits(end | 0x3000_0000_3000_0030, keeping: 0x00FF_FFFF_00FF_FF00)
    else { return false }
    let year = two(bytes, offset) * 100 + two(bytes, offset + 2)
    let month = two(bytes, offset + 5)
    let day = two(bytes, offset + 8)
    guard year >= 1, month >= 1, month <= 12, day >= 1,
      two(bytes, offset + 11) < 24, two(bytes, offset + 14) < 60, two(bytes, offset + 17) < 60
    else { return false }
    return day <= 28 || day <= CalendarDate.daysIn(month: month, of: year)
  }

  /// Whether the kept bytes are `0`–`9`.
  @inline(__always)
  private static func areDigits(_ word: UInt64, keeping mask: UInt64) -> Bool {
    let highs = word & 0xF0F0_F0F0_F0F0_F0F0
    let pastNine = (word & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x0606_0606_0606_0606
    return highs & mask == 0x3030_3030_3030_3030 & mask
      && pastNine & 0xF0F0_F0F0_F0F0_F0F0 & mask == 0x3030_3030_3030_3030 & mask
  }

  @inline(__always)
  private static func two(_ bytes: RawSpan, _ offset: Int) -> Int {
    Int(bytes.byte(offset) & 15) * 10 + Int(bytes.byte(offset + 1) & 15)
  }

  /// - Precondition: a valid instant is at the offset.
  static func milliseconds(in bytes: RawSpan, at offset: Int) -> Int64 {
    let year = two(bytes, offset) * 100 + two(bytes, offset + 2)
    let date = CalendarDate(
      year: year, month: two(bytes, offset + 5), day: two(bytes, offset + 8))
    let seconds =
      two(bytes, offset + 11) * 3600 + two(bytes, offset + 14) * 60 + two(bytes, offset + 17)
    let thousandths = Int(bytes.byte(offset + 20) & 15) * 100 + two(bytes, offset + 21)
    let days = Int64(date?.daysSince1970 ?? 0)
    return (days * 86_400 + Int64(seconds)) * 1000 + Int64(thousandths)
  }
}

/// Checks instants, remembering the text of the last valid day: most lines have the same day as the
/// line before.
public struct InstantDay: Sendable {
  @usableFromInline var first: UInt64 = 0
  /// Three characters; initially a value that no text has.
  @usableFromInline var rest: UInt64 = .max

  public init() {}

  /// Whether a valid `YYYY-MM-DDTHH:MM:SS.mmmZ` is at the offset.
  @inlinable @inline(__always)
  public mutating func isInstant(_ bytes: RawSpan, at offset: Int) -> Bool {
    // `YYYY-MM-`, `DDT`, `.mmm`.
    let first = bytes.uncheckedWord(offset)
    let rest = bytes.uncheckedWord(offset &+ 8) & 0xFF_FFFF
    let digits = bytes.uncheckedHalfWord(offset &+ 19) ^ 0x3030_302E
    let isFraction = ((digits &+ 0x7676_767F) | digits) & 0x8080_8080 == 0
    guard isFraction, bytes.uncheckedByte(offset &+ 23) == UInt8(ascii: "Z"),
      FastNumber.time(bytes.uncheckedWord(offset &+ 11)) >= 0
    else { return false }
    return (first == self.first && rest == self.rest) || remember(first, rest, bytes, offset)
  }

  @usableFromInline
  mutating func remember(
    _ first: UInt64, _ rest: UInt64, _ bytes: RawSpan, _ offset: Int
  ) -> Bool {
    guard Instant.isValid(in: bytes, at: offset) else { return false }
    (self.first, self.rest) = (first, rest)
    return true
  }
}
