import LedgerJSON
import Testing

/// Cases that the RFC leaves open (the `i_` cases of the public parsing suites). A changed decision
/// must fail a test.
@Suite struct ImplementationDefinedTests {
  /// Refused under both rules.
  static let refused: [RefusedText] = [
    .init("[0.4e00669999999999999999999999999999999999999]", .numberTooLarge, at: 1),
    .init("[-1e+9999]", .numberTooLarge, at: 1), .init("[1.5e+9999]", .numberTooLarge, at: 1),
    .init("1e400", .numberTooLarge, at: 0), .init("[-123123e100000]", .numberTooLarge, at: 1),
    .init(#"{"\uDFAA":0}"#, .loneSurrogate, at: 2), .init(#"["\uDADA"]"#, .loneSurrogate, at: 2),
    .init(#"["\uD888\u1234"]"#, .loneSurrogate, at: 2),
    .init(#"["\uD800\n"]"#, .loneSurrogate, at: 2), .init(#"["\uDd1ea"]"#, .loneSurrogate, at: 2),
    .init(#"["\uD800\uD800\n"]"#, .loneSurrogate, at: 2),
    .init(#"["\ud800abc"]"#, .loneSurrogate, at: 2),
    .init(#"["ab\uDd1e\uD834"]"#, .loneSurrogate, at: 4),
    .init(#"["\uD800\uE000"]"#, .loneSurrogate, at: 2),
    .init(#"["\uDBFF\uDBFF"]"#, .loneSurrogate, at: 2),
    .init(bytes: [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], .unexpectedByte, at: 0),
    .init(bytes: [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], .unexpectedByte, at: 0),
    .init(bytes: [0x00, 0x5B, 0x00, 0x5D], .unexpectedByte, at: 0),
    .init(bytes: [0x5B, 0x00, 0x5D, 0x00], .unexpectedByte, at: 1),
    .init(String(repeating: "[", count: 500), .tooDeep, at: 0),
  ]

  @Test("Some optional forms are refused under both rules", arguments: refused, bothRules)
  func refusesUnderBothRules(text: RefusedText, rules: JSONRules) {
    var expected = text.error
    if expected.reason == .tooDeep { expected.offsetBytes = rules.maximumDepth }
    #expect(refusal(of: text.bytes, rules) == expected)
  }

  /// A log holds only numbers that all readers of doubles read the same.
  static let wireOnly: [(text: String, value: Double, reason: JSONError.Reason)] = [
    ("123.456e-789", 0, .badNumber), ("-1e-400", -0.0, .badNumber),
    ("123e-10000000", 0, .badNumber),
    ("-123123123123123123123123123123", -1.2312312312312312e29, .numberTooLarge),
    ("100000000000000000000", 1e20, .numberTooLarge), ("1e308", 1e308, .numberTooLarge),
    ("9007199254740993", 9_007_199_254_740_992, .numberTooLarge),
    ("1000000000000001", 1_000_000_000_000_001, .numberTooLarge),
    ("-1000000000000000.5", -1_000_000_000_000_000.5, .numberTooLarge),
    ("123456789.1234567", 123456789.1234567, .tooManyDigits),
    ("999999999999999.9", 999999999999999.9, .tooManyDigits),
    ("0.1234567890123456", 0.1234567890123456, .tooManyDigits),
    ("1.234567890123456e2", 123.4567890123456, .tooManyDigits),
    ("100000000000000.01", 100000000000000.01, .tooManyDigits),
    ("3.141592653589793238462643383279", .pi, .tooManyDigits),
  ]

  @Test("Only the log bounds numbers", arguments: wireOnly.indices)
  func boundsNumbersInALogOnly(index: Int) {
    let (text, value, reason) = Self.wireOnly[index]
    #expect(number(text, .wire)?.bitPattern == value.bitPattern, "\(text)")
    #expect(refusal(of: "[" + text + "]", .bounded) == JSONError(reason, at: 1), "\(text)")
  }
}
