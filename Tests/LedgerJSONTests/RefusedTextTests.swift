import LedgerJSON
import Testing

/// What every JSON reader must refuse (the `n_` cases of the public parsing suites, reworded), with
/// the reason and offset of the error.
@Suite struct RefusedTextTests {
  static let structures: [RefusedText] = [
    .init("", .unexpectedEnd, at: 0), .init("  ", .unexpectedEnd, at: 2),
    .init("[", .unexpectedEnd, at: 1), .init("[1", .unexpectedEnd, at: 2),
    .init("[1,", .unexpectedEnd, at: 3), .init("{", .unexpectedEnd, at: 1),
    .init("{\"a\"", .unexpectedEnd, at: 4), .init("{\"a\":", .unexpectedEnd, at: 5),
    .init("{\"a\":1", .unexpectedEnd, at: 6), .init("\"a", .unexpectedEnd, at: 2),
    .init("[1 true]", .unexpectedByte, at: 3), .init("[1,]", .unexpectedByte, at: 3),
    .init("[1,,2]", .unexpectedByte, at: 3), .init("[,1]", .unexpectedByte, at: 1),
    .init("[,]", .unexpectedByte, at: 1), .init("[1:2]", .unexpectedByte, at: 2),
    .init("[x", .unexpectedByte, at: 1), .init("[3[4]]", .unexpectedByte, at: 2),
    .init("[}", .unexpectedByte, at: 1), .init("]", .unexpectedByte, at: 0),
    .init("{]", .unexpectedByte, at: 1), .init("[\"a\"}", .unexpectedByte, at: 4),
    .init("{\"a\":1]", .unexpectedByte, at: 6), .init("{\"a\"}", .unexpectedByte, at: 4),
    .init("{\"a\",1}", .unexpectedByte, at: 4), .init("{\"a\" 1}", .unexpectedByte, at: 5),
    .init("{\"a\"::1}", .unexpectedByte, at: 5), .init("{\"a\":1,}", .unexpectedByte, at: 7),
    .init("{\"a\":1,,\"b\":2}", .unexpectedByte, at: 7), .init("{,}", .unexpectedByte, at: 1),
    .init("{a:1}", .unexpectedByte, at: 1), .init("{'a':1}", .unexpectedByte, at: 1),
    .init("{1:1}", .unexpectedByte, at: 1), .init("{null:1}", .unexpectedByte, at: 1),
    .init("{\"a\":\"b\" \"c\"}", .unexpectedByte, at: 9), .init("['a']", .unexpectedByte, at: 1),
    .init("[1]x", .trailingBytes, at: 3), .init("[1]]", .trailingBytes, at: 3),
    .init("{}}", .trailingBytes, at: 2), .init("{} {}", .trailingBytes, at: 3),
    .init("1 2", .trailingBytes, at: 2), .init("\"a\"b", .trailingBytes, at: 3),
    .init("{\"a\":1}#", .trailingBytes, at: 7), .init("[1]/**/", .trailingBytes, at: 3),
    .init("[1]//", .trailingBytes, at: 3), .init("[1]\u{0}", .trailingBytes, at: 3),
    .init("/**/[1]", .unexpectedByte, at: 0), .init("[\u{B}1]", .unexpectedByte, at: 1),
    .init("[\u{C}]", .unexpectedByte, at: 1), .init("[\u{A0}1]", .unexpectedByte, at: 1),
    .init("\u{FEFF}{}", .unexpectedByte, at: 0), .init("\u{0}", .unexpectedByte, at: 0),
    .init("[\u{0}]", .unexpectedByte, at: 1), .init("<.>", .unexpectedByte, at: 0),
    .init("å", .unexpectedByte, at: 0), .init("[⁠1]", .unexpectedByte, at: 1),
    .init("\\u005B]", .unexpectedByte, at: 0), .init("[\\n]", .unexpectedByte, at: 1),
  ]

  static let words: [RefusedText] = [
    .init("[nul]", .unexpectedByte, at: 4), .init("[tru]", .unexpectedByte, at: 4),
    .init("[fals]", .unexpectedByte, at: 5), .init("nan", .unexpectedByte, at: 1),
    .init("True", .unexpectedByte, at: 0), .init("NULL", .unexpectedByte, at: 0),
    .init("trUe", .unexpectedByte, at: 2), .init("tru", .unexpectedEnd, at: 3),
    .init("n", .unexpectedEnd, at: 1), .init("nullx", .trailingBytes, at: 4),
    .init("[truefalse]", .unexpectedByte, at: 5), .init("undefined", .unexpectedByte, at: 0),
  ]

  static let numbers: [RefusedText] = [
    .init("[-]", .badNumber, at: 1), .init("-", .badNumber, at: 0), .init("--1", .badNumber, at: 0),
    .init("+1", .unexpectedByte, at: 0), .init(".5", .unexpectedByte, at: 0),
    .init("-.5", .badNumber, at: 0), .init("2.", .badNumber, at: 0),
    .init("[2.]", .badNumber, at: 1), .init("2.e3", .badNumber, at: 0),
    .init("0.e1", .badNumber, at: 0), .init("01", .badNumber, at: 0),
    .init("-01", .badNumber, at: 0), .init("00", .badNumber, at: 0),
    .init("-00.0", .badNumber, at: 0), .init("[1,012]", .badNumber, at: 3),
    .init("0e", .badNumber, at: 0), .init("0E+", .badNumber, at: 0),
    .init("1e-", .badNumber, at: 0), .init("1eE2", .badNumber, at: 0),
    .init("1e1e1", .badNumber, at: 0), .init("1e1.5", .badNumber, at: 0),
    .init("9.3e+", .badNumber, at: 0), .init("1+2", .trailingBytes, at: 1),
    .init("0.1.2", .trailingBytes, at: 3), .init("0x42", .trailingBytes, at: 1),
    .init("1_000", .trailingBytes, at: 1), .init("1 000", .trailingBytes, at: 2),
    .init("Infinity", .unexpectedByte, at: 0), .init("-Infinity", .badNumber, at: 0),
    .init("-NaN", .badNumber, at: 0), .init("1a", .trailingBytes, at: 1),
    .init("１", .unexpectedByte, at: 0), .init("[1\u{2212}]", .unexpectedByte, at: 2),
    .init("000000000000000000001", .badNumber, at: 0),
    .init("0123456789012345e1", .badNumber, at: 0),
    .init("1.00000000000000000000x", .trailingBytes, at: 22),
  ]

  static let strings: [RefusedText] = [
    .init(#"["\x00"]"#, .badEscape, at: 2), .init(#"["\a"]"#, .badEscape, at: 2),
    .init(#"["\U0041"]"#, .badEscape, at: 2), .init(#"["\'"]"#, .badEscape, at: 2),
    .init("[\"\\\u{0}\"]", .badEscape, at: 2), .init("[\"\\é\"]", .badEscape, at: 2),
    .init(#"["\u00A"]"#, .badEscape, at: 7), .init(#"["\u"]"#, .badEscape, at: 4),
    .init(#"["\uqqqq"]"#, .badEscape, at: 4), .init(#"["\u 123"]"#, .badEscape, at: 4),
    .init(#"["\u+123"]"#, .badEscape, at: 4), .init(#"["\u{41}"]"#, .badEscape, at: 4),
    .init(#"["\uD834\u00"]"#, .badEscape, at: 12), .init(#"["\uD834\uDd"]"#, .badEscape, at: 12),
    .init("[\"a\nb\"]", .controlCharacter, at: 3), .init("[\"\t\"]", .controlCharacter, at: 2),
    .init("[\"\u{0}\"]", .controlCharacter, at: 2),
    .init("[\"ab\u{1F}\"]", .controlCharacter, at: 4),
    .init("{\"\u{1}\":1}", .controlCharacter, at: 2), .init("[\"\\", .unexpectedEnd, at: 2),
    .init("[\"\\\"]", .unexpectedEnd, at: 5), .init("\"\\u00", .unexpectedEnd, at: 5),
  ]

  @Test(
    "Invalid JSON is refused with a reason and an offset",
    arguments: structures + words + numbers + strings, bothRules)
  func refusesWhatJSONIsNot(text: RefusedText, rules: JSONRules) {
    #expect(refusal(of: text.bytes, rules) == text.error)
  }

  @Test("An error describes its reason and offset")
  func saysReasonAndByte() {
    let error = JSONError(.trailingBytes, at: 3)
    #expect("\(error)" == "unexpected bytes after the JSON at byte 3")
  }
}
