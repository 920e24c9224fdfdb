public import LedgerModel

/// A progress entry as it was logged or pulled, in 40 bytes. Later changes hang on it as a chain
/// and never overwrite it, so that an edit that is undone leaves nothing behind.
public struct EntryRow: ColumnElement {
  public static let placeholder = EntryRow(
    id: LedgerUUID(high: 0, low: 0), metricIndex: 0, quantity: 0, day: 0, time: -1, zone: 0,
    seq: 1, flags: 0)

  public var id: LedgerUUID
  public var quantity: Double
  private let facts: RowFacts
  /// The event that made the entry.
  public var seq: UInt32
  /// The newest change in the change table, plus one; 0 for none.
  var lastChange: UInt32 = 0

  static let hasNotes: UInt8 = 1
  static let isPulled: UInt8 = 2

  /// Days since 1970.
  @inline(__always)
  public var day: Int32 { facts.day }

  /// Seconds since midnight; -1 when the entry belongs to the day.
  @inline(__always)
  public var time: Int32 { facts.time }

  /// Minutes ahead of UTC; without meaning when there is no time.
  @inline(__always)
  public var zone: Int16 { facts.zone }

  @inline(__always)
  var metricIndex: UInt8 { facts.metricIndex }

  @inline(__always)
  var flags: UInt8 { facts.flags }

  /// Whether another device logged it.
  @inline(__always)
  public var isPulled: Bool { flags & Self.isPulled != 0 }

  /// Whether it was corrected or deleted since, undone changes included.
  @inline(__always)
  public var isChanged: Bool { lastChange != 0 }

  public var metric: Metric { Metric(rawValue: metricIndex)! }

  @inline(__always)
  init(
    id: LedgerUUID, metricIndex: UInt8, quantity: Double, day: Int32, time: Int32, zone: Int16,
    seq: Int, flags: UInt8
  ) {
    self.id = id
    self.quantity = quantity
    facts = RowFacts(day: day, time: time, zone: zone, metricIndex: metricIndex, flags: flags)
    self.seq = UInt32(seq)
  }

  @inline(__always)
  public func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    bounds.holdsSeq(seq) && lastChange <= bounds.changeCount && metricIndex < Self.metricCount
      && SnapshotBounds.isDay(day) && time < secondsPerDay && quantity.magnitude <= mostMagnitude
  }

  private static let metricCount = UInt8(Metric.allCases.count)

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

/// When an entry is of, its metric and its flags in one word: a million rows are walked over often,
/// and each byte of them costs. From the top: 23 bits of the day with its sign, 17 of the time plus
/// one, 11 of the zone plus 1024, 5 of the metric, 8 of flags.
private struct RowFacts: BitwiseCopyable {
  private let word: Int64

  @inline(__always)
  init(day: Int32, time: Int32, zone: Int16, metricIndex: UInt8, flags: UInt8) {
    let moment = Int64(day) &<< 41 | Int64(time &+ 1) &<< 24
    word = moment | Int64(zone &+ 1024) &<< 13 | Int64(metricIndex) &<< 8 | Int64(flags)
  }

  @inline(__always)
  package var day: Int32 { Int32(truncatingIfNeeded: word &>> 41) }

  @inline(__always)
  package var time: Int32 { Int32(truncatingIfNeeded: word &>> 24 & 0x1FFFF) &- 1 }

  @inline(__always)
  var zone: Int16 { Int16(truncatingIfNeeded: word &>> 13 & 0x7FF) &- 1024 }

  @inline(__always)
  var metricIndex: UInt8 { UInt8(truncatingIfNeeded: word &>> 8 & 0x1F) }

  @inline(__always)
  var flags: UInt8 { UInt8(truncatingIfNeeded: word) }
}

/// A correction or a deletion of an entry.
package struct EntryChange: ColumnElement {
  package static let placeholder = EntryChange(id: LedgerUUID(high: 0, low: 0), seq: 1)

  var id: LedgerUUID
  package var quantity: Double = .nan
  package var day: Int32 = .min
  package var time: Int32 = -1
  package var seq: UInt32
  /// The row it belongs to, once found; a change of an entry that was not there yet never is.
  var row: UInt32 = .max
  /// The change of the same entry before this one, plus one; 0 for none.
  var previous: UInt32 = 0
  var zone: Int16 = 0
  var flags: UInt8 = 0
  /// Written, so that the same change always has the same bytes.
  private var padding: UInt8 = 0

  package static let deletes: UInt8 = 1
  package static let setsNotes: UInt8 = 2
  package static let clearsNotes: UInt8 = 4
  static let bySync: UInt8 = 8

  init(id: LedgerUUID, seq: Int) {
    self.id = id
    self.seq = UInt32(seq)
  }

  package func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

  /// A chain leads to ever older changes, so it has an end.
  @inline(__always)
  package func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    bounds.holdsSeq(seq) && previous <= index && (row < bounds.rowCount || row == .max)
      && (day == .min || SnapshotBounds.isDay(day)) && time >= -1 && time < secondsPerDay
      && (quantity.isNaN || quantity.magnitude <= mostMagnitude)
  }

  /// Whether it is a correction that another device made.
  var isCorrectedElsewhere: Bool { has(Self.bySync) && !has(Self.deletes) }
}

private let secondsPerDay: Int32 = 86_400
/// The log's numbers lie within it (docs/log-format.md).
private let mostMagnitude = 1e15

/// What an answer of the backend says of one edit.
struct Mark: Sendable {
  var target: UInt32
  var by: UInt32
  var state: EditState
  /// Whether the answer binds the backend's id to the entry.
  var binds: Bool
}
