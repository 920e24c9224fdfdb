/// Numbers as the ledger writes and bounds them.
public enum JSONNumber {
  /// The largest magnitude a log may hold (docs/log-format.md): integers up to here are exact doubles.
  public static let largestMagnitude = 1e15
  /// The most significant digits a log may hold: what every double carries faithfully.
  public static let mostDigits = 15

  /// Appends the shortest digits that read back as `value`, without an exponent; `-0` is `0`.
  ///
  /// - Precondition: `value` is finite; JSON has no other numbers.
  public static func write(_ value: Double, into bytes: inout ByteSink) {
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

  /// The number as an integer of at most 15 digits or 1e15; beyond, the exact integer can have more
  /// digits than it takes to read the double back.
  private static func integer(_ value: Double) -> Int? {
    value.magnitude <= largestMagnitude ? Int(exactly: value) : nil
  }

  /// The general way, for any positive number.
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

  public static func text(_ value: Double) -> String {
    var bytes = ByteSink(capacity: 32)
    write(value, into: &bytes)
    return bytes.text
  }

  /// Whether a log may hold this number: finite, within ±1e15, at most 15 significant digits.
  public static func isWritable(_ value: Double) -> Bool {
    guard value.isFinite, value.magnitude <= largestMagnitude else { return false }
    if integer(value) != nil || ShortFraction(value.magnitude) != nil { return true }
    return decimal(value.magnitude).digits.count <= mostDigits
  }

  /// The nearest number that a log may hold, for what was computed or came from a peer.
  ///
  /// - Returns: `nil` for what is not finite or lies outside ±1e15.
  public static func writable(_ value: Double) -> Double? {
    guard value.isFinite, value.magnitude <= largestMagnitude else { return nil }
    if isWritable(value) { return value }
    let (digits, pointAfter) = decimal(value.magnitude)
    var kept = Array(digits.prefix(mostDigits))
    if digits[mostDigits] >= UInt8(ascii: "5") { roundUp(&kept) }
    let grown = kept.count - mostDigits
    let exponent = pointAfter + grown - kept.count
    let text = String(decoding: kept, as: UTF8.self) + "e\(exponent)"
    return Double(text).map { value < 0 ? -$0 : $0 }
  }

  /// Adds one in the last place; one digit more when all were nines.
  private static func roundUp(_ digits: inout [UInt8]) {
    var index = digits.count - 1
    while index >= 0, digits[index] == UInt8(ascii: "9") {
      digits[index] = UInt8(ascii: "0")
      index -= 1
    }
    if index >= 0 { digits[index] += 1 } else { digits.insert(UInt8(ascii: "1"), at: 0) }
  }

  /// The shortest significant digits of a positive number, and after how many of them the decimal
  /// point stands. The standard library finds the digits; only its exponent form is undone here.
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

/// A positive number with a few decimals, as nearly every measured one is: whole digits over a power
/// of ten.
///
/// Digits and power are exact doubles, so their quotient is the double that reading the text gives.
/// No two texts of at most 15 digits read as the same double, so this is the shortest one, as long
/// as no fewer decimals did.
private struct ShortFraction {
  private let digits: Int
  private let decimals: Int
  private let scale: Int

  /// - Returns: `nil` for a number that takes the general way.
  init?(_ value: Double) {
    var scale = 10
    for decimals in 1...9 {
      let scaled = value * Double(scale)
      // 15 digits are also what keeps the rounding of the product below a half.
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
