import LedgerJSON
import Testing

struct WhiteSpaceTests {
  /// The bytes of a stored line are hashed, so there is only one form.
  @Test(
    "A stored value has no white space",
    arguments: ["{ }", "{\"a\" :1}", "{\"a\": 1}", "[1 ]", "[1, 2]", " 1", "1\n"])
  func aStoredValueTakesNoWhiteSpace(_ text: String) {
    #expect(refusal(of: Array(text.utf8), .log) != nil)
    #expect(refusal(of: Array(text.utf8), .edit) == nil)
  }

  @Test("White space in strings is text")
  func insideStringsItIsText() throws {
    #expect(try JSONValue(parsing: "{\"a b\":\" c \"}", rules: .log) == ["a b": " c "])
  }
}
