import Foundation
import LedgerPlatform
import Synchronization

@testable import LedgerLog

/// Opens log files that write down what is asked of them, and fail when a test says so.
final class DiskStandIn: Sendable {
  enum Operation: Hashable {
    case read(Range<Int>)
    case write(Range<Int>)
    case truncate(Int)
    /// With what `head` said while the bytes were on their way.
    case sync(head: String)
  }

  /// The error number with which the system refuses an operation; `nil` lets it through.
  typealias Fault = @Sendable (Operation) -> Int32?

  private let directory: LedgerDirectory
  private let done = Mutex<[Operation]>([])
  private let fault = Mutex<Fault>({ _ in nil })
  /// Where reading ends as if the file did, without an error.
  private let readableEnd = Mutex(Int.max)
  private let opened = Mutex(0)

  init(_ ledger: TemporaryLedger) {
    directory = ledger.directory
  }

  /// A new handle on the ledger, whose log is opened through here.
  func log() -> EventLog {
    EventLog(directory) { [self] path throws(IOFailure) in
      opened.withLock { $0 += 1 }
      return File(try OpenFile(path, .readWrite), self)
    }
  }

  var timesOpened: Int { opened.withLock { $0 } }

  /// What was asked for since the last look, reads left out.
  func changes() -> [Operation] {
    done.withLock { operations in
      defer { operations = [] }
      return operations.filter { if case .read = $0 { false } else { true } }
    }
  }

  func fail(_ fault: @escaping Fault) { self.fault.withLock { $0 = fault } }

  func endReading(at offset: Int) { readableEnd.withLock { $0 = offset } }

  private func ask(_ operation: Operation) throws(IOFailure) {
    done.withLock { $0.append(operation) }
    if let number = fault.withLock({ $0 })(operation) {
      throw IOFailure("\(operation)", directory.events, errorNumber: number)
    }
  }

  private final class File: LogFile {
    let file: OpenFile
    let disk: DiskStandIn

    init(_ file: OpenFile, _ disk: DiskStandIn) {
      self.file = file
      self.disk = disk
    }

    var path: String { file.path }
    func size() throws(IOFailure) -> Int { try file.size() }
    func identity() throws(IOFailure) -> FileIdentity { try file.identity() }

    func read(
      into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(IOFailure) -> Int {
      try disk.ask(.read(offset..<offset + buffer.count))
      let end = disk.readableEnd.withLock { $0 }
      return min(try file.read(into: buffer, at: offset), max(0, end - offset))
    }

    /// A write that fails has already put down half of its bytes, as a full disk would.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(IOFailure) {
      do throws(IOFailure) {
        try disk.ask(.write(offset..<offset + bytes.count))
      } catch {
        try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
        throw error
      }
      try file.write(bytes, at: offset)
    }

    func truncate(to size: Int) throws(IOFailure) {
      try disk.ask(.truncate(size))
      try file.truncate(to: size)
    }

    func synchronize() throws(IOFailure) {
      let head = FileManager.default.contents(atPath: disk.directory.head) ?? Data()
      try disk.ask(.sync(head: String(decoding: head, as: UTF8.self)))
      try file.synchronize()
    }
  }
}

/// Counts calls from a closure that may not change what it captures.
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
