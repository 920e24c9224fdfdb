import LedgerJSON

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
