/// The edits of a stretch of the log by seq, each as it was recorded: begun while the rows that they
/// made are still at hand.
struct BatchEdits: Sendable {
  /// The seq of the first cell. Seq 0, which no event has, stands before a log's first.
  private(set) var firstSeq: Int
  /// How far each event of the stretch has come, if it is an edit that made a row.
  private(set) var cells: [EditCell] = []
  private var begunRows = 0

  /// - Parameter seq: that of the event before the stretch; 0 for none.
  init(after seq: Int) { firstSeq = seq == 0 ? 0 : seq + 1 }

  /// Begins what has been read since this was last asked for.
  ///
  /// - Parameters:
  ///   - rows: all rows of the stretch.
  ///   - lastSeq: how far it has been read.
  mutating func begin(_ rows: [EntryRow], upTo lastSeq: Int) {
    let missing = lastSeq + 1 - firstSeq - cells.count
    guard missing > 0 else { return }
    cells.append(contentsOf: repeatElement(EditCell(), count: missing))
    let (first, begun) = (firstSeq, begunRows)
    cells.withUnsafeMutableBufferPointer { cells in
      for place in begun..<rows.count {
        let cell = Int(rows[place].seq) &- first
        precondition(cell >= 0 && cell < cells.count, "rows are of the stretch")
        let state: EditState = rows[place].isPulled ? .acknowledged : .pending
        cells[cell] = EditCell(row: UInt32(truncatingIfNeeded: place &+ 1), state)
      }
    }
    begunRows = rows.count
  }

  /// Moves the edits of the next stretch behind these.
  ///
  /// - Parameter rowsBefore: how many rows stand before those of the next stretch.
  mutating func take(_ later: inout BatchEdits, rowsBefore: Int) {
    later.shiftRows(by: rowsBefore)
    cells.append(contentsOf: later.cells)
    begunRows = rowsBefore + later.begunRows
    later.cells.removeAll(keepingCapacity: true)
  }

  /// Hands the cells over; their rows count from the state's first.
  mutating func takeCells(rowsBefore: Int) -> [EditCell] {
    shiftRows(by: rowsBefore)
    defer { cells = [] }
    return cells
  }

  private mutating func shiftRows(by count: Int) {
    guard count > 0 else { return }
    cells.withUnsafeMutableBufferPointer { cells in
      for place in cells.indices where cells[place].row > 0 { cells[place].row += UInt32(count) }
    }
  }

  /// Begins anew behind another event, with the room that there is.
  mutating func restart(after seq: Int) {
    firstSeq = seq == 0 ? 0 : seq + 1
    cells.removeAll(keepingCapacity: true)
    begunRows = 0
  }

  mutating func reserve(_ count: Int) { cells.reserveLarge(count) }
}
