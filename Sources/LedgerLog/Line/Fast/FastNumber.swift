public import LedgerJSON

/// Digits, dates and times, a word at a time, for the fast way. `nil` only ever means «not in the
/// usual form».
public enum FastNumber {
  /// How many of a word's first bytes are digits; `digits` is the word with `0` taken off each.
  @inlinable @inline(__always)
  public static func count(_ digits: UInt64) -> Int { others(digits).trailingZeroBitCount >> 3 }

  /// The top bit of each byte that is no digit, up to and with the first one beyond ASCII: what
  /// carries into a higher byte is marked itself.
  @inlinable @inline(__always)
  static func others(_ digits: UInt64) -> UInt64 {
    ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
  }

  /// 1 for a number that is not 0, without a branch.
  @inlinable @inline(__always)
  public static func isNotZero(_ number: UInt64) -> UInt64 { (number | (0 &- number)) &>> 63 }

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
    let (seconds, faults) = clock(word)
    return faults == 0 ? Int(truncatingIfNeeded: seconds) : -1
  }

  /// `HH:MM:SS` as seconds since midnight, without a branch.
  ///
  /// - Returns: seconds of no meaning where `faults` is not 0: then it is no time.
  @inlinable @inline(__always)
  public static func clock(_ word: UInt64) -> (seconds: UInt64, faults: UInt64) {
    // `00:00:00` taken off: digits are left, and nothing of the colons. The sum marks each byte
    // above its bound: 29:59:59.
    let parts = word ^ 0x3030_3A30_303A_3030
    let over = (parts &+ 0x767A_7F76_7A7F_767D) | parts
    let pairs = parts &* 10 &+ parts >> 8
    let (hours, minutes) = (pairs & 0xFF, pairs >> 24 & 0xFF)
    let seconds = hours &* 3600 &+ minutes &* 60 &+ (pairs >> 48 & 0xFF)
    return (seconds, over & 0x8080_8080_8080_8080 | (23 &- hours) & 1 << 63)
  }

  /// `+HH:MM` in a word's first six bytes as minutes ahead of UTC, up to 15:59, without a branch.
  ///
  /// - Returns: minutes of no meaning where `faults` is not 0: then it is no zone.
  @inlinable @inline(__always)
  public static func zone(_ word: UInt64) -> (minutes: Int64, faults: UInt64) {
    // `+00:00` taken off: of a `-` that leaves 6.
    let parts = (word ^ 0x3030_3A30_302B) & 0xFFFF_FFFF_FFFF
    let over = (parts &+ 0x767A_7F76_7E00) | parts
    let sign = parts & 0xFF
    let isNoSign = sign & 0xF9 | (sign ^ sign >> 1) & 2
    let pairs = parts &* 10 &+ parts >> 8
    let minutes = (pairs >> 8 & 0xFF) &* 60 &+ (pairs >> 32 & 0xFF)
    let faults = over & 0x8080_8080_8080 | isNoSign | (959 &- minutes) & 1 << 63
    let west = 0 &- (sign >> 2)
    return (Int64(truncatingIfNeeded: (minutes ^ west) &- west), faults)
  }
}
