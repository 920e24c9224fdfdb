import LedgerJSON
import LedgerModel
package import LedgerPlatform

/// Decides what to do about the end of a log that is opened for writing: the table of
/// docs/log-format.md, Recovery. ``LogSession`` performs the decision.
enum Recovery {
  enum Step: Hashable {
    /// Everything ends at `head`.
    case nothing
    /// Valid lines after `head`: write them again, sync, then treat them as durable.
    case adopt(Head)
    /// A crash's remains after the last valid line: adopt up to there, quarantine the rest.
    case cut(Head, bytes: Int)
  }

  /// Examines the log after `head`; without a `head`, the whole log.
  ///
  /// - Throws: damage that no crash of a writer can have left.
  static func step(
    for file: OpenFile, head: Head?, size: Int
  ) throws(LogError) -> Step {
    if let head {
      try check(head, in: file, size: size)
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

  /// Whether a crash can have left the invalid line that begins here: it has no end, or it contains
  /// NUL bytes. Pages not written before a crash, in any number, are zeros; a valid line has none.
  private static func crashLeftLine(
    at start: Int, of file: OpenFile, size: Int
  ) throws(LogError) -> Bool {
    var offset = start
    while offset < size {
      let end = min(size, offset + LineWindows.bufferBytes)
      let bytes = try file.logBytes(in: offset..<end)
      let line = bytes.prefix { $0 != 0x0A }
      if line.contains(0) { return true }
      if line.count < bytes.count { return false }
      offset = end
    }
    return true
  }

  /// Checks that the log still holds the event at `head`, unchanged.
  static func check(_ head: Head, in file: OpenFile, size: Int) throws(LogError) {
    guard size >= head.offsetBytes else {
      throw .damaged(
        Damage(
          line: nil, byte: size,
          problem: "the log ends here, but head records \(head.seq) events and "
            + "\(head.offsetBytes) bytes: durable events are missing; restore the log from a copy"
        ))
    }
    // Enough for the last line and the one before it, on whose hash the last one depends.
    let reach = min(head.offsetBytes, 2 * (LogFormat.longestLineBytes + 1))
    var taken = min(reach, 4096)
    while true {
      let start = head.offsetBytes - taken
      let bytes = try file.logBytes(in: start..<head.offsetBytes)
      if let found = try lastLink(of: bytes, at: start, head) {
        guard found == ChainPosition(head) else {
          throw .damaged(
            Damage(
              line: head.seq, byte: head.offsetBytes,
              problem: "the event here is not the one that head records"))
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

  /// The position after the last of these lines, its link checked; `nil` if the bytes do not hold
  /// the line before it too.
  private static func lastLink(
    of bytes: [UInt8], at start: Int, _ head: Head
  ) throws(LogError) -> ChainPosition? {
    guard bytes.last == 0x0A else { return nil }
    let end = bytes.count - 1
    let lineStart = bytes.withUnsafeBytes { $0.bytes.lastNewline(before: end) }.map { $0 + 1 }
    guard lineStart != nil || start == 0 else { return nil }
    let line = lineStart ?? 0
    guard line == 0 || line > LogFormat.hashMemberBytes + 1 else { return nil }
    do throws(LineFault) {
      return try bytes.withUnsafeBufferPointer { buffer throws(LineFault) in
        let span = UnsafeRawBufferPointer(buffer).bytes
        // `"}` and `\n` are between the previous hash and this line.
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

  /// The number of bytes at the end that a crash left: those after the last `\n`, or everything from the
  /// first line with NUL bytes.
  ///
  /// - Parameter known: where such a line may begin: after `head`, anywhere without one, since the first
  ///   byte of a batch is written last; `nil` for nowhere.
  static func tornTailBytes(
    of file: OpenFile, size: Int, after known: Int?
  ) throws(LogError) -> Int {
    if let known, known < size, let start = try firstUnwrittenLine(in: known..<size, of: file) {
      return size - start
    }
    var end = size
    while end > 0 {
      let start = max(0, end - 4096)
      let bytes = try file.logBytes(in: start..<end)
      if let newline = bytes.lastIndex(of: 0x0A) { return size - (start + newline + 1) }
      end = start
    }
    return size
  }

  /// The offset of the first line with NUL bytes: pages not written before a crash.
  private static func firstUnwrittenLine(
    in range: Range<Int>, of file: OpenFile
  ) throws(LogError) -> Int? {
    var lineStart = range.lowerBound
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(range.upperBound, offset + LineWindows.bufferBytes)
      let bytes = try file.logBytes(in: offset..<end)
      let unwritten = bytes.withUnsafeBytes { bytes in
        memchr(bytes.baseAddress!, 0, bytes.count).map { UnsafeRawPointer($0) - bytes.baseAddress! }
      }
      let written = bytes[..<(unwritten ?? bytes.count)]
      if let newline = written.lastIndex(of: 0x0A) { lineStart = offset + newline + 1 }
      if unwritten != nil { return lineStart }
      offset = end
    }
    return nil
  }
}

/// What the next writer will find at the end of a log and do about it (docs/log-format.md, Recovery).
package enum LogEnd: Hashable, Sendable {
  /// The log ends at `head`, or `head` is missing and every line is valid.
  case whole
  /// Valid events after `head`, which will be made durable.
  case adoptable(events: Int)
  /// A crash's remains, which will be quarantined.
  case torn(bytes: Int)

  /// Reads what is after `head`; without a `head`, the whole log.
  ///
  /// - Parameter view: taken while no process appends.
  /// - Throws: damage that no crash of a writer can have left and that the next writer will refuse.
  package static func examine(_ view: LogView) throws(LogError) -> LogEnd {
    let size = view.endBytes + view.tornTailBytes
    switch try Recovery.step(for: view.file, head: view.head, size: size) {
    case .nothing: return .whole
    case .adopt(let end):
      guard let head = view.head else { return .whole }
      return .adoptable(events: end.seq - head.seq)
    case .cut(_, let bytes): return .torn(bytes: bytes)
    }
  }
}

/// Keeps the bytes that recovery cuts off the log.
enum Quarantine {
  /// Copies a range of the log into a new private file and makes it durable.
  ///
  /// - Returns: the file's name inside `quarantine/`.
  static func keep(
    _ file: OpenFile, _ range: Range<Int>, in directory: LedgerDirectory
  ) throws(IOFailure) -> String {
    // Synced even if the folder exists: its creator may have died before syncing.
    try directory.makeQuarantine()
    try Folder.synchronize(directory.path, on: directory.disk)
    var generator = SystemEntropy()
    let unique = EventID.make(at: LocalZone.now(), using: &generator)
    let name = "events-\(range.lowerBound)-\(unique).torn"
    let copy = try OpenFile(
      directory.quarantine + "/" + name, .create, on: directory.disk)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(range.upperBound, offset + LineWindows.bufferBytes)
      try copy.write(try file.wholeRange(offset..<end), at: offset - range.lowerBound)
      offset = end
    }
    try copy.synchronizeAll()
    try Folder.synchronize(directory.quarantine, on: directory.disk)
    return name
  }
}

extension LedgerDirectory {
  /// Makes `quarantine/` unless it exists.
  ///
  /// - Throws: if it is a link: nothing of a ledger is written outside its folder.
  package func makeQuarantine() throws(IOFailure) {
    guard try !Folder.make(quarantine, on: disk) else { return }
    guard try Folder.status(of: quarantine, on: disk)?.kind == .folder else {
      throw IOFailure("use", quarantine, errorNumber: ENOTDIR)
    }
  }
}

/// Cuts bytes off the end of the log durably.
///
/// After a cut that was not synced, a power cut may mix the old bytes with those of the next append
/// into a whole but wrong line, which looks like damage. So nothing is written over a cut before it is
/// durable: a mark on the lock file announces the cut, and the next holder of the lock completes it.
/// A power cut may remove the mark, but then nothing was written over the bytes, and recovery finds
/// them.
struct LogCut {
  let file: OpenFile
  let lock: FileLock

  /// - Throws: the log may or may not be cut; if it may be, the mark is set.
  func perform(to sizeBytes: Int) throws(IOFailure) {
    try lock.mark(true)
    try file.truncate(to: sizeBytes)
    try file.synchronize()
    clearMark()
  }

  /// Makes another writer's cut durable; `sizeBytes` is the size of the file.
  func finish(at sizeBytes: Int) throws(IOFailure) {
    // After a failed sync the system may consider the size written. Growing the file by one byte and
    // cutting it again makes the size dirty.
    try file.truncate(to: sizeBytes + 1)
    try file.truncate(to: sizeBytes)
    try file.synchronize()
    clearMark()
  }

  /// If the mark remains, the next holder syncs once more than necessary.
  private func clearMark() { try? lock.mark(false) }
}
