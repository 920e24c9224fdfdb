import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerLog

/// What may stand in `data`, and where a line ends.
struct DataScanTests {
  /// `data`, why it is refused, and how far into it that is noticed.
  static let wrong: [(data: String, reason: JSONError.Reason, byte: Int)] = [
    (#"{"a":[[[[[[[[1]]]]]]]]}"#, .tooDeep, 12),
    (#"{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}}}"#, .tooDeep, 40),
    (#"{"a":1,"a":1}"#, .duplicateMember, 7),
    (#"{"a":1,"\u0061":1}"#, .duplicateMember, 7),
    (#"{"é":1,"é":2}"#, .duplicateMember, 8),
    (#"{"b":{"a":1,"c":2,"a":3}}"#, .duplicateMember, 18),
    ("{\"a\":\"b\u{0}c\"}", .controlCharacter, 7),
    ("{\"a\":\"b\u{1F}c\"}", .controlCharacter, 7),
    ("{\"a\":\u{0}}", .unexpectedByte, 5),
    (#"{"a" :1}"#, .unexpectedByte, 4),
    (#"{"a": 1}"#, .unexpectedByte, 5),
    (#"{ "a":1}"#, .unexpectedByte, 1),
    (#"{"a":1 }"#, .unexpectedByte, 6),
    (#"{"a":[1, 2]}"#, .unexpectedByte, 8),
    (#"{"a":1,}"#, .unexpectedByte, 7),
    (#"{"a":[1,]}"#, .unexpectedByte, 8),
    (#"{"a":1}}"#, .trailingBytes, 7),
    (#"{}{}"#, .trailingBytes, 2),
    (#"{"a":1},"b":{}"#, .trailingBytes, 7),
    (#"{"a":1"#, .unexpectedEnd, 6),
    (#"{"a":"#, .unexpectedEnd, 5),
    (#"{"a":"x"#, .unexpectedEnd, 7),
    (#"{"a":tru"#, .unexpectedEnd, 8),
    (#"{"a":True}"#, .unexpectedByte, 5),
    (#"{"a":NaN}"#, .unexpectedByte, 5),
    (#"{"a":Infinity}"#, .unexpectedByte, 5),
    (#"{"a":1000000000000001}"#, .numberTooLarge, 5),
    (#"{"a":-1e16}"#, .numberTooLarge, 5),
    (#"{"a":1e999}"#, .numberTooLarge, 5),
    (#"{"a":0.1234567890123456}"#, .tooManyDigits, 5),
    (#"{"a":01}"#, .badNumber, 5),
    (#"{"a":1.}"#, .badNumber, 5),
    (#"{"a":-}"#, .badNumber, 5),
    (#"{"a":.5}"#, .unexpectedByte, 5),
    (#"{"a":"\ud800"}"#, .loneSurrogate, 6),
    (#"{"a":"\udc00\ud800"}"#, .loneSurrogate, 6),
    (#"{"a":"\x"}"#, .badEscape, 6),
    (#"{a:1}"#, .unexpectedByte, 1),
    (#"{'a':1}"#, .unexpectedByte, 1),
  ]

  @Test(arguments: wrong)
  func wrongDataIsRefusedAtItsByte(_ data: String, _ reason: JSONError.Reason, _ byte: Int) {
    let plain = PlainLine(data: data)
    let start = plain.front.utf8.count + 33
    #expect(throws: LineFault(.json(reason), at: start + byte)) {
      try scan(Array(plain.text().line.utf8))
    }
  }

  /// The bytes that no UTF-8 text holds, inside a string.
  @Test(arguments: [
    [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3],
    [0xE2, 0x82], [0xF0, 0x9F, 0x92],
  ])
  func invalidUTF8IsRefused(_ wrong: [Int]) {
    let plain = PlainLine(data: #"{"a":"?"}"#)
    var line = Array(plain.text().line.utf8)
    let place = plain.front.utf8.count + 33 + 6
    line.replaceSubrange(place...place, with: wrong.map(UInt8.init))
    #expect(throws: LineFault(.json(.invalidUTF8), at: place)) { try scan(line) }
  }

  @Test(arguments: [
    #"{}"#, #"{"a":[[[[[[[1]]]]]]]}"#, #"{"a":1e15,"b":-1e15,"c":1.5E-7}"#,
    #"{"":"","a":"\ud83d\udcaa \/ \u0000"}"#, #"{"e":"é","e\u0301":"e with an accent, apart"}"#,
    #"{"a":"﻿\u007f"}"#,
  ])
  func unusualButRightDataIsAccepted(_ data: String) throws {
    let line = Array(PlainLine(data: data).text().line.utf8)
    _ = try scan(line)
    _ = try EventReader.read(
      Array(PlainLine(type: "test.any", data: data).text().line.utf8), line: 1, byte: 0)
  }

  /// The shortest line there is, and every beginning of it.
  @Test func noBeginningOfALineIsALine() throws {
    let plain = PlainLine(type: "a", data: "{}")
    let line = Array(plain.text().line.utf8)
    _ = try scan(line)
    for count in 0..<line.count {
      #expect(throws: LineFault.self) { try scan(Array(line[..<count])) }
    }
    for count in 1...line.count {
      #expect(throws: LineFault.self) { try scan(Array(line[count...])) }
    }
  }

  @Test func aLineHoldsAtMost65536Bytes() throws {
    let empty = PlainLine(type: "a", data: #"{"a":""}"#).text().line.utf8.count
    for excess in [0, 1, 2, 100_000] {
      let text = String(repeating: "z", count: 65_536 - empty + excess)
      let line = Array(PlainLine(type: "a", data: #"{"a":"\#(text)"}"#).text().line.utf8)
      #expect(line.count == 65_536 + excess)
      if excess == 0 {
        _ = try scan(line)
      } else {
        #expect(throws: LineFault(.tooLong, at: 0)) { try scan(line) }
      }
    }
  }

  @Test func damageIsPlacedInTheFile() {
    let plain = PlainLine(data: #"{"a":01}"#)
    let found = #expect(throws: Damage.self) {
      try EventReader.read(Array(plain.text().line.utf8), line: 12, byte: 5_000)
    }
    #expect(found?.line == 12)
    #expect(found?.byte == 5_000 + plain.front.utf8.count + 33 + 5)
    #expect(
      found?.description
        == "the log is damaged at line 12, byte \(5_000 + plain.front.utf8.count + 38): "
        + "not a JSON number")
  }
}
