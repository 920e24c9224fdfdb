import Foundation
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// When bytes are written, synced and taken back, and what an appender is told.
struct DurabilityTests {
  private static let full = SampleLog(events: 5)
  private static let end = full.ends[5]

  @Test func aBatchIsOneWriteThenOneSyncThenHead() throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    let log = disk.log()
    let appended = try log.append((0..<50).map { note("event \($0)") })
    let next = Self.end + appended.lines.count
    #expect(disk.changes() == [.write(Self.end..<next), .sync(head: Self.full.head(after: 5))])
    #expect(try Head.read(ledger.directory)?.seq == 55)
    try log.append([note()])
    #expect(disk.changes().count == 2)
    #expect(disk.timesOpened == 1)
    try log.append([])
    #expect(disk.changes() == [])
    #expect(appended.events.map(\.seq.number) == Array(6...55))
    try ledger.expectSound(events: 56)
  }

  @Test func aSessionsAppendsShareItsLock() throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    try disk.log().withSession { session in
      var random = SplitMix(3)
      for count in 1...3 {
        let appended = try session.append([note()], using: &random)
        #expect(appended.events.first?.seq.number == 5 + count)
        #expect(try session.view().lastLine()?.seq == 5 + count)
        #expect(session.head.seq == 5 + count)
      }
    }
    #expect(disk.changes().count == 6)
    try ledger.expectSound(events: 8)
  }

  @Test func nothingIsWrittenForALineThatIsTooLong() throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    let log = disk.log()
    #expect(throws: LogError.self) {
      try log.append([note(), note(String(repeating: "x", count: 70_000))])
    }
    #expect(disk.changes() == [])
    try log.append([note()])
    try ledger.expectSound(events: 6)
  }

  @Test func aFullDiskIsCutBackAndTheHandleGoesOn() throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    let log = disk.log()
    disk.fail { if case .write = $0 { ENOSPC } else { nil } }
    do {
      try log.append([note(String(repeating: "x", count: 5_000))])
      Issue.record("kept")
    } catch {
      guard case .io(let failure) = error else { throw error }
      #expect(failure.errorNumber == ENOSPC)
    }
    #expect(
      disk.changes().suffix(2) == [.truncate(Self.end), .sync(head: Self.full.head(after: 5))])
    #expect(ledger.log == Self.full.bytes)
    #expect(ledger.headText == Self.full.head(after: 5))
    disk.fail { _ in nil }
    try log.append([note()])
    try ledger.expectSound(events: 6)
    #expect(ledger.quarantine.isEmpty)
  }

  /// Nobody knows what the disk has: the handle ends, a new one starts from what it can read.
  @Test(arguments: [EIO, ENOSPC, EDQUOT])
  func aFailedSyncTakesBackAndEndsTheHandle(_ number: Int32) throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    let log = disk.log()
    disk.fail { if case .sync = $0 { number } else { nil } }
    do {
      try log.append([note()])
      Issue.record("kept")
    } catch {
      guard case .notKept(let failure) = error else { throw error }
      #expect(failure.errorNumber == number)
    }
    #expect(ledger.log == Self.full.bytes)
    disk.fail { _ in nil }
    _ = disk.changes()
    #expect(throws: LogError.poisoned) { try log.append([note()]) }
    #expect(throws: LogError.poisoned) { try log.repairs() }
    #expect(disk.changes() == [])
    try disk.log().append([note()])
    try ledger.expectSound(events: 6)
  }

  /// The sync failed and the cut too: whole lines stay behind `head`. They were neither confirmed
  /// nor denied, so the next opening makes them durable.
  @Test func aFailedSyncWhoseCutFailsIsSettledByTheNextOpening() throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    let log = disk.log()
    disk.fail { operation in
      switch operation {
      case .sync, .truncate: EIO
      case .read, .write: nil
      }
    }
    expectUnsettled { try log.append([note(), note()]) }
    #expect(throws: LogError.poisoned) { try log.append([note()]) }
    #expect(ledger.headText == Self.full.head(after: 5))
    disk.fail { _ in nil }
    _ = disk.changes()
    #expect(try disk.log().repairs() == [.adopted(events: 2)])
    #expect(
      disk.changes() == [
        .write(Self.end..<ledger.log.count), .sync(head: Self.full.head(after: 5)),
        // The cut that failed may have come about in part.
        .truncate(ledger.log.count + 1), .truncate(ledger.log.count), .sync(head: ledger.headText),
      ])
    try ledger.expectSound(events: 7)
  }

  /// The sync of the cut failed as well: what was cut off may still be on the platter, and nothing is
  /// written over it before the cut is known to be there, too.
  @Test func aCutThatWasNotSyncedIsFinishedBeforeTheNextWrite() throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    let log = disk.log()
    disk.fail { if case .sync = $0 { EIO } else { nil } }
    #expect(throws: LogError.self) { try log.append([note()]) }
    #expect(ledger.log == Self.full.bytes)
    #expect(try Data(contentsOf: URL(filePath: ledger.directory.ledgerLock)).count == 1)
    #expect(throws: LogError.self) { try disk.log().append([note()]) }
    disk.fail { _ in nil }
    _ = disk.changes()
    let next = disk.log()
    try next.append([note()])
    let head = Self.full.head(after: 5)
    #expect(
      disk.changes() == [
        .truncate(Self.end + 1), .truncate(Self.end), .sync(head: head),
        .write(Self.end..<ledger.log.count), .sync(head: head),
      ])
    #expect(try Data(contentsOf: URL(filePath: ledger.directory.ledgerLock)).isEmpty)
    try next.append([note()])
    #expect(disk.changes().count == 2)
    try ledger.expectSound(events: 7)
  }

  /// A write that failed and could not be cut off leaves half a line: the handle ends, and the next
  /// opening sets the half line aside.
  @Test func aFailedWriteWhoseCutFailsEndsTheHandle() throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    let log = disk.log()
    disk.fail { operation in
      switch operation {
      case .write, .truncate: ENOSPC
      case .read, .sync: nil
      }
    }
    expectUnsettled { try log.append([note()]) }
    let half = ledger.log.count - Self.end
    #expect(half > 0)
    #expect(throws: LogError.poisoned) { try log.append([note()]) }
    disk.fail { _ in nil }
    try disk.log().append([note()])
    #expect(ledger.quarantine.values.map(\.count) == [half])
    try ledger.expectSound(events: 7)
  }

  /// «Taken back» would be a lie, and whoever believes it and tries again makes a double.
  private func expectUnsettled(
    sourceLocation: SourceLocation = #_sourceLocation, _ append: () throws -> Appended
  ) {
    let error = #expect(throws: LogError.self, sourceLocation: sourceLocation) { try append() }
    guard case .unsettled = error else {
      Issue.record("told \(error?.description ?? "nothing")", sourceLocation: sourceLocation)
      return
    }
  }

  /// Whatever fails while a torn tail is set aside, nothing is lost and the next opening does it.
  @Test func aRepairThatFailsCanBeDoneAgain() throws {
    let torn = Array(Self.full.bytes.prefix(Self.end - 40))
    for failing in 0... {
      let ledger = TemporaryLedger(log: torn, head: Self.full.head(after: 2))
      let disk = DiskStandIn(ledger)
      let count = ReadCount()
      disk.fail { operation in
        if case .read = operation { return nil }
        return count.next() == failing ? EIO : nil
      }
      let log = disk.log()
      let mended = (try? log.append([note()])) != nil
      // The whole lines and the torn bytes are still there, in the log or in quarantine.
      let kept = Self.full.ends[4]
      #expect(ledger.log.starts(with: torn.prefix(kept)))
      #expect(
        ledger.log.starts(with: torn)
          || ledger.quarantine.values.contains(Array(torn.dropFirst(kept))), "\(failing)")
      disk.fail { _ in nil }
      try disk.log().append([note()])
      try ledger.expectSound()
      if mended {
        #expect(failing == 8)
        break
      }
    }
  }
}
