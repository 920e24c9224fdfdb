package import LedgerModel

/// What a snapshot knows besides the state: sums over all of it, and orders to look things up in.
/// With these a question about the whole needs only what has changed since.
final class OpenedSnapshot: Sendable {
  /// The state as it was written: what the sums below are sums over.
  let state: LedgerState
  let counts: SnapshotCounts
  let pages: SnapshotPages
  private let byID: StoredColumn<IDKey>
  let byDay: StoredColumn<DayKey>

  init(
    _ state: LedgerState, _ counts: SnapshotCounts, in layout: SnapshotLayout
  ) throws(SnapshotFault) {
    self.state = state
    self.counts = counts
    pages = layout.pages
    byID = try layout.column(SnapshotLayout.byID, of: IDKey.self)
    byDay = try layout.column(SnapshotLayout.byDay, of: DayKey.self)
    guard byID.count == state.rows.count, byDay.count <= state.rows.count else {
      throw SnapshotFault()
    }
  }

  /// Whether the rows' keys are in order and each is of another row. There are as many as rows.
  ///
  /// - Parameter folded: a state with the same rows, folded from the log.
  func isOrderedByID(_ folded: LedgerState) throws(SnapshotFault) -> Bool {
    var previous: (UInt64, UInt32)?
    return try byID.allSatisfy { key in
      defer { previous = (key.high, key.row) }
      if let previous, previous >= (key.high, key.row) { return false }
      return folded.rows[Int(key.row)].id.high == key.high
    }
  }

  /// Whether the days' keys are in order, and those of all live entries.
  ///
  /// - Parameters:
  ///   - folded: a state folded from the log, which may have gone on since.
  ///   - touched: the rows that may have changed since.
  func isOrderedByDay(
    _ folded: LedgerState, touched: Set<Int>
  ) throws(SnapshotFault) -> Bool {
    var previous: DayKey?
    let isOrdered = try byDay.allSatisfy { key in
      defer { previous = key }
      if let previous, !(previous < key) { return false }
      let row = Int(key.row)
      if !touched.isEmpty, touched.contains(row) { return state.dayKey(ofRow: row) == key }
      return folded.dayKey(ofRow: row) == key
    }
    return isOrdered && byDay.count == counts.entries.live
  }

  /// The rows with this entry id, oldest first.
  func rows(of id: LedgerUUID) -> [Int] {
    var rows: [Int] = []
    var place = byID.firstIndex { $0.high < id.high }
    while place < byID.count {
      let key = byID.element(place)
      guard key.high == id.high else { break }
      if state.rows[Int(key.row)].id == id { rows.append(Int(key.row)) }
      place += 1
    }
    return rows
  }

  /// The rows whose entry ids begin with these characters, oldest first.
  func rows(withPrefix prefix: String) -> [Int] {
    var least: UInt64 = 0
    var digits = 0
    for byte in prefix.utf8 where byte != UInt8(ascii: "-") {
      guard digits < 16 else { break }
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return [] }
      least = least << 4 | UInt64(digit)
      digits += 1
    }
    if digits < 16 { least <<= UInt64(16 - digits) * 4 }
    var rows: [Int] = []
    var place = byID.firstIndex { $0.high < least }
    while place < byID.count {
      let row = Int(byID.element(place).row)
      guard state.rows[row].id.description.hasPrefix(prefix) else {
        // Where the first halves agree, the second ones stand in any order.
        if digits < 16 || byID.element(place).high != least { break }
        place += 1
        continue
      }
      rows.append(row)
      place += 1
    }
    return rows.sorted()
  }
}

extension LedgerState {
  /// The rows with this entry id, newest first, whether they count or not; looked for as they are
  /// asked for.
  package func allRows(of id: LedgerUUID) -> some Sequence<Int> {
    let newer = (rows.countInSnapshot..<rows.count).reversed().lazy.filter { rows[$0].id == id }
    let older = sequence(state: [Int]?.none) { rows -> Int? in
      if rows == nil { rows = opened?.rows(of: id) ?? [] }
      return rows?.popLast()
    }
    return sequence(state: (newer.makeIterator(), older.makeIterator())) { both -> Int? in
      both.0.next() ?? both.1.next()
    }
  }

  /// Rows of the snapshot whose entries may have changed since.
  func touchedRows() -> Set<Int> {
    guard opened != nil else { return [] }
    var touched = Set(rows.changedInSnapshot).union(bound.changedInSnapshot)
    for seq in edits.cells.changedInSnapshot {
      if let row = edits.row(seq), row < rows.countInSnapshot { touched.insert(row) }
    }
    return touched
  }

  /// Whether rows are looked up by their ids in an order, and not by going through all of them.
  package var findsByOrder: Bool { opened != nil }

  /// Whether what was asked of the state may be wrong, since its snapshot is not whole.
  var isBroken: Bool { opened?.pages.isBroken ?? false }

  /// The state with all it holds in memory, every page of the snapshot checked.
  func whole() throws(SnapshotFault) -> LedgerState {
    guard opened != nil else { return self }
    var state = self
    state.rows = try rows.whole()
    state.bound = try bound.whole()
    state.changes = try changes.whole()
    state.edits.cells = try edits.cells.whole()
    state.profile = try profile.whole()
    state.mentions = try mentions.whole()
    state.blocks = try blocks?.whole()
    state.opened = nil
    if isBroken { throw SnapshotFault() }
    return state
  }
}
