public import LedgerModel
import LedgerPlatform

extension LogSession {
  /// Replaces the log by a copy without the content of some events and with `events` appended. This
  /// is the only operation that removes content from the log (docs/log-format.md, Hash chain).
  ///
  /// A crash leaves the old log or the new one:
  /// 1. `views.snapshot` and `head` are removed and the folder synced: the snapshot may hold erased
  ///    content, and the new log would seem damaged by the old `head`. A crash from here on leaves a
  ///    log without `head`, which the next opening verifies completely.
  /// 2. The new log is written to a temporary file and synced, then read and verified by code
  ///    independent of the writer.
  /// 3. It is renamed over the old log, and the folder is synced.
  /// 4. `head` is written and synced.
  ///
  /// - Parameters:
  ///   - seqs: the events to erase; none of them is erased already.
  ///   - events: an `event.erased` for each, and further events of the same transaction.
  ///   - onBytes: called with the number of bytes processed since the last call, first for the copy,
  ///     then for the verification.
  ///   - check: a check of the new log before it replaces the old one; an error cancels the erasure.
  /// - Throws: errors of `check`, and ``LogError``. The log is unchanged then, except after
  ///   ``LogError/unsettled(_:)``: the last sync failed, and a power cut may restore the old log.
  public mutating func erase(
    _ seqs: Set<Int>, recording events: [Event], using generator: inout some RandomNumberGenerator,
    onBytes: ((_ count: Int) -> Void)? = nil,
    check: (LogView) throws -> Void = { _ in }
  ) throws -> Appended {
    guard !isPoisoned else { throw LogError.poisoned }
    let (appended, end) = try composed(events, using: &generator)
    let temporary = directory.replacement
    let written: OpenFile
    do {
      try logErrors { () throws(IOFailure) in try clearDerived(temporary) }
      written = try write(temporary, without: seqs, then: appended.lines, onBytes)
      try verify(written, endsWith: end, onBytes, check)
      try logErrors { () throws(IOFailure) in
        try Folder.rename(temporary, to: directory.events, on: directory.disk)
      }
    } catch {
      // The old log remains, so its head is valid again.
      try? Folder.remove(temporary, on: directory.disk)
      headFile.writeDurably(head)
      throw error
    }
    let sizeBytes: Int
    do throws(IOFailure) {
      sizeBytes = try written.size()
      try Folder.synchronize(directory.path, on: directory.disk)
    } catch {
      poison()
      throw LogError.unsettled(error)
    }
    replaceFile(
      by: written, head: Head(seq: end.seq, offsetBytes: sizeBytes, hash: end.hash))
    return appended
  }

  private func clearDerived(_ temporary: String) throws(IOFailure) {
    // Temporary files of a crashed process may hold erased content too.
    for path in [directory.snapshot, directory.snapshot + ".tmp", temporary] {
      try Folder.remove(path, on: directory.disk)
    }
    try headFile.remove()
    try Folder.synchronize(directory.path, on: directory.disk)
  }

  private func write(
    _ path: String, without seqs: Set<Int>, then lines: [UInt8], _ onBytes: ((Int) -> Void)?
  ) throws(LogError) -> OpenFile {
    let log = try logErrors { () throws(IOFailure) in
      try OpenFile(path, .create, on: directory.disk)
    }
    var offset = 0
    func put(_ bytes: [UInt8]) throws(LogError) {
      try logErrors { () throws(IOFailure) in try log.write(bytes, at: offset) }
      offset += bytes.count
    }
    var scan = EventScan(checks: .chain)
    var missing = seqs
    try view().forEachWindow { (window, windowOffset) throws(LogError) in
      var kept: [UInt8] = []
      kept.reserveCapacity(window.byteCount)
      try scan.walk(window, at: windowOffset) { (window, envelope) throws(LineFault) in
        guard missing.remove(envelope.seq) != nil else {
          // With its `\n`.
          window.extracting(envelope.start..<envelope.end + 1)
            .withUnsafeBytes { kept.append(contentsOf: $0) }
          return
        }
        guard let line = ErasedLine.bytes(of: envelope, in: window) else {
          throw LineFault(.data("the event cannot be erased"), at: envelope.bodyStart)
        }
        kept += line
      }
      try put(kept)
      onBytes?(window.byteCount)
    }
    if let seq = missing.min() { throw .noSuchEvent(seq) }
    try put(lines)
    try logErrors { () throws(IOFailure) in try log.synchronizeAll() }
    return log
  }

  private func verify(
    _ log: OpenFile, endsWith end: ChainPosition, _ onBytes: ((Int) -> Void)?,
    _ check: (LogView) throws -> Void
  ) throws {
    let size = try logErrors { () throws(IOFailure) in try log.size() }
    let view = LogView(
      directory: directory, file: log, head: nil, endBytes: size, tornTailBytes: 0)
    var verifier = Verifier()
    try LineWindows.forEachPadded(of: log, in: 0..<size) {
      (padded, lineBytes, offset) throws(LogError) in
      try verifier.read(padded, lineBytes: lineBytes, at: offset)
      onBytes?(lineBytes)
      return true
    }
    if let problem = verifier.erasures.problems.first { throw LogError.damaged(problem) }
    guard verifier.scan.position == end else {
      throw LogError.damaged(
        Damage(line: end.seq, byte: size, problem: "the new log does not end as it must"))
    }
    try check(view)
  }
}
