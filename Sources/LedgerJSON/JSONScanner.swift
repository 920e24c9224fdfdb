/// Primitives that move a position over bytes and refuse what JSON, or the log format, does not
/// allow. Both ``JSONReader`` and the log's readers use them, so that they agree on what is valid.
public enum JSONScanner {
  /// Steps over `byte`, or throws if it is not there.
  @inlinable @inline(__always)
  static func expect(
    _ byte: UInt8, in bytes: RawSpan, at position: inout Int
  ) throws(JSONError) {
    guard position < bytes.byteCount else { throw JSONError(.unexpectedEnd, at: position) }
    guard bytes.byte(position) == byte else { throw JSONError(.unexpectedByte, at: position) }
    position += 1
  }

  /// Whether `byte` is at `position`; false at the end.
  @inlinable @inline(__always)
  static func peek(_ byte: UInt8, in bytes: RawSpan, at position: Int) -> Bool {
    position < bytes.byteCount && bytes.byte(position) == byte
  }

  /// Steps over a string, including its quotes.
  ///
  /// - Returns: whether it contains escapes.
  @inlinable
  public static func string(
    in bytes: RawSpan, at position: inout Int
  ) throws(JSONError) -> Bool {
    try expect(UInt8(ascii: "\""), in: bytes, at: &position)
    var escaped = false
    while true {
      skipPlain(in: bytes, at: &position)
      guard position < bytes.byteCount else { throw JSONError(.unexpectedEnd, at: position) }
      let byte = bytes.byte(position)
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

  /// Steps over printable ASCII except quote and backslash, eight bytes at a time.
  @inlinable @inline(__always)
  static func skipPlain(in bytes: RawSpan, at position: inout Int) {
    while position + 8 <= bytes.byteCount {
      let marked = special(in: bytes.uncheckedWord(position))
      if marked != 0 {
        position += marked.trailingZeroBitCount >> 3
        return
      }
      position += 8
    }
    while position < bytes.byteCount {
      let byte = bytes.byte(position)
      if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { return }
      position += 1
    }
  }

  /// As ``skipPlain(in:at:)``, sixteen bytes at a time: in steps of eight the loop's exit would be
  /// unpredictable. The text must be terminated and followed by sixteen readable bytes.
  @inlinable @inline(__always)
  public static func skipPlainUnchecked(in bytes: RawSpan, at position: inout Int) {
    var marked = special(in: bytes.uncheckedWords(position))
    while marked.x | marked.y == 0 {
      position &+= 16
      marked = special(in: bytes.uncheckedWords(position))
    }
    // 64 if the first eight bytes have no mark.
    let first = marked.x.trailingZeroBitCount
    let second = marked.y.trailingZeroBitCount & (0 &- (first &>> 6))
    position &+= (first &+ second) &>> 3
  }

  /// As ``special(in:)``, for two words.
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

  /// Sets the top bit of each byte that is a quote, a backslash, a control character or not ASCII.
  /// Only the lowest mark is reliable: borrows run towards higher bytes.
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

  /// Steps over an escape; surrogate pairs are joined, lone ones refused.
  ///
  /// - Returns: the escaped character.
  @inlinable
  static func escape(
    in bytes: RawSpan, at position: inout Int
  ) throws(JSONError) -> Unicode.Scalar {
    let start = position
    guard position + 1 < bytes.byteCount else { throw JSONError(.unexpectedEnd, at: position) }
    let kind = bytes.byte(position + 1)
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
      bytes.byte(position) == UInt8(ascii: "\\"), bytes.byte(position + 1) == UInt8(ascii: "u")
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
      let byte = bytes.byte(position)
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

  /// Steps over a character of two to four bytes; overlong forms, surrogates and values above
  /// U+10FFFF are refused (Unicode 15, table 3-7).
  @inlinable
  static func multibyte(in bytes: RawSpan, at position: inout Int) throws(JSONError) {
    let lead = bytes.byte(position)
    let left = bytes.byteCount - position
    let second = left > 1 ? bytes.byte(position + 1) : 0
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
    for offset in 2..<max(count, 2) where bytes.byte(position + offset) & 0xC0 != 0x80 {
      throw JSONError(.invalidUTF8, at: position)
    }
    position += count
  }

  /// Steps over `true`, `false` or `null`.
  static func literal(
    _ word: StaticString, in bytes: RawSpan, at position: inout Int
  ) throws(JSONError) {
    for offset in 0..<word.utf8CodeUnitCount {
      try expect(word.utf8Start[offset], in: bytes, at: &position)
    }
  }

  static func skipWhiteSpace(in bytes: RawSpan, at position: inout Int) {
    while position < bytes.byteCount {
      switch bytes.byte(position) {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }
}

// MARK: - Numbers

extension JSONScanner {
  /// Steps over a number and returns its value.
  ///
  /// Correctly rounded: 15 digits and the power of ten are exact doubles, so one division rounds
  /// once.
  @inlinable
  public static func number(
    in bytes: RawSpan, at position: inout Int, bounded: Bool
  ) throws(JSONError) -> Double {
    let start = position
    let negative = peek(UInt8(ascii: "-"), in: bytes, at: position)
    if negative { position += 1 }
    var mantissa: UInt64 = 0
    let wholeStart = position
    digits(in: bytes, at: &position, into: &mantissa)
    let whole = position - wholeStart
    guard whole > 0 else { throw JSONError(.badNumber, at: start) }
    if whole > 1, bytes.byte(wholeStart) == UInt8(ascii: "0") {
      throw JSONError(.badNumber, at: start)
    }
    var fraction = 0
    if peek(UInt8(ascii: "."), in: bytes, at: position) {
      position += 1
      let fractionStart = position
      digits(in: bytes, at: &position, into: &mantissa)
      fraction = position - fractionStart
      guard fraction > 0 else { throw JSONError(.badNumber, at: start) }
    }
    let plain =
      !peek(UInt8(ascii: "e"), in: bytes, at: position)
      && !peek(UInt8(ascii: "E"), in: bytes, at: position)
    if plain, whole + fraction <= 15 {
      let magnitude = Double(mantissa) / powersOfTen(fraction)
      return negative ? -magnitude : magnitude
    }
    position = start
    return try unusualNumber(in: bytes, at: &position, bounded: bounded)
  }

  @inlinable @inline(__always)
  static func digits(in bytes: RawSpan, at position: inout Int, into mantissa: inout UInt64) {
    while position < bytes.byteCount {
      let digit = bytes.byte(position) &- UInt8(ascii: "0")
      guard digit < 10 else { return }
      mantissa = mantissa &* 10 &+ UInt64(digit)
      position += 1
    }
  }

  /// 10⁰ to 10¹⁵, each an exact double.
  @inlinable @inline(__always)
  static func powersOfTen(_ exponent: Int) -> Double {
    switch exponent {
    case 0: 1
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    case 9: 1e9
    case 10: 1e10
    case 11: 1e11
    case 12: 1e12
    case 13: 1e13
    case 14: 1e14
    default: 1e15
    }
  }

  /// Reads a number with an exponent or many digits, through the standard library because it is
  /// rare. Significant digits count from the first to the last nonzero digit.
  @usableFromInline
  static func unusualNumber(
    in bytes: RawSpan, at position: inout Int, bounded: Bool
  ) throws(JSONError) -> Double {
    let start = position
    var text: [UInt8] = []
    var significant = 0
    var pendingZeros = 0
    var inExponent = false
    scan: while position < bytes.byteCount {
      let byte = bytes.byte(position)
      switch byte {
      case UInt8(ascii: "0"):
        if significant > 0, !inExponent { pendingZeros += 1 }
      case UInt8(ascii: "1")...UInt8(ascii: "9"):
        if !inExponent {
          significant += pendingZeros + 1
          pendingZeros = 0
        }
      case UInt8(ascii: "e"), UInt8(ascii: "E"): inExponent = true
      case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"): break
      default: break scan
      }
      text.append(byte)
      position += 1
    }
    guard isGrammatical(text) else { throw JSONError(.badNumber, at: start) }
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      throw JSONError(.numberTooLarge, at: start)
    }
    guard bounded else { return value }
    guard value.magnitude <= JSONNumber.largestMagnitude else {
      throw JSONError(.numberTooLarge, at: start)
    }
    guard significant <= JSONNumber.mostDigits else { throw JSONError(.tooManyDigits, at: start) }
    // A nonzero number must not underflow to zero.
    guard value != 0 || significant == 0 else { throw JSONError(.badNumber, at: start) }
    return value
  }

  /// RFC 8259, section 6: `-? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?`.
  private static func isGrammatical(_ text: [UInt8]) -> Bool {
    var rest = text[...]
    func skipDigits() -> Int {
      let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
      rest.removeFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let leadingZero = rest.first == UInt8(ascii: "0")
    let whole = skipDigits()
    guard whole > 0, !(leadingZero && whole > 1) else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard skipDigits() > 0 else { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
      guard skipDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }
}

// MARK: - Skipping objects

extension JSONScanner {
  /// Steps over an object with all checks of ``JSONReader``, without building a value, so that
  /// verifying a log is as fast as hashing it.
  public static func skipObject(
    in bytes: RawSpan, at position: inout Int, depth: Int = 0, rules: JSONRules
  ) throws(JSONError) {
    let start = position
    if try !skipPlainObject(in: bytes, at: &position, depth: depth, rules: rules) {
      position = start
      _ = try JSONReader.object(in: bytes, at: &position, depth: depth, rules: rules)
    }
  }

  /// Steps over an object without white space and with at most 16 members, whose names have no
  /// escapes and different fingerprints.
  ///
  /// - Returns: false for any other object; the position is then undefined.
  private static func skipPlainObject(
    in bytes: RawSpan, at position: inout Int, depth: Int, rules: JSONRules
  ) throws(JSONError) -> Bool {
    guard depth < rules.maximumDepth else { throw JSONError(.tooDeep, at: position) }
    try expect(UInt8(ascii: "{"), in: bytes, at: &position)
    if peek(UInt8(ascii: "}"), in: bytes, at: position) {
      position += 1
      return true
    }
    var names = NameFingerprints()
    while true {
      let start = position
      guard peek(UInt8(ascii: "\""), in: bytes, at: position),
        try !string(in: bytes, at: &position),
        names.add(bytes, from: start + 1, count: position - start - 2)
      else { return false }
      guard peek(UInt8(ascii: ":"), in: bytes, at: position) else { return false }
      position += 1
      guard try skipPlainValue(in: bytes, at: &position, depth: depth + 1, rules: rules) else {
        return false
      }
      if peek(UInt8(ascii: ","), in: bytes, at: position) {
        position += 1
        continue
      }
      guard peek(UInt8(ascii: "}"), in: bytes, at: position) else { return false }
      position += 1
      return true
    }
  }

  private static func skipPlainValue(
    in bytes: RawSpan, at position: inout Int, depth: Int, rules: JSONRules
  ) throws(JSONError) -> Bool {
    guard position < bytes.byteCount else { throw JSONError(.unexpectedEnd, at: position) }
    switch bytes.byte(position) {
    case UInt8(ascii: "\""):
      _ = try string(in: bytes, at: &position)
      return true
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      _ = try number(in: bytes, at: &position, bounded: rules.boundsNumbers)
      return true
    case UInt8(ascii: "{"):
      return try skipPlainObject(in: bytes, at: &position, depth: depth, rules: rules)
    case UInt8(ascii: "["):
      return try skipPlainArray(in: bytes, at: &position, depth: depth, rules: rules)
    case UInt8(ascii: "t"): try literal("true", in: bytes, at: &position)
    case UInt8(ascii: "f"): try literal("false", in: bytes, at: &position)
    case UInt8(ascii: "n"): try literal("null", in: bytes, at: &position)
    default: return false
    }
    return true
  }

  private static func skipPlainArray(
    in bytes: RawSpan, at position: inout Int, depth: Int, rules: JSONRules
  ) throws(JSONError) -> Bool {
    guard depth < rules.maximumDepth else { throw JSONError(.tooDeep, at: position) }
    try expect(UInt8(ascii: "["), in: bytes, at: &position)
    if peek(UInt8(ascii: "]"), in: bytes, at: position) {
      position += 1
      return true
    }
    while true {
      guard try skipPlainValue(in: bytes, at: &position, depth: depth + 1, rules: rules) else {
        return false
      }
      if peek(UInt8(ascii: ","), in: bytes, at: position) {
        position += 1
        continue
      }
      guard peek(UInt8(ascii: "]"), in: bytes, at: position) else { return false }
      position += 1
      return true
    }
  }
}

/// 16-bit fingerprints of the names so far, in four words. A new fingerprint proves a new name; on a
/// match, the general reader compares the names.
private struct NameFingerprints {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var count = 0

  /// - Returns: false if the name may be a duplicate, or is the seventeenth.
  @inline(__always)
  mutating func add(_ bytes: RawSpan, from start: Int, count length: Int) -> Bool {
    let fingerprint = Self.fingerprint(bytes, from: start, count: length)
    let repeated = fingerprint &* 0x0001_0001_0001_0001
    let found =
      Self.zeros(words.0 ^ repeated) | Self.zeros(words.1 ^ repeated)
      | Self.zeros(words.2 ^ repeated) | Self.zeros(words.3 ^ repeated)
    guard found == 0, count < 16 else { return false }
    words.3 = words.3 << 16 | words.2 >> 48
    words.2 = words.2 << 16 | words.1 >> 48
    words.1 = words.1 << 16 | words.0 >> 48
    words.0 = words.0 << 16 | fingerprint
    count += 1
    return true
  }

  /// Hashes the length and the first eight bytes; the lowest bit is 1, so that no result is 0.
  @inline(__always)
  private static func fingerprint(_ bytes: RawSpan, from start: Int, count: Int) -> UInt64 {
    var word: UInt64 = 0
    if start + 8 <= bytes.byteCount {
      word = bytes.uncheckedWord(start)
      if count < 8 { word &= (1 << (UInt64(count) * 8)) - 1 }
    } else {
      for offset in 0..<min(count, 8) {
        word |= UInt64(bytes.byte(start + offset)) << (UInt64(offset) * 8)
      }
    }
    let mixed = (word ^ UInt64(count) << 56) &* 0x9E37_79B9_7F4A_7C15
    return mixed >> 48 | 1
  }

  /// Nonzero if one of the four 16-bit parts is zero.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 {
    (word &- 0x0001_0001_0001_0001) & ~word & 0x8000_8000_8000_8000
  }
}
