import Foundation
import LedgerPlatform
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerLog

/// The replacement of whole files.
@Suite struct AtomicFileTests {
  private let ledger = TemporaryLedger()

  @Test("An atomic file is replaced or unchanged")
  func atomicFile() throws {
    let path = ledger.directory.settings
    #expect(try AtomicFile.read(path) == nil)
    try AtomicFile.replace(path, with: [])
    #expect(try AtomicFile.read(path) == [])
    try AtomicFile.replace(path, with: Array("{}".utf8))
    #expect(try AtomicFile.read(path) == Array("{}".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: ledger.directory.path).count == 1)
    #expect(throws: IOFailure.self) { try AtomicFile.replace(path + "/no/where", with: [1]) }
    try Folder.remove(path, on: SystemDisk.shared)
    try Folder.remove(path, on: SystemDisk.shared)
    #expect(try AtomicFile.read(path) == nil)
  }

  @Test("Temporary files of dead writers are removed, all others stay")
  func temporaryFiles() throws {
    let path = ledger.directory.credentials
    let (dead, living) = (path + ".7.8.tmp", path + ".7.9.tmp")
    let others =
      [ledger.directory.settings + ".7.8.tmp"]
      + [".old", ".7.tmp", ".a.8.tmp", ".7.8.tmp~", ".7.8.9.tmp"].map { path + $0 }
    for name in [dead, living] + others { ledger.write([1], to: name) }
    let writer = try OpenFile(living, .read)
    #expect(try writer.tryLock())
    try AtomicFile.replace(path, with: [2])
    #expect(access(dead, F_OK) != 0)
    for name in [living, path] + others { #expect(access(name, F_OK) == 0, "\(name)") }
    withExtendedLifetime(writer) {}
  }

  @Test("Of several writers the last to commit wins")
  func severalWriters() throws {
    let path = ledger.directory.settings
    let first = try AtomicFile(path, on: SystemDisk.shared)
    let second = try AtomicFile(path, on: SystemDisk.shared)
    try second.append([2])
    try second.commit()
    try first.append([1])
    try first.append([1])
    try first.commit()
    #expect(first.bytes == 2)
    #expect(try AtomicFile.read(path) == [1, 1])
    #expect(try names() == ["settings.json"])
  }

  @Test("A writer that gives up leaves the old file and no other")
  func givesUp() throws {
    let path = ledger.directory.settings
    try AtomicFile.replace(path, with: [1])
    do {
      let file = try AtomicFile(path, on: SystemDisk.shared)
      try file.append([2])
      #expect(try names().count == 2)
    }
    #expect(try names() == ["settings.json"])
    #expect(try AtomicFile.read(path) == [1])
  }

  @Test("A maker that has lost its name to another one leaves the other's file alone")
  func lostName() throws {
    let path = ledger.directory.snapshot
    var first = try AtomicFile(onlyWriterOf: path, on: SystemDisk.shared)
    // As an erasure does.
    try Folder.remove(path + ".tmp", on: SystemDisk.shared)
    let second = try #require(try AtomicFile(onlyWriterOf: path, on: SystemDisk.shared))
    #expect(throws: IOFailure.self) { try first?.commit() }
    first = nil
    try second.commit()
    #expect(try AtomicFile.read(path) == [])
  }

  @Test("Whatever call of the disk fails, the path has the old or the new content")
  func refusedCalls() throws {
    let path = ledger.directory.settings
    var refused = 0
    while true {
      try AtomicFile.replace(path, with: [1])
      let disk = RefusingDisk(call: refused)
      do throws(IOFailure) {
        try AtomicFile.replace(path, with: [2], on: disk)
      } catch {
        // Later ones are of the folder's sync, after the renaming.
        #expect(error.errorNumber == EIO && !error.path.hasSuffix(".tmp"), "call \(refused)")
        #expect(try [[1], [2]].contains(AtomicFile.read(path)), "call \(refused)")
      }
      #expect(try names() == ["settings.json"], "call \(refused)")
      if disk.calls <= refused { break }
      refused += 1
    }
    #expect(try AtomicFile.read(path) == [2])
    #expect(refused >= 4)
  }

  @Test("The device starts with each large part of a long file at once, not with small files")
  func startsEarly() throws {
    let disk = StartingDisk()
    let part = [UInt8](repeating: 1, count: 1 << 20)
    let file = try AtomicFile(ledger.directory.settings, on: disk)
    for _ in 1...3 { try file.append(part) }
    try file.append([1, 2, 3])
    let mebibyte = part.count
    #expect(disk.started == (0..<3).map { $0 * mebibyte..<($0 + 1) * mebibyte })
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: ledger.directory.path)
  }
}

/// The system's disk, which records what the device was told to start with.
private final class StartingDisk: SystemDiskWrapper {
  private let ranges = Mutex<[Range<Int>]>([])

  var started: [Range<Int>] { ranges.withLock { $0 } }

  func startWriting(_ descriptor: Int32, _ range: Range<Int>) {
    ranges.withLock { $0.append(range) }
    system.startWriting(descriptor, range)
  }
}

/// The system's disk, which refuses one of the calls that change something.
private final class RefusingDisk: SystemDiskWrapper {
  private let call: Int
  private let made = Mutex(0)

  init(call: Int) { self.call = call }

  var calls: Int { made.withLock { $0 } }

  private func count() throws(SystemError) {
    let number = made.withLock { made in
      made += 1
      return made - 1
    }
    if number == call { throw SystemError(EIO) }
  }

  func open(_ path: String, flags: Int32) throws(SystemError) -> Int32 {
    try count()
    return try system.open(path, flags: flags)
  }

  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try count()
    return try system.write(descriptor, bytes, at: offset)
  }

  func synchronize(_ descriptor: Int32) throws(SystemError) {
    try count()
    try system.synchronize(descriptor)
  }

  func rename(_ path: String, to newPath: String) throws(SystemError) {
    try count()
    try system.rename(path, to: newPath)
  }
}
