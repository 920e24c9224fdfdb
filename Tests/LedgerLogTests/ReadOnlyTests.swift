import Foundation
import LedgerModel
import Testing

@testable import LedgerLog

/// Readers never repair: they change no byte and no file in any state of a log.
struct ReadOnlyTests {
  private static let full = SampleLog(events: 10)
  private static let bytes = full.bytes

  struct State: CustomTestStringConvertible {
    var testDescription: String
    var log: [UInt8]?
    var head: String?

    init(_ what: String, _ log: [UInt8]?, head: String? = full.head(after: 6)) {
      (testDescription, self.log, self.head) = (what, log, head)
    }
  }

  static let states = [
    State("sound", bytes, head: full.head(after: 10)),
    State("lines behind head", bytes),
    State("a torn tail", bytes.dropLast(20)),
    State("a torn tail, head at the last line", bytes.dropLast(20), head: full.head(after: 9)),
    State("a torn tail, no head", bytes.dropLast(20), head: nil),
    State("unwritten pages", bytes + [UInt8](repeating: 0, count: 8192)),
    State(
      "unwritten pages before a line", bytes.prefix(full.ends[7]) + [0, 0, 0x0A] + bytes.suffix(50)),
    State("a wrong line behind head", bytes + Array("hello\n".utf8)),
    State("damage at head", bytes, head: full.head(after: 6).replacing("6", with: "7")),
    State("damage before head", bytes.map { $0 == 0x62 ? 0x63 : $0 }),
    State("no log", nil),
    State("a log shorter than head", bytes.prefix(full.ends[3]) + []),
    State("an unreadable head", bytes, head: "?"),
    State("no head", bytes, head: nil),
    State("an empty log", [], head: nil),
    State("half of line 1", Array(bytes.prefix(100)), head: nil),
    State("nothing", nil, head: nil),
  ]

  @Test("Readers change nothing", arguments: states, [true, false])
  func readersChangeNothing(_ state: State, withLockFile: Bool) throws {
    let ledger = TemporaryLedger(log: state.log, head: state.head)
    if withLockFile { ledger.write([], to: ledger.directory.ledgerLock) }
    let before = ledger.snapshot
    let verified = try? Verification.verify(ledger.directory)
    #expect(
      verified?.isOK ?? false
        == [
          "sound", "lines behind head", "an unreadable head",
          "no head",
        ].contains(state.testDescription))
    if let view = try? LogView.open(ledger.directory) {
      _ = try? view.lastLine()
      _ = try? view.lastLines(3)
      _ = try? view.line(Seq(5))
      _ = try? view.forEachEvent(checks: .chain) { _, _ in true }
    }
    #expect(ledger.snapshot == before)
  }

  @Test("Readers see the whole lines and the torn tail")
  func tornTail() throws {
    let ledger = TemporaryLedger(
      log: Self.bytes.dropLast(20), head: Self.full.head(after: 6))
    let view = try LogView.open(ledger.directory)
    let torn = Self.full.ends[10] - 20 - Self.full.ends[9]
    #expect(view.endBytes == Self.full.ends[9])
    #expect(view.tornTailBytes == torn)
    #expect(view.head?.seq == 6)
    #expect(try view.lastLine()?.seq == 9)
    let verified = try Verification.verify(ledger.directory)
    #expect((verified.events, verified.tornTailBytes, verified.isOK) == (9, torn, false))
    #expect(verified.problems == [])
    #expect(verified.head.seq == 9 && verified.head.hash.description == Self.full.hashes[8])
  }

  @Test("Unwritten pages are a torn tail, even with whole lines after them")
  func unwrittenPages() throws {
    var bytes = Self.bytes
    bytes[Self.full.ends[7] + 30] = 0
    let ledger = TemporaryLedger(log: bytes, head: Self.full.head(after: 6))
    let view = try LogView.open(ledger.directory)
    #expect(view.endBytes == Self.full.ends[7])
    #expect(view.tornTailBytes == bytes.count - Self.full.ends[7])
    #expect(try !Verification.verify(ledger.directory).isOK)
    // Up to `head` they are damage.
    ledger.write(Array(Self.full.head(after: 8).utf8), to: ledger.directory.head)
    #expect(damage { try LogView.open(ledger.directory) } != nil)
  }

  @Test("A reader stops where its caller says")
  func stopping() throws {
    var bytes = Self.bytes
    bytes[Self.full.ends[8] + 30] = 1
    let ledger = TemporaryLedger(log: bytes, head: Self.full.head(after: 6))
    var seen: [Int] = []
    let view = try LogView.open(ledger.directory)
    let end = try view.forEachEvent(checks: .chain) { event, line in
      #expect(line.byteCount == Self.full.lines[event.seq.number - 1].utf8.count)
      seen.append(event.seq.number)
      return event.seq.number < 4
    }
    #expect(seen == [1, 2, 3, 4])
    #expect(end.seq == 4)
    #expect(end.hash.description == Self.full.hashes[3])

    // Then up to the damage: every line before it is read.
    let found = damage {
      try view.forEachEvent(from: end, offsetBytes: Self.full.ends[4], checks: .chain) { event, _ in
        seen.append(event.seq.number)
        return true
      }
    }
    #expect(seen == Array(1...8))
    #expect(found?.line == 9)
    #expect(found.map { Self.full.ends[8]..<Self.full.ends[9] ~= $0.byte } == true)
  }
}
