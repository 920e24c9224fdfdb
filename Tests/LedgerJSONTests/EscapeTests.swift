import LedgerJSON
import Testing

@Suite struct EscapeTests {
  private func parsed(_ text: String) -> String? {
    try? JSONValue(parsing: text, rules: .bounded).string
  }

  private func hex(_ value: UInt32, upper: Bool) -> String {
    let digits = String(value, radix: 16, uppercase: upper)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  @Test("A single escaped code unit is decoded unless it is a surrogate")
  func everyUnitAlone() {
    for unit in UInt32(0)...0xFFFF {
      let text = "\"\(hex(unit, upper: unit.isMultiple(of: 2)))\""
      let expected = Unicode.Scalar(unit).map { String(Character($0)) }
      guard let expected else {
        guard refusal(of: text, .wire) == JSONError(.loneSurrogate, at: 1) else {
          Issue.record("\(text)")
          return
        }
        continue
      }
      guard parsed(text).map({ sameBytes($0, expected) }) == true else {
        Issue.record("\(text)")
        return
      }
    }
  }

  @Test("Surrogate pairs are joined")
  func pairsOfSurrogates() {
    for high in stride(from: UInt32(0xD800), through: 0xDBFF, by: 31) {
      for low in stride(from: UInt32(0xDC00), through: 0xDFFF, by: 61) {
        let scalar = Unicode.Scalar(0x10000 + ((high & 0x3FF) << 10 | low & 0x3FF))!
        let text = "\"\(hex(high, upper: false))\(hex(low, upper: true))\""
        #expect(parsed(text) == String(Character(scalar)), "\(text)")
      }
    }
  }

  @Test("Only the escapes of JSON are accepted")
  func everyByteAfterABackslash() {
    let known: [UInt8: String] = [
      0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r",
      0x74: "\t",
    ]
    for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "u") {
      let bytes: [UInt8] = [0x22, 0x5C, byte, 0x22]
      let text = try? JSONValue(parsing: bytes, rules: .bounded).string
      #expect(text == known[byte], "\(byte)")
      if known[byte] == nil {
        #expect(refusal(of: bytes, .bounded) == JSONError(.badEscape, at: 1), "\(byte)")
      }
    }
  }

  /// A canonical string has one spelling.
  @Test("Only required escapes are written")
  func writesOnlyTheEscapesThatJSONDemands() {
    let short: [UInt32: String] = [
      0x22: #"\""#, 0x5C: #"\\"#, 0x0A: #"\n"#, 0x0D: #"\r"#, 0x09: #"\t"#,
    ]
    for value in UInt32(0)...0x2FF {
      let scalar = Unicode.Scalar(value)!
      let plain = String(Character(scalar))
      let expected = short[value] ?? (value < 0x20 ? hex(value, upper: false) : plain)
      #expect(sameBytes(JSONValue.string(plain).serialized, "\"\(expected)\""), "\(value)")
    }
  }

  @Test("In an answer lone surrogates become U+FFFD, and a byte order mark is skipped")
  func answers() throws {
    let texts: [(String, String)] = [
      (#""cut \ud83d""#, "cut \u{FFFD}"), (#""\udc00\ud83d\ude00\ud800x""#, "\u{FFFD}😀\u{FFFD}x"),
      (#""\\ud800\ud800\\""#, "\\ud800\u{FFFD}\\"), (#""\ud800\ud800\udc00""#, "\u{FFFD}\u{10000}"),
    ]
    for (text, expected) in texts {
      #expect(try JSONValue(parsingAnswer: Array(text.utf8)).string == expected, "\(text)")
      #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }
    #expect(try JSONValue(parsingAnswer: [0xEF, 0xBB, 0xBF] + Array("1".utf8)) == 1)
    for text in [#""\ud800"#, #""\ud800\x""#, #""\ud800" 1"#] {
      #expect(throws: JSONError.self, "\(text)") {
        try JSONValue(parsingAnswer: Array(text.utf8))
      }
    }
  }
}
