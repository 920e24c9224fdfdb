import LedgerModel
import Testing

@testable import LedgerLog

/// Erased events keep their place and their proof.
struct ErasureTests {
  /// A log whose event 4 says that event 3 is erased, and whose line 3 may be.
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

  @Test func anErasedLineThatIsNamedIsRight() throws {
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

  @Test(arguments: [nil, 2, 5]) func anErasedLineThatNobodyNamesIsAProblem(_ named: Int?) throws {
    let ledger = Erased(naming: named).ledger
    let found = try ledger.verify()
    #expect(found.problems.map(\.line) == [3])
    #expect(found.problems.map(\.byte) == [Erased(naming: named).offset(of: 3)])
    // Everything else about it is right.
    #expect(found.events == 40)
  }

  /// The byte of such a line counts from the start of the file, in whatever window it stands.
  @Test func anUnnamedErasedLineIsPlacedInTheFile() throws {
    let erased = Erased(padding: 60_000, erasing: [3, 30, 35])
    let found = try erased.ledger.verify()
    #expect(found.erased == 3)
    #expect(found.problems.map(\.line) == [30, 35])
    #expect(found.problems.map(\.byte) == [erased.offset(of: 30), erased.offset(of: 35)])
  }

  /// An erasure that was itself erased answers for nothing.
  @Test func anErasedErasureNamesNobody() throws {
    let found = try Erased(erasing: [3, 4]).ledger.verify()
    #expect(found.problems.map(\.line) == [3, 4])
  }

  @Test func aChangedDigestBreaksTheChain() throws {
    var erased = Erased()
    erased.lines[2] = erased.lines[2].replacing(
      #""erased":"\#(sha256Hex(erased.log.plain[2].body))""#,
      with: #""erased":"\#(sha256Hex("another body"))""#)
    let found = try erased.ledger.verify()
    #expect(found.problems.map(\.line) == [3])
    #expect(found.events == 2)
  }

  @Test(arguments: [
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

  @Test(arguments: ["", "0", "A", "g"]) func itsDigestIsHexadecimal(_ digit: String) throws {
    let line = PlainLine(seq: "3").erased(after: hashBeforeFirst)
    let start = try #require(line.firstRange(of: #""erased":""#)).upperBound
    var changed = line
    changed.replaceSubrange(start...start, with: digit + (digit == "0" ? "00" : ""))
    #expect(throws: LineFault.self) { try scan(Array(changed.utf8)) }
    _ = try scan(Array(line.utf8))
  }

  /// Line 1 is `ledger.created`, by its whole name.
  @Test(arguments: [
    "a", "ledger.created_", "ledger.create", "xledger.created", "ledger.createdledger",
  ])
  func anotherLineOneIsAProblem(_ type: String) throws {
    var plain = SampleLog(events: 3).plain
    plain[0].type = type
    let found = try TemporaryLedger(SampleLog(plain)).verify()
    #expect(found.problems.map(\.line) == [1])
  }
}
