import Foundation
import Testing

@testable import LedgerLog

/// A writer keeps `head` open between appends while others remove, replace or write it.
struct KeptHeadTests {
  private let log = SampleLog(events: 5)

  @Test("A removed head is created again")
  func removedHead() throws {
    let ledger = TemporaryLedger(log)
    let writer = EventLog(ledger.directory)
    try writer.append([note()])
    try FileManager.default.removeItem(atPath: ledger.directory.head)
    #expect(try writer.repairs() == [.headWasMissing])
    try writer.append([note()])
    #expect(try Head.read(ledger.directory)?.seq == 7)
    try ledger.expectSound(events: 7)
  }

  @Test("A replaced head is read and written")
  func replacedHead() throws {
    let ledger = TemporaryLedger(log)
    let writer = EventLog(ledger.directory)
    try writer.append([note()])
    try writer.append([note()])
    let kept = ledger.directory.head + ".kept"
    try FileManager.default.moveItem(atPath: ledger.directory.head, toPath: kept)
    ledger.write(Array(log.head(after: 5).utf8), to: ledger.directory.head)
    #expect(try writer.repairs() == [.adopted(events: 2)])
    try writer.append([note()])
    #expect(try Head.read(ledger.directory)?.seq == 8)
    #expect(Head(line: ledger.contents(kept))?.seq == 7)
    try FileManager.default.removeItem(atPath: kept)
    try ledger.expectSound(events: 8)
  }

  @Test("Two writers see what the other wrote")
  func twoWriters() throws {
    let ledger = TemporaryLedger(log)
    let writers = [EventLog(ledger.directory), EventLog(ledger.directory)]
    for turn in 0..<6 {
      #expect(try writers[turn % 2].repairs() == [])
      try writers[turn % 2].append([note()])
      #expect(try Head.read(ledger.directory)?.seq == 6 + turn)
    }
    try ledger.expectSound(events: 11)
  }
}
