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

  /// The object without white space, with at most 16 members whose names hold no escapes.
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
    // Start and length of each name so far, four bytes each.
    var names = SIMD16<UInt64>()
    var count = 0
    while true {
      let start = position
      guard peek(UInt8(ascii: "\""), in: bytes, at: position), count < 16,
        try !string(in: bytes, at: &position)
      else { return false }
      let name = UInt64(start) << 32 | UInt64(position - start)
      for earlier in 0..<count where isSame(names[earlier], name, in: bytes) {
        throw JSONError(.duplicateMember, at: start)
      }
      names[count] = name
      count += 1
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

  private static func isSame(_ left: UInt64, _ right: UInt64, in bytes: RawSpan) -> Bool {
    let count = Int(left & 0xFFFF_FFFF)
    guard count == Int(right & 0xFFFF_FFFF) else { return false }
    let (first, second) = (Int(left >> 32), Int(right >> 32))
    for offset in 0..<count where load(bytes, first + offset) != load(bytes, second + offset) {
      return false
    }
    return true
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
