import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerLog

/// What is refused in a line, in which words and at which byte.
struct EnvelopeScannerTests {
  /// One wrong line: what was done to it, the problem and the byte it must be reported at.
  struct Wrong: CustomTestStringConvertible {
    var what: String
    var line: [UInt8]
    var problem: LineFault.Problem
    var byte: Int
    var testDescription: String { what }
  }

  private static let right = PlainLine(seq: "7", data: #"{"name":"Ada","bio":null}"#)

  /// Changes one spelling in the right line. The fault is expected `offset` bytes behind where the
  /// first difference is searched for: at `mark`, which the changed line must hold.
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
    wrong("by nobody", .member(.by), at: #""by":"#, plus: 6) { $0.by = "" },
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

  @Test(arguments: ids + instants + numbers + small + orders)
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

  @Test func theRightLineIsTakenApart() throws {
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

/// Takes one line apart, `data` included.
func scan(_ line: [UInt8]) throws(LineFault) -> Envelope {
  try line.withUnsafeBufferPointer { buffer throws(LineFault) in
    let bytes = UnsafeRawBufferPointer(buffer).bytes
    let envelope = try EnvelopeScanner.scan(bytes, from: 0, to: bytes.byteCount)
    try EnvelopeScanner.scanData(envelope, in: bytes)
    return envelope
  }
}
