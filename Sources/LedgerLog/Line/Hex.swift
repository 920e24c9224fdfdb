/// Hexadecimal digits, eight at a time.
enum Hex {
  static func isLowerDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Whether all eight bytes of a word are digits `0`–`9` or `a`–`f`.
  ///
  /// Each test adds so that a byte's top bit shows whether it lies at or above a bound; bytes with
  /// the top bit already set are refused first, so no addition carries into its neighbour.
  @inline(__always)
  static func areLowerDigits(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let fromZero = word &+ ones &* (0x80 - 0x30)
    let pastNine = word &+ ones &* (0x80 - 0x3A)
    let fromA = word &+ ones &* (0x80 - 0x61)
    let pastF = word &+ ones &* (0x80 - 0x67)
    let good = (fromZero & ~pastNine) | (fromA & ~pastF)
    return word & tops == 0 && good & tops == tops
  }

  /// The 32 bits of eight valid digits, the first one highest; `word` as read little-endian.
  @inline(__always)
  static func value(_ word: UInt64) -> UInt64 {
    var value = word.byteSwapped
    value = (value & 0x0F0F_0F0F_0F0F_0F0F) &+ ((value & 0x4040_4040_4040_4040) >> 6) &* 9
    value = (value | (value >> 4)) & 0x00FF_00FF_00FF_00FF
    value = (value | (value >> 8)) & 0x0000_FFFF_0000_FFFF
    return (value | (value >> 16)) & 0xFFFF_FFFF
  }
}
