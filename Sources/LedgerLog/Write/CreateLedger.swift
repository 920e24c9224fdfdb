public import LedgerModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension EventLog {
  /// Makes a ledger: its folder (0700), its files (0600) and line 1.
  ///
  /// The log appears under its name only once line 1 is durable, so a crash leaves either no ledger
  /// or a whole one.
  ///
  /// - Throws: ``LogError/exists(path:)`` when there is one, or the memory of one.
  public static func create(
    _ directory: LedgerDirectory, device: String, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> Appended {
    try logErrors { () throws(IOFailure) in
      // The folder's own name must survive a power cut too, or the log in it would not.
      if try Folder.make(directory.path) {
        try Folder.synchronize(Folder.parent(of: directory.path))
      }
    }
    guard Folder.exists(directory.path) else {
      throw .notALedgerFile(path: directory.path, why: "is not a folder")
    }
    guard try !directory.findsLedger() else { throw .exists(path: directory.path) }
    let lock = try FileLock(directory.ledgerLock, .exclusive)
    defer { withExtendedLifetime(lock) {} }
    guard try !directory.findsLedger() else { throw .exists(path: directory.path) }
    let created = LedgerCreated(
      ledger: .make(at: now, using: &generator), device: device, format: 1)
    let event = Event(
      id: .make(at: now, using: &generator), at: now, by: .system, payload: .ledgerCreated(created))
    var lines: [UInt8] = []
    let line = try LineWriter.append(
      event, seq: Seq(1), salt: generator.next(), after: .beforeFirst, to: &lines)
    let head = Head(seq: 1, offsetBytes: lines.count, hash: line.hash)
    try logErrors { () throws(IOFailure) in
      try write(lines, head, in: directory)
    }
    return Appended(events: [line.recorded], lines: lines)
  }

  private static func write(
    _ lines: [UInt8], _ head: Head, in directory: LedgerDirectory
  ) throws(IOFailure) {
    let temporary = directory.events + ".new"
    // What an interrupted creation left; the lock says that nobody else is at it.
    try Folder.remove(temporary)
    let log = try OpenFile(temporary, .create)
    try log.write(lines, at: 0)
    try log.synchronizeAll()
    guard rename(temporary, directory.events) == 0 else {
      throw IOFailure("make", directory.events)
    }
    try Folder.synchronize(directory.path)
    let headFile = try OpenFile(directory.head, .create)
    try headFile.write(head.line, at: 0)
    try headFile.synchronizeAll()
    try Folder.synchronize(directory.path)
  }
}
