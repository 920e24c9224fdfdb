import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Synchronization
import Testing

/// Writing to a long log whose snapshot is due to be replaced.
@Suite struct DueSnapshotTests {
  private static let at = HandWrittenLog.at(1)
  private static let today = CalendarDate(year: 2026, month: 1, day: 2)!

  @Test("An undo of a recent edit reads the lines since, and leaves the snapshot to queries")
  func undo() throws {
    let folder = try TemporaryFolder()
    var random = SplitMix(5)
    _ = try EventLog.create(folder.ledger, device: "test", at: Self.at, using: &random)
    let disk = ReadCountingDisk()
    let directory = LedgerDirectory(folder.ledger.path, on: disk)
    try Self.add(1...17_000, to: LedgerStore(directory))
    try FoldedLog(LogView.open(directory)).keepSnapshot()
    try Self.add(17_001...33_500, to: LedgerStore(directory))
    let view = try LogView.open(directory)
    let logBytes = view.endBytes
    let snapshotSeq = try #require(snapshot(of: view))
    _ = disk.takeBytes()
    let undoing = try LedgerStore(directory)
      .undo(nil, at: Self.at, today: Self.today, using: &random).undoing
    #expect(undoing.target == Seq(33_501))
    // The snapshot and what follows it; the whole log would come on top.
    #expect(disk.takeBytes() < logBytes)
    #expect(try snapshot(of: LogView.open(directory)) == snapshotSeq)
    _ = try FoldedLog(LogView.open(directory)).ask { $0.entryCounts() }
    #expect(try snapshot(of: LogView.open(directory)) == Seq(33_502))
  }

  private func snapshot(of view: LogView) -> Seq? {
    if case .usable(let seq) = SnapshotStatus.of(view) { seq } else { nil }
  }

  private static func add(_ numbers: ClosedRange<Int>, to store: LedgerStore) throws {
    var random = SplitMix(UInt64(numbers.count))
    let events = numbers.map { number in
      let entry = EntryID(LedgerUUID(high: UInt64(number) << 16 | 0x7000, low: 2 << 62))
      return Event(
        id: .make(at: at, using: &random), at: at, by: .user,
        payload: .progressLogged(
          ProgressLogged(
            entry: entry, metric: .weight, quantity: Double(number % 90 + 1), date: today)))
    }
    _ = try store.log.append(events, using: &random)
  }
}

/// The system's disk, which counts the bytes that are read.
private final class ReadCountingDisk: SystemDiskWrapper {
  private let bytes = Mutex(0)

  /// Those since the last call.
  func takeBytes() -> Int {
    bytes.withLock { bytes in
      defer { bytes = 0 }
      return bytes
    }
  }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    let count = try system.read(descriptor, into: buffer, at: offset)
    bytes.withLock { $0 += count }
    return count
  }
}
