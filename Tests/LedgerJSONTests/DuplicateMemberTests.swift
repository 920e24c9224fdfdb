import LedgerJSON
import Testing

@Suite struct DuplicateMemberTests {
  static let duplicates: [RefusedText] = [
    .init(#"{"a":1,"a":2}"#, .duplicateMember, at: 7),
    .init(#"{"a":1,"a":1}"#, .duplicateMember, at: 7),
    .init(#"{"a":1,"\u0061":2}"#, .duplicateMember, at: 7),
    .init(#"{"\u0061":1, "a":2}"#, .duplicateMember, at: 13),
    .init(#"{"":1,"":2}"#, .duplicateMember, at: 6),
    .init(#"{"\/":1,"/":2}"#, .duplicateMember, at: 8),
    .init(#"{"x":{"b":1,"b":2}}"#, .duplicateMember, at: 12),
    .init(#"[{"b":1,"c":2,"b":3}]"#, .duplicateMember, at: 14),
    .init(#"{"😀":1,"\ud83d\ude00":2}"#, .duplicateMember, at: 10),
  ]

  @Test("A duplicate member is refused", arguments: duplicates, bothRules)
  func refusesANameTwice(text: RefusedText, rules: JSONRules) {
    #expect(refusal(of: text.bytes, rules) == text.error)
  }

  /// Including canonically equivalent names and names that differ in case.
  @Test(
    "Names that differ in bytes are different",
    arguments: [
      "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"\u{212B}\":1,\"\u{C5}\":2}", #"{"a":1,"A":2}"#,
      #"{"a":1,"a ":2}"#, #"{"a":1,"a\u0000":2}"#, #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":2}]"#,
      "{\"\u{AC00}\":1,\"\u{1100}\u{1161}\":2}",
    ])
  func keepsNamesThatOnlyLookAlike(text: String) throws {
    let value = try JSONValue(parsing: text, rules: .bounded)
    let again = try JSONValue(parsing: value.serialized, rules: .bounded)
    #expect(sameBytes(again.serialized, value.serialized))
  }

  /// Covers the sizes around the switch from linear comparison to a set.
  @Test("A duplicate is found at every position", arguments: 1...40)
  func findsADuplicateAtEveryPlace(count: Int) {
    let names = (0..<count).map { "n\($0)" }
    let members = names.map { "\"\($0)\":0" }.joined(separator: ",")
    #expect(refusal(of: "{\(members)}", .bounded) == nil)
    for name in names {
      let expected = JSONError(.duplicateMember, at: members.utf8.count + 2)
      #expect(refusal(of: "{\(members),\"\(name)\":1}", .bounded) == expected)
    }
  }

  @Test("Ten thousand members are read and a duplicate is found")
  func tenThousandMembers() throws {
    let members = (0..<10_000).map { "\"name \($0)\":\($0)" }.joined(separator: ",")
    let object = try #require(try JSONValue(parsing: "{\(members)}", rules: .wire).object)
    #expect(object.members.count == 10_000)
    #expect(object["name 9999"] == 9999)
    let expected = JSONError(.duplicateMember, at: members.utf8.count + 2)
    #expect(refusal(of: "{\(members),\"name 5000\":0}", .wire) == expected)
  }
}
