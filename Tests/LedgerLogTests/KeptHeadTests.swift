import Foundation
import Testing

@testable import LedgerLog

/// A writer keeps `head` open from one append to the next; others may do with it what they may.
struct KeptHeadTests {
  private let log = SampleLog(events: 5)

  @Test func aHeadThatIsTakenAwayIsMadeAgain() throws {
    let ledger = TemporaryLedger(log)
    let writer = EventLog(ledger.directory)
    try writer.append([note()])
    try FileManager.default.removeItem(atPath: ledger.directory.head)
    #expect(try writer.repairs() == [.headWasMissing])
    try writer.append([note()])
    #expect(try Head.read(ledger.directory)?.seq == 7)
    try ledger.expectSound(events: 7)
  }

  /// Another file under its name is the one that counts, both ways.
  @Test func aHeadThatIsReplacedIsReadAndWrittenAnew() throws {
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

  /// What two writers remember is what the other wrote.
  @Test func twoWritersTakeTurns() throws {
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
