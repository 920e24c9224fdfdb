public import LedgerJSON

/// Digits, dates and times, a word at a time, for the fast way. `nil` only ever means «not in the
/// usual form».
public enum FastNumber {
  /// How many of a word's first bytes are digits; `digits` is the word with `0` taken off each.
  @inlinable @inline(__always)
  public static func count(_ digits: UInt64) -> Int {
    // Only the lowest mark counts: whatever carries into a higher byte was marked itself.
    let others = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
    return others.trailingZeroBitCount >> 3
  }

  @inlinable @inline(__always)
  public static func digits(_ word: UInt64) -> UInt64 { word ^ 0x3030_3030_3030_3030 }

  /// The number that the first `count` digits are, one to eight of them.
  @inlinable @inline(__always)
  public static func value(_ digits: UInt64, count: Int) -> UInt64 {
    // The missing digits in front become zeros.
    var value = digits &<< UInt64(truncatingIfNeeded: 64 &- count &* 8)
    value = (value &* 10 &+ value >> 8) & 0x00FF_00FF_00FF_00FF
    value = (value &* 100 &+ value >> 16) & 0x0000_FFFF_0000_FFFF
    return (value &* 10_000 &+ value >> 32) & 0xFFFF_FFFF
  }

  /// A whole number from 1 to 99,999,999 without leading zeros; steps over it.
  @inlinable @inline(__always)
  public static func whole(_ bytes: RawSpan, at position: inout Int) -> Int? {
    let digits = digits(bytes.uncheckedWord(position))
    let count = count(digits)
    guard count > 0, digits & 0xFF != 0 else { return nil }
    if count == 8, bytes.uncheckedByte(position &+ 8) &- UInt8(ascii: "0") < 10 { return nil }
    position &+= count
    return Int(truncatingIfNeeded: value(digits, count: count))
  }

  /// `HH:MM:SS` as seconds since midnight; negative for anything else.
  @inlinable @inline(__always)
  public static func time(_ word: UInt64) -> Int {
    // `00:00:00` taken off: digits are left, and nothing of the colons. The sum marks each byte
    // above its bound: 29:59:59.
    let parts = word ^ 0x3030_3A30_303A_3030
    let over = (parts &+ 0x767A_7F76_7A7F_767D) | parts
    let pairs = parts &* 10 &+ parts >> 8
    let hours = Int(truncatingIfNeeded: pairs & 0xFF)
    guard over & 0x8080_8080_8080_8080 == 0, hours < 24 else { return -1 }
    let minutes = Int(truncatingIfNeeded: pairs >> 24 & 0xFF)
    return hours &* 3600 &+ minutes &* 60 &+ Int(truncatingIfNeeded: pairs >> 48 & 0xFF)
  }
}
