public import LedgerJSON
public import LedgerModel

/// Skips strings, for the fast reader.
public enum FastText {
  @inlinable @inline(__always)
  public static func skipString(_ bytes: RawSpan, at position: inout Int) -> Bool {
    guard bytes.uncheckedByte(position) == UInt8(ascii: "\"") else { return false }
    position &+= 1
    return skip(bytes, at: &position)
  }

  /// The rest of a string after its opening quote.
  @inlinable @inline(__always)
  public static func skip(_ bytes: RawSpan, at position: inout Int) -> Bool {
    let start = position
    // Stops at the `\n` of the line at the latest.
    JSONScanner.skipPlainUnchecked(in: bytes, at: &position)
    if bytes.uncheckedByte(position) == UInt8(ascii: "\"") {
      position &+= 1
      return true
    }
    position = start &- 1
    return skipUnusual(bytes, at: &position)
  }

  /// As ``skip(_:at:)``, for a string that usually is a UUID.
  @inlinable @inline(__always)
  public static func skipUUID(_ bytes: RawSpan, at position: inout Int) -> Bool {
    if FastHex.isUUID(bytes, at: position),
      bytes.uncheckedByte(position &+ 36) == UInt8(ascii: "\"")
    {
      position &+= 37
      return true
    }
    return skip(bytes, at: &position)
  }

  /// With escapes or non-ASCII characters.
  @usableFromInline
  static func skipUnusual(_ bytes: RawSpan, at position: inout Int) -> Bool {
    do {
      _ = try JSONScanner.string(in: bytes, at: &position)
      return true
    } catch {
      return false
    }
  }
}

/// Integers, times and zones, eight bytes at a time, for the fast reader. `nil` means: not in the
/// usual form.
public enum FastNumber {
  /// The number of leading digits; `digits` is a word after ``digits(_:)``.
  @inlinable @inline(__always)
  static func count(_ digits: UInt64) -> Int { others(digits).trailingZeroBitCount >> 3 }

  /// Marks the top bit of each byte that is not a digit, reliably up to the first byte above 0x7F,
  /// whose sum may carry into the next.
  @inlinable @inline(__always)
  static func others(_ digits: UInt64) -> UInt64 {
    ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
  }

  /// 1 for a number other than 0, branchless.
  @inlinable @inline(__always)
  static func isNotZero(_ number: UInt64) -> UInt64 { (number | (0 &- number)) &>> 63 }

  @inlinable @inline(__always)
  static func digits(_ word: UInt64) -> UInt64 { word ^ 0x3030_3030_3030_3030 }

  /// The value of the first `count` digits, 1 to 8.
  @inlinable @inline(__always)
  static func value(_ digits: UInt64, count: Int) -> UInt64 {
    // Shifting adds leading zeros.
    var value = digits &<< UInt64(truncatingIfNeeded: 64 &- count &* 8)
    value = (value &* 10 &+ value >> 8) & 0x00FF_00FF_00FF_00FF
    value = (value &* 100 &+ value >> 16) & 0x0000_FFFF_0000_FFFF
    return (value &* 10_000 &+ value >> 32) & 0xFFFF_FFFF
  }

  /// A whole number from 1 to 99,999,999 without leading zeros.
  @inlinable @inline(__always)
  public static func whole(_ bytes: RawSpan, at position: inout Int) -> Int? {
    let digits = digits(bytes.uncheckedWord(position))
    let count = count(digits)
    guard count > 0, digits & 0xFF != 0 else { return nil }
    if count == 8, bytes.uncheckedByte(position &+ 8) &- UInt8(ascii: "0") < 10 { return nil }
    position &+= count
    return Int(truncatingIfNeeded: value(digits, count: count))
  }

  /// `HH:MM:SS` as seconds since midnight; negative if invalid.
  @inlinable @inline(__always)
  public static func time(_ word: UInt64) -> Int {
    let (seconds, faults) = clock(word)
    return faults == 0 ? Int(truncatingIfNeeded: seconds) : -1
  }

  /// `HH:MM:SS` as seconds since midnight, branchless.
  ///
  /// - Returns: valid seconds only if `faults` is 0.
  @inlinable @inline(__always)
  public static func clock(_ word: UInt64) -> (seconds: UInt64, faults: UInt64) {
    // XOR with `00:00:00` leaves digit values, and 0 for colons. The sum marks each byte above its
    // bound in 29:59:59.
    let parts = word ^ 0x3030_3A30_303A_3030
    let over = (parts &+ 0x767A_7F76_7A7F_767D) | parts
    let pairs = parts &* 10 &+ parts >> 8
    let (hours, minutes) = (pairs & 0xFF, pairs >> 24 & 0xFF)
    let seconds = hours &* 3600 &+ minutes &* 60 &+ (pairs >> 48 & 0xFF)
    return (seconds, over & 0x8080_8080_8080_8080 | (23 &- hours) & 1 << 63)
  }

  /// `±HH:MM` in a word's first six bytes as minutes ahead of UTC, up to 15:59, branchless.
  ///
  /// - Returns: valid minutes only if `faults` is 0.
  @inlinable @inline(__always)
  public static func zone(_ word: UInt64) -> (minutes: Int64, faults: UInt64) {
    // XOR with `+00:00` leaves 0 for `+` and 6 for `-`.
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

/// JSON numbers, for the fast reader.
public enum FastQuantity {
  /// - Returns: `nil` for anything but a number that the log allows.
  ///
  /// Numbers of up to seven characters with up to three decimals, followed by a comma or brace, are
  /// read branchless: the place of the point is unpredictable.
  @inlinable @inline(__always)
  public static func read(_ bytes: RawSpan, at position: inout Int) -> Double? {
    let word = bytes.uncheckedWord(position)
    let digits = FastNumber.digits(word)
    let others = FastNumber.others(digits)
    let whole = UInt64(truncatingIfNeeded: others.trailingZeroBitCount) >> 3
    let next = word &>> (whole &* 8) & 0xFF
    let point = 1 &- FastNumber.isNotZero(next ^ UInt64(UInt8(ascii: ".")))
    // The lowest mark is the point's, if the number has one.
    let end = UInt64(truncatingIfNeeded: (others & (others &- point)).trailingZeroBitCount) >> 3
    let places = end &- whole &- point
    // A term's top bit is set for: no digit; no end in this word; no decimals after the point; more
    // than three of them; a leading zero.
    let faults =
      (whole &- 1) | (7 &- end) | (places &- point) | (3 &- places)
      | ((digits & 0xFF) &- 1) & (0 &- (whole ^ 1))
    let last = UInt8(truncatingIfNeeded: word &>> (end &* 8))
    guard Int64(bitPattern: faults) >= 0, last == UInt8(ascii: ",") || last == UInt8(ascii: "}")
    else { return longer(bytes, at: &position) }
    position &+= Int(truncatingIfNeeded: end)
    let before = 1 &<< (whole &* 8) &- 1
    let mantissa = FastNumber.value(
      (digits & before) | (digits &>> (point &* 8) & ~before),
      count: Int(truncatingIfNeeded: end &- point))
    // As in ``JSONScanner/number(in:at:bounded:)``: an exact integer and one division.
    let power = 0x03E8_0064_000A_0001 &>> (places &* 16) & 0xFFFF
    return Double(Int64(bitPattern: mantissa)) / Double(Int64(bitPattern: power))
  }

  /// 10 to the power of 0 to 6: 5^(places mod 4), times 625 from 4 places on, times 2^places.
  @inlinable @inline(__always)
  static func power(_ places: UInt64) -> UInt64 {
    let fives = 0x007D_0019_0005_0001 &>> ((places & 3) &* 16) & 0xFFFF
    return (fives &* (1 &+ 624 &* (places >> 2))) &<< places
  }

  /// Up to seven digits, a point and up to six decimals.
  @usableFromInline
  static func longer(_ bytes: RawSpan, at position: inout Int) -> Double? {
    let digits = FastNumber.digits(bytes.uncheckedWord(position))
    let count = FastNumber.count(digits)
    guard count > 0, count < 8, digits & 0xFF != 0 || count == 1,
      bytes.uncheckedByte(position &+ count) == UInt8(ascii: ".")
    else { return unusual(bytes, at: &position) }
    let decimals = FastNumber.digits(bytes.uncheckedWord(position &+ count &+ 1))
    let places = FastNumber.count(decimals)
    let end = position &+ count &+ 1 &+ places
    let last = bytes.uncheckedByte(end)
    guard places > 0, places < 7, last == UInt8(ascii: ",") || last == UInt8(ascii: "}") else {
      return unusual(bytes, at: &position)
    }
    position = end
    let power = power(UInt64(places))
    let mantissa =
      FastNumber.value(digits, count: count) &* power
      &+ FastNumber.value(decimals, count: places)
    return Double(Int64(bitPattern: mantissa)) / Double(Int64(bitPattern: power))
  }

  @usableFromInline
  static func unusual(_ bytes: RawSpan, at position: inout Int) -> Double? {
    do {
      return try JSONScanner.number(in: bytes, at: &position, bounded: true)
    } catch {
      return nil
    }
  }
}

/// Hexadecimal digits, sixteen at a time, for the fast reader.
///
/// All arithmetic is on 64-bit words of eight bytes each: with vectors of single bytes the compiler
/// handles each byte of a constant mask separately, in hundreds of instructions instead of a dozen.
public enum FastHex {
  public typealias Words = SIMD2<UInt64>

  @inlinable @inline(__always)
  static func everywhere(_ byte: UInt64) -> Words {
    Words(repeating: byte &* 0x0101_0101_0101_0101)
  }

  /// Sets the top bit of at least one byte unless all are digits `0`–`9` or `a`–`f`; the other bits
  /// are meaningless.
  ///
  /// For a byte below 0x80 each sum's top bit shows whether it is at or above a bound, and no sum
  /// carries into the next byte. Of the bytes above 0x7F the lowest one, which no carry reaches, is
  /// marked, whatever happens to the bytes after it.
  @inlinable @inline(__always)
  public static func faults(_ digits: Words) -> Words {
    let fromZero = digits &+ everywhere(0x80 - 0x30)
    let pastNine = digits &+ everywhere(0x80 - 0x3A)
    let fromA = digits &+ everywhere(0x80 - 0x61)
    let pastF = digits &+ everywhere(0x80 - 0x67)
    return ~((fromZero & ~pastNine) | (fromA & ~pastF))
  }

  @inlinable @inline(__always)
  public static func hasFault(_ faults: Words) -> Bool {
    (faults.x | faults.y) & 0x8080_8080_8080_8080 != 0
  }

  @inlinable @inline(__always)
  public static func faults64(_ bytes: RawSpan, at offset: Int) -> Words {
    faults(bytes.uncheckedWords(offset)) | faults(bytes.uncheckedWords(offset &+ 16))
      | faults(bytes.uncheckedWords(offset &+ 32)) | faults(bytes.uncheckedWords(offset &+ 48))
  }

  @inlinable @inline(__always)
  public static func isUUID(_ bytes: RawSpan, at offset: Int) -> Bool {
    let digits = UUIDDigits(bytes, at: offset)
    return digits.hasHyphens && !hasFault(digits.faults)
  }

  @inlinable @inline(__always)
  public static func uuid(_ bytes: RawSpan, at offset: Int) -> LedgerUUID? {
    let digits = UUIDDigits(bytes, at: offset)
    return digits.hasHyphens && !hasFault(digits.faults) ? digits.value : nil
  }

  /// The eight bytes that sixteen digits encode, each in the lower half of 16 bits.
  @inlinable @inline(__always)
  static func pairs(_ words: Words) -> SIMD8<UInt16> {
    let letters = words & everywhere(0x40)
    let digits = (words & everywhere(0x0F)) &+ (letters &>> 6) &+ (letters &>> 3)
    let pairs = (digits &<< 4 | digits &>> 8) & Words(repeating: 0x00FF_00FF_00FF_00FF)
    return unsafeBitCast(pairs, to: SIMD8<UInt16>.self)
  }
}

/// The 36 characters of a UUID: its digits, eight to a word, and whether the hyphens are right.
public struct UUIDDigits {
  @usableFromInline let high: FastHex.Words
  @usableFromInline let low: FastHex.Words
  public let hasHyphens: Bool

  @inlinable @inline(__always)
  public init(_ bytes: RawSpan, at offset: Int) {
    high = FastHex.Words(
      bytes.uncheckedWord(offset),
      bytes.uncheckedHalfWord(offset &+ 9) | bytes.uncheckedHalfWord(offset &+ 14) << 32)
    low = FastHex.Words(
      bytes.uncheckedHalfWord(offset &+ 19) | bytes.uncheckedHalfWord(offset &+ 24) << 32,
      bytes.uncheckedWord(offset &+ 28))
    // In each half the hyphens are five characters apart.
    let hyphens: UInt64 = 0x0000_2D00_0000_002D
    let wrong =
      (bytes.uncheckedWord(offset &+ 8) ^ hyphens)
      | (bytes.uncheckedWord(offset &+ 18) ^ hyphens)
    hasHyphens = wrong & 0x0000_FF00_0000_00FF == 0
  }

  @inlinable @inline(__always)
  public var faults: FastHex.Words { FastHex.faults(high) | FastHex.faults(low) }

  /// Whether version and variant are those of an event's id: version 7, RFC 9562.
  @inlinable @inline(__always)
  var isOfEvent: Bool {
    // The first digit of the third group is `7`, that of the fourth `8`, `9`, `a` or `b`.
    let variant = UInt8(truncatingIfNeeded: low.x)
    return high.y >> 32 & 0xFF == 0x37
      && (variant & 0xFE == UInt8(ascii: "8") || variant &- UInt8(ascii: "a") < 2)
  }

  /// - Precondition: all hyphens and digits are valid.
  @inlinable @inline(__always)
  public var value: LedgerUUID {
    let pairs = SIMD16(lowHalf: FastHex.pairs(high), highHalf: FastHex.pairs(low))
    let bytes = SIMD16<UInt8>(truncatingIfNeeded: pairs)
    let words = unsafeBitCast(bytes, to: FastHex.Words.self)
    return LedgerUUID(high: UInt64(bigEndian: words.x), low: UInt64(bigEndian: words.y))
  }
}

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
