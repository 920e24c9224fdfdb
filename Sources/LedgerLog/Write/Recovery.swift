import LedgerJSON
import LedgerPlatform

/// What is found at a log's end when it is opened for writing, and what is done: the table of
/// docs/log-format.md, Recovery. Deciding is pure; ``LogSession`` does what was decided.
enum Recovery {
  enum Step: Hashable {
    /// Everything ends at `head`.
    case nothing
    /// Whole, right lines behind `head`: write them again, sync, take them as durable.
    case adopt(Head)
    /// A crash's remains behind the last right line: adopt up to there, set the rest aside.
    case cut(Head, bytes: Int)
  }

  /// Looks at everything behind `head`; without a `head`, at everything.
  ///
  /// - Throws: damage, for what no crash of ours can have left: refuse, and name line and byte.
  static func step(
    for file: OpenFile, head: Head?, size: Int
  ) throws(LogError) -> Step {
    if let head {
      try check(head, in: file, size: size)
      // As nearly every append finds it.
      if head.offsetBytes == size, size > 0 { return .nothing }
    }
    let known = head ?? .empty
    var scan = EventScan(from: ChainPosition(known), offsetBytes: known.offsetBytes, checks: .chain)
    do throws(LogError) {
      try LineWindows.forEach(of: file, in: known.offsetBytes..<size) {
        (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          try EnvelopeScanner.scanData(envelope, in: window)
        }
      }
    } catch {
      guard case .damaged(var damage) = error else { throw error }
      guard try crashLeftLine(at: scan.offsetBytes, of: file, size: size) else {
        damage.line = scan.position.seq + 1
        throw .damaged(damage)
      }
    }
    let reached = Head(
      seq: scan.position.seq, offsetBytes: scan.offsetBytes, hash: scan.position.hash)
    guard reached.seq > 0 else {
      throw .damaged(
        Damage(line: 1, byte: 0, problem: "the log holds no whole event; nothing was changed"))
    }
    if reached.offsetBytes < size { return .cut(reached, bytes: size - reached.offsetBytes) }
    return reached == head ? .nothing : .adopt(reached)
  }

  /// Whether a crash can have left the wrong line that begins here: it has no end, or it holds NUL
  /// bytes. A crash's unwritten pages are zeros, which no line of ours ever holds; there may be any
  /// number of them.
  private static func crashLeftLine(
    at start: Int, of file: OpenFile, size: Int
  ) throws(LogError) -> Bool {
    var offset = start
    while offset < size {
      let end = min(size, offset + LineWindows.bufferBytes)
      let bytes = try wholeRange(offset..<end, of: file)
      let line = bytes.prefix { $0 != 0x0A }
      if line.contains(0) { return true }
      if line.count < bytes.count { return false }
      offset = end
    }
    return true
  }

  /// The bytes of a range that the file was long enough for: where fewer come, the file changed
  /// under the lock or the disk lies, and neither is an end.
  private static func wholeRange(
    _ range: Range<Int>, of file: OpenFile
  ) throws(LogError) -> [UInt8] {
    let bytes = try logErrors { () throws(IOFailure) in try file.bytes(in: range) }
    guard bytes.count == range.count else {
      throw .damaged(
        Damage(
          line: nil, byte: range.lowerBound + bytes.count, problem: "the file became shorter"))
    }
    return bytes
  }

  /// Checks that the log still holds the event that `head` remembers, as it remembers it.
  static func check(_ head: Head, in file: OpenFile, size: Int) throws(LogError) {
    guard size >= head.offsetBytes else {
      throw .damaged(
        Damage(
          line: nil, byte: size,
          problem: "the log ends here, but head remembers \(head.seq) events and "
            + "\(head.offsetBytes) bytes: acknowledged events are gone; restore the log from a copy"
        ))
    }
    // The last line and the one before it, whose hash the last one's hangs on.
    let reach = min(head.offsetBytes, 2 * (LogFormat.longestLineBytes + 1))
    var taken = min(reach, 4096)
    while true {
      let start = head.offsetBytes - taken
      let bytes = try wholeRange(start..<head.offsetBytes, of: file)
      if let found = try lastLink(of: bytes, at: start, head) {
        guard found == ChainPosition(head) else {
          throw .damaged(
            Damage(
              line: head.seq, byte: head.offsetBytes,
              problem: "the event here is not the one that head remembers"))
        }
        return
      }
      guard taken < reach else {
        throw .damaged(
          Damage(
            line: head.seq, byte: head.offsetBytes,
            problem: "no event ends where head says one does"
          ))
      }
      taken = min(reach, taken * 8)
    }
  }

  /// Checks the last of these lines against the one before it.
  ///
  /// - Returns: `nil` when the bytes do not hold both.
  private static func lastLink(
    of bytes: [UInt8], at start: Int, _ head: Head
  ) throws(LogError) -> ChainPosition? {
    guard bytes.last == 0x0A else { return nil }
    let end = bytes.count - 1
    let lineStart = bytes[..<end].lastIndex(of: 0x0A).map { $0 + 1 }
    guard lineStart != nil || start == 0 else { return nil }
    let line = lineStart ?? 0
    guard line == 0 || line > LogFormat.hashMemberBytes + 1 else { return nil }
    do throws(LineFault) {
      return try bytes.withUnsafeBufferPointer { buffer throws(LineFault) in
        let span = UnsafeRawBufferPointer(buffer).bytes
        // `"}` and `\n` stand between the hash before and this line.
        let before = line == 0 ? ChainHash.beforeFirst : ChainHash(unchecked: span, at: line - 67)
        var position = ChainPosition(seq: head.seq - 1, hash: before)
        let envelope = try position.advance(over: span, from: line, to: end, .chain)
        try EnvelopeScanner.scanData(envelope, in: span)
        return position
      }
    } catch {
      throw .damaged(
        Damage(line: head.seq, byte: start + error.offsetBytes, problem: error.sentence))
    }
  }

  /// How many bytes at the end a crash left: those behind the last `\n`, or, where `head` does not
  /// vouch for it, all from the first line on that holds NUL bytes.
  static func tornTailBytes(
    of file: OpenFile, size: Int, after head: Head? = nil
  ) throws(LogError) -> Int {
    if let head, head.offsetBytes < size,
      let start = try firstUnwrittenLine(in: head.offsetBytes..<size, of: file)
    {
      return size - start
    }
    var end = size
    while end > 0 {
      let start = max(0, end - 4096)
      let bytes = try wholeRange(start..<end, of: file)
      if let newline = bytes.lastIndex(of: 0x0A) { return size - (start + newline + 1) }
      end = start
    }
    return size
  }

  /// Where the first line begins that holds NUL bytes: a crash's unwritten pages.
  private static func firstUnwrittenLine(
    in range: Range<Int>, of file: OpenFile
  ) throws(LogError) -> Int? {
    var lineStart = range.lowerBound
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(range.upperBound, offset + LineWindows.bufferBytes)
      let bytes = try wholeRange(offset..<end, of: file)
      let written = bytes.prefix { $0 != 0 }
      if let newline = written.lastIndex(of: 0x0A) { lineStart = offset + newline + 1 }
      if written.count < bytes.count { return lineStart }
      offset = end
    }
    return nil
  }
}
