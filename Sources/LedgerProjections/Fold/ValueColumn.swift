import LedgerJSON

/// Where a value that a field has had stands: its event, and its JSON text among those of others.
struct VersionCell: ColumnElement {
  static let placeholder = VersionCell(seq: 1, textStart: 0, textCount: 0, typed: 0)

  var seq: UInt32
  var textStart: UInt32
  var textCount: UInt32
  /// 1 where a person gave it.
  var typed: UInt32

  var textEnd: Int { Int(textStart) + Int(textCount) }

  /// The text is checked where it is read.
  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool { bounds.holdsSeq(seq) }
}

/// Values that one field was given, in the order of seq, as the JSON texts that they are in the log:
/// few of them are ever asked for, so none is made a value before.
struct ValueColumn: Sendable {
  private(set) var cells: [VersionCell] = []
  /// The texts, one behind the other in the order they came.
  private(set) var texts: [UInt8] = []

  /// Puts a value behind the others.
  ///
  /// - Parameter text: JSON that was checked by the rules of the log.
  mutating func append(_ text: RawSpan, seq: Int, isTyped: Bool) {
    cells.append(cell(of: text.byteCount, seq, isTyped))
    text.withUnsafeBytes { texts.append(contentsOf: $0) }
  }

  /// Puts a value where its seq belongs, in front of others of the same event.
  mutating func insert(_ value: JSONValue, seq: Int, isTyped: Bool) {
    let start = texts.count
    value.write(into: &texts)
    var index = cells.count
    while index > 0, cells[index - 1].seq >= seq { index -= 1 }
    var cell = cell(of: texts.count - start, seq, isTyped)
    cell.textStart = UInt32(start)
    cells.insert(cell, at: index)
  }

  private func cell(of textCount: Int, _ seq: Int, _ isTyped: Bool) -> VersionCell {
    VersionCell(
      seq: UInt32(seq), textStart: UInt32(texts.count), textCount: UInt32(textCount),
      typed: isTyped ? 1 : 0)
  }

  /// Moves later values behind these.
  mutating func take(_ later: inout ValueColumn) {
    if cells.isEmpty {
      swap(&self, &later)
    } else {
      let shift = UInt32(texts.count)
      for var cell in later.cells {
        cell.textStart += shift
        cells.append(cell)
      }
      texts.append(contentsOf: later.texts)
    }
    later.removeAll()
  }

  /// Takes back what events behind a seq said.
  ///
  /// - Precondition: values came in the order of seq.
  mutating func removeAll(after seq: Int) {
    while let last = cells.last, last.seq > seq {
      texts.removeLast(texts.count - Int(last.textStart))
      cells.removeLast()
    }
  }

  /// Keeps the room.
  mutating func removeAll() {
    cells.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }
}
