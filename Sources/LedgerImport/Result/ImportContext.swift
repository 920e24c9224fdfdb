public import LedgerModel

/// What an import has to ask of the program around it. It reads files and writes nothing itself.
public struct ImportContext {
  /// A new id for an entry.
  public var makeEntry: () -> EntryID
  /// The offset that a person's clock had at a wall time on a day. Files say wall times only.
  public var zone: (ClockTime, CalendarDate) -> ZoneOffset
  /// The quantity that the ledger logged first under this source and source id; `nil` if it never
  /// did. What a person corrected or deleted since stays known: an import must not undo that.
  public var known: (_ source: String, _ sourceID: String) -> Double?
  /// The entry that was logged under this source and source id; `nil` if there never was one.
  public var standing: (_ source: String, _ sourceID: String) -> KnownEntry?
  /// Whether the ledger has, or ever had, an entry with this id.
  public var knowsEntry: (_ entry: EntryID) -> Bool
  /// Called with the bytes of each piece that was read.
  public var progress: ((_ bytes: Int) -> Void)?

  public init(
    makeEntry: @escaping () -> EntryID,
    zone: @escaping (ClockTime, CalendarDate) -> ZoneOffset = { time, date in
      LocalZone.current.offset(of: time, on: date)
    },
    known: @escaping (_ source: String, _ sourceID: String) -> Double? = { _, _ in nil },
    standing: @escaping (_ source: String, _ sourceID: String) -> KnownEntry? = { _, _ in nil },
    knowsEntry: @escaping (_ entry: EntryID) -> Bool = { _ in false },
    progress: ((_ bytes: Int) -> Void)? = nil
  ) {
    self.makeEntry = makeEntry
    self.zone = zone
    self.known = known
    self.standing = standing
    self.knowsEntry = knowsEntry
    self.progress = progress
  }
}

/// An entry that an import made, and what became of it.
public struct KnownEntry: Hashable, Sendable {
  public var entry: EntryID
  /// What imports made of it: as logged, or as corrected by a later one.
  public var quantity: Double
  /// Whether anybody else corrected or deleted it since: then it is theirs.
  public var isTouched: Bool

  public init(entry: EntryID, quantity: Double, isTouched: Bool = false) {
    self.entry = entry
    self.quantity = quantity
    self.isTouched = isTouched
  }
}
