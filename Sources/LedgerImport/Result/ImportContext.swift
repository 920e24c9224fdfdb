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
    knowsEntry: @escaping (_ entry: EntryID) -> Bool = { _ in false },
    progress: ((_ bytes: Int) -> Void)? = nil
  ) {
    self.makeEntry = makeEntry
    self.zone = zone
    self.known = known
    self.knowsEntry = knowsEntry
    self.progress = progress
  }
}
