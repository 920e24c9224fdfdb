public import LedgerPlatform

/// What a reader sees of a log: whole lines up to a fixed end, however the log grows meanwhile.
/// Readers never repair anything.
public struct LogView: Sendable {
  public let directory: LedgerDirectory
  public let file: OpenFile
  /// What the `head` file said; `nil` when it is missing or unreadable.
  public let head: Head?
  /// Behind the last whole line.
  public let endBytes: Int
  /// Bytes behind it: a crash's torn tail, which the next append will set aside.
  public let tornTailBytes: Int

  /// Opens a log for reading.
  ///
  /// A mismatch may be an append that is happening right now, so it is looked at again under a
  /// shared lock before it is believed (docs/log-format.md, Directory).
  ///
  /// - Throws: ``LogError/noLedger(path:)``, or ``LogError/damaged(_:)`` when the log is missing or
  ///   shorter than `head`, or when the event at `head` is not the one it remembers.
  public static func open(_ directory: LedgerDirectory) throws(LogError) -> LogView {
    do throws(LogError) {
      let view = try look(at: directory)
      if view.tornTailBytes == 0 { return view }
    } catch {
      guard case .damaged = error else { throw error }
    }
    // A folder that cannot be written to may lack the lock file: then nobody appends either.
    let lock: FileLock?
    do throws(LogError) {
      lock = try FileLock(directory.ledgerLock, .shared, on: directory.disk)
    } catch {
      guard case .io = error else { throw error }
      lock = nil
    }
    defer { withExtendedLifetime(lock) {} }
    return try look(at: directory)
  }

  /// As ``open(_:)``, but a log that is not what `head` remembers is opened all the same, for those
  /// who tell what is left of it.
  ///
  /// - Returns: the view, and what ``open(_:)`` would have refused it for.
  public static func openDamaged(
    _ directory: LedgerDirectory
  ) throws(LogError) -> (view: LogView, damage: Damage?) {
    do throws(LogError) {
      return (try open(directory), nil)
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      // A missing log leaves nothing to look at.
      guard let file = try? OpenFile(directory.events, .read, on: directory.disk) else {
        throw error
      }
      let size = try logErrors { () throws(IOFailure) in try file.size() }
      let torn = try Recovery.tornTailBytes(of: file, size: size)
      let view = LogView(
        directory: directory, file: file, head: nil, endBytes: size - torn, tornTailBytes: torn)
      return (view, damage)
    }
  }

  /// Reads `head` before the log, so that the log can only be longer than what `head` says.
  private static func look(at directory: LedgerDirectory) throws(LogError) -> LogView {
    let head = try logErrors { () throws(IOFailure) in try Head.read(directory) }
    let file = try openLog(directory, .read, head: head)
    let size = try logErrors { () throws(IOFailure) in try file.size() }
    if let head { try Recovery.check(head, in: file, size: size) }
    let torn = try Recovery.tornTailBytes(of: file, size: size, after: head)
    return LogView(
      directory: directory, file: file, head: head, endBytes: size - torn, tornTailBytes: torn)
  }

  /// Opens the log's file, telling a missing ledger from a missing log.
  static func openLog(
    _ directory: LedgerDirectory, _ access: OpenFile.Access, head: Head?
  ) throws(LogError) -> OpenFile {
    do throws(IOFailure) {
      return try OpenFile(directory.events, access, on: directory.disk)
    } catch {
      guard error.isMissing else { throw .io(error) }
      guard let head else { throw .noLedger(path: directory.path) }
      throw missingLog(directory, head: head)
    }
  }

  static func missingLog(_ directory: LedgerDirectory, head: Head) -> LogError {
    .damaged(
      Damage(
        line: nil, byte: 0,
        problem: "the log is missing, but head remembers \(head.seq) events: acknowledged "
          + "events are gone; restore \(directory.events) from a copy"))
  }

  /// Calls `body` with spans of whole lines from a place in the file to this view's end.
  public func forEachWindow(
    from offsetBytes: Int = 0,
    _ body: (_ window: RawSpan, _ offsetBytes: Int) throws(LogError) -> Void
  ) throws(LogError) {
    try LineWindows.forEach(of: file, in: offsetBytes..<max(offsetBytes, endBytes), body)
  }
}

/// Runs file operations whose failure is the log's.
func logErrors<Result>(
  _ body: () throws(IOFailure) -> Result
) throws(LogError) -> Result {
  do throws(IOFailure) {
    return try body()
  } catch {
    throw .io(error)
  }
}
