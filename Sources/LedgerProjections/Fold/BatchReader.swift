import LedgerJSON
import LedgerLog
import LedgerModel

/// Reads a range of whole lines into columns and checks each line.
///
/// The fast reader tries each window first. On any error the reference reader reads the window again
/// from its first line and reports what is wrong and where.
struct BatchReader: Sendable {
  var batch: ColumnBatch
  var scan: EventScan
  /// The bytes that the columns will hold in the end, later ranges included.
  var expectedBytes = 0
  /// Whether the fast reader is used; off only in tests.
  var isFast = true
  /// Summarizes the lines into blocks; `nil` if not requested.
  var blocks: LineBlockBuilder?
  private var fields = FieldScanner()
  private var sleep = SleepScanner()
  private var days = InstantDay()
  /// Offset of the last `at` in the window; -1 for none.
  private var lastAt = -1
  /// The same for the last event of the sync projector.
  private var lastSyncAt = -1
  /// The window's offset in the file.
  private var windowOffset = 0

  /// About the shortest line of an entry.
  static let shortLineBytes = 320

  init(from position: ChainPosition, offsetBytes: Int, checks: LineChecks, until: Int = .max) {
    scan = EventScan(from: position, offsetBytes: offsetBytes, checks: checks, until: until)
    batch = ColumnBatch(after: position.seq)
  }

  /// Reads one range of the file.
  ///
  /// - Throws: damage; ``batch`` keeps what precedes it.
  mutating func read(
    _ view: LogView, to endBytes: Int, through buffer: WindowBuffer = WindowBuffer(),
    onBytes: ((_ count: Int) -> Void)? = nil
  ) throws(LogError) {
    let firstOffset = scan.offsetBytes
    try LineWindows.forEachPadded(of: view.file, in: firstOffset..<endBytes, through: buffer) {
      (padded, lineBytes, offset) throws(LogError) in
      try read(padded, lineBytes: lineBytes, at: offset)
      if offset == firstOffset { reserve(after: lineBytes) }
      onBytes?(lineBytes)
      return !scan.isAtEnd
    }
  }

  mutating func read(
    _ padded: RawSpan, lineBytes: Int, at offset: Int
  ) throws(LogError) {
    // Each window has its own tally, so that a rollback needs no copy of the total.
    var counted = Tally()
    swap(&counted, &batch.tally)
    defer {
      settle(padded)
      counted.add(batch.tally)
      swap(&counted, &batch.tally)
    }
    blocks?.windowOffset = offset
    windowOffset = offset
    let before = WindowStart(self)
    if isFast, readFast(padded, lineBytes: lineBytes, at: offset) { return }
    before.restore(&self)
    var scan = self.scan
    defer { self.scan = scan }
    try scan.walk(padded.extracting(0..<lineBytes), at: offset) {
      (window, envelope) throws(LineFault) in
      try add(envelope, in: window)
    }
  }

  /// Reserves room for the whole log, estimated from the first window: growing a column copies it,
  /// and untouched memory costs nothing.
  private mutating func reserve(after readBytes: Int) {
    guard readBytes < expectedBytes, readBytes > 0 else { return }
    batch.reserve(like: batch, times: Double(expectedBytes) / Double(readBytes))
  }

  /// The reference reader: any event, in any form.
  private mutating func add(_ envelope: Envelope, in bytes: RawSpan) throws(LineFault) {
    let payload = try EventReader.payload(envelope, in: bytes)
    batch.add(payload, seq: envelope.seq, by: envelope.by)
    batch.erasures.note(envelope, payload, in: bytes, at: windowOffset)
    noteInstant(at: envelope.at, bySync: envelope.by == .sync, in: bytes)
    blocks?.add(
      bytes, from: envelope.start, at: envelope.at, seq: envelope.seq, type: payload.type)
  }

  @inline(__always)
  private mutating func noteInstant(at offset: Int, bySync: Bool, in bytes: RawSpan) {
    if batch.tally.firstAt == nil {
      batch.tally.firstAt = Timestamp(millisecondsSince1970: Envelope.milliseconds(bytes, offset))
    }
    lastAt = offset
    if bySync { lastSyncAt = offset }
  }

  /// Ends a window. Only its last instants are needed, so only they are parsed.
  private mutating func settle(_ bytes: RawSpan) {
    batch.lastSeq = scan.position.seq
    batch.beginEdits()
    if lastAt >= 0 {
      let milliseconds = Envelope.milliseconds(bytes, lastAt)
      batch.tally.lastAt = Timestamp(millisecondsSince1970: milliseconds)
    }
    if lastSyncAt >= 0 {
      let milliseconds = Envelope.milliseconds(bytes, lastSyncAt)
      batch.tally.lastSyncAt = Timestamp(millisecondsSince1970: milliseconds)
    }
    forgetInstants()
  }

  fileprivate mutating func forgetInstants() { (lastAt, lastSyncAt) = (-1, -1) }
}

// MARK: Fast reader

extension BatchReader {
  /// Reads lines in the form this program writes in one pass, and other lines by the reference
  /// reader.
  ///
  /// A step covers bytes that were compared, or at most 64 digits that are validated at the line's
  /// end, followed by a required character. So no position is far past the last line.
  ///
  /// - Returns: false on any error; the window must then be rolled back.
  private mutating func readFast(_ padded: RawSpan, lineBytes: Int, at offset: Int) -> Bool {
    precondition(
      lineBytes > 0 && lineBytes + FastFront.reachBytes <= padded.byteCount
        && padded.byte(lineBytes - 1) == 0x0A)
    var run = FastRun(
      seq: SeqText(scan.position.seq + 1),
      links: LinkChecks(isOn: scan.checks == .chain, after: scan.position.hash))
    while run.start < lineBytes, run.seq.number <= scan.lastSeq {
      let mark = run.start
      guard readRun(&run, padded, lineBytes) else { return false }
      // The run ended because its room for rows was used up: start another.
      guard run.start == mark else { continue }
      guard run.start < lineBytes, run.seq.number <= scan.lastSeq else { break }
      if run.start > 0 {
        scan.position = ChainPosition(before: run.seq, in: padded, endingAt: run.start)
      }
      let window = padded.extracting(0..<lineBytes)
      guard let end = window.newline(from: run.start) else { return false }
      do throws(LogError) {
        var scan = self.scan
        defer { self.scan = scan }
        try scan.line(in: window, at: offset, from: run.start, to: end) {
          (window, envelope) throws(LineFault) in
          try add(envelope, in: window)
        }
      } catch {
        return false
      }
      run.seq.advance()
      run.start = end + 1
      if run.links.isOn { run.links.skip(to: run.start) }
    }
    scan.position = ChainPosition(before: run.seq, in: padded, endingAt: run.start)
    scan.offsetBytes = offset + run.start
    return run.links.holds(padded)
  }

  /// Reads lines up to the first in an unusual form, or to the window's end. Rows are written in
  /// place: `Array.append` checks for unique ownership each time.
  ///
  /// - Returns: false if the chain is broken.
  private mutating func readRun(
    _ run: inout FastRun, _ bytes: RawSpan, _ lineBytes: Int
  ) -> Bool {
    var rows: [EntryRow] = []
    swap(&rows, &batch.rows)
    defer { swap(&rows, &batch.rows) }
    let before = rows.count
    var isRight = true
    rows.append(addingCapacity: (lineBytes - run.start) / Self.shortLineBytes + 1) { rows in
      isRight = readRun(&run, bytes, lineBytes, into: &rows)
    }
    batch.tally.count(.logged, rows.count - before)
    return isRight
  }

  private mutating func readRun(
    _ run: inout FastRun, _ bytes: RawSpan, _ lineBytes: Int, into rows: inout OutputSpan<EntryRow>
  ) -> Bool {
    var (start, seq) = (run.start, run.seq)
    defer { (run.start, run.seq) = (start, seq) }
    let lastSeq = scan.lastSeq
    while start < lineBytes, seq.number <= lastSeq, !rows.isFull {
      guard let line = readLine(bytes, at: start, seq: seq, into: &rows) else { return true }
      seq.advance()
      if run.links.isOn, !run.links.add(bytes, from: start, body: line.bodyStart, to: line.end) {
        return false
      }
      start = line.end &+ 1
    }
    return true
  }

  /// Adds one line in the usual form to its column.
  ///
  /// - Returns: the offsets of its body and its `\n`; `nil`, with nothing added, for another form.
  @inline(__always)
  private mutating func readLine(
    _ bytes: RawSpan, at start: Int, seq: SeqText, into rows: inout OutputSpan<EntryRow>
  ) -> (bodyStart: Int, end: Int)? {
    guard var front = FastFront.read(bytes, at: start, seq: seq, days: &days) else { return nil }
    let end: Int
    if front.kind == .logged {
      guard
        let position = fields.logged(
          bytes, at: front.dataStart, seq: seq.number, &front.faults, into: &rows)
      else { return nil }
      guard let found = Self.end(bytes, front, position, start) else {
        _ = rows.removeLast()
        return nil
      }
      end = found
    } else {
      let marks = batch.marks.count
      guard let found = readOther(bytes, front, from: start, seq: seq.number) else {
        batch.marks.removeLast(batch.marks.count - marks)
        return nil
      }
      end = found
    }
    noteInstant(at: front.at, bySync: front.isBySync, in: bytes)
    blocks?.add(bytes, from: start, at: front.at, seq: seq.number, front.kind)
    return (front.bodyStart, end)
  }

  /// A line of any kind but `progress.logged`.
  ///
  /// - Returns: the offset of its `\n`; `nil` for another form, with nothing but marks added.
  private mutating func readOther(
    _ bytes: RawSpan, _ front: FastFront, from start: Int, seq: Int
  ) -> Int? {
    var position = front.dataStart
    switch front.kind {
    case .acknowledged:
      guard SyncScanner.acknowledged(bytes, at: &position, seq: seq, into: &batch.marks),
        let end = Self.end(bytes, front, position, start)
      else { return nil }
      batch.tally.count(.acknowledged)
      return end
    case .attempted:
      guard SyncScanner.attempted(bytes, at: &position, seq: seq, into: &batch.marks),
        let end = Self.end(bytes, front, position, start)
      else { return nil }
      batch.tally.count(.attempted)
      return end
    case .rejected:
      guard SyncScanner.rejected(bytes, at: &position, seq: seq, into: &batch.marks),
        let end = Self.end(bytes, front, position, start)
      else { return nil }
      batch.tally.count(.rejected)
      return end
    case .corrected:
      guard var change = fields.corrected(bytes, at: &position, seq: seq),
        let end = Self.end(bytes, front, position, start)
      else { return nil }
      if front.isBySync { change.flags |= EntryChange.bySync }
      batch.changes.append(change)
      batch.tally.count(.corrected)
      return end
    case .deleted:
      guard
        let change = fields.deleted(
          bytes, at: &position, seq: seq, bySync: front.isBySync),
        let end = Self.end(bytes, front, position, start)
      else { return nil }
      batch.changes.append(change)
      batch.tally.count(.deleted)
      return end
    case .profile: return readFields(.profile, .profile, bytes, front, start, seq)
    case .physical: return readFields(.physical, .physical, bytes, front, start, seq)
    case .preferences: return readFields(.preferences, .preferences, bytes, front, start, seq)
    case .signedOut:
      guard bytes.uncheckedHolds(#"{"reason":""#, at: position) else { return nil }
      position &+= 11
      guard FastText.skip(bytes, at: &position), FieldScanner.isEnd(bytes, &position),
        let end = Self.end(bytes, front, position, start)
      else { return nil }
      batch.others.append(RareEvent(.accountSignedOut(AccountSignedOut()), seq: seq))
      batch.tally.count(.signedOut)
      return end
    case .session:
      guard let record = sleep.logged(bytes, at: &position, seq: seq),
        let end = Self.end(bytes, front, position, start)
      else { return nil }
      batch.sleep.append(record)
      batch.tally.count(.session)
      return end
    case .logged: return nil
    }
  }

  private mutating func readFields(
    _ subject: ProfileSubject, _ kind: KindIndex, _ bytes: RawSpan, _ front: FastFront,
    _ start: Int, _ seq: Int
  ) -> Int? {
    var position = front.dataStart
    guard
      ProfileScanner.fields(of: subject, bytes, at: &position, seq: seq, into: &batch.profile),
      let end = Self.end(bytes, front, position, start)
    else {
      batch.profile.removeAll(after: seq - 1)
      return nil
    }
    batch.profile.add(subject, seq: seq)
    batch.tally.count(kind)
    return end
  }

  /// The offset of a line's `\n` if its data ends at this position and the rest is valid.
  @inline(__always)
  private static func end(
    _ bytes: RawSpan, _ front: FastFront, _ position: Int, _ start: Int
  ) -> Int? {
    let end = position &+ LogFormat.hashMemberBytes
    guard front.isTail(bytes, at: position), end &- start <= LogFormat.longestLineBytes else {
      return nil
    }
    return end
  }
}

/// The reader before a window, for rolling it back.
private struct WindowStart {
  let scan: EventScan
  let counts: (rows: Int, changes: Int, sleep: Int, marks: Int, others: Int)
  let blocks: LineBlockBuilder.RollbackPoint?

  init(_ reader: BatchReader) {
    scan = reader.scan
    counts = (
      reader.batch.rows.count, reader.batch.changes.count, reader.batch.sleep.count,
      reader.batch.marks.count, reader.batch.others.count
    )
    blocks = reader.blocks?.rollbackPoint
  }

  func restore(_ reader: inout BatchReader) {
    reader.scan = scan
    reader.batch.tally = Tally()
    reader.batch.rows.removeLast(reader.batch.rows.count - counts.rows)
    reader.batch.changes.removeLast(reader.batch.changes.count - counts.changes)
    reader.batch.sleep.removeLast(reader.batch.sleep.count - counts.sleep)
    reader.batch.marks.removeLast(reader.batch.marks.count - counts.marks)
    reader.batch.profile.removeAll(after: scan.position.seq)
    reader.batch.erasures.removeAll(after: scan.position.seq)
    reader.batch.others.removeLast(reader.batch.others.count - counts.others)
    reader.forgetInstants()
    if let blocks { reader.blocks?.restore(blocks) }
  }
}

/// The progress of the fast reader in a window.
private struct FastRun: ~Copyable {
  /// Offset of the next line.
  var start = 0
  var seq: SeqText
  var links: LinkChecks

  init(seq: SeqText, links: consuming LinkChecks) {
    self.seq = seq
    self.links = links
  }
}
