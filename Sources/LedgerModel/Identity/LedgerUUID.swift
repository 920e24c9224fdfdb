public import LedgerJSON

/// 128 bits in the usual notation. Its own type because Foundation's would cost every start of
/// `ledger` its loading, and because the log allows lower case only.
public struct LedgerUUID: Hashable, Comparable, BitwiseCopyable, Sendable, PlainText {
  /// The first 64 bits.
  public var high: UInt64
  /// The last 64 bits.
  public var low: UInt64

  /// 128 bits, whatever they are.
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
    let high = milliseconds << 16 | 0x7000 | generator.next() >> 52
    let low = 0b10 << 62 | generator.next() >> 2
    return LedgerUUID(high: high, low: low)
  }

  /// 36 characters, hexadecimal digits in lower case.
  public func appendText(to bytes: inout ByteSink) {
    bytes.append(uuid: high, low)
  }

  public static func < (left: LedgerUUID, right: LedgerUUID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
