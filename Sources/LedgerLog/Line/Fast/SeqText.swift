public import LedgerJSON

/// A seq as it must stand in the next line. Lines are numbered one after the other, so that its text
/// need not be read, but only be compared.
public struct SeqText: Sendable {
  public var number: Int
  /// How many digits; 0 for a seq of more than eight, which stands nowhere.
  public var count = 0
  /// The first digit lowest, and which of the eight bytes count.
  @usableFromInline var digits: UInt64 = 0
  @usableFromInline var mask: UInt64 = 0
  /// One in the last digit's place.
  @usableFromInline var one: UInt64 = 0

  public init(_ number: Int) {
    self.number = number
    guard number > 0, number < 100_000_000 else { return }
    var rest = number
    while rest > 0 {
      digits = digits << 8 | UInt64(UInt8(ascii: "0") + UInt8(rest % 10))
      mask = mask << 8 | 0xFF
      count += 1
      rest /= 10
    }
    one = 1 << UInt64((count - 1) * 8)
  }

  /// Whether it stands at an offset; what follows it is not looked at.
  @inlinable @inline(__always)
  public func stands(in bytes: RawSpan, at offset: Int) -> Bool {
    (bytes.uncheckedWord(offset) ^ digits) & mask == 0 && mask != 0
  }

  /// Goes on to the next one.
  @inlinable @inline(__always)
  public mutating func advance() {
    number &+= 1
    digits &+= one
    // The last digit stands highest, and no bytes above it.
    if digits >= one &* 0x3A { carry() }
  }

  /// Goes on where the last digit went past `9`, or none stands anywhere.
  @usableFromInline @inline(never)
  mutating func carry() {
    var place = UInt64(max(count - 1, 0)) * 8
    while place > 0, digits >> place & 0xFF > UInt64(UInt8(ascii: "9")) {
      digits -= 10 << place
      place -= 8
      digits += 1 << place
    }
    if place == 0 { self = SeqText(number) }
  }
}
