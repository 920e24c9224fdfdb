import LedgerJSON
import LedgerTestSupport
import Testing

@Suite struct NumberReadingTests {
  /// Accepted by both rules, bit for bit.
  static let texts: [(text: String, value: Double)] = [
    ("0", 0), ("-0", -0.0), ("-0.0", -0.0), ("0e5", 0), ("0e-999999", 0), ("0.0e400", 0),
    ("999999999999999", 999_999_999_999_999), ("-999999999999999", -999_999_999_999_999),
    ("1000000000000000", 1e15), ("-1000000000000000", -1e15), ("1e15", 1e15), ("10e14", 1e15),
    ("0.1e16", 1e15), ("1000000000000000.0", 1e15), ("1000000000000000.00000000000000", 1e15),
    ("123456789012345", 123_456_789_012_345),
    ("0.123456789012345", 0.123456789012345), ("99999999999999.9", 99999999999999.9),
    ("1.50000000000000000000000", 1.5), ("0.00000000000000000001", 1e-20), ("1e-20", 1e-20),
    ("72.40", 72.4), ("1.0E+2", 100), ("1e02", 100), ("1e-02", 0.01), ("0.1", 0.1), ("0.3", 0.3),
    ("5e-324", .leastNonzeroMagnitude), ("1e-300", 1e-300),
    ("2.2250738585072e-308", Double("2.2250738585072e-308")!),
  ]

  @Test("A number reads as the nearest double", arguments: texts.indices, bothRules)
  func readsTheNearestDouble(index: Int, rules: JSONRules) {
    let (text, value) = Self.texts[index]
    #expect(number(text, rules)?.bitPattern == value.bitPattern, "\(text)")
  }

  /// The standard library is the oracle for the fast path.
  @Test("Short decimals read as in the standard library", arguments: [1, 2, 3, 4] as [UInt64])
  func agreesWithTheStandardLibrary(seed: UInt64) {
    var generator = SplitMix(seed)
    for _ in 0..<TestSize.of(4_000, full: 60_000) {
      let text = Self.plainText(using: &generator)
      let expected = Double(text)!
      guard let value = number(text, .bounded), value.bitPattern == expected.bitPattern else {
        Issue.record(
          "seed \(seed): \(text) is \(expected), read as \(number(text, .bounded) as Any)")
        return
      }
    }
  }

  @Test("Any double reads as in the standard library", arguments: [5, 6] as [UInt64])
  func agreesWithTheStandardLibraryOnAnyDouble(seed: UInt64) {
    var generator = SplitMix(seed)
    for _ in 0..<TestSize.of(1_500, full: 10_000) {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      guard number("\(value)", .wire)?.bitPattern == value.bitPattern else {
        Issue.record("seed \(seed): \(value)")
        return
      }
    }
  }

  /// One to fifteen digits with a decimal point anywhere and no redundant leading zeros.
  private static func plainText(using generator: inout SplitMix) -> String {
    let count = Int.random(in: 1...15, using: &generator)
    let point = Int.random(in: 0...count, using: &generator)
    var digits = (0..<count).map { _ in
      Character("\(Int.random(in: 0...9, using: &generator))")
    }
    if point == 0 {
      digits.insert("0", at: 0)
    } else if point > 1, digits[0] == "0" {
      digits[0] = "7"
    }
    let wholeCount = max(1, point)
    let fraction = String(digits[wholeCount...])
    let sign = Bool.random(using: &generator) ? "-" : ""
    return sign + String(digits[..<wholeCount]) + (fraction.isEmpty ? "" : "." + fraction)
  }
}
