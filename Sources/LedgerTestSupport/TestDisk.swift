package import LedgerPlatform
import Synchronization

/// The disk of a sandbox's ledgers, with scripted faults of writes to the log. Everything else is
/// done by the system's disk.
public final class TestDisk: Sendable {
  /// A failure of one append.
  public enum DiskFault: Hashable, Sendable {
    /// The disk is full (`ENOSPC`): the append throws `LogError.io` and nothing is kept.
    case full
    /// The disk does not confirm the write (`fsync` fails): the append throws `LogError.notKept`.
    /// The ledger then refuses edits with `LogError.poisoned` until `Ledger.reopen()`.
    case notKept
  }

  private struct State {
    var faults: [DiskFault] = []
    var logs: Set<Int32> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Schedules a fault for the next appends, by edits and syncs alike.
  ///
  /// - Parameters:
  ///   - fault: the failure.
  ///   - times: the number of appends; 1 or more.
  public func fail(_ fault: DiskFault, times: Int = 1) {
    precondition(times > 0, "times must be positive")
    state.withLock { $0.faults += Array(repeating: fault, count: times) }
  }

  /// Scheduled faults that have not happened. Should be empty at the end of a test.
  public var remainingFaults: [DiskFault] { state.withLock { $0.faults } }

  /// - Returns: whether the fault is the next one of this log.
  private func meets(_ fault: DiskFault, _ descriptor: Int32) -> Bool {
    state.withLock { state in
      guard state.logs.contains(descriptor), state.faults.first == fault else { return false }
      state.faults.removeFirst()
      return true
    }
  }
}

extension TestDisk: SystemDiskWrapper {
  package func open(_ path: String, flags: Int32) throws(SystemError) -> Int32 {
    let descriptor = try system.open(path, flags: flags)
    if path.hasSuffix("/events.jsonl"), flags & O_ACCMODE == O_RDWR {
      _ = state.withLock { $0.logs.insert(descriptor) }
    }
    return descriptor
  }

  package func close(_ descriptor: Int32) {
    _ = state.withLock { $0.logs.remove(descriptor) }
    system.close(descriptor)
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    if meets(.full, descriptor) { throw SystemError(ENOSPC) }
    return try system.write(descriptor, bytes, at: offset)
  }

  package func synchronizeData(_ descriptor: Int32) throws(SystemError) {
    if meets(.notKept, descriptor) { throw SystemError(EIO) }
    try system.synchronizeData(descriptor)
  }
}

/// A disk that passes every call on to the system's. A fake implements the calls that it changes.
package protocol SystemDiskWrapper: Disk {}

extension SystemDiskWrapper {
  package var system: SystemDisk { .shared }

  package func open(_ path: String, flags: Int32) throws(SystemError) -> Int32 {
    try system.open(path, flags: flags)
  }

  package func close(_ descriptor: Int32) { system.close(descriptor) }

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    try system.status(of: descriptor)
  }

  package func status(of path: String, followsLinks: Bool) throws(SystemError) -> FileStatus {
    try system.status(of: path, followsLinks: followsLinks)
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try system.read(descriptor, into: buffer, at: offset)
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try system.write(descriptor, bytes, at: offset)
  }

  package func startWriting(_ descriptor: Int32, _ range: Range<Int>) {
    system.startWriting(descriptor, range)
  }

  package func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    try system.truncate(descriptor, to: size)
  }

  package func synchronizeData(_ descriptor: Int32) throws(SystemError) {
    try system.synchronizeData(descriptor)
  }

  package func synchronize(_ descriptor: Int32) throws(SystemError) {
    try system.synchronize(descriptor)
  }

  package func makeFolder(_ path: String) throws(SystemError) { try system.makeFolder(path) }

  package func rename(_ path: String, to newPath: String) throws(SystemError) {
    try system.rename(path, to: newPath)
  }

  package func remove(_ path: String) throws(SystemError) { try system.remove(path) }

  package func removeFolder(_ path: String) throws(SystemError) { try system.removeFolder(path) }

  package func names(in folder: String) throws(SystemError) -> [String] {
    try system.names(in: folder)
  }

  package func lock(_ descriptor: Int32, _ operation: Int32) throws(SystemError) {
    try system.lock(descriptor, operation)
  }

  package func monotonicNanoseconds() -> UInt64 { system.monotonicNanoseconds() }

  package func nap(microseconds: UInt32) { system.nap(microseconds: microseconds) }
}
