import Foundation
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// All combinations of `head` and log that a writer can find.
struct HeadTests {
  private static let full = SampleLog(events: 10)

  /// - Parameter first: the wrong line before `head` that verify names; `nil` for what a writer finds.
  private func expectRefused(
    _ ledger: TemporaryLedger, first: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Damage? {
    let before = ledger.snapshot
    let verified = try? Verification.verify(ledger.directory)
    #expect(verified?.problems.count == 1, sourceLocation: sourceLocation)
    #expect(ledger.snapshot == before, "verify changed something", sourceLocation: sourceLocation)
    let found = damage(sourceLocation: sourceLocation) {
      try EventLog(ledger.directory).append([note()])
    }
    if let first {
      #expect(verified?.problems.first?.line == first, sourceLocation: sourceLocation)
    } else {
      #expect(found == verified?.problems.first, sourceLocation: sourceLocation)
    }
    #expect(
      ledger.snapshot.filter { !["", "ledger.lock"].contains($0.key) }
        == before.filter { $0.key != "" }, sourceLocation: sourceLocation)
    return found
  }

  // MARK: Damage at head

  @Test("A changed last event is rejected")
  func changedLastEvent() {
    var bytes = Self.full.bytes
    let place = Self.full.ends[9] + Self.full.plain[9].front.utf8.count + 8
    bytes[place] ^= 1
    let found = expectRefused(TemporaryLedger(log: bytes, head: Self.full.head(after: 10)))
    #expect(found?.line == 10)
    #expect(found?.byte == Self.full.ends[10] - 76)
  }

  @Test("A changed hash before the last event is rejected")
  func changedPreviousHash() {
    var bytes = Self.full.bytes
    bytes[Self.full.ends[9] - 10] ^= 1
    let found = expectRefused(
      TemporaryLedger(log: bytes, head: Self.full.head(after: 10)), first: 9)
    #expect(found?.line == 10)
  }

  @Test(
    "A valid head that does not match the log is rejected",
    arguments: [
      full.head(after: 10).replacing(full.hashes[9], with: full.hashes[8]),
      full.head(after: 10).replacing("10 ", with: "11 ", maxReplacements: 1),
      full.head(after: 10).replacing("10 ", with: "09 ", maxReplacements: 1),
      full.head(after: 9).replacing("\(full.ends[9])", with: "\(full.ends[9] - 1)"),
      full.head(after: 9).replacing("\(full.ends[9])", with: "\(full.ends[9] + 1)"),
      full.head(after: 1).replacing("\(full.ends[1])", with: "\(full.ends[2])"),
      full.head(after: 1).replacing(" 00000000000000000\(full.ends[1])", with: " \(zero)"),
      "\(zero) \(zero) \(hashBeforeFirst)\n",
      full.head(after: 10).replacing("0000000000000000001", with: "0922337203685477580"),
    ])
  func otherHead(_ head: String) {
    #expect(head.utf8.count == 107)
    #expect(expectRefused(TemporaryLedger(log: Self.full.bytes, head: head)) != nil)
  }

  private static let zero = String(repeating: "0", count: 20)

  // MARK: Lost events

  @Test("A missing log is rejected")
  func missingLog() {
    let ledger = TemporaryLedger(head: Self.full.head(after: 10))
    let found = expectRefused(ledger)
    #expect(found?.problem.contains("10 events") == true)
    #expect(!FileManager.default.fileExists(atPath: ledger.directory.events))
  }

  @Test("A log shorter than head is rejected", arguments: [full.ends[9], full.ends[10] - 1, 0])
  func shortLog(_ count: Int) {
    let ledger = TemporaryLedger(
      log: Array(Self.full.bytes.prefix(count)), head: Self.full.head(after: 10))
    let found = expectRefused(ledger)
    #expect(found?.byte == count)
    #expect(found?.problem.contains("durable events are missing") == true)
  }

  @Test("A folder without log and head is no ledger")
  func noFiles() {
    let ledger = TemporaryLedger()
    let none = LogError.noLedger(path: ledger.directory.path)
    #expect(throws: none) { try Verification.verify(ledger.directory) }
    #expect(throws: none) { try EventLog(ledger.directory).append([note()]) }
    let inside = LedgerDirectory(ledger.directory.path + "/none")
    #expect(throws: LogError.noLedger(path: inside.path)) { try EventLog(inside).append([note()]) }
    #expect(ledger.snapshot.keys.sorted() == [""])
  }

  // MARK: Unreadable or missing head

  @Test(
    "An unreadable head counts as missing and is written again",
    arguments: [
      "", "\n", "hello\n", full.head(after: 10) + "\n", full.head(after: 10) + "x",
      String(full.head(after: 10).dropLast()), String(full.head(after: 10).dropFirst()),
      full.head(after: 10).uppercased(), full.head(after: 10).replacing(" ", with: "\t"),
      full.head(after: 10).replacing("0000000000000000001", with: "+000000000000000001"),
      full.head(after: 10).replacing("0000000000000000001", with: "9999999999999999999"),
      full.head(after: 10).replacing("\n", with: "\0"), String(repeating: "\0", count: 107),
      String(repeating: "0", count: 70_000),
    ])
  func unreadableHead(_ head: String) throws {
    let ledger = TemporaryLedger(log: Self.full.bytes, head: head)
    let before = ledger.snapshot
    #expect(try Verification.verify(ledger.directory).isOK)
    #expect(try LogView.open(ledger.directory).head == nil)
    #expect(ledger.snapshot == before)
    #expect(try EventLog(ledger.directory).repairs() == [.headWasMissing])
    #expect(ledger.headText == Self.full.head(after: 10))
    #expect(ledger.log == Self.full.bytes)
    try ledger.expectSound(events: 10)
  }

  @Test("Without a head the whole log is checked")
  func wholeLog() throws {
    var bytes = Self.full.bytes
    bytes[Self.full.ends[4] + 20] = 0x67
    let ledger = TemporaryLedger(log: bytes, head: nil)
    #expect(expectRefused(ledger)?.line == 5)
    // With one, the cost of an append does not depend on the log's length; `verify` finds the damage.
    ledger.write(Array(Self.full.head(after: 10).utf8), to: ledger.directory.head)
    try EventLog(ledger.directory).append([note()])
    #expect(try Verification.verify(ledger.directory).problems.map(\.line) == [5])
  }

  // MARK: Valid lines after head

  @Test("Valid lines after head are written again and synced")
  func adoption() throws {
    let ledger = TemporaryLedger(log: Self.full.bytes, head: Self.full.head(after: 6))
    let disk = DiskStandIn(ledger)
    #expect(try disk.log().repairs() == [.adopted(events: 4)])
    let (low, high) = (Self.full.ends[6], Self.full.ends[10])
    #expect(
      disk.changes() == [.write(low..<high), .sync(head: Self.full.head(after: 6))])
    #expect(ledger.log == Self.full.bytes)
    #expect(ledger.headText == Self.full.head(after: 10))
    // Once durable, they are not written again.
    #expect(try disk.log().repairs() == [])
    #expect(disk.changes() == [])
  }

  @Test("More than a window after head is adopted")
  func longAdoption() throws {
    let long = SampleLog(events: 60) { _ in 40_000 }
    let ledger = TemporaryLedger(log: long.bytes, head: long.head(after: 2))
    let disk = DiskStandIn(ledger)
    #expect(try disk.log().repairs() == [.adopted(events: 58)])
    let changes = disk.changes()
    #expect(changes.last == .sync(head: long.head(after: 2)))
    var end = long.ends[2]
    for case .write(let range) in changes {
      #expect(range.lowerBound == end)
      end = range.upperBound
    }
    #expect(end == long.ends[60])
    #expect(ledger.log == long.bytes)
    try ledger.expectSound(events: 60)
  }
}
