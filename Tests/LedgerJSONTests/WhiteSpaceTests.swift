import LedgerJSON
import Testing

struct WhiteSpaceTests {
  /// A stored line is compact: its bytes are hashed, so there is one way to space it, none.
  @Test(arguments: ["{ }", "{\"a\" :1}", "{\"a\": 1}", "[1 ]", "[1, 2]", " 1", "1\n"])
  func aStoredValueTakesNoWhiteSpace(_ text: String) {
    #expect(refusal(of: Array(text.utf8), .log) != nil)
    #expect(refusal(of: Array(text.utf8), .edit) == nil)
  }

  @Test func insideStringsItIsText() throws {
    #expect(try JSONValue(parsing: "{\"a b\":\" c \"}", rules: .log) == ["a b": " c "])
  }
}
