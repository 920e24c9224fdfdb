/// Numbers for display, the same in every locale, so that output can be compared.
package enum NumberText {
  /// At most `decimals` digits after the point, halves away from zero, no trailing zeros.
  ///
  /// Rounds the shortest decimal form of the number: what was typed as 2.675 shows as 2.68,
  /// although its binary value lies below.
  package static func decimal(
    _ value: Double, decimals: Int = 2, grouped: Bool = false
  ) -> String {
    guard value.isFinite else { return value.description }
    if let whole = Int(exactly: value), whole.magnitude < 1 << 53 {
      return grouped ? count(whole) : String(whole)
    }
    var digits = Decimal(value.magnitude.description)
    digits.round(to: decimals)
    let whole = digits.whole.isEmpty ? "0" : digits.whole
    let fraction = digits.fraction
    if whole == "0" && fraction.isEmpty { return "0" }
    return (value < 0 ? "-" : "") + (grouped ? withThousands(whole) : whole)
      + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// A count with thousands separators: 12,345.
  package static func count(_ value: Int) -> String {
    (value < 0 ? "-" : "") + withThousands(String(value.magnitude))
  }

  private static func withThousands(_ digits: String) -> String {
    guard digits.utf8.count > 3 else { return digits }
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { result.append(",") }
      result.append(digit)
    }
    return result
  }
}

/// A count with its noun: `1 event`, `12 events`.
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(NumberText.count(count)) \(count == 1 ? noun : plural ?? noun + "s")"
}

extension Double {
  /// Rounded to nine decimals, fewer for a large number: a computed value for JSON, without the
  /// remainder of binary arithmetic.
  var rounded9: Double {
    let scale = magnitude < 1e6 ? 1e9 : 1e3
    let scaled = (self * scale).rounded()
    return scaled.magnitude < 0x1p53 ? scaled / scale : self
  }
}

/// Decimal digits with a point between them: the value is 0.d₁d₂d₃… × 10^point.
private struct Decimal {
  private var digits: [UInt8]
  private var point: Int

  /// Reads what `Double.description` writes: `12.5`, `1e-07`, `1.5e+16`.
  init(_ text: String) {
    let bytes = Array(text.utf8)
    let end = bytes.firstIndex(of: UInt8(ascii: "e")) ?? bytes.count
    let dot = bytes[..<end].firstIndex(of: UInt8(ascii: ".")) ?? end
    let exponent = Int(String(decoding: bytes[end...].dropFirst(), as: UTF8.self)) ?? 0
    digits = (bytes[..<dot] + bytes[dot..<end].dropFirst()).map { $0 - UInt8(ascii: "0") }
    point = dot + exponent
    let zeros = digits.prefix { $0 == 0 }.count
    digits.removeFirst(zeros)
    point -= zeros
  }

  mutating func round(to decimals: Int) {
    let kept = point + decimals
    if kept >= digits.count { return }
    guard kept >= 0 else {
      digits = []
      return
    }
    let roundsUp = digits[kept] >= 5
    digits.removeSubrange(kept...)
    guard roundsUp else { return }
    while digits.last == 9 { digits.removeLast() }
    if digits.isEmpty {
      digits = [1]
      point += 1
    } else {
      digits[digits.count - 1] += 1
    }
  }

  var whole: String {
    guard point > 0 else { return "" }
    return text(digits.prefix(point)) + String(repeating: "0", count: max(0, point - digits.count))
  }

  var fraction: String {
    let decimals = digits.dropFirst(max(0, point))
    guard let last = decimals.lastIndex(where: { $0 != 0 }) else { return "" }
    return String(repeating: "0", count: max(0, -point)) + text(decimals[...last])
  }

  private func text(_ digits: some Sequence<UInt8>) -> String {
    String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
  }
}
