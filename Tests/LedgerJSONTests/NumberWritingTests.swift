import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

@Suite struct NumberWritingTests {
  static let texts: [(value: Double, text: String)] = [
    (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (0.1, "0.1"), (-0.5, "-0.5"), (72.4, "72.4"),
    (100, "100"), (1e15, "1000000000000000"), (-1e15, "-1000000000000000"), (1e-7, "0.0000001"),
    (0.1 + 0.2, "0.30000000000000004"), (9.99999999999999999, "10"),
    (1.0 / 3, "0.3333333333333333"),
    (1e16, "10000000000000000"), (1e21, "1000000000000000000000"), (1.5e17, "150000000000000000"),
    (123_456_789.125, "123456789.125"), (9_007_199_254_740_992, "9007199254740992"),
    (.leastNonzeroMagnitude, "0." + String(repeating: "0", count: 323) + "5"),
    (1e-300, "0." + String(repeating: "0", count: 299) + "1"),
    (1e300, "1" + String(repeating: "0", count: 300)),
    (.greatestFiniteMagnitude, "17976931348623157" + String(repeating: "0", count: 292)),
    // The exact integer ends in 488, but fewer digits read back as the same double.
    (576_460_752_303_423_488, "576460752303423500"),
    (-576_460_752_303_423_488, "-576460752303423500"),
  ]

  @Test("Numbers have the fewest digits and no exponent", arguments: texts.indices)
  func writesShortestWithoutExponent(index: Int) {
    let (value, text) = Self.texts[index]
    #expect(JSONNumber.text(value) == text)
    #expect(JSONValue.number(value).serialized == text)
  }

  @Test("No shorter text reads back as the same number", arguments: [11, 12, 13] as [UInt64])
  func readsBackAndNoShorterTextDoes(seed: UInt64) {
    var generator = SplitMix(seed)
    for _ in 0..<4_000 {
      let value = Self.anyDouble(using: &generator)
      let text = JSONNumber.text(value)
      let digits = text.filter { $0 != "-" && $0 != "." }.drop { $0 == "0" }
      let significant = digits.reversed().drop { $0 == "0" }.count
      let shorter = significant > 1 ? String(format: "%.*e", significant - 2, value) : "0"
      let isRight =
        Double(text) == value && !text.contains("e") && number(text, .wire) == value
        && (value == 0 || Double(shorter) != value)
      guard isRight else {
        Issue.record("seed \(seed): \(value) is written \(text); shorter: \(shorter)")
        return
      }
    }
  }

  /// Half over the whole range of doubles, half of typical measured values.
  private static func anyDouble(using generator: inout SplitMix) -> Double {
    if Bool.random(using: &generator) {
      let value = Double(bitPattern: generator.next())
      return value.isFinite ? value : 0
    }
    let digits = Double(Int.random(in: -9_999_999...9_999_999, using: &generator))
    return digits / pow(10, Double(Int.random(in: -12...8, using: &generator)))
  }
}
