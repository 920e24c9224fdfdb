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

/// Reads part of a log through one buffer, in windows of whole lines: constant memory for any size,
/// and a file truncated during the read is an error, not a signal.
package enum LineWindows {
  /// One mebibyte: large enough to amortize the calls, small enough for the processor's cache.
  package static let bufferBytes = 1 << 20

  /// Calls `body` with spans of whole lines, each ending in `\n`, and the span's offset in the file.
  ///
  /// - Returns: the bytes at the end of the range that belong to no whole line.
  /// - Throws: what `body` throws; a failed read; a line longer than the format allows.
  @discardableResult
  package static func forEach(
    of file: OpenFile, in range: Range<Int>,
    _ body: (_ window: RawSpan, _ offsetBytes: Int) throws(LogError) -> Void
  ) throws(LogError) -> Int {
    try forEachWhile(of: file, in: range) { (window, offsetBytes) throws(LogError) in
      try body(window, offsetBytes)
      return true
    }
  }

  /// As ``forEach(of:in:_:)``, until `body` returns false.
  @discardableResult
  package static func forEachWhile(
    of file: OpenFile, in range: Range<Int>,
    _ body: (_ window: RawSpan, _ offsetBytes: Int) throws(LogError) -> Bool
  ) throws(LogError) -> Int {
    try forEachPadded(of: file, in: range) { (padded, lineBytes, offsetBytes) throws(LogError) in
      try body(padded.extracting(0..<lineBytes), offsetBytes)
    }
  }

  /// As ``forEachWhile(of:in:_:)``, with padding after the lines for readers that load ahead.
  ///
  /// - Parameters:
  ///   - buffer: the memory to read into; reusing one for several ranges saves its page faults.
  ///   - body: receives a span with at least ``FastFront/reachBytes`` bytes of arbitrary content
  ///     after its last line, and the length of the lines.
  @discardableResult
  package static func forEachPadded(
    of file: OpenFile, in range: Range<Int>, through buffer: WindowBuffer = WindowBuffer(),
    _ body: (_ padded: RawSpan, _ lineBytes: Int, _ offsetBytes: Int) throws(LogError) -> Bool
  ) throws(LogError) -> Int {
    defer { withExtendedLifetime(buffer) {} }
    let bytes = buffer.bytes
    let window = UnsafeMutableRawBufferPointer(rebasing: bytes[..<bufferBytes])
    var windowStart = range.lowerBound
    var filled = 0
    while true {
      let wanted = min(window.count - filled, range.upperBound - windowStart - filled)
      let free = UnsafeMutableRawBufferPointer(rebasing: window[filled..<filled + wanted])
      let count = try logErrors { () throws(IOFailure) in
        try file.read(into: free, at: windowStart + filled)
      }
      guard count == wanted else { throw .shortened(at: windowStart + filled + count) }
      filled += count
      let whole =
        UnsafeRawBufferPointer(rebasing: window[..<filled]).lastNewline.map { $0 + 1 } ?? 0
      if whole > 0 {
        // The bytes loaded ahead are never used, but must be initialized.
        let ahead = UnsafeMutableRawBufferPointer(
          rebasing: bytes[filled..<filled + FastFront.reachBytes])
        ahead.initializeMemory(as: UInt8.self, repeating: 0)
        let padded = UnsafeRawBufferPointer(rebasing: bytes[..<(filled + ahead.count)])
        guard try body(padded.bytes, whole, windowStart) else { return 0 }
        let rest = UnsafeRawBufferPointer(rebasing: window[whole..<filled])
        window.copyMemory(from: rest)
        filled -= whole
        windowStart += whole
      }
      if windowStart + filled == range.upperBound { return filled }
      guard filled <= LogFormat.longestLineBytes else {
        throw .tooLongLine(at: windowStart)
      }
    }
  }
}

/// The window that windows are read into; for one reader at a time.
package final class WindowBuffer {
  fileprivate let bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: LineWindows.bufferBytes + FastFront.reachBytes, alignment: 64)

  package init() {}

  deinit { bytes.deallocate() }
}

extension UnsafeRawBufferPointer {
  /// The index of the last `\n`.
  fileprivate var lastNewline: Int? {
    var index = count - 1
    while index >= 0 {
      if self[index] == 0x0A { return index }
      index -= 1
    }
    return nil
  }
}

extension LogError {
  /// The file lost bytes while it was read.
  static func shortened(at byte: Int) -> LogError {
    .damaged(Damage(line: nil, byte: byte, problem: "the file became shorter"))
  }

  /// A line that begins here exceeds ``LogFormat/longestLineBytes``.
  static func tooLongLine(at byte: Int) -> LogError {
    .damaged(Damage(line: nil, byte: byte, problem: LineFault(.tooLong, at: 0).sentence))
  }
}
