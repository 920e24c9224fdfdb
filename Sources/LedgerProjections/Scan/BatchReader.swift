import LedgerJSON
import LedgerLog
import LedgerModel

/// Reads a stretch of whole lines into columns, checking each line on the way.
struct BatchReader: Sendable {
  var batch = ColumnBatch()
  var scan: EventScan
  private var lastAt: Int64?
  private var lastSyncAt: Int64?

  init(from position: ChainPosition, offsetBytes: Int, checks: LineChecks, until: Int = .max) {
    scan = EventScan(from: position, offsetBytes: offsetBytes, checks: checks, until: until)
    batch.lastSeq = position.seq
  }

  /// Reads one stretch of the file.
  ///
  /// - Throws: damage; what was read before it stays in ``batch``.
  mutating func read(
    _ view: LogView, to endBytes: Int, onBytes: ((_ count: Int) -> Void)? = nil
  ) throws(LogError) {
    var scan = self.scan
    defer {
      self.scan = scan
      batch.lastSeq = scan.position.seq
      batch.tally.lastAt = lastAt.map { Timestamp(millisecondsSince1970: $0) }
      batch.tally.lastSyncAt = lastSyncAt.map { Timestamp(millisecondsSince1970: $0) }
    }
    try LineWindows.forEachWhile(of: view.file, in: scan.offsetBytes..<endBytes) {
      (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        try add(envelope, in: window)
      }
      onBytes?(window.byteCount)
      return !scan.isAtEnd
    }
  }

  private mutating func add(_ envelope: Envelope, in bytes: RawSpan) throws(LineFault) {
    if try !addFast(envelope, in: bytes) { try addGeneral(envelope, in: bytes) }
    let milliseconds = envelope.milliseconds(in: bytes)
    if batch.tally.firstAt == nil {
      batch.tally.firstAt = Timestamp(millisecondsSince1970: milliseconds)
    }
    lastAt = milliseconds
    if envelope.by == .sync { lastSyncAt = milliseconds }
  }

  /// The five commonest types, as this program writes them.
  private mutating func addFast(
    _ envelope: Envelope, in bytes: RawSpan
  ) throws(LineFault) -> Bool {
    guard !envelope.isErased, envelope.version == 1 else { return false }
    let type = envelope.type
    switch type.count {
    case 15 where bytes.holds("progress.logged", at: type.lowerBound):
      guard let row = ProgressScanner.logged(bytes, envelope) else { return false }
      batch.rows.append(row)
      batch.tally.count(.logged)
    case 17 where bytes.holds("sync.acknowledged", at: type.lowerBound):
      guard SyncScanner.acknowledged(bytes, envelope, into: &batch.marks) else { return false }
      batch.tally.count(.acknowledged)
    case 14 where bytes.holds("sync.attempted", at: type.lowerBound):
      guard SyncScanner.attempted(bytes, envelope, into: &batch.marks) else { return false }
      batch.tally.count(.attempted)
    case 18 where bytes.holds("progress.corrected", at: type.lowerBound):
      guard let change = ProgressScanner.changed(bytes, envelope, deletes: false) else {
        return false
      }
      batch.changes.append(change)
      batch.tally.count(.corrected)
    case 16 where bytes.holds("progress.deleted", at: type.lowerBound):
      guard let change = ProgressScanner.changed(bytes, envelope, deletes: true) else {
        return false
      }
      batch.changes.append(change)
      batch.tally.count(.deleted)
    default: return false
    }
    return true
  }

  private mutating func addGeneral(
    _ envelope: Envelope, in bytes: RawSpan
  ) throws(LineFault) {
    batch.add(try EventReader.event(envelope, in: bytes))
  }
}
