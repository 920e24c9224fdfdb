import LedgerJSON
import Testing

/// Reading truncated or changed text never traps and never reads past the end.
@Suite struct TruncationTests {
  static let text =
    #"{"id":"\u00e9\ud83d\ude00","notes":"grün 😀 \"x\"","list":[1,-2.5,1e3,true,false,null,[{}]],"#
    + #""deep":{"a":{"b":[]}},"n":123456789012345.0}"#

  @Test("Every prefix of a text is refused", arguments: bothRules)
  func everyPrefixIsRefused(rules: JSONRules) {
    let bytes = Array(Self.text.utf8)
    #expect(refusal(of: bytes, rules) == nil)
    for count in bytes.indices {
      let error = refusal(of: Array(bytes[..<count]), rules)
      #expect(error != nil, "cut at \(count)")
      #expect(error.map { $0.offsetBytes <= count } == true, "cut at \(count)")
      let isInsideCharacter = bytes[count] & 0xC0 == 0x80
      if isInsideCharacter { #expect(error?.reason == .invalidUTF8, "cut at \(count)") }
    }
  }

  @Test("A cut between tokens is an unexpected end")
  func aCutBetweenTokensIsAnEarlyEnd() {
    let text = #"[ {"a" : [ true , "b" ] , "c" : { } } ]"#
    for (count, byte) in text.utf8.enumerated() where byte == UInt8(ascii: " ") {
      let cut = Array(text.utf8.prefix(count))
      #expect(refusal(of: cut, .bounded) == JSONError(.unexpectedEnd, at: count), "cut at \(count)")
    }
  }

  @Test("A changed byte is refused or reads as a value that round-trips")
  func everyByteChangedToEveryByte() {
    let bytes = Array(#"{"a":[1.5e1,"\u00e9é"],"b":null}"#.utf8)
    for index in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = bytes
        changed[index] = byte
        guard let value = try? JSONValue(parsing: changed, rules: .bounded) else {
          let error = refusal(of: changed, .bounded)
          #expect(error.map { (0...bytes.count).contains($0.offsetBytes) } == true)
          continue
        }
        let again = try? JSONValue(parsing: value.serialized, rules: .bounded)
        #expect(again?.serialized == value.serialized, "\(byte) at \(index)")
      }
    }
  }
}
