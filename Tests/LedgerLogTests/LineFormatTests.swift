import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Written lines follow docs/log-format.md byte by byte.
struct LineFormatTests {
  /// A constant generator: the salt is known.
  struct Fixed: RandomNumberGenerator {
    var value: UInt64
    mutating func next() -> UInt64 { value }
  }

  @Test("A written line has the members, the order and the hash of the format")
  func writtenLine() throws {
    let ledger = TemporaryLedger(SampleLog(events: 3))
    let before = SampleLog(events: 3)
    let entry = try #require(EntryID("0195512f-5c00-7aaa-8bbb-0123456789ab"))
    var logged = ProgressLogged(
      entry: entry, metric: .weight, quantity: 75.5, date: try #require(.init("2026-02-28")),
      moment: .init(time: try #require(.init("07:05:09")), zone: try #require(.init("-03:30"))),
      notes: "a \"quoted\"\n\u{1}line – très bien 💪", source: "csv", sourceID: "csv:1")
    logged.unknown = ["later": [1, 0.1, 1e15, -0.0, 1e-7, .null, true]]
    let id = try #require(EventID("0195512f-5c00-7fff-bfff-ffffffffffff"))
    let at = Timestamp(millisecondsSince1970: 1_772_352_000_007)
    let event = Event(id: id, at: at, by: .import, payload: .progressLogged(logged))
    var salt = Fixed(value: 0x00AB_CDEF_0123_4567)
    let appended = try EventLog(ledger.directory).append([event], using: &salt)

    let expected = PlainLine(
      id: "0195512f-5c00-7fff-bfff-ffffffffffff", seq: "4", at: "2026-03-01T08:00:00.007Z",
      by: "import", type: "progress.logged", salt: "00abcdef01234567",
      data: #"{"entry":"0195512f-5c00-7aaa-8bbb-0123456789ab","metric":"weight","#
        + #""quantity":75.5,"date":"2026-02-28","time":"07:05:09","zone":"-03:30","#
        + #""notes":"a \"quoted\"\n\u0001line – très bien 💪","source":"csv","#
        + #""source_id":"csv:1","later":[1,0.1,1000000000000000,0,0.0000001,null,true]}"#
    ).text(after: before.hashes[2])
    #expect(String(decoding: appended.lines, as: UTF8.self) == expected.line + "\n")
    #expect(ledger.log == before.bytes + appended.lines)
    #expect(appended.events.map(\.seq) == [Seq(4)])
    #expect(appended.events.map(\.hash) == [expected.hash])
    #expect(
      ledger.headText
        == "00000000000000000004 " + "0000000000000000\(ledger.log.count) ".suffix(21)
        + expected.hash + "\n")
    #expect(try ledger.events().last?.event == event)
  }

  @Test("Line 1 is ledger.created")
  func lineOne() throws {
    let ledger = TemporaryLedger()
    var random = SplitMix(5)
    let at = Timestamp(millisecondsSince1970: 1_772_352_000_000)
    let made = try EventLog.create(
      ledger.directory, device: "pocket \"1\"", at: at, using: &random)
    guard case .ledgerCreated(let created) = made.events.first?.event.payload else {
      Issue.record("line 1 is \(made.events)")
      return
    }
    let text = String(decoding: ledger.log, as: UTF8.self)
    let salt = try #require(text.firstRange(of: #""salt":""#)).upperBound
    let expected = PlainLine(
      id: made.events[0].event.id.description, by: "system", type: "ledger.created",
      salt: String(text[salt...].prefix(16)),
      data: #"{"ledger":"\#(created.ledger)","device":"pocket \"1\"","format":1}"#)
    #expect(text == expected.text().line + "\n")
    try ledger.expectSound(events: 1)
  }

  @Test("An instant always has 24 characters")
  func instants() throws {
    let ledger = TemporaryLedger(SampleLog(events: 1))
    let moments: [Int64] = [
      0, -1, 999, -62_135_596_800_000, 253_402_300_799_999, .max, .min, 951_827_696_789,
    ]
    try EventLog(ledger.directory).append(moments.map { note(at: $0) })
    let ats = String(decoding: ledger.log, as: UTF8.self).split(separator: "\n").dropFirst()
      .map { $0.split(separator: #""at":""#)[1].prefix { $0 != "\"" } }
    #expect(
      ats == [
        "1970-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.999Z",
        "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "9999-12-31T00:00:00.000Z",
        "0001-01-01T00:00:00.000Z", "2000-02-29T12:34:56.789Z",
      ])
    let read = try ledger.events().dropFirst().map(\.event.at.millisecondsSince1970)
    #expect(Array(read.prefix(5)) == Array(moments.prefix(5)))
    #expect(read.last == 951_827_696_789)
    try ledger.expectSound()
  }

  @Test(
    "Numbers are written without exponents and read back exactly",
    arguments: [
      0.1, 75.5, 1e15, -1e15, 123_456_789_012_345, 0.000_000_1, 1e-300, 5, 1e13 + 0.5,
    ])
  func numbersAreShortAndReadBack(_ number: Double) throws {
    let ledger = TemporaryLedger(SampleLog(events: 1))
    var event = note()
    event.payload = .unknown(type: "test.number", version: 7, data: ["n": .number(number)])
    try EventLog(ledger.directory).append([event])
    let text = String(decoding: ledger.log, as: UTF8.self)
    let digits = text.split(separator: #"{"n":"#)[1].prefix { $0 != "}" }
    #expect(!digits.contains("e") && !digits.contains("E"))
    #expect(Double(digits) == number)
    #expect(try ledger.events().last?.event == event)
  }
}
