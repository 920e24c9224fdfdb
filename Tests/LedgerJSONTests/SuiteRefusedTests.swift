import LedgerJSON
import Testing

/// Texts outside RFC 8259's grammar, one for each kind in the public parsing suite
/// (nst/JSONTestSuite, its `n_` files); the texts are our own. ``RefusedTextTests`` checks reasons
/// and offsets.
@Suite struct SuiteRefusedTests {
  static let arrays: [SuiteText] = [
    .init("no comma", "[2 true]"), .init("invalid byte", bytes: [0x5B, 0x62, 0xE5, 0x5D]),
    .init("colon for comma", "[\"\": 2]"), .init("comma after", "[\"\"],"),
    .init("comma first", "[,2]"), .init("two commas", "[2,,3]"),
    .init("two commas after", "[\"y\",,]"), .init("closed twice", "[\"y\"]]"),
    .init("comma at the end", "[\"\",]"), .init("not closed", "[\"y\""),
    .init("value after a value", "[4[5]]"),
    .init("incomplete, invalid byte", bytes: [0x5B, 0xFF]), .init("no list inside", "[y"),
    .init("comma alone", "[,]"), .init("minus alone", "[-]"), .init("no value", "[   , \"\"]"),
    .init("line ends, not closed", "[\"b\",\n5\n,2,"),
    .init("comma, not closed", "[2,"), .init("commas, not closed", "[2,,"),
    .init("space and vertical tab", "[\"\u{B}b\"\\f]"), .init("star inside", "[*]"),
    .init("text not closed", "[\""), .init("cut after a comma", "[2,"),
    .init("cut after a line end", "[2,\n2\n,2"), .init("cut in an object", "[{}"),
  ]

  static let words: [SuiteText] = [
    .init("fals", "[fals]"), .init("nul", "[nul]"), .init("tru", "[tru]"),
    .init("NaN", "[NaN]"), .init("minus NaN", "[-NaN]"), .init("Infinity", "[Infinity]"),
    .init("minus Infinity", "[-Infinity]"), .init("Inf", "[Inf]"), .init("True", "[True]"),
    .init("TRUE", "TRUE"), .init("nan alone", "nan"), .init("true and more", "[trueb]"),
    .init("undefined", "[undefined]"),
  ]

  static let numbers: [SuiteText] = [
    .init("plus plus", "[++5678]"), .init("plus one", "[+1]"), .init("plus Inf", "[+Inf]"),
    .init("minus zero one", "[-01]"), .init("minus one point nothing", "[-1.0.]"),
    .init("minus two point", "[-2.]"), .init("point, minus", "[.-1]"),
    .init("point, exponent", "[.2e-3]"), .init("zero, two points", "[0.1.2]"),
    .init("zero, capital E", "[0E]"), .init("zero, capital E, plus", "[0E+]"),
    .init("zero, e", "[0e]"), .init("zero, e, plus", "[0e+]"),
    .init("zero, point, e", "[0.e1]"), .init("zero point three e", "[0.3e]"),
    .init("zero point three e plus", "[0.3e+]"), .init("one, space, zeros", "[1 000.0]"),
    .init("one, capital E, minus", "[1.0E-]"), .init("one point e", "[1.0e]"),
    .init("one e minus", "[1.0e-]"), .init("one e plus", "[1.0e+]"), .init("one eE two", "[1eE2]"),
    .init("two point e three", "[2.e3]"), .init("two point e plus", "[2.e+3]"),
    .init("two point e minus", "[2.e-3]"), .init("nine e plus", "[9.e+]"),
    .init("sum", "[1+2]"), .init("hexadecimal, one digit", "[0x1]"),
    .init("hexadecimal", "[0x24]"), .init("invalid byte after", bytes: [0x5B, 0x31, 0xA5, 0x5D]),
    .init("invalid byte in an exponent", bytes: [0x5B, 0x31, 0x65, 0x31, 0xE5, 0x5D]),
    .init("invalid byte alone", bytes: [0x5B, 0x30, 0xE5, 0x5D]),
    .init("minus, space", "[- 2]"), .init("minus and a word", "[-foo]"),
    .init("negative with a zero first", "[-012]"), .init("negative, no whole part", "[-.12]"),
    .init("negative with letters", "[-2x]"), .init("negative, point alone", "[-.]"),
    .init("no whole part", "[.12]"), .init("real, point at the end", "[2.]"),
    .init("zero first", "[012]"), .init("letters after", "[1.2a-]"),
    .init("letter after", "[1b]"), .init("exponent with letters", "[1.8011670033376514H-308]"),
    .init("full-width digit", "[１]"), .init("expression", "[2*3]"),
    .init("exponent with a point", "[1e1.5]"), .init("exponent twice", "[1e1e1]"),
    .init("underscore", "[1_0]"), .init("two minus", "[--1]"), .init("comma as point", "1,5"),
    .init("real, minus inside", "[1.-5]"),
  ]

  static let objects: [SuiteText] = [
    .init("name without quotes after a comma", #"{"a":true,b:1}"#),
    .init("comma for colon", #"{"y", null}"#), .init("two colons", #"{"y"::"c"}"#),
    .init("emoji as name", "{🇨🇭}"), .init("garbage at the end", #"{"a":"b" 124}"#),
    .init("quotes of one stroke", "{key: 'value'}"),
    .init("invalid byte as name", bytes: [0x7B, 0x22, 0xB9, 0x22, 0x3A, 0x22, 0x30, 0x22, 0x7D]),
    .init("no colon", #"{"a" b}"#), .init("no name", #"{:"c"}"#), .init("no value", #"{"a":"#),
    .init("no name, comma", #"{,"a":1}"#), .init("name not in quotes", #"{a: "c"}"#),
    .init("null as name", #"{null:null,null:null}"#), .init("number as name", "{1:1}"),
    .init("number as name, exponent", "{9999E9999:1}"), .init("commas after", #"{"id":0,,,,,}"#),
    .init("single quotes", "{'a':0}"), .init("comma at the end", #"{"id":0,}"#),
    .init("comment after", #"{"a":"b"}/**/"#), .init("open comment after", #"{"a":"b"}/**//"#),
    .init("line comment after", #"{"a":"b"}//"#), .init("slash after", #"{"a":"b"}/"#),
    .init("two commas", #"{"a":"b",,"c":"d"}"#), .init("name alone", #"{a"b"}"#),
    .init("text for a member", #"{"a":"b","c"}"#), .init("text after a value", #"{"a":"b" "c"}"#),
    .init("not closed", #"{"a":"b""#), .init("not closed, comma", #"{"a":"b","#),
    .init("closed by a bracket", #"{"a":1]"#), .init("brace after", #"{"a":"b"}}"#),
    .init("hash after", #"{"a":"b"}#"#), .init("list as name", "{[1]:1}"),
  ]

  static let strings: [SuiteText] = [
    .init("a space", " "), .init("surrogate, then an open escape", #"["\uD800\"]"#),
    .init("surrogate, then u", #"["\uD800\u"]"#), .init("surrogate, then u1", #"["\uD800\u1"]"#),
    .init("surrogate, then u1x", #"["\uD800\u1x"]"#), .init("accent without quotes", "[é]"),
    .init("backslash NUL", "[\"\\\u{0}\"]"), .init("escape x", #"["\x00"]"#),
    .init("three backslashes", #"["\\\"]"#), .init("backslash tab", "[\"\\\t\"]"),
    .init("backslash emoji", "[\"\\🌀\"]"), .init("backslash alone", #"["\"]"#),
    .init("escape of two digits", #"["\u00"#), .init("escape of three digits", #"["\u00A"]"#),
    .init("half a pair", #"["\uD834\uDd"]"#), .init("half a pair, then x", #"["\uD800\uD800\x"]"#),
    .init("escape a", #"["\a"]"#), .init("escape of no digits", #"["\uqqqq"]"#),
    .init("invalid byte after a backslash", bytes: [0x5B, 0x22, 0x5C, 0xE5, 0x22, 0x5D]),
    .init("invalid byte in an escape", bytes: Array(#"["\u"#.utf8) + [0xE5, 0x22, 0x5D]),
    .init("escape outside", #"[\u0020"asd"]"#), .init("line end outside", #"[\n]"#),
    .init("one quote", "\""), .init("single quotes", "['single quote']"),
    .init("no quotes", "abc"), .init("text not closed", #"["\"#),
    .init("NUL inside", "[\"a\u{0}a\"]"), .init("line end inside", "[\"new\nline\"]"),
    .init("tab inside", "[\"\t\"]"), .init("carriage return inside", "[\"a\rb\"]"),
    .init("escape U", #""\UA66D""#), .init("no quote at the end", #""x"#),
    .init("escape of spaces", #"["\u 041"]"#), .init("last control", "[\"\u{1F}\"]"),
    .init("garbage after text", "\"\"x"),
  ]

  static let structures: [SuiteText] = [
    .init("word joiner", "[\u{2060}]"), .init("byte order mark alone", "\u{FEFF}"),
    .init("angle brackets, null", "[<null>]"), .init("angle brackets", "<.>"),
    .init("list in a text", "[1]x"), .init("list closed twice", "[1]]"),
    .init("list, apostrophe", "['"), .init("list, comma, brace", "[,{"),
    .init(
      "list not closed",
      "[\"asd]"), .init("letter a with ring", "å"), .init("capital True", "[True]"),
    .init("closing bracket for brace", "2]"), .init("two objects", "{\"a\":true}{\"b\":1}"),
    .init("comma for closing", "{\"x\": true,"), .init("two lists", "[][]"),
    .init(
      "closing alone",
      "]"), .init("invalid byte, whole text", bytes: [0xEF, 0xBB, 0x7B, 0x7D]),
    .init("invalid byte alone", bytes: [0xE5]), .init("a star", "*"),
    .init("letters", #"{"a":"b"}#{}"#), .init("lone bracket", "["), .init("no data", ""),
    .init("NUL outside", "[\u{0}]"), .init("number and garbage", "2@"),
    .init("object and brace", "{}}"), .init("object, comma", "{\"\":"),
    .init("object, closed by bracket", "{]"), .init("object, comment", "{\"a\":/*c*/\"b\"}"),
    .init("object, line comment", "{\"a\":\"b\"}//c"), .init("open list, apostrophe", "['a'"),
    .init("open list, comma", "[,"), .init("open list, brace", "[{"),
    .init("open list, object", #"[{"":[{"":"#), .init("open list, text", "[\"a"),
    .init("open list, text closed", "[\"a\""), .init("open object", "{"),
    .init("open object, bracket", "{["), .init("open object, comma", "{,"),
    .init("open object, text", "{\"a"), .init("open object, list", "{\"a\":[],"),
    .init("open escapes", #"["\{["\{["\{["\{"#), .init("single star", "[*]"),
    .init("two colons in a list", "[:1]"), .init("escaped bracket", #"[\u005D"#),
    .init("uescaped open bracket", #"\u005B"asd"]"#), .init("unclosed list", "[1"),
    .init("unclosed list, false", "[ false, nul"), .init("unclosed list, true", "[ true, fals"),
    .init("unclosed list, half true", "[ false, tru"), .init("unclosed object", #"{"asd":"asd""#),
    .init("no-break space", "\u{A0}[]"), .init("form feed", "[\u{C}]"),
    .init("U+2028 outside", "[\u{2028}]"), .init("ideographic space", "\u{3000}[]"),
    .init("a hundred thousand open lists", bytes: .init(repeating: 0x5B, count: 100_000)),
    .init(
      "ten thousand open objects in lists",
      String(repeating: #"[{"":"#, count: 10_000)),
  ]

  static let all = arrays + words + numbers + objects + strings + structures

  @Test("A text outside the grammar is refused", arguments: all, bothRules + [.log])
  func isRefused(text: SuiteText, rules: JSONRules) {
    #expect(refusal(of: text.bytes, rules) != nil)
  }

  @Test("Deep nesting is refused before the end is reached")
  func deepNestingIsTooDeep() {
    for text in Self.structures.suffix(2) {
      #expect(refusal(of: text.bytes, .wire)?.reason == .tooDeep)
    }
  }
}
