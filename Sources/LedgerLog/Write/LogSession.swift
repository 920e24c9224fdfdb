package import LedgerModel
package import LedgerPlatform

/// One writer's exclusive use of the log, whose end is checked and durable.
package struct LogSession {
  package let directory: LedgerDirectory
  private var file: OpenFile
  private let lock: FileLock
  let headFile: HeadFile
  /// The last durable event.
  package private(set) var head: Head
  /// The repairs made when the session began, to be reported.
  package private(set) var repairs: [LogRepair] = []
  private(set) var isPoisoned = false

  init(
    directory: LedgerDirectory, file: OpenFile, lock: FileLock, headFile: HeadFile, head: Head
  ) {
    self.directory = directory
    self.file = file
    self.lock = lock
    self.headFile = headFile
    self.head = head
  }

  /// The log's file as it is now.
  package func fileStatus() throws(LogError) -> FileStatus {
    try logErrors { () throws(IOFailure) in try file.status() }
  }

  /// A reader's view up to the durable end.
  package func view() throws(LogError) -> LogView {
    let reader = try LogView.openLog(directory, head: head)
    return LogView(
      directory: directory, file: reader, head: head, endBytes: head.offsetBytes, tornTailBytes: 0)
  }

  /// Appends events as one durable write. On return they survive any crash.
  ///
  /// - Parameter isWhole: whether a crash before the return keeps all of several events or none, which
  ///   takes another sync. Otherwise it may keep the first of them.
  /// - Throws: ``LogError/lineTooLong(bytes:)`` or ``LogError/unwritable(problem:)`` with nothing
  ///   written; a failed write, after which the log is cut back; ``LogError/notKept(_:)`` after a
  ///   failed sync, which also poisons this handle, because a repeated sync proves nothing;
  ///   ``LogError/unsettled(_:)``, also poisoning, if cutting back failed too.
  package mutating func append(
    _ events: [Event], isWhole: Bool = false, using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> Appended {
    guard !isPoisoned else { throw .poisoned }
    let (appended, lines) = try composed(events, using: &generator)
    try append(lines, isWhole: isWhole)
    return appended
  }

  /// Appends any number of events in bounded memory as one durable write: all of them survive any
  /// crash after it, and after a crash, an error or a cancelled `compose` before it, none is kept.
  ///
  /// - Parameter compose: passes the events on in order.
  /// - Returns: the events' range and the size of their lines; `nil` for none.
  /// - Throws: what `compose` throws, and as ``append(_:isWhole:using:)``.
  package mutating func append(
    _ compose: (StreamedAppend) throws -> Void
  ) throws -> (events: ClosedRange<Seq>, bytes: Int)? {
    guard !isPoisoned else { throw LogError.poisoned }
    let batch = StreamedAppend(to: file, after: head)
    do {
      try compose(batch)
    } catch {
      guard batch.hasWritten else { throw error }
      let cut = cutBack()
      if cut != .durable { isPoisoned = true }
      guard cut == .failed else { throw error }
      if case LogError.io(let failure) = error { throw LogError.unsettled(failure) }
      throw LogError.unsettled(IOFailure("cut", directory.events, errorNumber: EIO))
    }
    guard batch.end.seq > head.seq else { return nil }
    if batch.hasWritten || batch.end.seq > head.seq + 1 {
      try durably { () throws(IOFailure) in try batch.flush() }
      try durably { () throws(IOFailure) in try batch.reveal() }
    } else {
      try writeDurably(batch.pieces)
    }
    let events = Seq(head.seq + 1)...Seq(batch.end.seq)
    let bytes = batch.endBytes - head.offsetBytes
    head = Head(seq: batch.end.seq, offsetBytes: batch.endBytes, hash: batch.end.hash)
    headFile.write(head)
    return (events, bytes)
  }

  /// Begins lines that continue the log.
  ///
  /// - Parameter count: how many are expected.
  package func lines(expecting count: Int) -> LineBatch {
    LineBatch(after: ChainPosition(head), expecting: count)
  }

  /// Appends lines as ``append(_:isWhole:using:)`` does.
  ///
  /// - Precondition: they continue the log as it is now.
  package mutating func append(_ lines: LineBatch, isWhole: Bool) throws(LogError) {
    precondition(lines.start == ChainPosition(head), "the lines continue the log")
    guard !isPoisoned else { throw .poisoned }
    guard !lines.seqs.isEmpty else { return }
    if isWhole, lines.seqs.count > 1, let first = lines.pieces.first?.first {
      try writeDurably(lines.pieces, skippedBytes: 1)
      try writeDurably([[first]])
    } else {
      try writeDurably(lines.pieces)
    }
    head = Head(
      seq: lines.end.seq, offsetBytes: head.offsetBytes + lines.byteCount, hash: lines.end.hash)
    headFile.write(head)
  }

  /// The events as the next lines.
  func composed(
    _ events: [Event], using generator: inout some RandomNumberGenerator
  ) throws(LogError) -> (appended: Appended, lines: LineBatch) {
    let lines = lines(expecting: events.count)
    var appended = Appended()
    appended.events.reserveCapacity(events.count)
    for event in events {
      let hash = try lines.add(event, salt: generator.next())
      let seq = Seq(lines.end.seq)
      appended.events.append(RecordedEvent(seq: seq, event: event, hash: hash.description))
    }
    appended.lines = lines.lines
    return (appended, lines)
  }

  /// Continues with the durable log that replaced the old one.
  mutating func replaceFile(by file: OpenFile, head: Head) {
    self.file = file
    self.head = head
    headFile.writeDurably(head)
  }

  /// The content of the disk is unknown.
  mutating func poison() { isPoisoned = true }

  /// Writes after the head.
  ///
  /// - Parameter skipped: bytes at the beginning that are left out, so that they are NUL.
  private mutating func writeDurably(
    _ pieces: [[UInt8]], skippedBytes skipped: Int = 0
  ) throws(LogError) {
    let (file, start) = (file, head.offsetBytes)
    try durably { () throws(IOFailure) in
      var offset = start
      for piece in pieces {
        let first = offset == start ? skipped : 0
        try piece.withUnsafeBufferPointer { bytes throws(IOFailure) in
          let rest = UnsafeBufferPointer(rebasing: bytes[first...])
          try file.write(UnsafeRawBufferPointer(rest), at: offset + first)
        }
        offset += piece.count
      }
    }
  }

  /// Writes after the head by `write` and syncs, or cuts the log back.
  private mutating func durably(_ write: () throws(IOFailure) -> Void) throws(LogError) {
    do throws(IOFailure) {
      try write()
    } catch {
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

  /// If only the sync of the cut fails, the next opening does not see the bytes and finishes the cut.
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

  /// Finishes a cut that another writer could not sync, and repairs the end of the log. In this order:
  /// adopting lines writes them again.
  mutating func recover(_ step: Recovery.Step, headWasMissing: Bool) throws(LogError) {
    if lock.isMarked {
      do throws(IOFailure) {
        try LogCut(file: file, lock: lock).finish(at: file.size())
      } catch {
        isPoisoned = true
        throw .io(error)
      }
    }
    try perform(step, headWasMissing: headWasMissing)
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
    // The creator may have died between naming the log and syncing that name; `head` is created
    // after both.
    if headWasMissing {
      try logErrors { () throws(IOFailure) in
        try Folder.synchronize(directory.path, on: directory.disk)
      }
    }
    if reached != known { try adopt(reached) }
    if reached != known, !headWasMissing {
      repairs.append(.adopted(events: reached.seq - known.seq))
    }
    if torn > 0 { try quarantine(torn) }
    if headWasMissing {
      repairs.append(.headWasMissing)
      try logErrors { () throws(IOFailure) in try headFile.clear() }
      headFile.writeDurably(head)
    } else {
      headFile.write(head)
    }
  }

  /// A failed sync may have left the lines after the head in pages that are clean but unwritten;
  /// writing them again makes the next sync effective.
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

  /// 1. Copies the bytes durably to `quarantine/`. 2. Cuts them off the log and syncs. 3. Appends
  /// `log.repaired`. A crash between any two steps leaves the same tail, or none, and loses nothing.
  private mutating func quarantine(_ count: Int) throws(LogError) {
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

/// What opening a log for writing did about the traces of a crash (docs/log-format.md, Recovery).
public enum LogRepair: Hashable, Sendable {
  /// `head` was missing or unreadable, and was written again.
  case headWasMissing
  /// Complete lines after `head` were accepted.
  case adopted(events: Int)
  /// A torn tail was moved to a file in `quarantine/`.
  case quarantined(bytes: Int, file: String)
}
