import LedgerJSON
import Testing

@Suite struct JSONValueTests {
  @Test("Setting a member replaces, appends or removes it")
  func settingReplacesAddsAndRemoves() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["a"] = "x"
    object["c"] = .null
    object["b"] = nil
    object["missing"] = nil
    #expect(object.serialized == #"{"a":"x","c":null}"#)
    #expect(object["c"] == .some(.null))
    #expect(object["b"] == nil)
    #expect(!object.isEmpty && JSONObject().isEmpty)
  }

  @Test("Members are found by the bytes of their names")
  func looksMembersUpByTheirBytes() {
    let object: JSONObject = ["\u{E9}": 1, "e\u{301}": 2]
    #expect(object["\u{E9}"] == 1)
    #expect(object["e\u{301}"] == 2)
  }

  @Test("A typed accessor returns only values of its type")
  func givesOnlyWhatItIs() {
    let values: [JSONValue] = [.null, true, 1.5, "s", [1], ["a": 1]]
    #expect(values.map(\.isNull) == [true, false, false, false, false, false])
    #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil])
    #expect(values.map(\.number) == [nil, nil, 1.5, nil, nil, nil])
    #expect(values.map(\.string) == [nil, nil, nil, "s", nil, nil])
    #expect(values.compactMap(\.array) == [[1]])
    #expect(values.compactMap(\.object) == [["a": 1]])
  }

  @Test(
    "Only whole numbers are integers",
    arguments: [
      (1, 1), (-0.0, 0), (1e15, 1_000_000_000_000_000), (1.5, nil), (9.3e18, nil), (-1e300, nil),
    ] as [(Double, Int?)])
  func integers(number: Double, integer: Int?) {
    #expect(JSONValue.number(number).integer == integer)
  }
}
