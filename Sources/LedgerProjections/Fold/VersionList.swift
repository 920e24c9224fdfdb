import LedgerJSON

/// One value of a field's history: its event, and the position of its JSON text.
struct VersionCell: ColumnElement {
  static let placeholder = VersionCell(seq: 1, textStart: 0, textCount: 0, typed: 0)

  var seq: UInt32
  var textStart: UInt32
  var textCount: UInt32
  /// 1 if a person entered it.
  var typed: UInt32

  var textEnd: Int { Int(textStart) + Int(textCount) }

  /// The text is checked when it is read.
  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool { bounds.holdsSeq(seq) }
}

/// The values of one field in the order of seq, kept as JSON text: few are ever needed, and those are
/// parsed on demand.
struct ValueColumn: Sendable {
  private(set) var cells: [VersionCell] = []
  /// The texts, concatenated in the order of arrival.
  private(set) var texts: [UInt8] = []

  /// Appends a value.
  ///
  /// - Parameter text: JSON that was validated by the rules of the log.
  mutating func append(_ text: RawSpan, seq: Int, isTyped: Bool) {
    cells.append(cell(of: text.byteCount, seq, isTyped))
    text.withUnsafeBytes { texts.append(contentsOf: $0) }
  }

  /// Inserts a value in the order of seq, before others of the same event.
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

  /// Appends later values by moving them.
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

  /// Removes the values of events after a seq.
  ///
  /// - Precondition: values were added in the order of seq.
  mutating func removeAll(after seq: Int) {
    while let last = cells.last, last.seq > seq {
      texts.removeLast(texts.count - Int(last.textStart))
      cells.removeLast()
    }
  }

  /// Keeps the capacity.
  mutating func removeAll() {
    cells.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }
}

/// One value of a field's history. Equality compares parsed values, not their spelling.
struct FieldVersion: Equatable, Sendable {
  /// The source of the JSON text.
  fileprivate enum Text {
    case own([UInt8])
    case stored(StoredTexts)
  }

  private let cell: VersionCell
  private let text: Text

  fileprivate init(_ cell: VersionCell, in text: Text) {
    self.cell = cell
    self.text = text
  }

  var seq: Int { Int(cell.seq) }

  static func == (one: FieldVersion, other: FieldVersion) -> Bool {
    one.seq == other.seq && one.isTyped == other.isTyped
      && (one.bytes == other.bytes || one.value == other.value)
  }

  /// The JSON text.
  private var bytes: ArraySlice<UInt8> {
    switch text {
    case .own(let texts): texts[Int(cell.textStart)..<cell.textEnd]
    case .stored(let texts): texts.bytes(cell.textStart, cell.textCount)[...]
    }
  }

  /// Whether a person entered it, as opposed to the backend or a conflict decision.
  var isTyped: Bool { cell.typed == 1 }

  /// `null` if cleared. Parsed on each access.
  var value: JSONValue {
    switch text {
    case .own(let texts):
      let range = Int(cell.textStart)..<cell.textEnd
      guard let value = try? JSONValue(parsing: Array(texts[range]), rules: .log) else {
        preconditionFailure("stored texts are validated")
      }
      return value
    case .stored(let texts): return texts.value(cell)
    }
  }
}

/// All values of a field's history in the order of seq: a snapshot's, read on demand, then later ones.
struct VersionList: RandomAccessCollection, Sendable {
  private var stored: StoredVersions?
  /// The values after the snapshot's; all of them in a fully loaded list.
  private(set) var own = ValueColumn()

  init() {}

  init(_ stored: StoredVersions) {
    self.stored = stored
  }

  private var storedCount: Int { stored?.count ?? 0 }
  var startIndex: Int { 0 }
  var endIndex: Int { storedCount + own.cells.count }

  subscript(index: Int) -> FieldVersion {
    guard let stored, index < stored.count else {
      return FieldVersion(own.cells[index - storedCount], in: .own(own.texts))
    }
    return FieldVersion(stored.cells.element(index), in: .stored(stored.texts))
  }

  /// Inserts in the order of seq: a batch's edits are added before its pulls.
  mutating func insert(_ value: JSONValue, seq: Int, isTyped: Bool = false) {
    own.insert(value, seq: seq, isTyped: isTyped)
  }

  /// Appends values that are newer than all others, by moving them.
  mutating func take(_ values: inout ValueColumn) { own.take(&values) }

  /// The list with all texts in memory, read and checked.
  func loaded() throws(SnapshotFault) -> VersionList {
    guard let stored else { return self }
    var list = VersionList()
    for version in self[..<stored.count] {
      list.insert(version.value, seq: version.seq, isTyped: version.isTyped)
    }
    if stored.texts.pages.isBroken { throw SnapshotFault() }
    var own = own
    list.take(&own)
    return list
  }
}
