public import LedgerJSON

/// Numbers as JSON writes them, for the fast way.
public enum FastQuantity {
  /// A number, mostly of few digits and behind a comma or brace; anything else is rarer. `nil` for
  /// what is no number of the log.
  ///
  /// Up to seven characters, three of them behind the point, are read without a branch on what they
  /// are: whether a point comes next, and after how many digits, nobody can guess.
  @inlinable @inline(__always)
  public static func read(_ bytes: RawSpan, at position: inout Int) -> Double? {
    let word = bytes.uncheckedWord(position)
    let digits = FastNumber.digits(word)
    let others = FastNumber.others(digits)
    let whole = UInt64(truncatingIfNeeded: others.trailingZeroBitCount) >> 3
    let behind = word &>> (whole &* 8) & 0xFF
    let point = 1 &- FastNumber.isNotZero(behind ^ UInt64(UInt8(ascii: ".")))
    // The lowest mark is the point's, if there is one.
    let end = UInt64(truncatingIfNeeded: (others & (others &- point)).trailingZeroBitCount) >> 3
    let places = end &- whole &- point
    // Each of these has its top bit set where there is: no digit, no end, nothing behind the point or
    // too much, a zero in front of other digits.
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
    // As ``JSONScanner/number(in:at:bounded:)``: an exact integer and one division.
    let power = 0x03E8_0064_000A_0001 &>> (places &* 16) & 0xFFFF
    return Double(Int64(bitPattern: mantissa)) / Double(Int64(bitPattern: power))
  }

  /// Ten to the power of 0 to 6: the powers of five up to 125, times 625, times those of two.
  @inlinable @inline(__always)
  static func power(_ places: UInt64) -> UInt64 {
    let fives = 0x007D_0019_0005_0001 &>> ((places & 3) &* 16) & 0xFFFF
    return (fives &* (1 &+ 624 &* (places >> 2))) &<< places
  }

  /// A number of up to seven digits, a point and up to six behind it.
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
