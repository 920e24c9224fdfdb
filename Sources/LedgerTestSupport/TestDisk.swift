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
