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

/// A value that a field has had. Two are the same if they say the same, however it is written.
struct FieldVersion: Equatable, Sendable {
  /// Where its JSON text stands.
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
    one.seq == other.seq && one.isTyped == other.isTyped && one.value == other.value
  }

  /// Whether a person gave it, and neither the backend nor a decision.
  var isTyped: Bool { cell.typed == 1 }

  /// `null` for cleared. Read from its text each time.
  var value: JSONValue {
    switch text {
    case .own(let texts):
      let range = Int(cell.textStart)..<cell.textEnd
      guard let value = try? JSONValue(parsing: Array(texts[range]), rules: .log) else {
        preconditionFailure("what is put down was checked before")
      }
      return value
    case .stored(let texts): return texts.value(cell)
    }
  }
}

/// All values that a field has had, in the order of seq: those of a snapshot, read when they are
/// asked for, and those since.
struct VersionList: RandomAccessCollection, Sendable {
  private var stored: StoredVersions?
  /// Those that no snapshot holds: all of them in a list that is whole.
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

  /// Keeps the order: edits of a batch come in before its pulls.
  mutating func insert(_ value: JSONValue, seq: Int, isTyped: Bool = false) {
    own.insert(value, seq: seq, isTyped: isTyped)
  }

  /// Moves values behind the others, all of which are older.
  mutating func take(_ values: inout ValueColumn) { own.take(&values) }

  /// The list with all of its texts in memory, each read and checked.
  func whole() throws(SnapshotFault) -> VersionList {
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
