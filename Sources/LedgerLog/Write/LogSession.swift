public import LedgerModel
import LedgerPlatform

/// The time during which one writer holds the log: its end is known to be right and durable.
public struct LogSession {
  public let directory: LedgerDirectory
  private(set) var file: OpenFile
  /// `ledger.lock`, held exclusively.
  private let lock: FileLock
  let headFile: HeadFile
  /// The last durable event.
  public private(set) var head: Head
  /// What was mended when the session began, for the person to hear of.
  public private(set) var repairs: [Repair] = []
  private(set) var isPoisoned = false

  public enum Repair: Hashable, Sendable {
    /// `head` was missing or unreadable; it is written again.
    case headWasMissing
    /// Whole events behind `head` were made durable.
    case adopted(events: Int)
    /// A torn tail was set aside.
    case quarantined(bytes: Int, file: String)
  }

  init(
    directory: LedgerDirectory, file: OpenFile, lock: FileLock, headFile: HeadFile, head: Head
  ) {
    self.directory = directory
    self.file = file
    self.lock = lock
    self.headFile = headFile
    self.head = head
  }

  /// What a reader sees while the session holds the lock: the durable end, nothing torn.
  public func view() throws(LogError) -> LogView {
    let reader = try LogView.openLog(directory, .read, head: head)
    return LogView(
      directory: directory, file: reader, head: head, endBytes: head.offsetBytes, tornTailBytes: 0)
  }

  /// Appends events as one write and one sync. When this returns they survive any crash.
  ///
  /// - Throws: ``LogError/lineTooLong(bytes:)`` or ``LogError/unwritable(problem:)`` with nothing
  ///   written; a failed write, with the log cut back to what it was; ``LogError/notKept(_:)`` after
  ///   a failed sync, which also ends the use of this handle: a second try at a failed sync proves
  ///   nothing; ``LogError/unsettled(_:)``, with the same end, where cutting back failed too.
  public mutating func append(
    _ events: [Event], using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> Appended {
    guard !isPoisoned else { throw .poisoned }
    guard !events.isEmpty else { return Appended() }
    let (appended, end) = try composed(events, using: &generator)
    try writeDurably(appended.lines)
    head = Head(
      seq: end.seq, offsetBytes: head.offsetBytes + appended.lines.count, hash: end.hash)
    headFile.write(head)
    return appended
  }

  /// Events as the lines that come next, and where the chain stands behind them.
  func composed(
    _ events: [Event], using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (appended: Appended, end: ChainPosition) {
    var appended = Appended()
    var position = ChainPosition(head)
    appended.lines.reserveCapacity(events.count * 400)
    appended.events.reserveCapacity(events.count)
    var writer = LineWriter()
    for event in events {
      let seq = Seq(position.seq + 1)
      let hash = try writer.append(
        event, seq: seq, salt: generator.next(), after: position.hash, to: &appended.lines)
      position = ChainPosition(seq: seq.number, hash: hash)
      appended.events.append(RecordedEvent(seq: seq, event: event, hash: hash.description))
    }
    return (appended, position)
  }

  /// Goes on with another log in the old one's place; it is durable, and `head` may say so.
  mutating func replaceFile(by file: OpenFile, head: Head) {
    self.file = file
    self.head = head
    headFile.writeAnew(head)
  }

  /// Nobody knows what the disk has.
  mutating func poison() { isPoisoned = true }

  /// Writes behind the head and syncs, or leaves the log as it was.
  private mutating func writeDurably(_ bytes: [UInt8]) throws(LogError) {
    do throws(IOFailure) {
      try file.write(bytes, at: head.offsetBytes)
    } catch {
      // A full disk, most likely: what was written is cut off again.
      let cut = cutBack()
      if cut != .durable { isPoisoned = true }
      throw cut == .failed ? .unsettled(error) : .io(error)
    }
    do throws(IOFailure) {
      try file.synchronize()
    } catch {
      isPoisoned = true
      throw cutBack() == .failed ? .unsettled(error) : .notKept(error)
    }
  }

  private enum Cut { case durable, done, failed }

  /// Where only the sync of the cut fails, the bytes are gone for whoever opens the log next, who has
  /// to finish it.
  private func cutBack() -> Cut {
    do throws(IOFailure) {
      try LogCut(file: file, lock: lock).perform(to: head.offsetBytes)
      return .durable
    } catch {
      let size = try? file.size()
      return size == head.offsetBytes ? .done : .failed
    }
  }

  // MARK: Recovery

  /// Mends what was found at the log's end, and finishes a cut that somebody else could not sync.
  mutating func recover(_ step: Recovery.Step, headWasMissing: Bool) throws(LogError) {
    try perform(step, headWasMissing: headWasMissing)
    guard lock.isMarked else { return }
    do throws(IOFailure) {
      try LogCut(file: file, lock: lock).finish(at: head.offsetBytes)
    } catch {
      isPoisoned = true
      throw .io(error)
    }
  }

  private mutating func perform(
    _ step: Recovery.Step, headWasMissing: Bool
  ) throws(LogError) {
    let known = head
    let reached: Head
    let torn: Int
    switch step {
    case .nothing: return
    case .adopt(let end): (reached, torn) = (end, 0)
    case .cut(let end, let bytes): (reached, torn) = (end, bytes)
    }
    // Whoever made the ledger may have died between naming the log and syncing that name; `head` is
    // made after both.
    if headWasMissing {
      try logErrors { () throws(IOFailure) in
        try Folder.synchronize(directory.path, on: directory.disk)
      }
    }
    if reached != known { try adopt(reached) }
    // Without a head every event would count as adopted, which tells a person nothing.
    if reached != known, !headWasMissing {
      repairs.append(.adopted(events: reached.seq - known.seq))
    }
    if torn > 0 { try setAside(torn) }
    if headWasMissing {
      repairs.append(.headWasMissing)
      try logErrors { () throws(IOFailure) in try headFile.clear() }
      headFile.writeAnew(head)
    } else {
      headFile.write(head)
    }
  }

  /// Whole lines behind the head may sit in pages that a failed sync left clean but unwritten:
  /// writing them again makes the next sync mean something.
  private mutating func adopt(_ reached: Head) throws(LogError) {
    var offset = head.offsetBytes
    while offset < reached.offsetBytes {
      let end = min(reached.offsetBytes, offset + LineWindows.bufferBytes)
      let bytes = try logErrors { () throws(IOFailure) in try file.wholeRange(offset..<end) }
      do throws(IOFailure) {
        try file.write(bytes, at: offset)
        if end == reached.offsetBytes { try file.synchronize() }
      } catch {
        isPoisoned = true
        throw .io(error)
      }
      offset = end
    }
    head = reached
  }

  /// 1. The bytes are copied and made durable in `quarantine/`. 2. They are cut off the log, and
  /// that is synced. 3. `log.repaired` says so. A crash between any two steps finds the same tail,
  /// or none, and nothing lost.
  private mutating func setAside(_ count: Int) throws(LogError) {
    let end = head.offsetBytes + count
    let name: String
    do throws(IOFailure) {
      name = try Quarantine.keep(file, head.offsetBytes..<end, in: directory)
      try LogCut(file: file, lock: lock).perform(to: head.offsetBytes)
    } catch {
      isPoisoned = true
      throw .io(error)
    }
    repairs.append(.quarantined(bytes: count, file: name))
    var generator = SystemEntropy()
    let now = LocalZone.now()
    let repaired = Event(
      id: .make(at: now, using: &generator), at: now, by: .system,
      payload: .logRepaired(LogRepaired(bytes: count, quarantined: name)))
    _ = try append([repaired], using: &generator)
  }
}
