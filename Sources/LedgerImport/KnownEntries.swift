import LedgerModel
import LedgerPlatform

/// 128 bits of a text, under which texts are sorted and compared: equal for different texts with a
/// probability that no number of entries makes noticeable, and not to be predicted, since each process
/// hashes differently.
struct TextHash: BitwiseCopyable, Hashable, Comparable, Sendable {
  private let high: UInt64
  let low: UInt64

  init(_ text: UnsafeRawBufferPointer) {
    var hasher = Hasher()
    hasher.combine(bytes: text)
    self.init(hasher)
  }

  /// - Parameter hasher: what is hashed.
  init(_ hasher: Hasher) {
    high = Self.half(hasher, 1)
    low = Self.half(hasher, 2)
  }

  init(_ text: String) {
    var text = text
    self = text.withUTF8 { TextHash(UnsafeRawBufferPointer($0)) }
  }

  init(_ entry: LedgerUUID) { self = withUnsafeBytes(of: entry) { TextHash($0) } }

  /// Half of the bits, for texts of which there are few.
  static func short(_ text: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: text)
    return half(hasher, 1)
  }

  static func short(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { short(UnsafeRawBufferPointer($0)) }
  }

  /// The halves are hashes of the text with different ends.
  private static func half(_ hasher: Hasher, _ end: UInt8) -> UInt64 {
    var hasher = hasher
    hasher.combine(end)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  static func < (left: TextHash, right: TextHash) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }
}

/// The name of an entry in a file: its source id, without the conditions under which an import took its
/// row, and whose it is.
struct SourceName: BitwiseCopyable, Hashable, Sendable {
  /// The source and the conditions.
  struct Origin: BitwiseCopyable, Hashable, Sendable {
    private let source: UInt32
    /// 0 for none.
    private let conditions: UInt32

    /// - Parameter source: its ``TextHash/short(_:)``.
    fileprivate init(source: UInt64, conditions: UnsafeRawBufferPointer) {
      self.source = UInt32(source >> 32) | 1
      self.conditions =
        conditions.isEmpty ? 0 : UInt32(truncatingIfNeeded: TextHash.short(conditions)) | 1
    }

    /// Whether the same row may have both: one was taken without a condition.
    func isLike(_ other: Origin) -> Bool {
      source == other.source && (conditions == 0 || other.conditions == 0)
    }
  }

  let id: TextHash
  let origin: Origin

  /// - Parameter source: the ``TextHash/short(_:)`` of the source.
  init(source: UInt64, id: UnsafeRawBufferPointer) {
    // Only ids by the rules of CSV files have conditions.
    let isOfCSV = id.starts(with: "csv:".utf8)
    let end = isOfCSV ? id.firstIndex(of: UInt8(ascii: "?")) ?? id.count : id.count
    self.id = TextHash(UnsafeRawBufferPointer(rebasing: id[..<end]))
    origin = Origin(source: source, conditions: UnsafeRawBufferPointer(rebasing: id[end...]))
  }

  init(source: UInt64, id: String) {
    var id = id
    self = id.withUTF8 { SourceName(source: source, id: UnsafeRawBufferPointer($0)) }
  }

  init(source: String, id: String) {
    self.init(source: TextHash.short(source), id: id)
  }
}

/// Entries of a log by source and source id, in bounded memory.
struct KnownEntries: Sendable {
  /// An entry as it was logged.
  struct Logged: SortedRecord {
    var id: TextHash
    var origin: SourceName.Origin
    var entry: LedgerUUID
    var quantity: Double
    private var orderNumber: UInt32
    /// A hash of the moment or day, if a row is known by an id of its own; else 0.
    var moment: UInt32

    /// The event that logged it.
    var order: Int { Int(orderNumber) }

    init(
      id: TextHash, origin: SourceName.Origin, entry: LedgerUUID, quantity: Double, order: Int,
      moment: UInt32 = 0
    ) {
      (self.id, self.origin, self.entry) = (id, origin, entry)
      (self.quantity, orderNumber, self.moment) = (quantity, UInt32(order), moment)
    }

    /// - Returns: never 0.
    static func hash(_ date: CalendarDate, _ moment: ZonedTime?) -> UInt32 {
      var hasher = Hasher()
      hasher.combine(moment == nil)
      hasher.combine(EntriesByValue.Record.second(date, moment))
      return UInt32(truncatingIfNeeded: hasher.finalize()) | 1
    }

    static func isBefore(_ left: Logged, _ right: Logged) -> Bool {
      left.id == right.id ? left.order < right.order : left.id < right.id
    }
  }

  /// The last relevant change of an entry since it was logged.
  enum Change: Sendable {
    case grown(Double)
    /// Sync found another quantity at the backend: another device corrected it.
    case resent(Double)
    case touched
    case deleted
    case deletedBySync
    /// An undo took back its logging, which the backend had.
    case undone
  }

  /// An entry as it was logged, and as it is now.
  struct Found {
    var loggedQuantity: Double
    var entry: KnownEntry
    /// The event that logged it.
    var seq: Int
  }

  private let logged: SortedRecords<Logged>
  private let changes: [EntryID: Change]
  /// The events that were undone and count as never made.
  private let undone: Set<Int>

  init(
    _ logged: SortedRecords<Logged>, changes: [EntryID: Change], undone: Set<Int> = []
  ) {
    (self.logged, self.changes, self.undone) = (logged, changes, undone)
  }

  static let none = KnownEntries(SortedRecords(held: []), changes: [:])

  /// The first entry of a source id that neither sync has deleted nor an undo has taken back.
  ///
  /// - Parameter quantity: the one by which a row that was taken under other conditions is known.
  func entry(
    source: String, id: String, like quantity: Double? = nil
  ) throws(ImportError) -> Found? {
    let name = SourceName(source: source, id: id)
    return try entry(name.origin, name.id, like: quantity)
  }

  private func entry(
    _ origin: SourceName.Origin, _ wanted: TextHash, like quantity: Double?
  ) throws(ImportError) -> Found? {
    var like: Found?
    var (low, high) = (0, logged.count)
    while low < high {
      let middle = (low + high) / 2
      if try logged.record(middle).id < wanted { low = middle + 1 } else { high = middle }
    }
    while low < logged.count, case let record = try logged.record(low), record.id == wanted {
      if let found = found(record, origin) { return found }
      if like == nil { like = found(record, like: origin, quantity) }
      low += 1
    }
    return like
  }

  private func found(
    _ record: Logged, like origin: SourceName.Origin, _ quantity: Double?
  ) -> Found? {
    guard record.origin.isLike(origin), record.quantity == quantity else { return nil }
    return found(record, record.origin)
  }

  private func found(_ record: Logged, _ origin: SourceName.Origin) -> Found? {
    guard record.origin == origin, !undone.contains(record.order) else { return nil }
    var known = KnownEntry(entry: EntryID(record.entry), quantity: record.quantity)
    (known.seq, known.moment) = (record.order, record.moment)
    switch changes[known.entry] {
    case .deletedBySync, .undone: return nil
    case .grown(let quantity): known.quantity = quantity
    case .resent, .touched, .deleted: known.isTouched = true
    case nil: break
    }
    return Found(loggedQuantity: record.quantity, entry: known, seq: record.order)
  }

  private func isDeleted(_ entry: EntryID) -> Bool {
    switch changes[entry] {
    case .deleted, .undone, .deletedBySync: true
    case .grown, .resent, .touched, nil: false
    }
  }

  /// Whether an entry is neither deleted nor undone.
  func has(_ entry: EntryID, loggedBy seq: Int) -> Bool { !isUndone(seq) && !isDeleted(entry) }

  func isUndone(_ seq: Int) -> Bool { undone.contains(seq) }

  func hasChanges(_ entry: EntryID) -> Bool { changes[entry] != nil }

  /// Finds entries by ascending source ids.
  func matcher() -> Matcher { Matcher(self, logged.cursor()) }

  struct Matcher {
    fileprivate let known: KnownEntries
    fileprivate var cursor: SortedRecords<Logged>.Cursor
    /// The events of the first entry that is there twice, as after a redo of an import that was made
    /// again.
    private(set) var doubled: (first: Int, second: Int)?
    private(set) var doubledCount = 0

    fileprivate init(_ known: KnownEntries, _ cursor: SortedRecords<Logged>.Cursor) {
      (self.known, self.cursor) = (known, cursor)
    }

    /// - Parameters:
    ///   - id: not less than that of the last call.
    ///   - quantity: the one by which a row that was taken under other conditions is known.
    mutating func entry(
      _ origin: SourceName.Origin, id: TextHash, like quantity: Double
    ) throws(ImportError) -> Found? {
      var first: Found?
      var like: Found?
      while let record = try cursor.peek(), record.id <= id {
        if record.id == id, let found = known.found(record, origin) {
          if let first, !first.entry.isTouched, !found.entry.isTouched {
            if doubled == nil { doubled = (first.seq, found.seq) }
            doubledCount += 1
          }
          if first == nil { first = found }
        } else if record.id == id, like == nil {
          like = known.found(record, like: origin, quantity)
        }
        cursor.advance()
      }
      return first ?? like
    }
  }
}
