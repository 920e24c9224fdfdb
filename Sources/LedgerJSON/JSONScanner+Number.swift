extension JSONScanner {
  /// Steps over a number and gives its value.
  ///
  /// Within the log's bounds the value is exact arithmetic: at most 15 digits are an exact integer,
  /// and powers of ten up to 10²² are exact doubles, so one division rounds once.
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
    if whole > 1, load(bytes, wholeStart) == UInt8(ascii: "0") {
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
      let digit = load(bytes, position) &- UInt8(ascii: "0")
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

  /// Numbers with an exponent or many digits: rare, so their value comes from the standard library.
  /// Significant digits are counted from the first digit that is not zero to the last one.
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
      let byte = load(bytes, position)
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
    // A number too small for a double would be read as zero, which is not what was written.
    guard value != 0 || significant == 0 else { throw JSONError(.badNumber, at: start) }
    return value
  }

  /// RFC 8259, section 6: `-? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?`, the whole text.
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
