import LedgerModel
import LedgerPlatform

/// 128 bits of a text, under which texts are sorted and compared: equal for different texts with a
/// probability that no number of entries makes noticeable, and not to be predicted, since each process
/// hashes differently.
struct TextHash: BitwiseCopyable, Hashable, Comparable, Sendable {
  private let high: UInt64
  private let low: UInt64

  init(_ text: UnsafeRawBufferPointer) {
    var hasher = Hasher()
    hasher.combine(bytes: text)
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

/// Entries of a log by source and source id, or by their own id, in bounded memory.
struct KnownEntries: Sendable {
  /// An entry as it was logged.
  struct Logged: SortedRecord {
    var id: TextHash
    /// The ``TextHash/short(_:)`` of its source; 0 by its own id.
    var source: UInt64
    var entry: LedgerUUID
    var quantity: Double
    /// The event that logged it.
    var order: Int

    static func isBefore(_ left: Logged, _ right: Logged) -> Bool {
      left.id == right.id ? left.order < right.order : left.id < right.id
    }
  }

  /// The last relevant change of an entry since it was logged.
  enum Change: Sendable {
    case grown(Double)
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
  /// The events that were undone before they were sent.
  private let undone: Set<Int>

  init(
    _ logged: SortedRecords<Logged>, changes: [EntryID: Change], undone: Set<Int> = []
  ) {
    (self.logged, self.changes, self.undone) = (logged, changes, undone)
  }

  static let none = KnownEntries(SortedRecords(held: []), changes: [:])

  /// The first entry of a source id that neither sync has deleted nor an undo has taken back.
  func entry(source: String, id: String) throws(ImportError) -> Found? {
    try entry(TextHash.short(source), TextHash(id))
  }

  /// An entry that sync has not deleted, by its own id.
  func entry(_ entry: EntryID) throws(ImportError) -> Found? {
    try self.entry(0, TextHash(entry.uuid))
  }

  private func entry(_ source: UInt64, _ wanted: TextHash) throws(ImportError) -> Found? {
    var (low, high) = (0, logged.count)
    while low < high {
      let middle = (low + high) / 2
      if try logged.record(middle).id < wanted { low = middle + 1 } else { high = middle }
    }
    while low < logged.count, case let record = try logged.record(low), record.id == wanted {
      if let found = found(record, source) { return found }
      low += 1
    }
    return nil
  }

  private func found(_ record: Logged, _ source: UInt64) -> Found? {
    guard record.source == source else { return nil }
    // The id of an entry that was taken back is not used again.
    let isByOwnID = source == 0
    if !isByOwnID, undone.contains(record.order) { return nil }
    var known = KnownEntry(entry: EntryID(record.entry), quantity: record.quantity)
    switch changes[known.entry] {
    case .deletedBySync: return nil
    case .undone where !isByOwnID: return nil
    case .grown(let quantity): known.quantity = quantity
    case .touched, .deleted, .undone: known.isTouched = true
    case nil: break
    }
    return Found(loggedQuantity: record.quantity, entry: known, seq: record.order)
  }

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

    /// - Parameter id: not less than that of the last call.
    mutating func entry(source: UInt64, id: TextHash) throws(ImportError) -> Found? {
      var first: Found?
      while let record = try cursor.peek(), record.id <= id {
        if record.id == id, let found = known.found(record, source) {
          if let first, !first.entry.isTouched, !found.entry.isTouched {
            if doubled == nil { doubled = (first.seq, found.seq) }
            doubledCount += 1
          }
          if first == nil { first = found }
        }
        cursor.advance()
      }
      return first
    }
  }
}
