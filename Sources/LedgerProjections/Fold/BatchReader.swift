import LedgerJSON
import LedgerLog
import LedgerModel

/// Reads a stretch of whole lines into columns, checking each line on the way.
///
/// A window of lines is read the fast way first. If anything there is wrong, it is read again the
/// plain way from its first line, and that one says what is wrong, and where.
struct BatchReader: Sendable {
  var batch: ColumnBatch
  var scan: EventScan
  /// How many bytes the columns are for in the end, those of later stretches included.
  var expectedBytes = 0
  /// For tests: whether lines may go the fast way.
  var isFast = true
  /// Where lines are summed up on the way; `nil` where nobody asks for it.
  var blocks: LineBlockBuilder?
  var fields = FieldScanner()
  var days = InstantDay()
  /// Where the newest `at` stands in the window, and that of the sync projector; -1 for none.
  var lastAt = -1
  var lastSyncAt = -1
  /// Where the window begins in the file.
  private var windowOffset = 0

  init(from position: ChainPosition, offsetBytes: Int, checks: LineChecks, until: Int = .max) {
    scan = EventScan(from: position, offsetBytes: offsetBytes, checks: checks, until: until)
    batch = ColumnBatch(after: position.seq)
  }

  /// Reads one stretch of the file.
  ///
  /// - Throws: damage; what was read before it stays in ``batch``.
  mutating func read(
    _ view: LogView, to endBytes: Int, through room: WindowRoom = WindowRoom(),
    onBytes: ((_ count: Int) -> Void)? = nil
  ) throws(LogError) {
    let firstOffset = scan.offsetBytes
    try LineWindows.forEachPadded(of: view.file, in: firstOffset..<endBytes, through: room) {
      (padded, lineBytes, offset) throws(LogError) in
      try read(padded, lineBytes: lineBytes, at: offset)
      if offset == firstOffset { reserve(after: lineBytes) }
      onBytes?(lineBytes)
      return !scan.isAtEnd
    }
  }

  /// Reads one window.
  mutating func read(
    _ padded: RawSpan, lineBytes: Int, at offset: Int
  ) throws(LogError) {
    // A window is counted by itself, so that taking it back needs no copy of what was counted before.
    var counted = Tally()
    swap(&counted, &batch.tally)
    defer {
      settle(padded)
      counted.add(batch.tally)
      swap(&counted, &batch.tally)
    }
    blocks?.windowOffset = offset
    windowOffset = offset
    let before = Checkpoint(self)
    if isFast, readFast(padded, lineBytes: lineBytes, at: offset) { return }
    before.restore(&self)
    var scan = self.scan
    defer { self.scan = scan }
    try scan.walk(padded.extracting(0..<lineBytes), at: offset) {
      (window, envelope) throws(LineFault) in
      try add(envelope, in: window)
    }
  }

  /// Makes room for as much as there will be if all windows are like the first. Memory that is not
  /// written to is not taken, while a column that grows is copied again and again.
  private mutating func reserve(after readBytes: Int) {
    guard readBytes < expectedBytes, readBytes > 0 else { return }
    batch.reserve(like: batch, times: Double(expectedBytes) / Double(readBytes))
  }

  /// The general way into columns, for any event.
  mutating func add(_ envelope: Envelope, in bytes: RawSpan) throws(LineFault) {
    let payload = try EventReader.payload(envelope, in: bytes)
    batch.add(payload, seq: envelope.seq, by: envelope.by)
    batch.erasures.note(envelope, payload, at: windowOffset)
    noteInstant(at: envelope.at, bySync: envelope.by == .sync, in: bytes)
    blocks?.add(
      bytes, from: envelope.start, at: envelope.at, seq: envelope.seq, type: payload.type)
  }

  @inline(__always)
  mutating func noteInstant(at offset: Int, bySync: Bool, in bytes: RawSpan) {
    if batch.tally.firstAt == nil {
      batch.tally.firstAt = Timestamp(millisecondsSince1970: Envelope.milliseconds(bytes, offset))
    }
    lastAt = offset
    if bySync { lastSyncAt = offset }
  }

  /// Ends a window. Only its last instants matter, so only they are worked out.
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
    (lastAt, lastSyncAt) = (-1, -1)
  }
}

/// Where a reader stood before a window.
private struct Checkpoint {
  let scan: EventScan
  let counts: (rows: Int, changes: Int, marks: Int, others: Int)
  let blocks: LineBlockBuilder.Checkpoint?

  init(_ reader: BatchReader) {
    scan = reader.scan
    counts = (
      reader.batch.rows.count, reader.batch.changes.count, reader.batch.marks.count,
      reader.batch.others.count
    )
    blocks = reader.blocks?.checkpoint
  }

  func restore(_ reader: inout BatchReader) {
    reader.scan = scan
    reader.batch.tally = Tally()
    reader.batch.rows.removeLast(reader.batch.rows.count - counts.rows)
    reader.batch.changes.removeLast(reader.batch.changes.count - counts.changes)
    reader.batch.marks.removeLast(reader.batch.marks.count - counts.marks)
    reader.batch.person.removeAll(after: scan.position.seq)
    reader.batch.erasures.removeAll(after: scan.position.seq)
    reader.batch.others.removeLast(reader.batch.others.count - counts.others)
    (reader.lastAt, reader.lastSyncAt) = (-1, -1)
    if let blocks { reader.blocks?.restore(blocks) }
  }
}
