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
  }

  /// Whether it stands at an offset; what follows it is not looked at.
  @inlinable @inline(__always)
  public func stands(in bytes: RawSpan, at offset: Int) -> Bool {
    (bytes.uncheckedWord(offset) ^ digits) & mask == 0 && mask != 0
  }

  /// Goes on to the next one.
  @inlinable @inline(__always)
  public mutating func advance() {
    var place = count &- 1
    while place >= 0, digits &>> UInt64(place &* 8) & 0xFF == UInt64(UInt8(ascii: "9")) {
      digits &-= 9 &<< UInt64(place &* 8)
      place &-= 1
    }
    guard place >= 0 else {
      self = SeqText(number &+ 1)
      return
    }
    number &+= 1
    digits &+= 1 &<< UInt64(place &* 8)
  }
}
