import LedgerJSON
package import LedgerLog
package import LedgerModel
import LedgerProjections

/// All backend ids in the log, so that no row is taken for new twice. Ids are stored as 64-bit hashes:
/// a million take about 24 MB.
///
/// Derived from the log and advanced as it grows; never stored.
package struct RowIndex: Sendable {
  private var scan = EventScan(checks: .chain)
  private var hashes: Set<UInt64> = []
  /// In the order of seq: the events that bound an id to an entry.
  private var bindings: [(seq: UInt32, hash: UInt64)] = []
  /// Recorded rows without an entry: rows of a conflict and unreadable rows.
  private var seen: Set<UInt64> = []
  /// Suspected duplicates, by the event that suspected them.
  private var suspected: [Seq: [UInt64]] = [:]
  /// Suspected duplicates that the user declared to be entries and that are not pulled yet.
  private var admitted: Set<UInt64> = []

  package init() {}

  package static func hash(_ id: BackendID) -> UInt64 { hash(id.text) }

  static func hash(_ text: String) -> UInt64 {
    // FNV-1a, mixed: the same in every process, so hashes can be compared.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    hash ^= hash >> 32
    hash &*= 0xD6E8_FEB8_6659_FD93
    return hash ^ (hash >> 32)
  }

  /// Whether the row was ever bound, deleted or suspected to be a duplicate.
  package func knows(_ id: BackendID) -> Bool { hashes.contains(Self.hash(id)) }

  /// Whether a row is recorded in any way.
  func isOnRecord(_ hash: UInt64) -> Bool { hashes.contains(hash) || seen.contains(hash) }

  /// Whether a row is recorded in a conflict or as unreadable.
  ///
  /// - Parameter identity: its id, or ``UnreadableRow/identity``.
  func hasSeen(_ identity: String) -> Bool { seen.contains(Self.hash(identity)) }

  /// Whether the user declared the row to be an entry, and it is not pulled yet.
  func isAdmitted(_ id: BackendID) -> Bool { admitted.contains(Self.hash(id)) }
  var hasAdmitted: Bool { !admitted.isEmpty }

  /// The newest event that bound a row.
  func binding(of id: BackendID) -> Seq? {
    let hash = Self.hash(id)
    return bindings.last { $0.hash == hash }.flatMap { Seq(exactly: Int($0.seq)) }
  }

  /// The newest event that bound each row, by the hash of its id.
  func newestBindings() -> [UInt64: Seq] {
    Dictionary(
      bindings.map { ($0.hash, Seq(Int($0.seq))) }, uniquingKeysWith: { _, newest in newest })
  }

  /// The hash of the id that an event bound.
  func hash(boundBy seq: Seq) -> UInt64? {
    let index = bindings.partitioningIndex { $0.seq >= seq.number }
    guard index < bindings.count, bindings[index].seq == seq.number else { return nil }
    return bindings[index].hash
  }

  /// Adds the events up to the end of a view.
  package mutating func advance(to view: LogView) throws(LogError) {
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

  /// Adds events that follow those added before.
  mutating func note(_ events: [RecordedEvent]) {
    for recorded in events {
      switch recorded.event.payload {
      case .syncAcknowledged(let data):
        guard let id = data.backendID else { continue }
        if data.isOfDeletion { note(id) } else { bind(id, by: recorded.seq) }
      case .progressPulled(let data): bind(data.backendID, by: recorded.seq)
      case .sleepPulled(let data): bind(data.backendID, by: recorded.seq)
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
        let identity = UnreadableRow.identity(data.backendID, data.field, data.value)
        seen.insert(Self.hash(identity))
      default: break
      }
    }
  }

  /// Binds a row that may have been a suspected duplicate.
  private mutating func rebind(_ id: BackendID, by seq: Seq) {
    let hash = Self.hash(id)
    for suspicion in suspected.keys { suspected[suspicion]?.removeAll { $0 == hash } }
    bind(id, by: seq)
  }

  private mutating func bind(_ id: BackendID, by seq: Seq) {
    let hash = Self.hash(id)
    bindings.append((UInt32(seq.number), hash))
    note(id)
  }

  private mutating func note(_ id: BackendID) {
    let hash = Self.hash(id)
    hashes.insert(hash)
    admitted.remove(hash)
  }

  private static func mayNameRows(_ envelope: Envelope, in bytes: RawSpan) -> Bool {
    guard !envelope.isErased else { return false }
    let type = envelope.type
    func isType(_ name: StaticString) -> Bool { bytes.holds(name, at: type.lowerBound) }
    return switch type.count {
    case 11: isType("row.skipped")
    case 12: isType("sleep.pulled")
    case 13: isType("sync.differed")
    case 15: isType("progress.pulled")
    case 17: isType("sync.acknowledged") || isType("conflict.detected")
    case 18: isType("duplicate.resolved") || envelope.by == .sync && isType("progress.corrected")
    case 19: isType("duplicate.suspected")
    default: false
    }
  }
}
