import LedgerModel

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
