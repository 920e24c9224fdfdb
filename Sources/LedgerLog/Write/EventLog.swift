package import LedgerModel
package import LedgerPlatform

/// A log for writing: each write locks it, checks its end first, and is durable when it returns.
///
/// Not `Sendable`: use it from one actor or thread. The lock excludes other processes and other
/// instances on the same ledger.
package final class EventLog {
  package let directory: LedgerDirectory
  private var file: OpenFile?
  private let headFile: HeadFile
  /// The end that this handle wrote or checked; any other end is checked again.
  private var trusted: Head?
  private var isPoisoned = false
  private var lockWaitSeconds = LogFormat.lockWaitSeconds
  /// Acquired by the caller of ``withoutWaiting(holding:_:)``.
  private var heldLock: FileLock?

  package init(_ directory: LedgerDirectory) {
    self.directory = directory
    headFile = HeadFile(directory)
  }

  /// Forgets a failed sync and everything known of the files, as a new handle would. The next write
  /// examines the log's end and makes durable what is there.
  package func reopen() {
    (file, trusted, isPoisoned) = (nil, nil, false)
    headFile.close()
  }

  /// Acquires the lock, repairs what a crash left, runs `body`, and releases the lock.
  ///
  /// Keep it short and never wait for the network inside (docs/log-format.md, Recovery).
  ///
  /// - Throws: ``LogError``: locked for 5 s, damage, poisoned by a failed sync; what `body` throws.
  package func withSession<Result>(
    _ body: (inout LogSession) throws -> Result
  ) throws -> Result {
    let lock = try lockLedger()
    defer { withExtendedLifetime(lock) {} }
    var session = try openSession(lock)
    defer { remember(session) }
    return try body(&session)
  }

  /// Runs writes that do not wait for the lock, for a caller that must not be blocked.
  ///
  /// - Parameter lock: from ``tryLock()``; `nil` to try it once.
  /// - Throws: ``LogError/locked(path:seconds:)`` at once if another process holds the lock; what `body`
  ///   throws.
  package func withoutWaiting<Result, Failure: Error>(
    holding lock: FileLock? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    (lockWaitSeconds, heldLock) = (0, lock)
    defer { (lockWaitSeconds, heldLock) = (LogFormat.lockWaitSeconds, nil) }
    return try body()
  }

  /// Acquires the lock for ``withoutWaiting(holding:_:)``.
  ///
  /// - Returns: `nil` if another process holds it.
  package func tryLock() throws(LogError) -> FileLock? {
    do throws(LogError) {
      return try withoutWaiting { () throws(LogError) in try lockLedger() }
    } catch {
      guard case .locked = error else { throw error }
      return nil
    }
  }

  /// Whether ``withoutWaiting(holding:_:)`` is running with a lock.
  package var holdsLock: Bool { heldLock != nil }

  private func lockLedger() throws(LogError) -> FileLock {
    if let heldLock { return heldLock }
    try directory.requireWritable()
    guard !isPoisoned else { throw .poisoned }
    // If the log was open before, the checks under the lock report what happened to it.
    guard file != nil || directory.holdsLedger else { throw .noLedger(path: directory.path) }
    do throws(LogError) {
      return try FileLock(
        directory.ledgerLock, .exclusive, waitSeconds: lockWaitSeconds, on: directory.disk)
    } catch {
      throw directory.holdsLedger ? error : .noLedger(path: directory.path)
    }
  }

  private func remember(_ session: LogSession) {
    trusted = session.isPoisoned ? nil : session.head
    if session.isPoisoned { isPoisoned = true }
  }

  /// Appends events as one durable write.
  package func append(
    _ events: [Event], using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> Appended {
    let lock = try lockLedger()
    defer { withExtendedLifetime(lock) {} }
    var session = try openSession(lock)
    defer { remember(session) }
    return try session.append(events, using: &generator)
  }

  private func openSession(_ lock: FileLock) throws(LogError) -> LogSession {
    let head = try logErrors { () throws(IOFailure) in try headFile.read() }
    let file = try currentFile(head: head)
    let size = try logErrors { () throws(IOFailure) in try file.size() }
    if let head, head == trusted, size == head.offsetBytes, !lock.isMarked {
      return LogSession(
        directory: directory, file: file, lock: lock, headFile: headFile, head: head)
    }
    let step = try Recovery.step(for: file, head: head, size: size)
    var session = LogSession(
      directory: directory, file: file, lock: lock, headFile: headFile, head: head ?? .empty)
    do throws(LogError) {
      try session.recover(step, headWasMissing: head == nil)
    } catch {
      remember(session)
      throw error
    }
    return session
  }

  /// The open file, reopened if its path names another file: an erasure replaces the log.
  private func currentFile(head: Head?) throws(LogError) -> OpenFile {
    do throws(IOFailure) {
      let current = try OpenFile.identity(of: directory.events, on: directory.disk)
      if let file, try file.identity() == current { return file }
      let opened = try OpenFile(directory.events, .readWrite, on: directory.disk)
      file = opened
      trusted = nil
      return opened
    } catch {
      guard error.isMissing else { throw .io(error) }
      throw LogView.missingLog(directory, head: head)
    }
  }
}

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

/// The result of one durable write.
package struct Appended: Sendable {
  package var events: [RecordedEvent] = []
  /// The stored lines, each with its `\n`.
  package var lines: [UInt8] = []
}
