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

/// Finds the rows that changes belong to, in one pass over the rows: changes are few and rows many,
/// so the table is built over the changes, and a filter of one bit spares most rows the look-up.
enum EntryJoin {
  /// Hangs the changes from `first` on into the chains of their rows.
  ///
  /// A change belongs to an entry only if the entry was there before it; where a foreign log has
  /// made an entry twice, to the newer of those. So rows are looked through from the newest on.
  /// Rows that lie in a snapshot are looked up in its order of ids, after all newer ones.
  static func link(
    _ changes: inout Column<EntryChange>, from first: Int, to rows: inout Column<EntryRow>,
    _ snapshot: OpenedSnapshot? = nil
  ) {
    guard first < changes.count else { return }
    let table = ChangeTable(changes[first...])
    let older = rows.countInSnapshot
    var block = RowBlock(of: rows.own)
    var end = rows.own.count
    while end > 0 {
      let start = Swift.max(0, end - RowBlock.longest)
      block.gather(start..<end, of: rows.own, in: table)
      for place in block.places {
        var next = table.first(for: rows.own[place].id, in: changes)
        while let index = next {
          if changes[index].seq > rows.own[place].seq, changes[index].row == .max {
            hang(&changes, index, on: older + place, of: &rows)
          }
          next = table.following(index)
        }
      }
      end = start
    }
    guard let snapshot else { return }
    for index in first..<changes.count where changes[index].row == .max {
      if let row = snapshot.rows(of: changes[index].id).last {
        hang(&changes, index, on: row, of: &rows)
      }
    }
  }
}

extension EntryJoin {
  /// The same where events come one by one, and whoever hands them over keeps a table of the rows.
  static func link(
    _ changes: inout Column<EntryChange>, from first: Int, to rows: inout Column<EntryRow>,
    by table: [LedgerUUID: Int]
  ) {
    for index in first..<changes.count {
      guard let row = table[changes[index].id] else { continue }
      hang(&changes, index, on: row, of: &rows)
    }
  }

  @inline(__always)
  private static func hang(
    _ changes: inout Column<EntryChange>, _ index: Int, on row: Int, of rows: inout Column<EntryRow>
  ) {
    changes[index].row = UInt32(row)
    changes[index].previous = rows[row].lastChange
    rows[row].lastChange = UInt32(index + 1)
  }
}

/// The rows of a block that the filter lets through. They are gathered first and looked up then, so
/// that the processor waits for the memory of several at once.
private struct RowBlock {
  static let longest = 8192

  private var found: [Int]
  private var count = 0

  init(of rows: [EntryRow]) {
    found = [Int](repeating: 0, count: min(rows.count, Self.longest))
  }

  /// The newest first.
  var places: ArraySlice<Int> { found[..<count] }

  /// - Parameter places: at most ``longest`` of them.
  mutating func gather(_ places: Range<Int>, of rows: [EntryRow], in table: ChangeTable) {
    precondition(places.count <= found.count, "there is room for a block")
    var count = 0
    found.withUnsafeMutableBufferPointer { found in
      for place in places.reversed() {
        // Without a branch: a place that is not counted is written over.
        found[count] = place
        count &+= table.mayHave(rows[place].id) ? 1 : 0
      }
    }
    self.count = count
  }
}

/// Open addressing from entry ids to their changes, oldest first.
private struct ChangeTable {
  private let mask: Int
  private let offset: Int
  /// Index of an id's first change, plus one; 0 for a free slot.
  private var slots: [UInt32]
  /// Two bits of one word for every id: small enough to stay in the processor's cache.
  private var filter: [UInt32]
  private let filterMask: Int
  /// For each change, the next one of the same id, plus one.
  private var next: [UInt32]

  init(_ changes: Slice<Column<EntryChange>>) {
    var size = 64
    while size < changes.count * 2 { size *= 2 }
    mask = size - 1
    offset = changes.startIndex
    slots = [UInt32](repeating: 0, count: size)
    filter = [UInt32](repeating: 0, count: size / 4)
    filterMask = size / 4 - 1
    next = [UInt32](repeating: 0, count: changes.count)
    var last = [UInt32](repeating: 0, count: size)
    for index in changes.indices {
      let id = changes[index].id
      let hash = Self.hash(id)
      filter[Int(truncatingIfNeeded: hash >> 8) & filterMask] |= Self.bits(hash)
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0, changes[Int(slots[slot]) - 1].id != id { slot = (slot + 1) & mask }
      if slots[slot] == 0 {
        slots[slot] = UInt32(index + 1)
      } else {
        next[Int(last[slot]) - 1 - offset] = UInt32(index + 1)
      }
      last[slot] = UInt32(index + 1)
    }
  }

  /// Whether there may be changes of this id: mostly no, at the cost of one look.
  @inline(__always)
  func mayHave(_ id: LedgerUUID) -> Bool {
    let hash = Self.hash(id)
    let bits = Self.bits(hash)
    return filter[Int(truncatingIfNeeded: hash >> 8) & filterMask] & bits == bits
  }

  func first(for id: LedgerUUID, in changes: Column<EntryChange>) -> Int? {
    var slot = Int(truncatingIfNeeded: Self.hash(id)) & mask
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if changes[index].id == id { return index }
      slot = (slot + 1) & mask
    }
    return nil
  }

  @inline(__always)
  func following(_ index: Int) -> Int? {
    let following = next[index - offset]
    return following == 0 ? nil : Int(following) - 1
  }

  @inline(__always)
  private static func hash(_ id: LedgerUUID) -> UInt64 {
    let mixed = (id.low ^ (id.high &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ (mixed >> 32)
  }

  @inline(__always)
  private static func bits(_ hash: UInt64) -> UInt32 {
    1 &<< UInt32(truncatingIfNeeded: hash >> 59) | 1 &<< UInt32(truncatingIfNeeded: hash >> 54)
  }
}
