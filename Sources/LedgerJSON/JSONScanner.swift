/// The one strict scanner: primitives that move a position over bytes and refuse what JSON, or the
/// log format, does not allow. The readers of whole values and the fast paths of the log are both
/// made of these, so that there is one opinion on what a string or a number is.
public enum JSONScanner {
  /// Steps over `byte`, or says what stands there instead.
  @inlinable @inline(__always)
  public static func expect(
    _ byte: UInt8, in bytes: RawSpan, at position: inout Int
  ) throws(JSONError) {
    guard position < bytes.byteCount else { throw JSONError(.unexpectedEnd, at: position) }
    guard load(bytes, position) == byte else { throw JSONError(.unexpectedByte, at: position) }
    position += 1
  }

  @inlinable @inline(__always)
  public static func load(_ bytes: RawSpan, _ position: Int) -> UInt8 {
    bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
  }

  /// Whether the byte at `position` is this one; false at the end.
  @inlinable @inline(__always)
  public static func peek(_ byte: UInt8, in bytes: RawSpan, at position: Int) -> Bool {
    position < bytes.byteCount && load(bytes, position) == byte
  }

  /// Steps over a string, from its opening quote to behind its closing one.
  ///
  /// - Returns: whether it holds escapes, so that its bytes are not yet its text.
  @inlinable
  public static func string(
    in bytes: RawSpan, at position: inout Int
  ) throws(JSONError) -> Bool {
    try expect(UInt8(ascii: "\""), in: bytes, at: &position)
    var escaped = false
    while true {
      skipPlain(in: bytes, at: &position)
      guard position < bytes.byteCount else { throw JSONError(.unexpectedEnd, at: position) }
      let byte = load(bytes, position)
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return escaped
      case UInt8(ascii: "\\"):
        escaped = true
        _ = try escape(in: bytes, at: &position)
      case 0..<0x20: throw JSONError(.controlCharacter, at: position)
      default: try multibyte(in: bytes, at: &position)
      }
    }
  }

  /// Steps over printable ASCII without quote and backslash, eight bytes at a time.
  @inlinable @inline(__always)
  public static func skipPlain(in bytes: RawSpan, at position: inout Int) {
    while position + 8 <= bytes.byteCount {
      let marked = special(in: bytes.uncheckedWord(position))
      if marked != 0 {
        position += marked.trailingZeroBitCount >> 3
        return
      }
      position += 8
    }
    while position < bytes.byteCount {
      let byte = load(bytes, position)
      if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { return }
      position += 1
    }
  }

  /// The same where a byte that ends it is sure to come, and sixteen more behind that. Sixteen at a
  /// time: how many times eight a text is long nobody can guess.
  @inlinable @inline(__always)
  public static func skipPlainUnchecked(in bytes: RawSpan, at position: inout Int) {
    var marked = special(in: bytes.uncheckedWords(position))
    while marked.x | marked.y == 0 {
      position &+= 16
      marked = special(in: bytes.uncheckedWords(position))
    }
    // 64 where the first eight have none.
    let first = marked.x.trailingZeroBitCount
    let second = marked.y.trailingZeroBitCount & (0 &- (first &>> 6))
    position &+= (first &+ second) &>> 3
  }

  /// As ``special(in:)``, of two words.
  @inlinable @inline(__always)
  static func special(in words: SIMD2<UInt64>) -> SIMD2<UInt64> {
    let ones = SIMD2<UInt64>(repeating: 0x0101_0101_0101_0101)
    let quote = words ^ SIMD2(repeating: 0x2222_2222_2222_2222)
    let backslash = words ^ SIMD2(repeating: 0x5C5C_5C5C_5C5C_5C5C)
    let control = words &- SIMD2(repeating: 0x2020_2020_2020_2020)
    let special =
      ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | (control & ~words) | words
    return special & SIMD2(repeating: 0x8080_8080_8080_8080)
  }

  /// The top bit of each byte that is a quote, a backslash, a control character or beyond ASCII.
  ///
  /// The lowest mark is always a true one: borrows only run towards higher bytes.
  @inlinable @inline(__always)
  static func special(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let special =
      ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
      | ((word &- ones &* 0x20) & ~word) | word
    return special & 0x8080_8080_8080_8080
  }

  /// Steps over an escape, from its backslash.
  ///
  /// - Returns: the character it stands for; surrogate pairs are joined, lone ones refused.
  @inlinable
  public static func escape(
    in bytes: RawSpan, at position: inout Int
  ) throws(JSONError) -> Unicode.Scalar {
    let start = position
    guard position + 1 < bytes.byteCount else { throw JSONError(.unexpectedEnd, at: position) }
    let kind = load(bytes, position + 1)
    position += 2
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw JSONError(.badEscape, at: start)
    }
    let unit = try hex4(in: bytes, at: &position)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, position + 1 < bytes.byteCount,
      load(bytes, position) == UInt8(ascii: "\\"), load(bytes, position + 1) == UInt8(ascii: "u")
    else { throw JSONError(.loneSurrogate, at: start) }
    position += 2
    let low = try hex4(in: bytes, at: &position)
    guard (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { throw JSONError(.loneSurrogate, at: start) }
    return scalar
  }

  @inlinable
  static func hex4(in bytes: RawSpan, at position: inout Int) throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard position < bytes.byteCount else { throw JSONError(.unexpectedEnd, at: position) }
      let byte = load(bytes, position)
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte & 15)
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
        value = value << 4 | UInt32(byte & 15 + 9)
      default: throw JSONError(.badEscape, at: position)
      }
      position += 1
    }
    return value
  }

  /// Steps over one character of two to four bytes; overlong forms, surrogates and what lies
  /// beyond U+10FFFF are refused (Unicode 15, table 3-7).
  @inlinable
  static func multibyte(in bytes: RawSpan, at position: inout Int) throws(JSONError) {
    let lead = load(bytes, position)
    let left = bytes.byteCount - position
    let second = left > 1 ? load(bytes, position + 1) : 0
    let count: Int
    let allowed: ClosedRange<UInt8>
    switch lead {
    case 0xC2...0xDF: (count, allowed) = (2, 0x80...0xBF)
    case 0xE0: (count, allowed) = (3, 0xA0...0xBF)
    case 0xED: (count, allowed) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (count, allowed) = (3, 0x80...0xBF)
    case 0xF0: (count, allowed) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (count, allowed) = (4, 0x80...0xBF)
    case 0xF4: (count, allowed) = (4, 0x80...0x8F)
    default: throw JSONError(.invalidUTF8, at: position)
    }
    guard left >= count, allowed.contains(second) else {
      throw JSONError(.invalidUTF8, at: position)
    }
    for offset in 2..<max(count, 2) where load(bytes, position + offset) & 0xC0 != 0x80 {
      throw JSONError(.invalidUTF8, at: position)
    }
    position += count
  }

  /// Steps over one of the three words.
  @inlinable
  public static func literal(
    _ word: StaticString, in bytes: RawSpan, at position: inout Int
  ) throws(JSONError) {
    for offset in 0..<word.utf8CodeUnitCount {
      try expect(word.utf8Start[offset], in: bytes, at: &position)
    }
  }

  @inlinable
  public static func skipWhiteSpace(in bytes: RawSpan, at position: inout Int) {
    while position < bytes.byteCount {
      switch load(bytes, position) {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }
}
