import LedgerJSON
public import LedgerLog
public import LedgerModel

/// Every id that the log has ever learned from the backend, so that no row is taken for a new one
/// twice. Ids are kept as 64 bits of a hash: a million of them in some 24 MB.
///
/// Derived from the log and advanced as it grows; it is never stored.
public struct RowIndex: Sendable {
  private var scan = EventScan(checks: .chain)
  private var hashes: Set<UInt64> = []
  /// In the order of seq: the events that bound an id to an entry.
  private var bindings: [(seq: UInt32, hash: UInt64)] = []
  /// Rows that are on record without an entry of their own: rows of a conflict, rows that cannot be
  /// read.
  private var seen: Set<UInt64> = []
  /// Suspected duplicates, by the event that suspected them.
  private var suspected: [Seq: [UInt64]] = [:]
  /// Suspected duplicates that a person declared to be entries of their own, until they are pulled.
  private var admitted: Set<UInt64> = []

  public init() {}

  public static func hash(_ id: BackendID) -> UInt64 { hash(id.text) }

  private static func hash(_ text: String) -> UInt64 {
    // FNV-1a, mixed: the same in every process, so that a table of hashes can be compared.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    hash ^= hash >> 32
    hash &*= 0xD6E8_FEB8_6659_FD93
    return hash ^ (hash >> 32)
  }

  /// Whether the backend's row was ever bound, deleted or suspected to be a duplicate.
  public func knows(_ id: BackendID) -> Bool { hashes.contains(Self.hash(id)) }

  /// Whether a row is on record in any way, by the hash of its id.
  func isOnRecord(_ hash: UInt64) -> Bool { hashes.contains(hash) || seen.contains(hash) }

  /// Whether a row is on record as one of a conflict or as unreadable.
  ///
  /// - Parameter identity: its id, or ``UnreadableRow/identity``.
  func hasSeen(_ identity: String) -> Bool { seen.contains(Self.hash(identity)) }

  /// Whether a person declared the row to be an entry of its own, and it was not pulled yet.
  func isAdmitted(_ id: BackendID) -> Bool { admitted.contains(Self.hash(id)) }
  var hasAdmitted: Bool { !admitted.isEmpty }

  /// The newest event that bound a row.
  func binding(of id: BackendID) -> Seq? {
    let hash = Self.hash(id)
    return bindings.last { $0.hash == hash }.flatMap { Seq(exactly: Int($0.seq)) }
  }

  /// The id that an event bound, as its hash.
  func hash(boundBy seq: Seq) -> UInt64? {
    var low = 0
    var high = bindings.count
    while low < high {
      let middle = (low + high) / 2
      if bindings[middle].seq < seq.number { low = middle + 1 } else { high = middle }
    }
    guard low < bindings.count, bindings[low].seq == seq.number else { return nil }
    return bindings[low].hash
  }

  /// Takes in what the log has grown by.
  public mutating func advance(to view: LogView) throws(LogError) {
    guard scan.offsetBytes < view.endBytes else { return }
    var scan = self.scan
    var found: [RecordedEvent] = []
    try view.forEachWindow(from: scan.offsetBytes) { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        guard Self.mayNameRows(envelope, in: window) else { return }
        found.append(try EventReader.event(envelope, in: window))
      }
      note(found)
      found.removeAll(keepingCapacity: true)
    }
    self.scan = scan
  }

  /// Takes in events that stand behind all that were taken in before.
  mutating func note(_ events: [RecordedEvent]) {
    for recorded in events {
      switch recorded.event.payload {
      case .syncAcknowledged(let data): if let id = data.backendID { bind(id, by: recorded.seq) }
      case .progressPulled(let data): bind(data.backendID, by: recorded.seq)
      case .progressCorrected(let data): if let id = data.backendID { rebind(id, by: recorded.seq) }
      case .syncDiffered(let data): if let id = data.backendID { bind(id, by: recorded.seq) }
      case .duplicateSuspected(let data):
        let ids = data.backendIDs.map { Self.hash($0) }
        hashes.formUnion(ids)
        suspected[recorded.seq] = ids
      case .duplicateResolved(let data) where data.decision == .both:
        let ids = suspected[data.suspicion] ?? []
        hashes.subtract(ids)
        admitted.formUnion(ids)
      case .conflictDetected(let data): if let id = data.backendID { seen.insert(Self.hash(id)) }
      case .rowSkipped(let data):
        let row = UnreadableRow(
          id: data.backendID, field: data.field, value: data.value, reason: data.reason)
        seen.insert(Self.hash(row.identity))
      default: break
      }
    }
  }

  /// A row that was suspected to be a duplicate became an entry's own.
  private mutating func rebind(_ id: BackendID, by seq: Seq) {
    let hash = Self.hash(id)
    for suspicion in suspected.keys { suspected[suspicion]?.removeAll { $0 == hash } }
    bind(id, by: seq)
  }

  private mutating func bind(_ id: BackendID, by seq: Seq) {
    let hash = Self.hash(id)
    bindings.append((UInt32(seq.number), hash))
    hashes.insert(hash)
    admitted.remove(hash)
  }

  private static func mayNameRows(_ envelope: Envelope, in bytes: RawSpan) -> Bool {
    guard !envelope.isErased else { return false }
    let type = envelope.type
    func isType(_ name: StaticString) -> Bool { bytes.holds(name, at: type.lowerBound) }
    return switch type.count {
    case 11: isType("row.skipped")
    case 13: isType("sync.differed")
    case 15: isType("progress.pulled")
    case 17: isType("sync.acknowledged") || isType("conflict.detected")
    case 18: isType("duplicate.resolved") || envelope.by == .sync && isType("progress.corrected")
    case 19: isType("duplicate.suspected")
    default: false
    }
  }
}
