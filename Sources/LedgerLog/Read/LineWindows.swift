public import LedgerPlatform

/// Reads a part of a log through one buffer, whole lines at a time, so that a log of any size is
/// read in the same memory, and a file cut under a reader is an error, not a signal.
public enum LineWindows {
  /// One mebibyte: large enough to hide the calls, small enough to stay in the processor's cache.
  public static let bufferBytes = 1 << 20

  /// Calls `body` with spans of whole lines, each ending in `\n`, and the span's place in the file.
  ///
  /// - Returns: how many bytes at the range's end belong to no whole line.
  /// - Throws: what `body` throws; a read that fails; a line longer than the format allows.
  @discardableResult
  public static func forEach(
    of file: OpenFile, in range: Range<Int>,
    _ body: (_ window: RawSpan, _ offsetBytes: Int) throws(LogError) -> Void
  ) throws(LogError) -> Int {
    try forEachWhile(of: file, in: range) { (window, offsetBytes) throws(LogError) in
      try body(window, offsetBytes)
      return true
    }
  }

  /// As ``forEach(of:in:_:)``, for readers who know when they have seen enough.
  ///
  /// - Parameter body: returns false to have nothing more read.
  @discardableResult
  public static func forEachWhile(
    of file: OpenFile, in range: Range<Int>,
    _ body: (_ window: RawSpan, _ offsetBytes: Int) throws(LogError) -> Bool
  ) throws(LogError) -> Int {
    try forEachPadded(of: file, in: range) { (padded, lineBytes, offsetBytes) throws(LogError) in
      try body(padded.extracting(0..<lineBytes), offsetBytes)
    }
  }

  /// As ``forEachWhile(of:in:_:)``, with room behind the lines for readers that load a little ahead.
  ///
  /// - Parameters:
  ///   - room: for whoever reads several ranges: a new one costs its first touches.
  ///   - body: is given a span that goes on behind its last line for at least
  ///     ``FastFront/reachBytes`` bytes, of which nothing is known, and how many bytes are lines.
  @discardableResult
  package static func forEachPadded(
    of file: OpenFile, in range: Range<Int>, through room: WindowRoom = WindowRoom(),
    _ body: (_ padded: RawSpan, _ lineBytes: Int, _ offsetBytes: Int) throws(LogError) -> Bool
  ) throws(LogError) -> Int {
    defer { withExtendedLifetime(room) {} }
    let room = room.bytes
    let buffer = UnsafeMutableRawBufferPointer(rebasing: room[..<bufferBytes])
    var windowStart = range.lowerBound
    var filled = 0
    while true {
      let wanted = min(buffer.count - filled, range.upperBound - windowStart - filled)
      let free = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + wanted])
      let count: Int
      do throws(IOFailure) {
        count = try file.read(into: free, at: windowStart + filled)
      } catch {
        throw .io(error)
      }
      guard count == wanted else {
        throw .damaged(
          Damage(
            line: nil, byte: windowStart + filled + count, problem: "the file became shorter"))
      }
      filled += count
      let whole =
        UnsafeRawBufferPointer(rebasing: buffer[..<filled]).lastNewline.map { $0 + 1 } ?? 0
      if whole > 0 {
        // What is loaded ahead is never believed, but it must be there.
        let ahead = UnsafeMutableRawBufferPointer(
          rebasing: room[filled..<filled + FastFront.reachBytes])
        ahead.initializeMemory(as: UInt8.self, repeating: 0)
        let padded = UnsafeRawBufferPointer(rebasing: room[..<(filled + ahead.count)])
        guard try body(padded.bytes, whole, windowStart) else { return 0 }
        let rest = UnsafeRawBufferPointer(rebasing: buffer[whole..<filled])
        buffer.copyMemory(from: rest)
        filled -= whole
        windowStart += whole
      }
      if windowStart + filled == range.upperBound { return filled }
      guard filled <= LogFormat.longestLineBytes else {
        throw .damaged(
          Damage(line: nil, byte: windowStart, problem: LineFault(.tooLong, at: 0).sentence))
      }
    }
  }
}

/// The memory that windows are read into, one after the other; for one reader at a time.
package final class WindowRoom {
  let bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: LineWindows.bufferBytes + FastFront.reachBytes, alignment: 64)

  package init() {}

  deinit { bytes.deallocate() }
}

extension UnsafeRawBufferPointer {
  /// Where the last `\n` stands.
  var lastNewline: Int? {
    var index = count - 1
    while index >= 0 {
      if self[index] == 0x0A { return index }
      index -= 1
    }
    return nil
  }
}
