import Foundation
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// When bytes are written, synced and cut back, and which errors an appender gets.
struct DurabilityTests {
  private static let full = SampleLog(events: 5)
  private static let end = full.ends[5]

  @Test("A batch is one write, one sync, then head")
  func batch() throws {
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

  @Test("Of a whole batch, the first byte is written last, after the others are synced")
  func wholeBatch() throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    let head = Self.full.head(after: 5)
    let appended = try disk.log().withSession { session in
      var random = SplitMix(3)
      return try session.append([note("a"), note("b")], isWhole: true, using: &random)
    }
    let next = Self.end + appended.lines.count
    #expect(
      disk.changes() == [
        .write(Self.end + 1..<next), .sync(head: head), .write(Self.end..<Self.end + 1),
        .sync(head: head),
      ])
    try ledger.expectSound(events: 7)
  }

  @Test("Of a whole batch whose first byte is missing, recovery keeps nothing")
  func crashedBatch() throws {
    let ledger = TemporaryLedger(Self.full)
    var lines = try DiskStandIn(ledger).log().withSession { session in
      var random = SplitMix(3)
      return try session.composed([note("a"), note("b")], using: &random).appended.lines
    }
    lines[0] = 0
    try Data(ledger.log + lines).write(to: URL(filePath: ledger.directory.events))
    try EventLog(ledger.directory).append([note("c")])
    // The repair and the new event.
    try ledger.expectSound(events: 7)
  }

  @Test("The appends of a session share its lock")
  func session() throws {
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

  @Test("Nothing is written for a batch with a line that is too long")
  func tooLongLine() throws {
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

  @Test("After a failed write the log is cut back and the handle stays usable")
  func fullDisk() throws {
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

  @Test("A failed sync cuts the log back and poisons the handle", arguments: [EIO, ENOSPC, EDQUOT])
  func failedSync(_ number: Int32) throws {
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

  @Test("A handle reopened after a failed sync writes again, after what is on the disk")
  func reopened() throws {
    let ledger = TemporaryLedger(Self.full)
    let disk = DiskStandIn(ledger)
    let log = disk.log()
    disk.fail { operation in
      switch operation {
      case .sync, .truncate: EIO
      case .read, .write: nil
      }
    }
    expectUnsettled { try log.append([note()]) }
    log.reopen()
    #expect(throws: LogError.self) { try log.append([note()]) }
    disk.fail { _ in nil }
    #expect(throws: LogError.poisoned) { try log.append([note()]) }
    log.reopen()
    #expect(try log.repairs() == [.adopted(events: 1)])
    try log.append([note()])
    try ledger.expectSound(events: 7)
  }

  @Test("If the sync and the cut fail, the next opening adopts the lines")
  func failedSyncAndCut() throws {
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
        // The failed cut may have been performed in part.
        .truncate(ledger.log.count + 1), .truncate(ledger.log.count),
        .sync(head: Self.full.head(after: 5)),
        .write(Self.end..<ledger.log.count), .sync(head: Self.full.head(after: 5)),
      ])
    try ledger.expectSound(events: 7)
  }

  @Test("A cut that was not synced is finished before the next write")
  func unsyncedCut() throws {
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

  @Test("If a write and its cut fail, the next opening quarantines the half line")
  func failedWriteAndCut() throws {
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

  /// Any other error would mean that the events were not kept, and a retry would duplicate them.
  private func expectUnsettled(
    sourceLocation: SourceLocation = #_sourceLocation, _ append: () throws -> Appended
  ) {
    let error = #expect(throws: LogError.self, sourceLocation: sourceLocation) { try append() }
    guard case .unsettled = error else {
      Issue.record("got \(error?.description ?? "nothing")", sourceLocation: sourceLocation)
      return
    }
  }

  @Test("A repair that fails at any call loses nothing and is repeated")
  func failedRepair() throws {
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
      let isRepaired = (try? log.append([note()])) != nil
      // The whole lines and the torn bytes are still there, in the log or in quarantine.
      let kept = Self.full.ends[4]
      #expect(ledger.log.starts(with: torn.prefix(kept)))
      #expect(
        ledger.log.starts(with: torn)
          || ledger.quarantine.values.contains(Array(torn.dropFirst(kept))), "\(failing)")
      disk.fail { _ in nil }
      try disk.log().append([note()])
      try ledger.expectSound()
      if isRepaired {
        #expect(failing == 8)
        break
      }
    }
  }
}
