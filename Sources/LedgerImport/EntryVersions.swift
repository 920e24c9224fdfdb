import LedgerModel

/// All versions of the entries of a log, by entry id, in bounded memory.
struct EntryVersions: Sendable {
  /// What an event that logs, corrects, pulls or erases an entry says of it.
  struct Version: SortedRecord {
    fileprivate let id: TextHash
    /// `nil` if a correction leaves it.
    fileprivate let quantity: Double?
    /// `nil` if a correction leaves them.
    private let time: UInt32?
    /// Whether a correction gives only one of date and time.
    private let isMovedInPart: Bool
    /// `nil` if a correction leaves them.
    fileprivate let notes: UInt32?
    /// Whether nothing of the entry is known any more.
    fileprivate let isErased: Bool
    private let orderNumber: UInt32

    /// The event.
    fileprivate var order: Int { Int(orderNumber) }

    private init(
      _ entry: LedgerUUID, quantity: Double? = nil, time: UInt32? = nil,
      isMovedInPart: Bool = false, notes: UInt32? = nil, isErased: Bool = false, order: Int
    ) {
      (id, orderNumber) = (TextHash(entry), UInt32(order))
      (self.quantity, self.time, self.isMovedInPart) = (quantity, time, isMovedInPart)
      (self.notes, self.isErased) = (notes, isErased)
    }

    init(
      _ entry: LedgerUUID, _ quantity: Double, _ date: CalendarDate, _ moment: ZonedTime?,
      notes: String?, order: Int
    ) {
      self.init(
        entry, quantity: quantity, time: Self.hash(date, moment), notes: Self.hash(notes),
        order: order)
    }

    init(_ correction: ProgressCorrected, order: Int) {
      let (date, moment) = (correction.date, correction.moment)
      self.init(
        correction.entry.uuid, quantity: correction.quantity,
        time: moment == nil ? nil : date.map { Self.hash($0, moment) },
        isMovedInPart: (date == nil) != (moment == nil),
        notes: correction.notes.map { Self.hash($0.value) }, order: order)
    }

    init(erased entry: LedgerUUID, order: Int) {
      self.init(entry, isErased: true, order: order)
    }

    fileprivate func hasTime(_ wanted: UInt32) -> Bool { isMovedInPart || time == wanted }

    /// To the minute, as spreadsheets show times.
    static func hash(_ date: CalendarDate, _ moment: ZonedTime?) -> UInt32 {
      var hasher = Hasher()
      hasher.combine(moment == nil)
      hasher.combine(EntriesByValue.Record.second(date, moment) / 60)
      return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// Ignores outer spaces and carriage returns, which spreadsheets change.
    static func hash(_ notes: String?) -> UInt32 {
      let text = (notes ?? "").trimmingSpaces.unicodeScalars.filter { $0 != "\r" }
      return UInt32(truncatingIfNeeded: String(String.UnicodeScalarView(text)).hashValue)
    }

    static func isBefore(_ left: Version, _ right: Version) -> Bool {
      left.id == right.id ? left.orderNumber < right.orderNumber : left.id < right.id
    }
  }

  private let versions: SortedRecords<Version>
  private let changes: [EntryID: KnownEntries.Change]
  /// The events that were undone and count as never made.
  private let undone: Set<Int>

  init(
    _ versions: SortedRecords<Version>, changes: [EntryID: KnownEntries.Change],
    undone: Set<Int> = []
  ) {
    (self.versions, self.changes, self.undone) = (versions, changes, undone)
  }

  static let none = EntryVersions(SortedRecords(held: []), changes: [:])

  /// Whether the log has or had an entry that sync has not deleted.
  func has(_ entry: EntryID) throws(ImportError) -> Bool {
    let wanted = TextHash(entry.uuid)
    var (low, high) = (0, versions.count)
    while low < high {
      let middle = (low + high) / 2
      if try versions.record(middle).id < wanted { low = middle + 1 } else { high = middle }
    }
    guard low < versions.count, try versions.record(low).id == wanted else { return false }
    return !isDeletedBySync(entry)
  }

  private func isDeletedBySync(_ entry: EntryID) -> Bool {
    if case .deletedBySync = changes[entry] { true } else { false }
  }

  /// The result of comparing a row with an entry that the log has or had.
  enum Comparison {
    /// The entry has or had the row's values, or was deleted or erased.
    case known
    /// An undo took back its logging.
    case takenBack
    /// The entry never had the row's quantity; the present one, and the event of that.
    case otherQuantity(Double, seq: Int)
    /// The entry was never of the row's date and time, or never had its notes; the last event of it.
    case otherTime(seq: Int)
    case otherNotes(seq: Int)
  }

  /// Finds entries by ascending ids.
  func matcher() -> Matcher { Matcher(self, versions.cursor()) }

  struct Matcher {
    private let known: EntryVersions
    private var cursor: SortedRecords<Version>.Cursor

    fileprivate init(_ known: EntryVersions, _ cursor: SortedRecords<Version>.Cursor) {
      (self.known, self.cursor) = (known, cursor)
    }

    /// Compares a row with all that an entry has been.
    ///
    /// - Parameters:
    ///   - entry: its hash is not less than that of the last call.
    ///   - time: the hash of the row's date and time.
    ///   - notes: the hash of the row's notes.
    /// - Returns: `nil` for an entry that is not there.
    mutating func compare(
      _ entry: LedgerUUID, _ quantity: Double, time: UInt32, notes: UInt32
    ) throws(ImportError) -> Comparison? {
      let id = TextHash(entry)
      var (isThere, isErased) = (false, false)
      var (hasTime, hasNotes, hasQuantity) = (false, false, false)
      var last: Int?
      var present: (quantity: Double, seq: Int)?
      while let version = try cursor.peek(), version.id <= id {
        cursor.advance()
        guard version.id == id else { continue }
        isThere = true
        isErased = isErased || version.isErased
        hasQuantity = hasQuantity || version.quantity.map { quantity.isRounding(of: $0) } == true
        hasTime = hasTime || version.hasTime(time)
        hasNotes = hasNotes || version.notes == notes
        guard !known.undone.contains(version.order) else { continue }
        last = version.order
        if let quantity = version.quantity { present = (quantity, version.order) }
      }
      let entry = EntryID(entry)
      guard isThere, !known.isDeletedBySync(entry) else { return nil }
      if case .undone = known.changes[entry] { return .takenBack }
      guard let last else { return .takenBack }
      if case .deleted = known.changes[entry] { return .known }
      if isErased { return .known }
      if !hasQuantity, let present { return .otherQuantity(present.quantity, seq: present.seq) }
      return !hasTime ? .otherTime(seq: last) : !hasNotes ? .otherNotes(seq: last) : .known
    }
  }
}
