import LedgerPlatform
import LedgerTestSupport
import Synchronization

/// The system's disk, which counts the bytes that a process reads while it has a ledger's log locked.
final class LockWatchingDisk: SystemDiskWrapper {
  private struct State {
    var locks: Set<Int32> = []
    var isLocked = false
    var bytes = 0
  }

  private let state = Mutex(State())

  /// The bytes read and written under the log's lock since the last call.
  func takeBytes() -> Int {
    state.withLock { state in
      defer { state.bytes = 0 }
      return state.bytes
    }
  }

  func open(_ path: String, flags: Int32) throws(SystemError) -> Int32 {
    let descriptor = try system.open(path, flags: flags)
    if path.hasSuffix("/ledger.lock") { _ = state.withLock { $0.locks.insert(descriptor) } }
    return descriptor
  }

  func close(_ descriptor: Int32) {
    state.withLock { if $0.locks.remove(descriptor) != nil { $0.isLocked = false } }
    system.close(descriptor)
  }

  func lock(_ descriptor: Int32, _ operation: Int32) throws(SystemError) {
    try system.lock(descriptor, operation)
    state.withLock { state in
      if state.locks.contains(descriptor) { state.isLocked = operation & LOCK_UN == 0 }
    }
  }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    let count = try system.read(descriptor, into: buffer, at: offset)
    state.withLock { if $0.isLocked { $0.bytes += count } }
    return count
  }

  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    state.withLock { if $0.isLocked { $0.bytes += bytes.count } }
    return try system.write(descriptor, bytes, at: offset)
  }
}
