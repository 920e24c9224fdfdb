import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// How erased lines are read and verified.
struct ErasureTests {
  /// A log whose event 4 records the erasure of event 3.
  private struct Erased {
    var log: SampleLog
    var lines: [String]

    init(padding: Int = 3, naming named: Int? = 3, erasing erased: [Int] = [3]) {
      var plain = SampleLog(events: 40) { _ in padding }.plain
      if let named {
        plain[3].type = "event.erased"
        plain[3].data = #"{"event":\#(named),"reason":"a mistake"}"#
      }
      log = SampleLog(plain)
      lines = log.lines
      for seq in erased {
        lines[seq - 1] = log.plain[seq - 1].erased(
          after: seq == 1 ? hashBeforeFirst : log.hashes[seq - 2])
      }
    }

    var ledger: TemporaryLedger {
      let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
      let head = log.head(after: 40).replacing("\(log.ends[40]) ", with: "\(bytes.count) ")
      return TemporaryLedger(log: bytes, head: head)
    }

    func offset(of seq: Int) -> Int { lines[..<(seq - 1)].map { $0.utf8.count + 1 }.reduce(0, +) }
  }

  @Test("A log with an erased line that is named verifies, with the same hashes")
  func named() throws {
    let erased = Erased()
    let ledger = erased.ledger
    let found = try ledger.verify()
    #expect(found.isOK)
    #expect(found.erased == 1)
    #expect(found.events == 40)
    #expect(found.head.hash.description == erased.log.hashes[39])
    let events = try ledger.events()
    #expect(events[2].event.payload == .erased(type: "a", version: 1))
    #expect(events[2].event.id.description == erased.log.plain[2].id)
    #expect(events.map(\.hash) == erased.log.hashes)
    try EventLog(ledger.directory).append([note()])
    try ledger.expectSound(events: 41)
  }

  @Test("An erased line without an event.erased is damage", arguments: [nil, 2, 5])
  func unnamed(_ named: Int?) throws {
    let ledger = Erased(naming: named).ledger
    let found = try ledger.verify()
    // A record of another event is damage as well.
    let damaged = named == nil ? [3] : [3, 4]
    #expect(found.problems.map(\.line) == damaged)
    #expect(found.problems.map(\.byte) == damaged.map { Erased(naming: named).offset(of: $0) })
    #expect(found.events == 40)
  }

  @Test("Damage by an unnamed erased line has its file offset, in any window")
  func unnamedInLaterWindows() throws {
    let erased = Erased(padding: 60_000, erasing: [3, 30, 35])
    let found = try erased.ledger.verify()
    #expect(found.erased == 3)
    #expect(found.problems.map(\.line) == [30, 35])
    #expect(found.problems.map(\.byte) == [erased.offset(of: 30), erased.offset(of: 35)])
  }

  @Test("An erased event.erased names no line")
  func erasedRecord() throws {
    let found = try Erased(erasing: [3, 4]).ledger.verify()
    #expect(found.problems.map(\.line) == [3, 4])
  }

  @Test("A changed digest breaks the chain")
  func changedDigest() throws {
    var erased = Erased()
    erased.lines[2] = erased.lines[2].replacing(
      #""erased":"\#(sha256Hex(erased.log.plain[2].body))""#,
      with: #""erased":"\#(sha256Hex("another body"))""#)
    let found = try erased.ledger.verify()
    #expect(found.problems.map(\.line) == [3])
    #expect(found.events == 2)
  }

  @Test(
    "An erased line has one form",
    arguments: [
      (#""v":1,"erased""#, #""v":2,"erased""#), (#""erased":""#, #""erased": ""#),
      (#","hash""#, #","salt":"0123456789abcdef","hash""#), (#","hash""#, #","data":{},"hash""#),
    ])
  func anErasedLineHasOneForm(_ old: String, _ new: String) throws {
    var erased = Erased()
    let changed = erased.lines[2].replacing(old, with: new)
    #expect(changed != erased.lines[2])
    #expect(throws: LineFault.self) { try scan(Array(changed.utf8)) }
    erased.lines[2] = changed
    #expect(try erased.ledger.verify().problems.map(\.line) == [3])
  }

  @Test("The digest of an erased line has 64 hexadecimal digits", arguments: ["", "0", "A", "g"])
  func digits(_ digit: String) throws {
    let line = PlainLine(seq: "3").erased(after: hashBeforeFirst)
    let start = try #require(line.firstRange(of: #""erased":""#)).upperBound
    var changed = line
    changed.replaceSubrange(start...start, with: digit + (digit == "0" ? "00" : ""))
    #expect(throws: LineFault.self) { try scan(Array(changed.utf8)) }
    _ = try scan(Array(line.utf8))
  }

  @Test(
    "Line 1 of another type is damage",
    arguments: [
      "a", "ledger.created_", "ledger.create", "xledger.created", "ledger.createdledger",
    ])
  func anotherLineOneIsAProblem(_ type: String) throws {
    var plain = SampleLog(events: 3).plain
    plain[0].type = type
    let found = try TemporaryLedger(SampleLog(plain)).verify()
    #expect(found.problems.map(\.line) == [1])
  }
}
