import Foundation
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// The recovery table of docs/log-format.md, row by row: what a crash can leave is repaired, anything
/// else is rejected unchanged.
struct RecoveryTests {
  private static let full = SampleLog(events: 10)

  /// The first lines of the log, then any bytes; `head` is at event 6.
  private static func ledger(lines: Int, then rest: [UInt8]) -> TemporaryLedger {
    TemporaryLedger(log: full.bytes.prefix(full.ends[lines]) + rest, head: full.head(after: 6))
  }

  private static func line(_ seq: Int) -> [UInt8] { Array(full.lines[seq - 1].utf8) }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  // MARK: Unwritten pages and torn lines

  /// Bytes after line 7, which is valid.
  struct Tail: CustomTestStringConvertible {
    var what: String
    var bytes: [UInt8]
    /// The offset of the fault.
    var byte = 0
    var testDescription: String { what }

    init(_ what: String, _ bytes: [[UInt8]], at byte: Int = 0) {
      self.what = what
      self.bytes = bytes.reduce(into: []) { $0 += $1 }
      self.byte = byte
    }
  }

  private static let end: [UInt8] = [0x0A]
  private static let start8 = Array(line(8).prefix(100))
  private static let xs = [UInt8](repeating: 0x78, count: (1 << 20) + 5)

  static let unwritten = [
    Tail("pages of zeros", [zeros(8192)]),
    Tail("one zero", [zeros(1)]),
    Tail("zeros in a line", [start8, zeros(50), Array(line(8).suffix(80)), end]),
    Tail("zeros and then whole lines", [zeros(4096), end, line(8), end, line(9), end]),
    Tail("a page of zeros before a line's end", [start8, zeros(4096), end]),
    Tail("zeros in a line that is too long", [zeros(200_000), end, line(8), end]),
    Tail("more zeros than a window holds", [zeros(3 << 20), line(9), end, line(10), end]),
    Tail("zeros across a window's end", [start8, zeros((1 << 20) + 70_000), end, line(9), end]),
    Tail("a zero for the line's end", [line(8), zeros(1)]),
    Tail("half a line", [start8]),
    Tail("a tail longer than any line", [Array(xs.prefix(70_000))]),
    Tail("a tail longer than a window", [xs]),
  ]

  @Test("What a crash left is quarantined", arguments: unwritten)
  func crashRemains(_ tail: Tail) throws {
    let rest = tail.bytes
    let ledger = Self.ledger(lines: 7, then: rest)
    #expect(!(try Verification.verify(ledger.directory)).isOK)
    let repairs = try EventLog(ledger.directory).repairs()
    let name = try #require(ledger.quarantine.keys.first)
    #expect(repairs == [.adopted(events: 1), .quarantined(bytes: rest.count, file: name)])
    #expect(isSame(ledger.quarantine[name] ?? [], rest))
    #expect(isSame(ledger.log.prefix(Self.full.ends[7]), Self.full.bytes.prefix(Self.full.ends[7])))
    let repaired = LogRepaired(bytes: rest.count, quarantined: name)
    #expect(try ledger.events().last?.event.payload == .logRepaired(repaired))
    try ledger.expectSound(events: 8)
    #expect(try EventLog(ledger.directory).repairs() == [])
  }

  // MARK: Damage

  static let wrong: [Tail] = {
    var unchained = full.plain[7]
    unchained.salt = "0000000000000000"
    var leaping = full.plain[7]
    leaping.seq = "9"
    let other = Array(unchained.text(after: full.hashes[5]).line.utf8)
    let gap = Array(leaping.text(after: full.hashes[6]).line.utf8)
    return [
      Tail("a foreign word", [Array("hello\n".utf8)]),
      Tail("an empty line", [end, line(8), end]),
      Tail("a line of another chain", [other, end], at: other.count - 75),
      Tail("a seq left out", [gap, end]),
      Tail("a wrong line before zeros", [Array("hello\n".utf8), zeros(4096)]),
      Tail("half a line before a whole one", [start8, line(8), end], at: 95),
      Tail("a line too long", [Array(xs.prefix(65_537)), end]),
      Tail("a line longer than a window", [xs, end]),
      Tail("line 7 again", [line(7), end]),
    ]
  }()

  @Test("A whole invalid line is rejected", arguments: wrong)
  func invalidLine(_ tail: Tail) throws {
    let ledger = Self.ledger(lines: 7, then: tail.bytes)
    let before = ledger.snapshot
    let found = damage { try EventLog(ledger.directory).append([note()]) }
    #expect(found?.line == 8)
    #expect(found?.byte == Self.full.ends[7] + tail.byte)
    #expect(
      ledger.snapshot.filter { !["", "ledger.lock"].contains($0.key) }
        == before.filter { $0.key != "" })
    #expect(try Verification.verify(ledger.directory).problems.map(\.line) == [8])
  }

  // MARK: Read errors

  @Test("A read error is not taken for the end of the log")
  func readError() throws {
    let ledger = Self.ledger(lines: 8, then: Array(Self.line(9).dropLast(30)))
    let before = ledger.log
    // Each read fails once, until the tail has been quarantined.
    for failing in 0... {
      let disk = DiskStandIn(ledger)
      let reads = ReadCount()
      disk.fail { operation in
        guard case .read = operation else { return nil }
        return reads.next() == failing ? EIO : nil
      }
      do {
        try disk.log().append([note()])
        #expect(failing > 2)
        break
      } catch {
        guard case .io(let failure) = error else { throw error }
        #expect(failure.errorNumber == EIO)
        #expect(ledger.log == before)
        #expect(!ledger.quarantine.values.contains { $0 == before })
      }
    }
    try ledger.expectSound(events: 10)
  }

  @Test(
    "A file that ends before its size is rejected",
    arguments: [full.ends[5] + 9, full.ends[6], full.ends[7], full.ends[7] + 100, full.ends[8]])
  func earlyEnd(_ end: Int) throws {
    let ledger = Self.ledger(lines: 8, then: Array(Self.line(9).dropLast(30)))
    let before = ledger.log
    let disk = DiskStandIn(ledger)
    disk.endReading(at: end)
    #expect(throws: LogError.self) { try disk.log().append([note()]) }
    #expect(ledger.log == before)
    #expect(ledger.headText == Self.full.head(after: 6))
  }
}
