package import LedgerPlatform

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
