/// Canonical JSON: no white space, members in order, numbers with the fewest digits that read back
/// as the same value and no exponent, and only the escapes that JSON requires.
extension JSONValue {
  /// The value as JSON text in the log's canonical form.
  public var serialized: String {
    var sink = ByteSink(capacity: 256)
    write(into: &sink)
    return sink.text
  }

  package func write(into bytes: inout [UInt8]) {
    var sink = ByteSink(capacity: 256)
    write(into: &sink)
    sink.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  package func write(into bytes: inout ByteSink) {
    switch self {
    case .null: bytes.append("null")
    case .bool(let value): bytes.append(value ? "true" : "false")
    case .number(let value): JSONNumber.write(value, into: &bytes)
    case .string(let value): JSONText.write(value, into: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object): object.write(into: &bytes)
    }
  }
}

extension JSONObject {
  package var serialized: String { JSONValue.object(self).serialized }

  package func write(into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONText.write(member.name, into: &bytes)
      bytes.append(UInt8(ascii: ":"))
      member.value.write(into: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

/// Writes JSON strings.
package enum JSONText {
  package static func write(_ text: String, into bytes: inout ByteSink) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0), into: &bytes) }
  }

  private static func write(_ text: UnsafeRawBufferPointer, into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "\""))
    var position = 0
    while true {
      bytes.appendPlain(text, from: &position)
      guard position < text.count else { break }
      escape(text[position], into: &bytes)
      position += 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(_ byte: UInt8, into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x00..<0x20:
      bytes.append("u00")
      bytes.append(hex: UInt32(byte), digits: 2)
    default: bytes.append(byte)
    }
  }
}

extension ByteSink {
  /// Appends bytes up to the next one that needs an escape, eight at a time.
  fileprivate mutating func appendPlain(
    _ text: UnsafeRawBufferPointer, from position: inout Int
  ) {
    // A whole word is stored even if only part of it is kept.
    reserve(text.count - position + 8)
    while position + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      start.storeBytes(of: word, toByteOffset: filled, as: UInt64.self)
      let marked = Self.needsEscape(UInt64(littleEndian: word))
      let plain = marked == 0 ? 8 : marked.trailingZeroBitCount >> 3
      position += plain
      filled += plain
      if plain < 8 { return }
    }
    while position < text.count {
      let byte = text[position]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      start.storeBytes(of: byte, toByteOffset: filled, as: UInt8.self)
      position += 1
      filled += 1
    }
  }

  /// Sets the top bit of each byte that is a control character, a quote or a backslash. Only the
  /// lowest set bit is reliable: a borrow can set bits above it.
  private static func needsEscape(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    let controls = (word &- ones &* 0x20) & ~word
    let found = controls | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
    return found & (ones &* 0x80)
  }
}

/// Writes numbers and checks the log's bounds.
package enum JSONNumber {
  /// The largest magnitude in a log (docs/log-format.md); all integers below it are exact doubles.
  package static let largestMagnitude = 1e15
  /// The most significant digits in a log: any such number survives as a double.
  package static let mostDigits = 15

  /// Appends the fewest digits that read back as `value`, without an exponent; `-0` becomes `0`.
  ///
  /// - Precondition: `value` is finite.
  package static func write(_ value: Double, into bytes: inout ByteSink) {
    precondition(value.isFinite, "JSON cannot hold \(value)")
    if let integer = integer(value) {
      bytes.append(decimal: integer)
      return
    }
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    if let fraction = ShortFraction(value.magnitude) {
      fraction.write(into: &bytes)
    } else {
      writeDigits(of: value.magnitude, into: &bytes)
    }
  }

  /// The number as an integer of at most 15 digits, or 1e15. Larger integers can have more digits
  /// than the double needs.
  private static func integer(_ value: Double) -> Int? {
    value.magnitude <= largestMagnitude ? Int(exactly: value) : nil
  }

  /// Handles any positive number.
  private static func writeDigits(of value: Double, into bytes: inout ByteSink) {
    let (digits, pointAfter) = decimal(value)
    if pointAfter <= 0 {
      bytes.append("0.")
      for _ in 0..<(-pointAfter) { bytes.append(UInt8(ascii: "0")) }
      for digit in digits { bytes.append(digit) }
      return
    }
    for (index, digit) in digits.enumerated() {
      if index == pointAfter { bytes.append(UInt8(ascii: ".")) }
      bytes.append(digit)
    }
    for _ in 0..<max(0, pointAfter - digits.count) { bytes.append(UInt8(ascii: "0")) }
  }

  package static func text(_ value: Double) -> String {
    var bytes = ByteSink(capacity: 32)
    write(value, into: &bytes)
    return bytes.text
  }

  /// Whether a log may hold this number: finite, within ±1e15, at most 15 significant digits.
  package static func isWritable(_ value: Double) -> Bool {
    guard value.isFinite, value.magnitude <= largestMagnitude else { return false }
    if integer(value) != nil || ShortFraction(value.magnitude) != nil { return true }
    return decimal(value.magnitude).digits.count <= mostDigits
  }

  /// A direction in which ``writable(_:rounding:)`` may round.
  package enum Rounding: Sendable {
    /// Halves away from zero.
    case toNearest
    case towardZero
    case awayFromZero
  }

  /// The nearest number that a log may hold, or the nearest in one direction.
  ///
  /// - Returns: `nil` if `value` is not finite or is outside ±1e15.
  package static func writable(_ value: Double, rounding: Rounding = .toNearest) -> Double? {
    guard value.isFinite, value.magnitude <= largestMagnitude else { return nil }
    if isWritable(value) { return value }
    let (digits, pointAfter) = decimal(value.magnitude)
    var kept = Array(digits.prefix(mostDigits))
    let roundsUp =
      switch rounding {
      case .toNearest: digits[mostDigits] >= UInt8(ascii: "5")
      case .towardZero: false
      // Trailing zeros were dropped, so the rest is not zero.
      case .awayFromZero: true
      }
    if roundsUp { roundUp(&kept) }
    let grown = kept.count - mostDigits
    let exponent = pointAfter + grown - kept.count
    let text = String(decoding: kept, as: UTF8.self) + "e\(exponent)"
    return Double(text).map { value < 0 ? -$0 : $0 }
  }

  /// Adds one in the last place; all nines become one digit longer.
  private static func roundUp(_ digits: inout [UInt8]) {
    var index = digits.count - 1
    while index >= 0, digits[index] == UInt8(ascii: "9") {
      digits[index] = UInt8(ascii: "0")
      index -= 1
    }
    if index >= 0 { digits[index] += 1 } else { digits.insert(UInt8(ascii: "1"), at: 0) }
  }

  /// The shortest significant digits of a positive number, as the standard library finds them, and
  /// the position of the decimal point.
  private static func decimal(_ value: Double) -> (digits: [UInt8], pointAfter: Int) {
    var digits: [UInt8] = []
    var pointAfter: Int?
    var exponent = 0
    let text = value.description.utf8
    for (offset, byte) in text.enumerated() {
      if byte == UInt8(ascii: ".") {
        pointAfter = digits.count
      } else if byte == UInt8(ascii: "e") {
        exponent = Int(String(decoding: text.dropFirst(offset + 1), as: UTF8.self)) ?? 0
        break
      } else {
        digits.append(byte)
      }
    }
    var point = (pointAfter ?? digits.count) + exponent
    let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeFirst(leading)
    point -= leading
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return (digits, point)
  }
}

/// A positive number with few decimals, the common case, as an integer over a power of ten.
///
/// Both are exact doubles, so their quotient is the double that the text reads as. Different texts
/// of at most 15 digits read as different doubles, so the first match is the shortest text.
private struct ShortFraction {
  private let digits: Int
  private let decimals: Int
  private let scale: Int

  /// - Returns: `nil` for a number with more than nine decimals or too many digits.
  init?(_ value: Double) {
    var scale = 10
    for decimals in 1...9 {
      let scaled = value * Double(scale)
      // Up to 15 digits, the product's rounding error is less than a half.
      guard scaled < JSONNumber.largestMagnitude else { return nil }
      let digits = Int(scaled + 0.5)
      if Double(digits) / Double(scale) == value {
        (self.digits, self.decimals, self.scale) = (digits, decimals, scale)
        return
      }
      scale *= 10
    }
    return nil
  }

  func write(into bytes: inout ByteSink) {
    bytes.append(decimal: digits / scale)
    bytes.append(UInt8(ascii: "."))
    bytes.append(decimal: digits % scale, digits: decimals)
  }
}
