import LedgerJSON
import Testing

/// Texts within RFC 8259's grammar, one for each kind in the public parsing suite
/// (nst/JSONTestSuite, its `y_` files); the texts are our own.
@Suite struct SuiteAcceptedTests {
  static let arrays: [SuiteText] = [
    .init("arrays with spaces", "[[ ]  ]"), .init("empty text inside", "[\"\"]"),
    .init("empty", "[]"), .init("line end after", "[\"b\"]\n"), .init("false", "[false]"),
    .init("all kinds", "[null,2,\"2\",{},[]]"), .init("null", "[null]"),
    .init("line end inside", "[2\n]"), .init("leading space", "  [2]"),
    .init("some nulls", "[3,null,null,4]"), .init("trailing space", "[3]   "),
  ]

  static let numbers: [SuiteText] = [
    .init("plain", "[12e45]", onlyWire: true), .init("zero, exponent with plus", "[0e+3]"),
    .init("zero, exponent", "[0e3]"), .init("behind a space", "[ 7]"),
    .init(
      "close to zero", "[-0." + String(repeating: "0", count: 77) + "1]", onlyWire: false),
    .init("whole with exponent", "[30e1]"), .init("minus zero", "[-0]"),
    .init("negative", "[-246]"), .init("minus one", "[-1]"), .init("minus zero, real", "[-0.00]"),
    .init("capital E", "[2E22]", onlyWire: true), .init("capital E, negative", "[2E-2]"),
    .init("capital E, plus", "[2E+2]"), .init("exponent", "[246e4]"),
    .init("fraction and exponent", "[246.135e10]"), .init("negative exponent", "[2e-2]"),
    .init("positive exponent", "[2e+2]"), .init("whole", "[246]"),
    .init("fraction", "[246.135802]"),
    .init(
      "largest double", "[1.7976931348623157e308]",
      onlyWire: true),
    .init("smallest double", "[4.9e-324]"), .init("fifteen digits", "[123456789.012345]"),
  ]

  static let objects: [SuiteText] = [
    .init("some members", #"{"asd":"sdf","dfg":"fgh"}"#), .init("empty", "{}"),
    .init("empty name", #"{"":1}"#), .init("escaped NUL in a name", #"{"a\u0000b":7}"#),
    .init("extreme numbers", #"{"least":-2.0e+27,"most":2.0e+27}"#, onlyWire: true),
    .init(
      "long texts",
      #"{"x":[{"id":"zz"}],"id":""# + String(repeating: "z", count: 300) + "\"}"
    ),
    .init("one member, a list", #"{"b":[]}"#),
    .init("names in escapes", #"{"\u0442\u0438":"\u041f\u043e\u043b"}"#),
    .init("line ends", "{\n\"b\": \"c\"\n}"),
    .init("white space of every kind", "{\t\"b\"\r:\n1 }"),
    .init(
      "inside each other",
      #"{"a":{"b":{"c":{}}}}"#),
  ]

  static let strings: [SuiteText] = [
    .init("escapes of 1, 2 and 3 bytes", #"["\u0061\u0153\u30A2"]"#),
    .init("surrogate pair", #"["\uD83C\uDF0D"]"#),
    .init("two surrogate pairs", #"["\ud83c\udf0d\ud83c\udf0e"]"#),
    .init("all short escapes", #"["\b\f\n\r\t\/\\\""]"#),
    .init("backslash, then u0000", #"["\\u0000"]"#), .init("a quote", #"["\""]"#),
    .init("what looks like comments", #"["x/*y*/z//w"]"#), .init("backslash, then a", #"["\\a"]"#),
    .init("backslash, then n", #"["\\n"]"#), .init("escaped control", #"["\u0013"]"#),
    .init("escaped noncharacter", #"["\uFFFE"]"#), .init("in a list", #"["qwe"]"#),
    .init("behind a space", #"[ "qwe"]"#), .init("last pair", #"["\uDBFF\uDFFE"]"#),
    .init("escaped no-break space", #"["a\u00A0b"]"#),
    .init("U+10FFFF itself", "[\"\u{10FFFF}\"]"), .init("U+FFFF itself", "[\"\u{FFFF}\"]"),
    .init("escaped NUL", #"["\u0000"]"#), .init("escaped comma", #"["\u002d"]"#),
    .init("pi", "[\"π\"]"), .init("U+1BFFF itself", "[\"\u{1BFFF}\"]"),
    .init("plain", #"["qwe "]"#), .init("a space, alone", "\" \""),
    .init("G clef in escapes", #"["\uD834\uDD1E"]"#),
    .init(
      "three bytes in an escape",
      #"["\u0822"]"#), .init("two bytes in an escape", #"["\u0124"]"#),
    .init("line separator", "[\"\u{2028}\"]"), .init("paragraph separator", "[\"\u{2029}\"]"),
    .init("an escape before text", #"["\u0062\u30af\u30EA\u30b9z"]"#),
    .init("escaped line end", #"["new\u000Aline"]"#), .init("delete", "[\"\u{7F}\"]"),
    .init("escape in capitals", #"["\uA67D"]"#), .init("escaped backslash", #"["\u005C"]"#),
    .init("three bytes", "[\"⍃㈴⍂\"]"), .init("escaped U+10FFFE", #"["\uDBFF\uDFFE\u0041"]"#),
    .init("escaped U+1FFFE", #"["\uD83F\uDFFE"]"#), .init("escaped U+200B", #"["\u200B"]"#),
    .init("escaped U+2064", #"["\u2064"]"#), .init("escaped U+FDD0", #"["\uFDD0"]"#),
    .init("escaped U+FFFE", #"["\uFFFE\uFFFF"]"#), .init("escaped quote", #"["\u0022"]"#),
    .init("two and four bytes", "[\"é𝄞\"]"), .init("delete inside", "[\"b\u{7F}b\"]"),
    .init("byte order mark inside", "[\"\u{FEFF}b\"]"),
  ]

  static let structures: [SuiteText] = [
    .init("false alone", "false"), .init("number alone", "24"),
    .init("negative alone", "-0.5"), .init("null alone", "null"), .init("text alone", "\"qwe\""),
    .init("true alone", "true"), .init("empty text alone", "\"\""),
    .init("line end after", "[\"b\"]\r\n"), .init("true in a list", "[true]"),
    .init("spaces around", " [] "), .init("deep within bounds", "[[[[[[[[]]]]]]]]"),
  ]

  static let all = arrays + numbers + objects + strings + structures

  @Test("An accepted text is read, written and read again", arguments: all)
  func isReadAndWrittenAndReadAgain(text: SuiteText) throws {
    let value = try JSONValue(parsing: text.bytes, rules: .wire)
    let again = try JSONValue(parsing: value.serialized, rules: .wire)
    #expect(again == value)
    #expect(sameBytes(again.serialized, value.serialized))
    if text.onlyWire {
      #expect(refusal(of: text.bytes, .bounded)?.reason == .numberTooLarge)
    } else {
      #expect(try JSONValue(parsing: text.bytes, rules: .bounded) == value)
    }
  }

  /// Readers may keep different ones of two duplicates, so a log with duplicates would be ambiguous
  /// (docs/log-format.md).
  @Test(
    "Duplicate members are refused although the suite accepts them",
    arguments: [#"{"b":"c","b":"d"}"#, #"{"b":"c","b":"c"}"#])
  func refusesANameTwiceAllTheSame(text: String) {
    for rules in bothRules { #expect(refusal(of: text, rules)?.reason == .duplicateMember) }
  }
}

/// A named text.
struct SuiteText: Sendable, CustomStringConvertible {
  var name: String
  var bytes: [UInt8]
  /// Whether a log refuses one of its numbers.
  var onlyWire = false

  init(_ name: String, _ text: String, onlyWire: Bool = false) {
    self.init(name, bytes: Array(text.utf8), onlyWire: onlyWire)
  }

  init(_ name: String, bytes: [UInt8], onlyWire: Bool = false) {
    self.name = name
    self.bytes = bytes
    self.onlyWire = onlyWire
  }

  var description: String { name }
}
