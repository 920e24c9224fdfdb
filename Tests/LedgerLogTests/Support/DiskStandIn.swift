import Foundation
import LedgerPlatform
import LedgerTestSupport
import Synchronization

@testable import LedgerLog

/// The system's disk, which records what writers do to a ledger's log and fails when a test says so.
///
/// Only a log opened for writing is observed: readers, `head` and the other files pass through.
final class DiskStandIn: SystemDiskWrapper {
  enum Operation: Hashable {
    case read(Range<Int>)
    case write(Range<Int>)
    case truncate(Int)
    /// With the text of `head` at that time.
    case sync(head: String)
  }

  /// The error number with which the system refuses an operation; `nil` performs it.
  typealias Refusal = @Sendable (Operation) -> Int32?

  private struct State {
    var descriptors: Set<Int32> = []
    var timesOpened = 0
    var operations: [Operation] = []
    var refusal: Refusal = { _ in nil }
    var onNap: @Sendable () -> Void = {}
    var onStatus: @Sendable (_ path: String) -> Void = { _ in }
    /// Reads end here without an error, as if the file did.
    var readableEnd = Int.max
  }

  private let directory: LedgerDirectory
  private let state = Mutex(State())

  init(_ ledger: TemporaryLedger) {
    directory = ledger.directory
  }

  /// A new handle on the ledger, on this disk.
  func log() -> EventLog { EventLog(LedgerDirectory(directory.path, on: self)) }

  var timesOpened: Int { state.withLock { $0.timesOpened } }

  /// The operations since the last call, without reads.
  func changes() -> [Operation] {
    state.withLock { state in
      defer { state.operations = [] }
      return state.operations.filter { if case .read = $0 { false } else { true } }
    }
  }

  func fail(_ refusal: @escaping Refusal) { state.withLock { $0.refusal = refusal } }

  /// Calls `body` whenever a process that waits for a lock sleeps.
  func onNap(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onNap = body } }

  /// Calls `body` after the status of a path was read.
  func onStatus(_ body: @escaping @Sendable (_ path: String) -> Void) {
    state.withLock { $0.onStatus = body }
  }

  func endReading(at offset: Int) { state.withLock { $0.readableEnd = offset } }

  /// Records an operation on the log; operations on other files are ignored.
  private func record(
    _ operation: @autoclosure () -> Operation, on descriptor: Int32
  ) throws(SystemError) {
    guard state.withLock({ $0.descriptors.contains(descriptor) }) else { return }
    let operation = operation()
    let refusal = state.withLock { state in
      state.operations.append(operation)
      return state.refusal
    }
    if let number = refusal(operation) { throw SystemError(number) }
  }

  // MARK: Disk

  func open(_ path: String, flags: Int32) throws(SystemError) -> Int32 {
    let descriptor = try system.open(path, flags: flags)
    if path == directory.events, flags & O_ACCMODE == O_RDWR {
      state.withLock { state in
        state.descriptors.insert(descriptor)
        state.timesOpened += 1
      }
    }
    return descriptor
  }

  func close(_ descriptor: Int32) {
    state.withLock { _ = $0.descriptors.remove(descriptor) }
    system.close(descriptor)
  }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try record(.read(offset..<offset + buffer.count), on: descriptor)
    let count = try system.read(descriptor, into: buffer, at: offset)
    return state.withLock { state in
      state.descriptors.contains(descriptor)
        ? min(count, max(0, state.readableEnd - offset)) : count
    }
  }

  /// A write that fails has already written half of its bytes, as on a full disk.
  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    do throws(SystemError) {
      try record(.write(offset..<offset + bytes.count), on: descriptor)
    } catch {
      let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
      _ = try system.write(descriptor, half, at: offset)
      throw error
    }
    return try system.write(descriptor, bytes, at: offset)
  }

  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    try record(.truncate(size), on: descriptor)
    try system.truncate(descriptor, to: size)
  }

  func synchronizeData(_ descriptor: Int32) throws(SystemError) {
    let head = FileManager.default.contents(atPath: directory.head) ?? Data()
    try record(.sync(head: String(decoding: head, as: UTF8.self)), on: descriptor)
    try system.synchronizeData(descriptor)
  }

  func status(of path: String, followsLinks: Bool) throws(SystemError) -> FileStatus {
    let status = try system.status(of: path, followsLinks: followsLinks)
    state.withLock { $0.onStatus }(path)
    return status
  }

  func nap(microseconds: UInt32) {
    state.withLock { $0.onNap }()
    system.nap(microseconds: microseconds)
  }
}

/// Counts calls from a closure that cannot mutate what it captures.
final class ReadCount: Sendable {
  private let count = Mutex(0)

  /// 0, 1, 2 …
  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
