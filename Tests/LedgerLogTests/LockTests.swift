import Foundation
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerLog

/// The lock of a log between threads and processes.
@Suite(.blocks) struct LockTests {
  private func inBackground(_ work: @escaping @Sendable () -> Void) -> Thread {
    let thread = Thread(block: work)
    thread.start()
    return thread
  }

  @Test("An exclusive lock excludes all others")
  func exclusive() throws {
    let ledger = TemporaryLedger()
    let path = ledger.directory.ledgerLock
    let held = try FileLock(path, .exclusive)
    let start = ContinuousClock.now
    #expect(throws: LogError.locked(path: path, seconds: 1)) {
      try FileLock(path, .exclusive, waitSeconds: 1)
    }
    let waited = ContinuousClock.now - start
    #expect(waited >= .seconds(1), "waited \(waited)")
    #expect(throws: LogError.locked(path: path, seconds: 0)) {
      try FileLock(path, .shared, waitSeconds: 0)
    }
    withExtendedLifetime(held) {}
  }

  @Test("Shared locks exclude only writers")
  func shared() throws {
    let ledger = TemporaryLedger()
    let path = ledger.directory.ledgerLock
    #expect(throws: LogError.self) { try FileLock(path, .shared) }
    do { _ = try FileLock(path, .exclusive) }
    // A child process of another test may share it until `exec`.
    let first = try patiently { try FileLock(path, .shared) }
    let second = try FileLock(path, .shared, waitSeconds: 0)
    #expect(throws: LogError.locked(path: path, seconds: 0)) {
      try FileLock(path, .exclusive, waitSeconds: 0)
    }
    withExtendedLifetime((first, second)) {}
  }

  @Test("A lock is released with its last reference")
  func release() throws {
    let path = TemporaryLedger().directory.ledgerLock
    let ledger = TemporaryLedger()
    for _ in 0..<50 {
      let lock = try FileLock(ledger.directory.ledgerLock, .exclusive, waitSeconds: 120)
      withExtendedLifetime(lock) {}
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(FileManager.default.fileExists(atPath: ledger.directory.ledgerLock))
  }

  @Test("A second handle waits for the session of the first")
  func waiting() throws {
    let ledger = TemporaryLedger(SampleLog(events: 3))
    let directory = ledger.directory
    let disk = DiskStandIn(ledger)
    let (inside, waits) = (Gate(), Gate())
    disk.onNap { waits.open() }
    let isOver = Mutex(false)
    let thread = inBackground {
      var random = SplitMix()
      try? EventLog(directory).withSession { session in
        inside.open()
        waits.pass()
        _ = try session.append([note("first")], using: &random)
        isOver.withLock { $0 = true }
      }
    }
    inside.pass()
    let second = try patiently { try disk.log().append([note("second")]) }
    #expect(isOver.withLock { $0 })
    #expect(second.events.first?.seq.number == 5)
    try ledger.expectSound(events: 5)
    while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
  }

  @Test("A lock on a replaced lock file does not count")
  func replacedFile() throws {
    let ledger = TemporaryLedger()
    let path = ledger.directory.ledgerLock
    var first: FileLock? = try FileLock(path, .exclusive)
    let disk = DiskStandIn(ledger)
    let waits = Gate()
    disk.onNap { waits.open() }
    let result = Mutex("waiting")
    let thread = inBackground {
      do throws(LogError) {
        let lock = try FileLock(path, .exclusive, waitSeconds: 1, on: disk)
        withExtendedLifetime(lock) { result.withLock { $0 = "locked" } }
      } catch {
        result.withLock { $0 = "\(error)" }
      }
    }
    waits.pass()
    let second = try FileLock(path + ".new", .exclusive)
    try #require(rename(path + ".new", path) == 0)
    withExtendedLifetime(first) {}
    first = nil
    while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
    #expect(result.withLock { $0 } == "\(LogError.locked(path: path, seconds: 1))")
    withExtendedLifetime(second) {}
  }

  private static let flock = "/usr/bin/flock"

  @Test(
    "A lock held by another program is respected",
    .enabled(if: FileManager.default.isExecutableFile(atPath: flock)))
  func anotherProcessKeepsUsOutUntilItEnds() throws {
    let ledger = TemporaryLedger(SampleLog(events: 3))
    let (held, free) = (ledger.directory.path + "/held", ledger.directory.path + "/free")
    defer { for path in [held, free] { unlink(path) } }
    let other = try ChildProcess(
      Self.flock,
      [
        "-x", ledger.directory.ledgerLock, "-c",
        "touch '\(held)'; while [ ! -e '\(free)' ]; do sleep 0.01; done",
      ])
    while access(held, F_OK) != 0 { Thread.sleep(forTimeInterval: 0.001) }
    #expect(throws: LogError.self) {
      try FileLock(ledger.directory.ledgerLock, .exclusive, waitSeconds: 0)
    }
    let disk = DiskStandIn(ledger)
    disk.onNap { _ = FileManager.default.createFile(atPath: free, contents: nil) }
    try patiently { _ = try disk.log().append([note()]) }
    #expect(other.wait() == 0)
    try ledger.expectSound(events: 4)
  }

  @Test("A program whose end cannot be learned has not succeeded")
  func unknownEnd() async {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      let child = try ChildProcess("false", [])
      exit(child.wait() == 0 ? 1 : 0)
    }
  }

  @Test("An append gives up after five seconds and writes nothing")
  func timeout() throws {
    let ledger = TemporaryLedger(SampleLog(events: 3))
    let held = try FileLock(ledger.directory.ledgerLock, .exclusive)
    let expected = LogError.locked(path: ledger.directory.ledgerLock, seconds: 5)
    #expect(throws: expected) { try EventLog(ledger.directory).append([note()]) }
    withExtendedLifetime(held) {}
    #expect(ledger.log == SampleLog(events: 3).bytes)
  }
}
