public import LedgerModel

/// A progress entry as it was logged or pulled, in 48 bytes. Later changes hang on it as a chain
/// and never overwrite it, so that an edit that is undone leaves nothing behind.
public struct EntryRow: ColumnElement {
  public static let placeholder = EntryRow(
    id: LedgerUUID(high: 0, low: 0), metricIndex: 0, quantity: 0, day: 0, time: -1, zone: 0,
    seq: 1, flags: 0)

  public var id: LedgerUUID
  public var quantity: Double
  public var day: Int32
  /// Seconds since midnight; -1 when the entry belongs to the day.
  public var time: Int32
  /// The event that made the entry.
  public var seq: UInt32
  /// The newest change in the change table, plus one; 0 for none.
  var lastChange: UInt32 = 0
  /// The event that bound the backend's id to the entry; 0 for none.
  var boundBy: UInt32 = 0
  /// Minutes ahead of UTC; without meaning when there is no time.
  public var zone: Int16
  var metricIndex: UInt8
  var flags: UInt8

  static let hasNotes: UInt8 = 1
  static let isPulled: UInt8 = 2

  @inline(__always)
  var isPulled: Bool { flags & Self.isPulled != 0 }

  public var metric: Metric { Metric(rawValue: metricIndex)! }

  @inline(__always)
  init(
    id: LedgerUUID, metricIndex: UInt8, quantity: Double, day: Int32, time: Int32, zone: Int16,
    seq: Int, flags: UInt8
  ) {
    self.id = id
    self.quantity = quantity
    self.day = day
    self.time = time
    self.zone = zone
    self.seq = UInt32(seq)
    self.metricIndex = metricIndex
    self.flags = flags
    // What was pulled came with its backend's id.
    if flags & Self.isPulled != 0 { boundBy = self.seq }
  }

  init(
    _ id: EntryID, _ metric: Metric, _ quantity: Double, _ date: CalendarDate,
    _ moment: ZonedTime?, hasNotes: Bool, isPulled: Bool, seq: Int
  ) {
    self.init(
      id: id.uuid, metricIndex: metric.rawValue, quantity: quantity, day: date.daysSince1970,
      time: moment?.time.secondsSinceMidnight ?? -1, zone: moment?.zone.minutes ?? 0, seq: seq,
      flags: (hasNotes ? Self.hasNotes : 0) | (isPulled ? Self.isPulled : 0))
  }
}

/// A correction or a deletion of an entry.
struct EntryChange: ColumnElement {
  static let placeholder = EntryChange(id: LedgerUUID(high: 0, low: 0), seq: 1)

  var id: LedgerUUID
  var quantity: Double = .nan
  var day: Int32 = .min
  var time: Int32 = -1
  var seq: UInt32
  /// The row it belongs to, once found; a change of an entry that was not there yet never is.
  var row: UInt32 = .max
  /// The change of the same entry before this one, plus one; 0 for none.
  var previous: UInt32 = 0
  var zone: Int16 = 0
  var flags: UInt8 = 0
  /// Written, so that the same change always has the same bytes.
  private var padding: UInt8 = 0

  static let deletes: UInt8 = 1
  static let setsNotes: UInt8 = 2
  static let clearsNotes: UInt8 = 4
  static let bySync: UInt8 = 8

  init(id: LedgerUUID, seq: Int) {
    self.id = id
    self.seq = UInt32(seq)
  }

  func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}

/// What an answer of the backend says of one edit.
struct Mark: Sendable {
  var target: UInt32
  var by: UInt32
  var state: EditState
  /// Whether the answer binds the backend's id to the entry.
  var binds: Bool
}
