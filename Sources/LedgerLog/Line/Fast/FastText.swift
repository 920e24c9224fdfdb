public import LedgerJSON

/// Strings whose text is of no interest, for the fast way.
public enum FastText {
  /// A whole string from its opening quote on, checked.
  @inlinable @inline(__always)
  public static func skipString(_ bytes: RawSpan, at position: inout Int) -> Bool {
    guard bytes.uncheckedByte(position) == UInt8(ascii: "\"") else { return false }
    position &+= 1
    return skip(bytes, at: &position)
  }

  /// A string's characters and its closing quote, checked, from behind its opening quote on.
  @inlinable @inline(__always)
  public static func skip(_ bytes: RawSpan, at position: inout Int) -> Bool {
    let start = position
    // The line's end is a control character, at which this stops at the latest.
    JSONScanner.skipPlainUnchecked(in: bytes, at: &position)
    if bytes.uncheckedByte(position) == UInt8(ascii: "\"") {
      position &+= 1
      return true
    }
    position = start &- 1
    return skipUnusual(bytes, at: &position)
  }

  /// As ``skip(_:at:)``, for a string that is a UUID most of the time.
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

  /// A string with escapes or letters beyond ASCII.
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
