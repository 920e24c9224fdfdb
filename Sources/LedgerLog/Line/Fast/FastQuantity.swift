public import LedgerJSON

/// Numbers as JSON writes them, for the fast way.
public enum FastQuantity {
  /// A number, mostly of few digits and behind a comma or brace; anything else is rarer. `nil` for
  /// what is no number of the log.
  @inlinable @inline(__always)
  public static func read(_ bytes: RawSpan, at position: inout Int) -> Double? {
    let digits = FastNumber.digits(bytes.uncheckedWord(position))
    let count = FastNumber.count(digits)
    guard count > 0, count < 8, digits & 0xFF != 0 || count == 1 else {
      return unusual(bytes, at: &position)
    }
    let whole = FastNumber.value(digits, count: count)
    let behind = bytes.uncheckedByte(position &+ count)
    if behind == UInt8(ascii: ",") || behind == UInt8(ascii: "}") {
      position &+= count
      return Double(whole)
    }
    guard behind == UInt8(ascii: ".") else { return unusual(bytes, at: &position) }
    let decimals = FastNumber.digits(bytes.uncheckedWord(position &+ count &+ 1))
    let places = FastNumber.count(decimals)
    let end = position &+ count &+ 1 &+ places
    let last = bytes.uncheckedByte(end)
    guard places > 0, places < 8, last == UInt8(ascii: ",") || last == UInt8(ascii: "}") else {
      return unusual(bytes, at: &position)
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

  @usableFromInline
  static func unusual(_ bytes: RawSpan, at position: inout Int) -> Double? {
    do {
      return try JSONScanner.number(in: bytes, at: &position, bounded: true)
    } catch {
      return nil
    }
  }
}
