import Foundation
import LedgerJSON
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerLog

/// Several writers and readers at once, each with its own handle.
@Suite(.blocks) struct ConcurrencyTests {
  private static let appends = TestSize.of(75, full: 250)

  /// Failures in a thread, reported by the test in its own.
  private final class ProblemList: Sendable {
    private let lines = Mutex<[String]>([])
    private let finished = Mutex(0)

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func finish() { finished.withLock { $0 += 1 } }
    var all: [String] { lines.withLock { $0 } }
    var finishedThreads: Int { finished.withLock { $0 } }
  }

  private func start(
    _ threads: Int, _ report: ProblemList, _ work: @escaping @Sendable (Int) throws -> Void
  ) {
    for index in 0..<threads {
      let thread = Thread {
        do { try work(index) } catch { report.add("thread \(index): \(error)") }
        report.finish()
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }

  @Test("Four writers and two readers produce one chain")
  func oneChain() throws {
    let ledger = TemporaryLedger(SampleLog(events: 3))
    let directory = ledger.directory
    let (writers, readers) = (ProblemList(), ProblemList())
    start(4, writers) { writer in
      let log = EventLog(directory)
      for count in 0..<Self.appends {
        let text = "\(writer) \(count) " + String(repeating: "x", count: count * 7 % 400)
        // Sometimes a batch, sometimes a new handle.
        let events = count % 25 == 0 ? [note(text), note(text + " again")] : [note(text)]
        let chosen = count % 10 == 3 ? EventLog(directory) : log
        try patiently { _ = try chosen.append(events) }
      }
    }
    start(2, readers) { _ in
      var last = 0
      while writers.finishedThreads < 4 {
        let view = try patiently { try LogView.open(directory) }
        if view.tornTailBytes != 0 { readers.add("a torn tail of \(view.tornTailBytes) bytes") }
        let verified = try patiently { try Verification.verify(directory) }
        if !verified.isOK { readers.add("\(verified)") }
        if verified.events < last { readers.add("\(verified.events) events after \(last)") }
        last = verified.events
      }
    }
    while writers.finishedThreads < 4 || readers.finishedThreads < 2 {
      Thread.sleep(forTimeInterval: 0.002)
    }
    #expect(writers.all == [])
    #expect(readers.all == [])
    try ledger.expectSound(events: 3 + 4 * (Self.appends + Self.appends / 25))
    try expectEveryWriterInOrder(ledger)
    #expect(ledger.quarantine.isEmpty)
  }

  /// No gap, no fork, and each writer's events in its order.
  private func expectEveryWriterInOrder(_ ledger: TemporaryLedger) throws {
    var next = [0, 0, 0, 0]
    var ids: Set<EventID> = []
    for (index, event) in try ledger.events().enumerated() {
      #expect(event.seq.number == index + 1)
      #expect(ids.insert(event.event.id).inserted)
      guard case .unknown("test.note", _, let data) = event.event.payload,
        let words = data["text"]?.string?.split(separator: " "), !words.contains("again")
      else { continue }
      let writer = try #require(Int(words[0]))
      #expect(Int(words[1]) == next[writer])
      next[writer] += 1
    }
    #expect(next == Array(repeating: Self.appends, count: 4))
  }

  @Test("Readers do not take a write in progress for a torn tail")
  func writeInProgress() throws {
    let ledger = TemporaryLedger(SampleLog(events: 3))
    let directory = ledger.directory
    let (writer, readers) = (ProblemList(), ProblemList())
    let text = String(repeating: "x", count: 30_001)
    start(1, writer) { _ in
      let log = EventLog(directory)
      for _ in 0..<25 {
        try patiently { _ = try log.append((0..<32).map { _ in note(text) }) }
      }
    }
    start(2, readers) { _ in
      while writer.finishedThreads < 1 {
        let view = try patiently { try LogView.open(directory) }
        if view.tornTailBytes != 0 { readers.add("a torn tail of \(view.tornTailBytes) bytes") }
      }
    }
    while writer.finishedThreads < 1 || readers.finishedThreads < 2 {
      Thread.sleep(forTimeInterval: 0.002)
    }
    #expect(writer.all == [])
    #expect(readers.all == [])
    try ledger.expectSound(events: 3 + 25 * 32)
  }

  @Test("While another process appends, a reader sees what is durable and does not wait")
  func durableWhileAppending() throws {
    let log = SampleLog(events: 3)
    let ledger = TemporaryLedger(log: log.bytes + [0] + Array("x\n".utf8), head: log.head(after: 3))
    let lock = try FileLock(ledger.directory.ledgerLock, .exclusive, on: SystemDisk.shared)
    let view = try LogView.open(ledger.directory)
    #expect(view.endBytes == log.bytes.count && view.tornTailBytes == 0)
    withExtendedLifetime(lock) {}
    let torn = TemporaryLedger(log: log.bytes + [0] + Array("x\n".utf8), head: log.head(after: 3))
    #expect(try LogView.open(torn.directory).tornTailBytes == 3)
  }

  @Test(
    "A reader leaves out a batch whose first byte was not written yet, with and without a head",
    arguments: [true, false])
  func unwrittenBatch(hasHead: Bool) throws {
    let (log, full) = (SampleLog(events: 3), SampleLog(events: 5))
    var bytes = full.bytes
    bytes[log.bytes.count] = 0
    let ledger = TemporaryLedger(log: bytes, head: hasHead ? log.head(after: 3) : nil)
    let view = try LogView.open(ledger.directory)
    #expect(view.endBytes == log.bytes.count)
    #expect(view.tornTailBytes == full.bytes.count - log.bytes.count)
    _ = try EventLog(ledger.directory).append([note()])
    #expect(ledger.quarantine.count == 1)
    try ledger.expectSound(events: 5)
  }

  @Test("A torn tail found by several writers is quarantined once")
  func tornTail() throws {
    let full = SampleLog(events: 5)
    for _ in 0..<20 {
      let ledger = TemporaryLedger(log: full.bytes.dropLast(9), head: full.head(after: 3))
      let directory = ledger.directory
      let report = ProblemList()
      start(4, report) { _ in
        try patiently { _ = try EventLog(directory).append([note()]) }
      }
      while report.finishedThreads < 4 { Thread.sleep(forTimeInterval: 0.0005) }
      #expect(report.all == [])
      #expect(ledger.quarantine.count == 1)
      try ledger.expectSound(events: 9)
    }
  }

  @Test("Of several concurrent creations one succeeds")
  func creation() throws {
    for _ in 0..<20 {
      let parent = TemporaryLedger()
      let directory = LedgerDirectory(parent.directory.path + "/inner")
      let (report, made) = (ProblemList(), ProblemList())
      start(4, report) { index in
        var random = SplitMix(UInt64(index))
        let now = Timestamp(millisecondsSince1970: 0)
        do {
          _ = try patiently {
            try EventLog.create(directory, device: "d", at: now, using: &random)
          }
          made.add("\(index)")
        } catch LogError.exists {}
      }
      while report.finishedThreads < 4 { Thread.sleep(forTimeInterval: 0.0005) }
      #expect(report.all == [])
      #expect(made.all.count == 1)
      #expect(try Verification.verify(directory).isOK)
      #expect(try Head.read(directory)?.seq == 1)
    }
  }
}
