import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Which lines the reference reader rejects, and the fault that it reports.
struct EnvelopeScannerTests {
  /// An invalid line, the expected problem and its byte.
  struct Wrong: CustomTestStringConvertible {
    var what: String
    var line: [UInt8]
    var problem: LineFault.Problem
    var byte: Int
    var testDescription: String { what }
  }

  private static let right = PlainLine(seq: "7", data: #"{"name":"Ada","bio":null}"#)

  /// Changes the valid line. The fault is expected `offset` bytes after the start of `mark` in the
  /// changed line.
  private static func wrong(
    _ what: String, _ problem: LineFault.Problem, at mark: String, plus offset: Int = 0,
    _ change: (inout PlainLine) -> Void
  ) -> Wrong {
    var plain = right
    change(&plain)
    return wrong(what, plain.text().line, problem, at: mark, plus: offset)
  }

  private static func wrong(
    _ what: String, _ line: String, _ problem: LineFault.Problem, at mark: String, plus offset: Int
  ) -> Wrong {
    let start = line.firstRange(of: mark)!.lowerBound
    let byte = line[..<start].utf8.count + offset
    return Wrong(what: what, line: Array(line.utf8), problem: problem, byte: byte)
  }

  private static func replaced(
    _ old: String, by new: String, _ problem: LineFault.Problem, at mark: String,
    plus offset: Int = 0
  ) -> Wrong {
    let line = right.text().line.replacing(old, with: new, maxReplacements: 1)
    precondition(line != right.text().line)
    return wrong("\(old) → \(new)", line, problem, at: mark, plus: offset)
  }

  static let ids: [Wrong] = [
    "0195512F-5c00-7123-8abc-00000000002a", "0195512f-5c00-4123-8abc-00000000002a",
    "0195512f-5c00-7123-7abc-00000000002a", "0195512f-5c00-7123-cabc-00000000002a",
    "0195512f_5c00-7123-8abc-00000000002a", "0195512f-5c00-7123-8abc_00000000002a",
    "g195512f-5c00-7123-8abc-00000000002a", "0195512f-5c00-7123-8abc-0000000000`a",
    "0195512f-5c00-7123-8abc-00000000002A", "0195512f-5c00-7123-8abc-0000000é002a",
  ].map { id in wrong("id \(id)", .member(.id), at: id) { $0.id = id } }

  static let instants: [Wrong] = [
    "2026-13-01T08:00:00.000Z", "2026-00-01T08:00:00.000Z", "2026-02-29T08:00:00.000Z",
    "2100-02-29T08:00:00.000Z", "2026-04-31T08:00:00.000Z", "2026-03-00T08:00:00.000Z",
    "2026-03-01T24:00:00.000Z", "2026-03-01T08:60:00.000Z", "2026-03-01T08:00:60.000Z",
    "0000-03-01T08:00:00.000Z", "2026-03-01t08:00:00.000Z", "2026-03-01T08:00:00.000z",
    "2026-03-01T08:00:00,000Z", "2026-03-01 08:00:00.000Z", "2026-03-01T08:00:00.00:Z",
    "2026-03-01T08:00:0/.000Z", "2026-03-01T08.00:00.000Z", "+026-03-01T08:00:00.000Z",
    "2026-03-01T08:00:00.0000", "2026/03/01T08:00:00.000Z", "٢٢-03-01T08:00:00.000Z",
  ].map { at in wrong("at \(at)", .member(.at), at: at) { $0.at = at } }

  static let numbers: [Wrong] =
    ["0", "01", "00007", "12345678901234567", "1234567890123456", "-1", "+1", "", "a"]
    .flatMap { number in
      [
        wrong("seq \(number)", .member(.seq), at: #""seq":"#, plus: 6) { $0.seq = number },
        wrong("v \(number)", .member(.v), at: #""v":"#, plus: 4) { $0.version = number },
      ]
    }

  static let small: [Wrong] = [
    wrong("seq 7.0", .member(.order), at: ".0,") { $0.seq = "7.0" },
    wrong("seq 1e3", .member(.order), at: "e3") { $0.seq = "1e3" },
    wrong("v 1.0", .member(.order), at: ".0,") { $0.version = "1.0" },
    wrong("by admin", .member(.by), at: "admin") { $0.by = "admin" },
    wrong("by USER", .member(.by), at: "USER") { $0.by = "USER" },
    wrong("by userx", .member(.by), at: "userx") { $0.by = "userx" },
    wrong("no by", .member(.by), at: #""by":"#, plus: 6) { $0.by = "" },
    wrong("type with a capital", .member(.type), at: "Updated") { $0.type = "profile.Updated" },
    wrong("type with a digit", .member(.type), at: "2\",\"v") { $0.type = "profile.updated2" },
    wrong("type with a dash", .member(.type), at: "-up") { $0.type = "profile-updated" },
    wrong("no type", .member(.type), at: #""type":"#, plus: 8) { $0.type = "" },
    wrong("salt of 15", .member(.salt), at: "0123456789abcde\"") { $0.salt = "0123456789abcde" },
    wrong("salt of 17", .member(.salt), at: "0123456789abcdef0") { $0.salt += "0" },
    wrong("salt in capitals", .member(.salt), at: "0123456789ABCDEF") {
      $0.salt = "0123456789ABCDEF"
    },
    wrong("data a list", .member(.data), at: "[1]") { $0.data = "[1]" },
    wrong("data null", .member(.data), at: "null,") { $0.data = "null" },
    wrong("data empty", .member(.data), at: #","hash""#) { $0.data = "" },
    wrong("only a brace", .member(.data), at: #"{,"hash""#) { $0.data = "{" },
  ]

  static let orders: [Wrong] = [
    replaced(#"{"id":"#, by: #"{ "id":"#, .member(.order), at: "{ "),
    replaced(#"{"id":"#, by: #"{"ID":"#, .member(.order), at: "{"),
    replaced(#","seq":7"#, by: "", .member(.order), at: #"","at""#),
    replaced(#","seq":7"#, by: #", "seq":7"#, .member(.order), at: #"", "seq""#),
    replaced(#""seq":7"#, by: #""seq": 7"#, .member(.seq), at: " 7"),
    replaced(#""seq":7,"#, by: #""seq":7 ,"#, .member(.order), at: " ,"),
    replaced(#""at":"#, by: #""to":"#, .member(.order), at: #","to""#),
    replaced(#","by":"user""#, by: "", .member(.order), at: #","at""#),
    replaced(#""by":"user","type""#, by: #""type":"user","by""#, .member(.order), at: #","at""#),
    replaced(#"","type""#, by: #"","kind""#, .member(.order), at: #"","kind""#),
    replaced(#""v":1,"#, by: #""v":1 ,"#, .member(.order), at: " ,"),
    replaced(#""v":"#, by: #""w":"#, .member(.order), at: #"","w""#),
    replaced(#""salt""#, by: #""sall""#, .member(.order), at: #","sall""#),
    replaced(#""data""#, by: #""date""#, .member(.order), at: #","date""#),
    replaced(#""data":{"#, by: #""data": {"#, .member(.data), at: " {"),
    replaced(#","hash":"#, by: #", "hash":"#, .member(.hash), at: #" "hash":"#),
    replaced(#","hash":"#, by: #","hush":"#, .member(.hash), at: #","hush":"#),
  ]

  @Test(
    "An invalid member is reported at its byte",
    arguments: ids + instants + numbers + small + orders)
  func aWrongMemberIsNamedAtItsByte(_ wrong: Wrong) throws {
    do {
      _ = try scan(wrong.line)
      Issue.record("accepted")
    } catch {
      #expect(error.problem == wrong.problem)
      #expect(error.offsetBytes == wrong.byte)
      #expect(!error.sentence.isEmpty)
    }
  }

  @Test("All members of a valid line are found")
  func validLine() throws {
    let line = Array(Self.right.text().line.utf8)
    let envelope = try scan(line)
    #expect(String(decoding: line[envelope.data], as: UTF8.self) == Self.right.data)
    #expect(String(decoding: line[envelope.type], as: UTF8.self) == Self.right.type)
    #expect(String(decoding: line[envelope.salt], as: UTF8.self) == Self.right.salt)
    #expect(envelope.id.description == Self.right.id)
    #expect((envelope.seq, envelope.by, envelope.version) == (7, .user, 1))
    #expect(line[envelope.bodyStart..<envelope.bodyEnd].elementsEqual(Self.right.body.utf8))
    for seq in ["1", "999999999999999"] {
      var plain = Self.right
      plain.seq = seq
      #expect(try scan(Array(plain.text().line.utf8)).seq == Int(seq))
    }
  }
}

/// Which `data` the reference reader accepts, and the length of a line.
struct DataScanTests {
  /// Invalid `data`, the reason, and the offset in it.
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

  @Test("Invalid data is reported at its byte", arguments: wrong)
  func wrongDataIsRefusedAtItsByte(_ data: String, _ reason: JSONError.Reason, _ byte: Int) {
    let plain = PlainLine(data: data)
    let start = plain.front.utf8.count + 33
    #expect(throws: LineFault(.json(reason), at: start + byte)) {
      try scan(Array(plain.text().line.utf8))
    }
  }

  @Test(
    "A string that is not UTF-8 is rejected",
    arguments: [
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

  @Test(
    "Unusual but valid data is accepted",
    arguments: [
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

  @Test("No prefix or suffix of the shortest line is a line")
  func partsOfALine() throws {
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

  @Test("A line has at most 65,536 bytes")
  func longestLine() throws {
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

  @Test("Damage is reported with the line and the file offset")
  func damagePlace() {
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

/// Scans one line and its `data`.
func scan(_ line: [UInt8]) throws(LineFault) -> Envelope {
  try line.withUnsafeBufferPointer { buffer throws(LineFault) in
    let bytes = UnsafeRawBufferPointer(buffer).bytes
    let envelope = try EnvelopeScanner.scan(bytes, from: 0, to: bytes.byteCount)
    try EnvelopeScanner.scanData(envelope, in: bytes)
    return envelope
  }
}
