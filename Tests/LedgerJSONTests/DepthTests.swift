import LedgerJSON
import Testing

@Suite struct DepthTests {
  private func nested(_ depth: Int, _ open: String, _ close: String) -> String {
    String(repeating: open, count: depth - 1) + (open == "[" ? "[]" : "{}")
      + String(repeating: close, count: depth - 1)
  }

  @Test("Depth includes the outermost level", arguments: [(JSONRules.bounded, 8), (.wire, 32)])
  func countsTheOutermost(rules: JSONRules, depth: Int) {
    #expect(refusal(of: nested(depth, "[", "]"), rules) == nil)
    #expect(refusal(of: nested(depth, "{\"a\":", "}"), rules) == nil)
    #expect(refusal(of: nested(depth + 1, "[", "]"), rules) == JSONError(.tooDeep, at: depth))
    let objects = nested(depth + 1, "{\"a\":", "}")
    #expect(refusal(of: objects, rules) == JSONError(.tooDeep, at: depth * 5))
  }

  @Test("Scalars have no depth and siblings do not add up")
  func scalarsHaveNoDepthAndSiblingsDoNotAdd() {
    let eight = "[[[[[[[[1,\"a\",null]]]]]]]]"
    #expect(refusal(of: eight, .bounded) == nil)
    #expect(refusal(of: "[[[[[[[[],[],[1]]]]]]]]", .bounded) == nil)
    #expect(refusal(of: "[[[[[[[{\"a\":{}}]]]]]]]", .bounded) == JSONError(.tooDeep, at: 12))
  }

  @Test("A million open brackets do not exhaust the stack")
  func aMillionBracketsAreRefusedAtOnce() {
    let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect(refusal(of: bytes, .wire) == JSONError(.tooDeep, at: 32))
  }
}
