package import LedgerModel
import LedgerPlatform

extension EventLog {
  /// Creates a ledger: its folder (0700), its files (0600) and line 1.
  ///
  /// The log gets its name when line 1 is durable, so a crash leaves no ledger or a whole one.
  ///
  /// - Parameter lockWaitSeconds: how long to wait for another process that creates it.
  /// - Throws: ``LogError/exists(path:)`` if there is a log or a `head`.
  package static func create(
    _ directory: LedgerDirectory, device: String, at now: Timestamp,
    lockWaitSeconds: Int = LogFormat.lockWaitSeconds,
    using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> Appended {
    let disk = directory.disk
    try logErrors { () throws(IOFailure) in
      // The folder's name must survive a power cut too. Synced even if the folder exists: its
      // creator may have died before syncing.
      _ = try Folder.make(directory.path, on: disk)
      try Folder.synchronize(Folder.parent(of: directory.path), on: disk)
    }
    let isFolder = try logErrors { () throws(IOFailure) in
      try Folder.exists(directory.path, on: disk)
    }
    guard isFolder else {
      throw .notALedgerFile(path: directory.path, why: "is not a folder")
    }
    guard try !directory.findsLedger() else { throw .exists(path: directory.path) }
    let lock = try FileLock(
      directory.ledgerLock, .exclusive, waitSeconds: lockWaitSeconds, on: disk)
    defer { withExtendedLifetime(lock) {} }
    guard try !directory.findsLedger() else { throw .exists(path: directory.path) }
    let created = LedgerCreated(
      ledger: .make(at: now, using: &generator), device: device, format: 1)
    let event = Event(
      id: .make(at: now, using: &generator), at: now, by: .system, payload: .ledgerCreated(created))
    var lines: [UInt8] = []
    var writer = LineWriter()
    let hash = try writer.append(
      event, seq: Seq(1), salt: generator.next(), after: .beforeFirst, to: &lines)
    let recorded = RecordedEvent(seq: Seq(1), event: event, hash: hash.description)
    let head = Head(seq: 1, offsetBytes: lines.count, hash: hash)
    try logErrors { () throws(IOFailure) in
      try write(lines, head, in: directory)
    }
    return Appended(events: [recorded], lines: lines)
  }

  private static func write(
    _ lines: [UInt8], _ head: Head, in directory: LedgerDirectory
  ) throws(IOFailure) {
    let disk = directory.disk
    let temporary = directory.events + ".new"
    // Left by an interrupted creation; the lock excludes a concurrent one.
    try Folder.remove(temporary, on: disk)
    let log = try OpenFile(temporary, .create, on: disk)
    try log.write(lines, at: 0)
    try log.synchronizeAll()
    try Folder.rename(temporary, to: directory.events, on: disk)
    try Folder.synchronize(directory.path, on: disk)
    let headFile = try OpenFile(directory.head, .create, on: disk)
    try headFile.write(head.line, at: 0)
    try headFile.synchronizeAll()
    try Folder.synchronize(directory.path, on: disk)
  }
}
