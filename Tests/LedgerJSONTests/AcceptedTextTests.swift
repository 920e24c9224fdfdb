import LedgerJSON
import Testing

/// What every JSON reader must accept (the `y_` cases of the public parsing suites, reworded).
@Suite struct AcceptedTextTests {
  static let texts: [(text: String, value: JSONValue)] = [
    ("[]", []), ("{}", [:]), ("[[]   ]", [[]]), ("[ ]", []), ("{ }", [:]),
    ("[\"\"]", [""]), ("null", nil), ("true", true), ("false", false), ("\"asd\"", "asd"),
    ("-0.1", -0.1), ("0", 0), ("-0", 0), ("42", 42), (" 1", 1), ("2 ", 2), ("\t\n\r 3\r\n\t ", 3),
    ("[null, 1, \"1\", {}]", [nil, 1, "1", [:]]),
    ("[1,null,null,null,2]", [1, nil, nil, nil, 2]),
    ("[\n1\n,\n2\n]", [1, 2]),
    ("[1e2]", [100]), ("[1E2]", [100]), ("[1e+2]", [100]), ("[1E-2]", [0.01]), ("[0e1]", [0]),
    ("[0e+1]", [0]), ("[-0.0]", [0]), ("[0.0]", [0]), ("[123.456e3]", [123_456]), ("[10]", [10]),
    ("[1.50]", [1.5]), ("[20e-1]", [2]),
    ("{\"\":0}", ["": 0]), ("{\"a\":{\"a\":1}}", ["a": ["a": 1]]),
    ("{\"a\" :\n1 , \"b\":2}", ["a": 1, "b": 2]),
    ("{\"foo\\u0000bar\": 42}", ["foo\u{0}bar": 42]),
    (#"["\"\\\/\b\f\n\r\t"]"#, ["\"\\/\u{8}\u{C}\n\r\t"]),
    (#"["\u0060\u012a\u12AB"]"#, ["\u{60}\u{12A}\u{12AB}"]),
    (#"["\uD801\udc37"]"#, ["\u{10437}"]), (#"["\ud83d\ude39\ud83d\udc8d"]"#, ["😹💍"]),
    (#"["\uDBFF\uDFFF"]"#, ["\u{10FFFF}"]), (#"["\uD800\uDC00"]"#, ["\u{10000}"]),
    (#"["\\u0000"]"#, ["\\u0000"]), (#"["\\a"]"#, ["\\a"]), (#"["\u0022\u005C"]"#, ["\"\\"]),
    ("[\"\u{7F}\"]", ["\u{7F}"]), ("[\"\u{2028}\u{2029}\"]", ["\u{2028}\u{2029}"]),
    ("[\"\u{FEFF}\"]", ["\u{FEFF}"]), ("[\"€𝄞\u{10FFFF}\u{E000}\"]", ["€𝄞\u{10FFFF}\u{E000}"]),
    ("[\"a/*b*/c/*d//e\"]", ["a/*b*/c/*d//e"]), ("[\" \"]", [" "]),
  ]

  @Test("Valid JSON is read under both rules", arguments: texts.indices, bothRules)
  func acceptsWhatJSONIs(index: Int, rules: JSONRules) throws {
    let (text, value) = Self.texts[index]
    let parsed = try JSONValue(parsing: text, rules: rules)
    #expect(parsed == value, "\(text)")
    #expect(sameBytes(parsed.serialized, value.serialized), "\(text)")
  }

  @Test("Members keep their order")
  func keepsTheOrderOfMembers() throws {
    let text = #"{"z":1,"a":{"y":2,"b":3},"m":[]}"#
    let parsed = try JSONValue(parsing: text, rules: .bounded)
    #expect(parsed.serialized == text)
    #expect(parsed.object?.members.map(\.name) == ["z", "a", "m"])
  }
}
