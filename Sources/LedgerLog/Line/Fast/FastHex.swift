public import LedgerJSON
public import LedgerModel

/// Hexadecimal digits, sixteen at a time, for the fast way.
public enum FastHex {
  /// The top bit of each lane that is no digit `0`–`9` or `a`–`f`.
  ///
  /// Each sum's top bit shows on which side of a bound a byte below 0x80 lies; a byte above is
  /// marked by its own.
  @inlinable @inline(__always)
  public static func faults(_ digits: SIMD16<UInt8>) -> SIMD16<UInt8> {
    let fromZero = digits &+ SIMD16(repeating: 0x80 - 0x30)
    let pastNine = digits &+ SIMD16(repeating: 0x80 - 0x3A)
    let fromA = digits &+ SIMD16(repeating: 0x80 - 0x61)
    let pastF = digits &+ SIMD16(repeating: 0x80 - 0x67)
    return ~((fromZero & ~pastNine) | (fromA & ~pastF)) | digits
  }

  /// Whether a top bit is set in any lane.
  @inlinable @inline(__always)
  public static func hasFault(_ faults: SIMD16<UInt8>) -> Bool {
    let words = unsafeBitCast(faults, to: SIMD2<UInt64>.self)
    return (words.x | words.y) & 0x8080_8080_8080_8080 != 0
  }

  /// Whether 16 digits stand at an offset.
  @inlinable @inline(__always)
  public static func are16(_ bytes: RawSpan, at offset: Int) -> Bool {
    !hasFault(faults(bytes.uncheckedVector(offset)))
  }

  /// Whether 64 digits stand at an offset.
  @inlinable @inline(__always)
  public static func are64(_ bytes: RawSpan, at offset: Int) -> Bool {
    !hasFault(
      faults(bytes.uncheckedVector(offset)) | faults(bytes.uncheckedVector(offset + 16))
        | faults(bytes.uncheckedVector(offset + 32)) | faults(bytes.uncheckedVector(offset + 48)))
  }

  /// Whether a UUID stands at an offset, the hyphens in their places.
  @inlinable @inline(__always)
  public static func isUUID(_ bytes: RawSpan, at offset: Int) -> Bool {
    // Three overlapping vectors; a hyphen's lane must hold one, and is then taken for a digit.
    let first = bytes.uncheckedVector(offset)
    let second = bytes.uncheckedVector(offset + 16)
    let last = bytes.uncheckedVector(offset + 20)
    let firstHyphens = mask(0, 0x0000_FF00_0000_00FF)
    let secondHyphens = mask(0xFF00_0000_00FF_0000, 0)
    let lastHyphens = mask(0xFF00_0000, 0)
    let hyphen = SIMD16<UInt8>(repeating: UInt8(ascii: "-"))
    let wrong = ((first ^ hyphen) & firstHyphens) | ((second ^ hyphen) & secondHyphens)
    let words = unsafeBitCast(wrong, to: SIMD2<UInt64>.self)
    let zero = SIMD16<UInt8>(repeating: UInt8(ascii: "0"))
    let bad =
      faults((first & ~firstHyphens) | (zero & firstHyphens))
      | faults((second & ~secondHyphens) | (zero & secondHyphens))
      | faults((last & ~lastHyphens) | (zero & lastHyphens))
    return words.x | words.y == 0 && !hasFault(bad)
  }

  /// Sixteen lanes from two words, the first lane lowest. (A literal of sixteen would be an array at
  /// run time.)
  @inlinable @inline(__always)
  static func mask(_ first: UInt64, _ second: UInt64) -> SIMD16<UInt8> {
    unsafeBitCast(
      SIMD2<UInt64>(first.littleEndian, second.littleEndian), to: SIMD16<UInt8>.self)
  }

  /// The UUID at an offset.
  ///
  /// - Precondition: ``isUUID(_:at:)``.
  @inlinable @inline(__always)
  public static func uuid(_ bytes: RawSpan, at offset: Int) -> LedgerUUID {
    let first = bytes.uncheckedWord(offset)
    let second = bytes.uncheckedHalfWord(offset + 9) | bytes.uncheckedHalfWord(offset + 14) << 32
    let third = bytes.uncheckedHalfWord(offset + 19) | bytes.uncheckedHalfWord(offset + 24) << 32
    let fourth = bytes.uncheckedWord(offset + 28)
    return LedgerUUID(
      high: value(first) << 32 | value(second), low: value(third) << 32 | value(fourth))
  }

  /// The 32 bits of eight digits, the first one highest.
  @inlinable @inline(__always)
  static func value(_ word: UInt64) -> UInt64 {
    var value = (word & 0x0F0F_0F0F_0F0F_0F0F) &+ ((word & 0x4040_4040_4040_4040) >> 6) &* 9
    value = (value << 4 | value >> 8) & 0x00FF_00FF_00FF_00FF
    value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt64(UInt32(truncatingIfNeeded: value | value >> 16).byteSwapped)
  }
}
