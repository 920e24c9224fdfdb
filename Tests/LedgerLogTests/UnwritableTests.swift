import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerLog

/// Nothing that readers reject may be written: one such line would make the log unreadable.
struct UnwritableTests {
  /// Nested arrays; `data` itself is one level more.
  private static func nested(_ depth: Int) -> JSONValue {
    (1..<depth).reduce(JSONValue.array([])) { value, _ in .array([value]) }
  }

  private static func unknown(
    type: String = "test.note", version: Int = 1, _ data: JSONObject = [:]
  ) -> Event.Payload {
    .unknown(type: type, version: version, data: data)
  }

  private static let twice = JSONObject(members: [
    .init(name: "a", value: 1), .init(name: "a", value: 1),
  ])

  static let payloads: [(String, Event.Payload)] = [
    ("a sum of doubles", unknown(["n": .number(0.1 + 0.2)])),
    ("beyond 1e15", unknown(["n": 1_000_000_000_000_001])),
    ("depth 9", unknown(["a": nested(8)])),
    ("a member twice", unknown(twice)),
    ("a capital in the type", unknown(type: "test.Note")),
    ("no type", unknown(type: "")),
    ("version 0", unknown(version: 0)),
    ("an erased event", .erased(type: "test.note", version: 1)),
  ]

  @Test("An event that no line can hold is rejected with its batch", arguments: payloads)
  func unwritable(_ what: String, _ payload: Event.Payload) throws {
    let ledger = TemporaryLedger(SampleLog(events: 2))
    let before = ledger.snapshot
    let log = EventLog(ledger.directory)
    try log.withSession { _ in }
    var wrong = note()
    wrong.payload = payload
    do {
      try log.append([note(), wrong, note()])
      Issue.record("\(what) was written")
    } catch {
      guard case .unwritable = error else { throw error }
    }
    #expect(
      ledger.snapshot.filter { $0.key != "ledger.lock" && $0.key != "" }
        == before.filter { $0.key != "" })
    try log.append([note()])
    try ledger.expectSound(events: 3)
  }

  @Test("An id that is not a version 7 UUID is rejected")
  func otherVersion() throws {
    let ledger = TemporaryLedger(SampleLog(events: 2))
    var wrong = note()
    wrong.id = EventID(LedgerUUID(high: 0x0195_512F_5C00_4123, low: 0x8ABC_0000_0000_002A))
    #expect(throws: LogError.self) { try EventLog(ledger.directory).append([wrong]) }
    try ledger.expectSound(events: 2)
  }

  @Test("Depth 8 is written")
  func depth8() throws {
    let ledger = TemporaryLedger(SampleLog(events: 2))
    var deep = note()
    deep.payload = Self.unknown(["a": Self.nested(7)])
    try EventLog(ledger.directory).append([deep])
    #expect(try ledger.events().last?.event == deep)
  }

  @Test("A line of the maximum length is written, one byte more is rejected", arguments: [0, 1])
  func longestLine(_ excess: Int) throws {
    let ledger = TemporaryLedger(SampleLog(events: 2))
    let log = EventLog(ledger.directory)
    try log.append([note("")])
    let empty = ledger.log.split(separator: 0x0A)[2].count
    let before = ledger.log
    let text = String(repeating: "y", count: 65_536 - empty + excess)
    if excess == 0 {
      let appended = try log.append([note(text)])
      #expect(appended.lines.count == 65_537)
      #expect(try ledger.events().count == 4)
    } else {
      // One invalid event rejects the whole batch.
      #expect(throws: LogError.lineTooLong(bytes: 65_537)) {
        try log.append([note("before"), note(text)])
      }
      #expect(ledger.log == before)
      try log.append([note("after")])
    }
    try ledger.expectSound(events: 4)
  }
}
