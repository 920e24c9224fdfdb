import LedgerModel

/// An account's id, a UUID in text.
struct UserID: Hashable, Sendable {
  let text: String
}

/// A progress row's id, a UUID in text.
struct RowID: Hashable, Sendable {
  let text: String
}

/// Makes ids and tokens from the configured source of randomness.
struct IDSource: Sendable {
  let randomWord: @Sendable () -> UInt64

  /// A UUID of version 4 (RFC 9562, 5.4).
  func uuid() -> String {
    let high = randomWord() & ~0xF000 | 0x4000
    let low = randomWord() & (1 << 62 - 1) | 1 << 63
    return LedgerUUID(high: high, low: low).description
  }

  /// 256 random bits that say what kind of token they are, so that one sent in the place of the
  /// other is seen at a glance.
  func token(_ kind: String) -> String {
    let words = (0..<4).map { _ in
      let digits = String(randomWord(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    return "\(kind)_\(words.joined())"
  }
}
