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

/// The result of one durable write.
package struct Appended: Sendable {
  package var events: [RecordedEvent] = []
  /// The stored lines, each with its `\n`.
  package var lines: [UInt8] = []
}
