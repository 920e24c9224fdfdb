package import LedgerPlatform

/// A reader's view of a log: whole lines up to a fixed end, however the log grows meanwhile.
/// Readers never repair anything.
package struct LogView: Sendable {
  package let directory: LedgerDirectory
  package let file: OpenFile
  /// The content of the `head` file; `nil` if it is missing or unreadable.
  package let head: Head?
  /// The end of the last whole line.
  package let endBytes: Int
  /// The bytes after it: a crash's torn tail, which the next append will quarantine.
  package let tornTailBytes: Int

  /// Opens a log for reading.
  ///
  /// A mismatch may be an append in progress, so it is confirmed under a shared lock
  /// (docs/log-format.md, Directory). While another process appends, the view ends at `head`, so that
  /// a reader does not wait for a large import.
  ///
  /// - Parameter confirmsTail: whether to wait for an append in progress to tell its bytes from a torn
  ///   tail. If false, ``tornTailBytes`` may be those of an append.
  /// - Throws: ``LogError/noLedger(path:)``, or ``LogError/damaged(_:)`` if the log is missing or
  ///   shorter than `head`, or if the event at `head` differs from it.
  package static func open(
    _ directory: LedgerDirectory, confirmsTail: Bool = true
  ) throws(LogError) -> LogView {
    var durable: LogView?
    do throws(LogError) {
      let view = try unlocked(directory)
      if view.tornTailBytes == 0 || !confirmsTail { return view }
      durable = view.endingAtHead
    } catch {
      guard case .damaged = error else { throw error }
    }
    // A read-only folder may have no lock file; then no process can append either.
    let lock: FileLock?
    do throws(LogError) {
      lock = try FileLock(
        directory.ledgerLock, .shared,
        waitSeconds: durable == nil ? LogFormat.lockWaitSeconds : 0, on: directory.disk)
    } catch {
      if case .locked = error, let durable { return durable }
      guard case .io = error else { throw error }
      lock = nil
    }
    defer { withExtendedLifetime(lock) {} }
    return try unlocked(directory)
  }

  /// The durable part; `nil` without a `head`.
  private var endingAtHead: LogView? {
    head.map {
      LogView(
        directory: directory, file: file, head: $0, endBytes: $0.offsetBytes, tornTailBytes: 0)
    }
  }

  /// As ``open(_:)``, but also opens a log that does not match `head`, to report what is left of it.
  ///
  /// - Returns: the view, and the damage for which ``open(_:)`` would have refused it.
  package static func openDamaged(
    _ directory: LedgerDirectory
  ) throws(LogError) -> (view: LogView, damage: Damage?) {
    do throws(LogError) {
      return (try open(directory), nil)
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      // Without a log there is nothing to open.
      guard let file = try? OpenFile(directory.events, .read, on: directory.disk) else {
        throw error
      }
      let size = try logErrors { () throws(IOFailure) in try file.size() }
      let torn = try Recovery.tornTailBytes(of: file, size: size, after: nil)
      let view = LogView(
        directory: directory, file: file, head: nil, endBytes: size - torn, tornTailBytes: torn)
      return (view, damage)
    }
  }

  /// Reads `head` before the log, so that the log can only be longer than `head` says.
  private static func unlocked(_ directory: LedgerDirectory) throws(LogError) -> LogView {
    let head = try logErrors { () throws(IOFailure) in try Head.read(directory) }
    let file = try openLog(directory, head: head)
    let size = try logErrors { () throws(IOFailure) in try file.size() }
    if let head { try Recovery.check(head, in: file, size: size) }
    let torn = try Recovery.tornTailBytes(
      of: file, size: size, after: head?.offsetBytes ?? 0)
    return LogView(
      directory: directory, file: file, head: head, endBytes: size - torn, tornTailBytes: torn)
  }

  /// Opens the log's file for reading; a missing file is a missing ledger, or a missing log if `head` exists.
  static func openLog(
    _ directory: LedgerDirectory, head: Head?
  ) throws(LogError) -> OpenFile {
    do throws(IOFailure) {
      return try OpenFile(directory.events, .read, on: directory.disk)
    } catch {
      guard error.isMissing else { throw .io(error) }
      throw missingLog(directory, head: head)
    }
  }

  static func missingLog(_ directory: LedgerDirectory, head: Head?) -> LogError {
    guard let head else { return .noLedger(path: directory.path) }
    return .damaged(
      Damage(
        line: nil, byte: 0,
        problem: "the log is missing, but head records \(head.seq) events; restore "
          + "\(directory.events) from a copy"))
  }

  /// Calls `body` with spans of whole lines from an offset to the end of this view.
  package func forEachWindow(
    from offsetBytes: Int = 0,
    _ body: (_ window: RawSpan, _ offsetBytes: Int) throws(LogError) -> Void
  ) throws(LogError) {
    try LineWindows.forEach(of: file, in: offsetBytes..<max(offsetBytes, endBytes), body)
  }
}

/// Reports failed file operations as errors of the log.
package func logErrors<Result>(
  _ body: () throws(IOFailure) -> Result
) throws(LogError) -> Result {
  do throws(IOFailure) {
    return try body()
  } catch {
    throw .io(error)
  }
}

extension OpenFile {
  /// The bytes of a range that the file was long enough for. If it is shorter, the file changed
  /// under the lock or the disk reports a wrong size; neither is the end of the log.
  func logBytes(in range: Range<Int>) throws(LogError) -> [UInt8] {
    let bytes = try logErrors { () throws(IOFailure) in try self.bytes(in: range) }
    guard bytes.count == range.count else {
      throw .shortened(at: range.lowerBound + bytes.count)
    }
    return bytes
  }
}
