extension JSONScanner {
  /// Steps over an object from its brace on, checking all that ``JSONReader`` checks and building
  /// nothing: how a whole log is verified at the speed of its hashes.
  public static func skipObject(
    in bytes: RawSpan, at position: inout Int, depth: Int = 0, rules: JSONRules
  ) throws(JSONError) {
    let start = position
    if try !skipPlainObject(in: bytes, at: &position, depth: depth, rules: rules) {
      position = start
      _ = try JSONReader.object(in: bytes, at: &position, depth: depth, rules: rules)
    }
  }

  /// The object without white space, with at most 16 members whose names hold no escapes and are
  /// surely different.
  ///
  /// - Returns: false when it is not that simple; the position is then of no use.
  private static func skipPlainObject(
    in bytes: RawSpan, at position: inout Int, depth: Int, rules: JSONRules
  ) throws(JSONError) -> Bool {
    guard depth < rules.maximumDepth else { throw JSONError(.tooDeep, at: position) }
    try expect(UInt8(ascii: "{"), in: bytes, at: &position)
    if peek(UInt8(ascii: "}"), in: bytes, at: position) {
      position += 1
      return true
    }
    var names = NamePrints()
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
    switch load(bytes, position) {
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

/// Fifteen bits and a one of each name so far, in four words: most names are seen to be new without
/// being compared. Where one may not be, the general reader compares them all.
private struct NamePrints {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var count = 0

  /// - Returns: false when the name may have been there before, or is one too many.
  @inline(__always)
  mutating func add(_ bytes: RawSpan, from start: Int, count length: Int) -> Bool {
    let print = Self.print(bytes, from: start, count: length)
    let everywhere = print &* 0x0001_0001_0001_0001
    let found =
      Self.zeros(words.0 ^ everywhere) | Self.zeros(words.1 ^ everywhere)
      | Self.zeros(words.2 ^ everywhere) | Self.zeros(words.3 ^ everywhere)
    guard found == 0, count < 16 else { return false }
    words.3 = words.3 << 16 | words.2 >> 48
    words.2 = words.2 << 16 | words.1 >> 48
    words.1 = words.1 << 16 | words.0 >> 48
    words.0 = words.0 << 16 | print
    count += 1
    return true
  }

  /// Of the length and the first eight bytes.
  @inline(__always)
  private static func print(_ bytes: RawSpan, from start: Int, count: Int) -> UInt64 {
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

  /// A mark where one of the four parts is zero, and nothing where none is.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 {
    (word &- 0x0001_0001_0001_0001) & ~word & 0x8000_8000_8000_8000
  }
}
