/// 128 bits in the usual notation. Its own type because Foundation's would cost every start of
/// `ledger` its loading, and because the log allows lower case only.
public struct LedgerUUID: Hashable, Comparable, BitwiseCopyable, Sendable,
  CustomStringConvertible
{
  public var high: UInt64
  public var low: UInt64

  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Exactly 36 characters, hexadecimal digits in lower case.
  public init?(_ text: some StringProtocol) {
    var value: (high: UInt64, low: UInt64) = (0, 0)
    var count = 0
    for byte in text.utf8 {
      defer { count += 1 }
      if count == 8 || count == 13 || count == 18 || count == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if count < 18 {
        value.high = value.high << 4 | UInt64(digit)
      } else {
        value.low = value.low << 4 | UInt64(digit)
      }
    }
    guard count == 36 else { return nil }
    self.init(high: value.high, low: value.low)
  }

  /// A version 7 UUID (RFC 9562): milliseconds first, so that ids made later sort later; the rest
  /// random.
  public static func version7(
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> LedgerUUID {
    let milliseconds = UInt64(bitPattern: max(0, now.millisecondsSince1970)) & 0xFFFF_FFFF_FFFF
    let high = milliseconds << 16 | 0x7000 | UInt64.random(in: 0...0xFFF, using: &generator)
    let low = 0b10 << 62 | UInt64.random(in: 0..<(1 << 62), using: &generator)
    return LedgerUUID(high: high, low: low)
  }

  public var description: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    appendText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  public func appendText(to bytes: inout [UInt8]) {
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 {
        bytes.append(UInt8(ascii: "-"))
      }
      let word = index < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: word >> (60 - UInt64(index & 15) * 4)) & 15
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  public static func < (left: LedgerUUID, right: LedgerUUID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
