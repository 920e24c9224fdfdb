package import LedgerModel

/// A progress entry as it was logged or pulled, in 40 bytes. Changes are linked to it as a chain and
/// never overwrite it, so an undone edit leaves no trace.
package struct EntryRow: ColumnElement {
  package static let placeholder = EntryRow(
    id: LedgerUUID(high: 0, low: 0), metricIndex: 0, quantity: 0, day: 0, time: -1, zone: 0,
    seq: 1, flags: 0)

  package var id: LedgerUUID
  package var quantity: Double
  private let facts: RowFacts
  /// The event that made the entry.
  package var seq: UInt32
  /// The newest change in the change table, plus one; 0 for none.
  var lastChange: UInt32 = 0

  static let hasNotes: UInt8 = 1
  static let isPulled: UInt8 = 2

  /// Days since 1970.
  @inline(__always)
  package var day: Int32 { facts.day }

  /// Seconds since midnight; -1 if the entry has no time.
  @inline(__always)
  package var time: Int32 { facts.time }

  /// Minutes ahead of UTC; undefined without a time.
  @inline(__always)
  package var zone: Int16 { facts.zone }

  @inline(__always)
  var metricIndex: UInt8 { facts.metricIndex }

  @inline(__always)
  var flags: UInt8 { facts.flags }

  /// Whether another device logged it.
  @inline(__always)
  package var isPulled: Bool { flags & Self.isPulled != 0 }

  /// Whether it was corrected or deleted, undone changes included.
  @inline(__always)
  package var isChanged: Bool { lastChange != 0 }

  package var metric: Metric { Metric(index: metricIndex)! }

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
  package func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    bounds.holdsSeq(seq) && lastChange <= bounds.changeCount && metricIndex < Self.metricCount
      && SnapshotBounds.isDay(day) && time < secondsPerDay && quantity.magnitude <= mostMagnitude
  }

  private static let metricCount = UInt8(Metric.allCases.count)

  init(
    _ id: EntryID, _ metric: Metric, _ quantity: Double, _ date: CalendarDate,
    _ moment: ZonedTime?, hasNotes: Bool, isPulled: Bool, seq: Int
  ) {
    self.init(
      id: id.uuid, metricIndex: metric.index, quantity: quantity, day: date.daysSince1970,
      time: moment?.time.secondsSinceMidnight ?? -1, zone: moment?.zone.minutes ?? 0, seq: seq,
      flags: (hasNotes ? Self.hasNotes : 0) | (isPulled ? Self.isPulled : 0))
  }
}

/// Day, time, zone, metric and flags in one word, since walks over all rows are bound by memory. From
/// the top: 23 bits of signed day, 17 of time + 1, 11 of zone + 1024, 5 of metric, 8 of flags.
private struct RowFacts: BitwiseCopyable {
  private let word: Int64

  @inline(__always)
  init(day: Int32, time: Int32, zone: Int16, metricIndex: UInt8, flags: UInt8) {
    let moment = Int64(day) &<< 41 | Int64(time &+ 1) &<< 24
    word = moment | Int64(zone &+ 1024) &<< 13 | Int64(metricIndex) &<< 8 | Int64(flags)
  }

  @inline(__always)
  var day: Int32 { Int32(truncatingIfNeeded: word &>> 41) }

  @inline(__always)
  var time: Int32 { Int32(truncatingIfNeeded: word &>> 24 & 0x1FFFF) &- 1 }

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
  /// The index of its row; `.max` until found, and for good if no earlier event made the entry.
  var row: UInt32 = .max
  /// The index of the entry's previous change, plus one; 0 for none.
  var previous: UInt32 = 0
  var zone: Int16 = 0
  var flags: UInt8 = 0
  /// Initialized, so that equal changes have equal bytes.
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

  /// Chains only lead to older changes, so they end.
  @inline(__always)
  package func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    bounds.holdsSeq(seq) && previous <= index && (row < bounds.rowCount || row == .max)
      && (day == .min || SnapshotBounds.isDay(day)) && time >= -1 && time < secondsPerDay
      && (quantity.isNaN || quantity.magnitude <= mostMagnitude)
  }

  /// Whether it is a correction made on another device.
  var isCorrectedElsewhere: Bool { has(Self.bySync) && !has(Self.deletes) }
}

private let secondsPerDay: Int32 = 86_400
/// The largest magnitude of numbers in the log (docs/log-format.md).
private let mostMagnitude = 1e15

/// Joins changes to rows in one pass over the rows. Changes are few and rows many, so the hash table
/// is built over the changes, and a Bloom filter skips the lookup for most rows.
enum EntryJoin {
  /// Links the changes from index `first` on into the chains of their rows.
  ///
  /// A change belongs to the newest earlier row with its entry id: a log from another program may
  /// make an entry twice. So rows are searched from the newest on, and a snapshot's rows last, in
  /// its index of ids.
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
      block.gather(start..<end, of: rows.own, in: table, of: changes)
      for (place, seq) in zip(block.places, block.seqs) where seq != 0 {
        var next = table.first(for: rows.own[place].id, in: changes)
        while let index = next {
          if changes[index].seq > rows.own[place].seq, changes[index].row == .max {
            link(&changes, index, on: older + place, of: &rows)
          }
          next = table.following(index)
        }
      }
      end = start
    }
    guard let snapshot else { return }
    for index in first..<changes.count where changes[index].row == .max {
      if let row = snapshot.rows(of: changes[index].id).last {
        link(&changes, index, on: row, of: &rows)
      }
    }
  }

  /// The same for events that arrive one by one, with the caller's table of the newest rows.
  static func link(
    _ changes: inout Column<EntryChange>, from first: Int, to rows: inout Column<EntryRow>,
    by table: [LedgerUUID: Int]
  ) {
    for index in first..<changes.count {
      guard let row = table[changes[index].id] else { continue }
      link(&changes, index, on: row, of: &rows)
    }
  }

  @inline(__always)
  private static func link(
    _ changes: inout Column<EntryChange>, _ index: Int, on row: Int, of rows: inout Column<EntryRow>
  ) {
    changes[index].row = UInt32(row)
    changes[index].previous = rows[row].lastChange
    rows[row].lastChange = UInt32(index + 1)
  }
}

/// The rows of a block that pass the filter, gathered before they are looked up, and then what is read of
/// them one after the other, so that cache misses overlap.
private struct RowBlock {
  static let longest = 8192

  private var found: [Int]
  private var count = 0
  /// For each of ``places``, the seq of the first change in its slot of the table, of its id or another;
  /// 0 if it has none.
  private(set) var seqs: [UInt32] = []

  init(of rows: [EntryRow]) {
    found = [Int](repeating: 0, count: min(rows.count, Self.longest))
  }

  /// Newest first.
  var places: ArraySlice<Int> { found[..<count] }

  /// - Parameter places: at most ``longest`` of them.
  mutating func gather(
    _ places: Range<Int>, of rows: [EntryRow], in table: ChangeTable,
    of changes: Column<EntryChange>
  ) {
    precondition(places.count <= found.count, "at most one block")
    var count = 0
    found.withUnsafeMutableBufferPointer { found in
      for place in places.reversed() {
        // Branchless: a place that is not counted is overwritten.
        found[count] = place
        count &+= table.mayHave(rows[place].id) ? 1 : 0
      }
    }
    self.count = count
    let firsts = found[..<count].map { table.firstInSlot(of: rows[$0].id) }
    seqs = firsts.map { $0 == 0 ? 0 : changes[Int($0) - 1].seq }
  }
}

/// An open-addressing hash table from entry ids to their changes, oldest first.
private struct ChangeTable {
  private let mask: Int
  private let offset: Int
  /// Index of an id's first change, plus one; 0 for a free slot.
  private var slots: [UInt32]
  /// A Bloom filter with two bits of one word per id, small enough for the cache.
  private var filter: [UInt32]
  private let filterMask: Int
  /// For each change, the index of the next one of the same id, plus one; 0 for none.
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

  /// Whether the id may have changes.
  @inline(__always)
  func mayHave(_ id: LedgerUUID) -> Bool {
    let hash = Self.hash(id)
    let bits = Self.bits(hash)
    return filter[Int(truncatingIfNeeded: hash >> 8) & filterMask] & bits == bits
  }

  /// The first change of this id or of another one, plus one; 0 if the id has none.
  @inline(__always)
  func firstInSlot(of id: LedgerUUID) -> UInt32 {
    slots[Int(truncatingIfNeeded: Self.hash(id)) & mask]
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
