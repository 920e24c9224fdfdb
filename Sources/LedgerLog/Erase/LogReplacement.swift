package import LedgerModel
import LedgerPlatform

/// A copy of the log without the content of some events, to take the log's place. This is the only
/// operation that removes content from the log (docs/log-format.md, Hash chain).
///
/// The copy is made, completed, checked and synced without the log's lock, so that writers need not wait for
/// it. ``LogSession/replaceLog(by:)`` puts it in the log's place, unless more was appended meanwhile.
package final class LogReplacement {
  /// The erased events among those copied.
  package private(set) var erased: Set<Int>
  /// The end of what was copied of the log.
  package private(set) var copiedBytes: Int
  /// What it records after the copied lines; `nil` until it is complete.
  fileprivate private(set) var records: Records?
  private let source: LogView
  fileprivate let target: AtomicFile

  fileprivate struct Records {
    let events: [Event]
    var links: [ChainHash] = []
    let lines: LineBatch
    /// Of the copy before them.
    let copiedBytes: Int
  }

  /// Copies the log up to the view's end.
  ///
  /// - Parameters:
  ///   - seqs: the events to erase; none of them is erased already.
  ///   - isLocked: whether this process holds the log's lock, which is otherwise taken until the copy's
  ///     file is locked: repairs remove files that no process has locked, and take that lock for it.
  ///   - onBytes: called with the number of bytes copied since the last call.
  /// - Throws: ``LogError``; ``LogError/locked(path:seconds:)`` if another process erases.
  package init(
    of view: LogView, without seqs: Set<Int>, isLocked: Bool = false,
    onBytes: ((_ count: Int) -> Void)? = nil
  ) throws(LogError) {
    let file = try Self.file(in: view.directory, isLocked: isLocked)
    (source, target, erased, copiedBytes) = (view, file, [], 0)
    try copy(to: view, without: seqs, onBytes)
    try logErrors { () throws(IOFailure) in try target.synchronize() }
  }

  private static func file(
    in directory: LedgerDirectory, isLocked: Bool
  ) throws(LogError) -> AtomicFile {
    let lock = isLocked ? nil : try FileLock(directory.ledgerLock, .exclusive, on: directory.disk)
    defer { withExtendedLifetime(lock) {} }
    func make() throws(LogError) -> AtomicFile {
      let file = try logErrors { () throws(IOFailure) in
        try AtomicFile(
          onlyWriterOf: directory.events, temporary: directory.replacement,
          waitSeconds: lockWaitSeconds, on: directory.disk)
      }
      guard let file else {
        throw .locked(path: directory.replacement, seconds: lockWaitSeconds)
      }
      return file
    }
    // The file of a crashed erasure is removed, not overwritten: a power cut could restore its bytes.
    // The deinitializer of an uncommitted `AtomicFile` removes it.
    if try logErrors({ () throws(IOFailure) in
      try Folder.status(of: directory.replacement, on: directory.disk)
    }) != nil {
      _ = try make()
    }
    return try make()
  }

  /// Checks of the folder hold the file's lock for an instant; an erasure for as long as it copies.
  private static let lockWaitSeconds = 1

  /// Whether the log is still the file that was copied.
  package func isCurrent() throws(LogError) -> Bool { try source.isCurrent() }

  /// What the complete copy records.
  package var recorded: Appended {
    guard let records else { return Appended() }
    let events = zip(records.events, zip(records.lines.seqs, records.links)).map { event, place in
      RecordedEvent(seq: Seq(place.0), event: event, hash: place.1.description)
    }
    return Appended(events: events, lines: records.lines.lines)
  }

  /// The copy so far.
  package var view: LogView {
    LogView(
      directory: source.directory, file: target.file, head: nil, endBytes: target.bytes,
      tornTailBytes: 0)
  }

  /// Copies what was appended to the log since, up to the view's end, durably.
  ///
  /// - Parameter seqs: the events to erase among those.
  package func extend(to view: LogView, without seqs: Set<Int>) throws(LogError) {
    removeRecords()
    guard view.endBytes > copiedBytes else { return }
    try copy(to: view, without: seqs)
    try logErrors { () throws(IOFailure) in try target.synchronize() }
  }

  /// Adds events after the copied lines, durably, so that the copy is complete if nothing else is appended
  /// to the log. ``extend(to:without:)`` takes them away again.
  ///
  /// - Parameters:
  ///   - events: an `event.erased` for each erased event, and further events of the erasure.
  ///   - salts: one for each event.
  ///   - end: the last copied event.
  ///   - check: verifies the complete copy; if it throws, the events are not added.
  package func record(
    _ events: [Event], salts: [UInt64], after end: ChainPosition, check: (LogView) throws -> Void
  ) throws {
    removeRecords()
    let lines = LineBatch(after: end, expecting: events.count)
    var records = Records(events: events, lines: lines, copiedBytes: target.bytes)
    do {
      for (event, salt) in zip(events, salts) {
        records.links.append(try lines.add(event, salt: salt))
      }
      for piece in lines.pieces { try put(piece) }
      try check(view)
      try logErrors { () throws(IOFailure) in
        // Earlier records may have been longer.
        if try target.file.size() > target.bytes { try target.file.truncate(to: target.bytes) }
        try target.synchronize()
      }
    } catch {
      target.rewind(to: records.copiedBytes)
      throw error
    }
    self.records = records
  }

  private func removeRecords() {
    if let records { target.rewind(to: records.copiedBytes) }
    records = nil
  }

  /// Copies the rest of the log up to the view's end.
  private func copy(
    to view: LogView, without seqs: Set<Int>, _ onBytes: ((Int) -> Void)? = nil
  ) throws(LogError) {
    for seq in seqs.sorted() {
      let line = try view.line(Seq(seq))
      try copy(view, to: line.offsetBytes, onBytes)
      try put(try line.erased())
      copiedBytes += line.bytes.count + 1
      onBytes?(line.bytes.count + 1)
    }
    try copy(view, to: view.endBytes, onBytes)
    erased.formUnion(seqs)
  }

  private func copy(
    _ view: LogView, to end: Int, _ onBytes: ((Int) -> Void)?
  ) throws(LogError) {
    try LineWindows.forEach(of: view.file, in: copiedBytes..<end) {
      (window, _) throws(LogError) in
      try window.withUnsafeBytes { bytes throws(LogError) in
        try logErrors { () throws(IOFailure) in try target.append(bytes) }
      }
      onBytes?(window.byteCount)
    }
    copiedBytes = end
  }

  private func put(_ bytes: [UInt8]) throws(LogError) {
    try logErrors { () throws(IOFailure) in try target.append(bytes) }
  }
}

extension LogSession {
  /// Puts a complete copy of the log in its place.
  ///
  /// A crash leaves the old log or the new one:
  /// 1. `views.snapshot` and `head` are removed and the folder synced: the snapshot may hold erased
  ///    content, and the new log would seem damaged by the old `head`. A crash from here on leaves a
  ///    log without `head`, which the next opening verifies completely.
  /// 2. The copy, which is synced, is renamed over the old log, and the folder is synced.
  /// 3. `head` is written and synced.
  ///
  /// - Parameter copy: of this log as it is now, with its records.
  /// - Throws: ``LogError``. The log is unchanged then, except after ``LogError/unsettled(_:)``: the last
  ///   sync failed, and a power cut may restore the old log.
  package mutating func replaceLog(by copy: LogReplacement) throws(LogError) {
    guard !isPoisoned else { throw .poisoned }
    guard try copy.isCurrent(), copy.copiedBytes == head.offsetBytes,
      let lines = copy.records?.lines, lines.start == ChainPosition(head)
    else {
      throw .damaged(
        Damage(
          line: nil, byte: 0, problem: "another file took the log's place, or another program wrote"
        ))
    }
    do {
      try logErrors { () throws(IOFailure) in
        try clearDerived()
        try copy.target.rename()
      }
    } catch {
      // The old log remains, so its head is valid again.
      headFile.writeDurably(head)
      throw error
    }
    do throws(IOFailure) {
      try Folder.synchronize(directory.path, on: directory.disk)
    } catch {
      poison()
      throw .unsettled(error)
    }
    replaceFile(
      by: copy.target.file,
      head: Head(seq: lines.end.seq, offsetBytes: copy.target.bytes, hash: lines.end.hash))
  }

  private func clearDerived() throws(IOFailure) {
    // A temporary file of a crashed process may hold erased content too.
    for path in [directory.snapshot, directory.snapshot + ".tmp"] {
      try Folder.remove(path, on: directory.disk)
    }
    try headFile.remove()
    try Folder.synchronize(directory.path, on: directory.disk)
  }
}
