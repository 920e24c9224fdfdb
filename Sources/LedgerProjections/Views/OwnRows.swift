/// The rows behind the snapshot and the edits that made them, as two plain arrays: what a view asks
/// of a million rows is asked here, since asking a column for each costs three times as much.
struct OwnRows {
  let rows: [EntryRow]
  private let cells: [EditCell]
  /// The seq of the first cell.
  private let firstSeq: Int

  init(_ state: LedgerState) {
    rows = state.rows.own
    cells = state.edits.cells.own
    firstSeq = state.edits.cells.countInSnapshot
  }

  private static let rowsPerBlock = 2048

  /// The rows in blocks that fit a cache.
  var blocks: Range<Int> { 0..<(rows.count + Self.rowsPerBlock - 1) / Self.rowsPerBlock }

  func places(_ block: Int) -> Range<Int> {
    block * Self.rowsPerBlock..<min(rows.count, (block + 1) * Self.rowsPerBlock)
  }

  /// How far the edit that made the entry has come. Rows behind the snapshot were made behind it.
  @inline(__always)
  func made(_ place: Int) -> EditState { cells[Int(rows[place].seq) &- firstSeq].state }

  /// The same as a place in ``StateCounts``.
  @inline(__always)
  func madePlace(_ place: Int) -> Int { cells[Int(rows[place].seq) &- firstSeq].statePlace }
}

/// What all views ask of a live entry.
struct LiveRow {
  var metricIndex: UInt8
  var seq: UInt32
  var quantity: Double
  var day: Int32
  /// Seconds since midnight; none counts as 00:00:00.
  var time: Int32
}

extension LedgerState {
  /// The entry of a row as it is now; `nil` for one that is deleted.
  @inline(__always)
  func live(_ row: EntryRow) -> LiveRow? {
    guard row.lastChange != 0 else {
      return LiveRow(
        metricIndex: row.metricIndex, seq: row.seq, quantity: row.quantity, day: row.day,
        time: max(row.time, 0))
    }
    return liveAfterChanges(row)
  }

  @inline(never)
  private func liveAfterChanges(_ row: EntryRow) -> LiveRow? {
    let resolved = resolve(row)
    guard !resolved.isDeleted else { return nil }
    return LiveRow(
      metricIndex: row.metricIndex, seq: row.seq, quantity: resolved.quantity, day: resolved.day,
      time: max(resolved.time, 0))
  }
}
