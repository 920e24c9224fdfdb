public import LedgerJSON
public import LedgerModel

/// Hexadecimal digits, sixteen at a time, for the fast way.
///
/// All is arithmetic on 64-bit words of eight bytes each. In vectors of single bytes the compiler
/// looks at every byte of a constant mask by itself, and makes hundreds of instructions of a dozen.
public enum FastHex {
  public typealias Words = SIMD2<UInt64>

  @inlinable @inline(__always)
  static func everywhere(_ byte: UInt64) -> Words {
    Words(repeating: byte &* 0x0101_0101_0101_0101)
  }

  /// The top bit of some byte where not all are digits `0`–`9` or `a`–`f`; the other bits mean
  /// nothing.
  ///
  /// Each sum's top bit shows on which side of a bound a byte below 0x80 lies, and none of these
  /// carries into the next. A byte above is on no digit's side of both bounds either, so the lowest
  /// of them, which nothing is carried into, is marked whatever becomes of those behind it.
  @inlinable @inline(__always)
  public static func faults(_ digits: Words) -> Words {
    let fromZero = digits &+ everywhere(0x80 - 0x30)
    let pastNine = digits &+ everywhere(0x80 - 0x3A)
    let fromA = digits &+ everywhere(0x80 - 0x61)
    let pastF = digits &+ everywhere(0x80 - 0x67)
    return ~((fromZero & ~pastNine) | (fromA & ~pastF))
  }

  /// Whether a top bit is set in any byte.
  @inlinable @inline(__always)
  public static func hasFault(_ faults: Words) -> Bool {
    (faults.x | faults.y) & 0x8080_8080_8080_8080 != 0
  }

  /// As ``faults(_:)``, of the 64 bytes at an offset.
  @inlinable @inline(__always)
  public static func faults64(_ bytes: RawSpan, at offset: Int) -> Words {
    faults(bytes.uncheckedWords(offset)) | faults(bytes.uncheckedWords(offset &+ 16))
      | faults(bytes.uncheckedWords(offset &+ 32)) | faults(bytes.uncheckedWords(offset &+ 48))
  }

  /// Whether a UUID stands at an offset, the hyphens in their places.
  @inlinable @inline(__always)
  public static func isUUID(_ bytes: RawSpan, at offset: Int) -> Bool {
    let digits = UUIDDigits(bytes, at: offset)
    return digits.areHyphensThere && !hasFault(digits.faults)
  }

  /// The UUID at an offset, if one stands there.
  @inlinable @inline(__always)
  public static func uuid(_ bytes: RawSpan, at offset: Int) -> LedgerUUID? {
    let digits = UUIDDigits(bytes, at: offset)
    return digits.areHyphensThere && !hasFault(digits.faults) ? digits.value : nil
  }

  /// The eight bytes that sixteen digits are, each in the lower half of two.
  @inlinable @inline(__always)
  static func pairs(_ words: Words) -> SIMD8<UInt16> {
    let letters = words & everywhere(0x40)
    let digits = (words & everywhere(0x0F)) &+ (letters &>> 6) &+ (letters &>> 3)
    let pairs = (digits &<< 4 | digits &>> 8) & Words(repeating: 0x00FF_00FF_00FF_00FF)
    return unsafeBitCast(pairs, to: SIMD8<UInt16>.self)
  }
}

/// The 36 characters of a UUID taken apart: its digits, eight to a word, and the hyphens.
public struct UUIDDigits {
  @usableFromInline let high: FastHex.Words
  @usableFromInline let low: FastHex.Words
  public let areHyphensThere: Bool

  @inlinable @inline(__always)
  public init(_ bytes: RawSpan, at offset: Int) {
    high = FastHex.Words(
      bytes.uncheckedWord(offset),
      bytes.uncheckedHalfWord(offset &+ 9) | bytes.uncheckedHalfWord(offset &+ 14) << 32)
    low = FastHex.Words(
      bytes.uncheckedHalfWord(offset &+ 19) | bytes.uncheckedHalfWord(offset &+ 24) << 32,
      bytes.uncheckedWord(offset &+ 28))
    // Hyphens are five characters apart in each half.
    let hyphens: UInt64 = 0x0000_2D00_0000_002D
    let wrong =
      (bytes.uncheckedWord(offset &+ 8) ^ hyphens)
      | (bytes.uncheckedWord(offset &+ 18) ^ hyphens)
    areHyphensThere = wrong & 0x0000_FF00_0000_00FF == 0
  }

  /// As ``FastHex/faults(_:)``, of all digits.
  @inlinable @inline(__always)
  public var faults: FastHex.Words { FastHex.faults(high) | FastHex.faults(low) }

  /// Whether these are digits of an event's id: version 7 of the variant of RFC 9562.
  @inlinable @inline(__always)
  var isOfEvent: Bool {
    // The first digit of the third group, and of the fourth one: `8`, `9`, `a` or `b`.
    let variant = UInt8(truncatingIfNeeded: low.x)
    return high.y >> 32 & 0xFF == 0x37
      && (variant & 0xFE == UInt8(ascii: "8") || variant &- UInt8(ascii: "a") < 2)
  }

  /// - Precondition: neither a hyphen nor a digit is wrong.
  @inlinable @inline(__always)
  public var value: LedgerUUID {
    let pairs = SIMD16(lowHalf: FastHex.pairs(high), highHalf: FastHex.pairs(low))
    let bytes = SIMD16<UInt8>(truncatingIfNeeded: pairs)
    let words = unsafeBitCast(bytes, to: FastHex.Words.self)
    return LedgerUUID(high: UInt64(bigEndian: words.x), low: UInt64(bigEndian: words.y))
  }
}
