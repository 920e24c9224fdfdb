import LedgerJSON

/// Where a value that a field has had lies in a snapshot.
struct VersionCell: ColumnElement {
  static let placeholder = VersionCell(seq: 1, textStart: 0, textCount: 0, typed: 0)

  var seq: UInt32
  /// The value's JSON text among those of all values.
  var textStart: UInt32
  var textCount: UInt32
  /// 1 where a person gave it.
  var typed: UInt32
}

/// The values of one field in a snapshot.
struct StoredVersions: Sendable {
  let cells: StoredColumn<VersionCell>
  let texts: StoredTexts

  var count: Int { cells.count }

  func version(_ index: Int) -> FieldVersion {
    let cell = cells.element(index)
    let text = texts.bytes(cell.textStart, cell.textCount)
    var value = JSONValue.null
    do throws(JSONError) {
      value = try JSONValue(parsing: text, rules: .log)
    } catch {
      texts.pages.distrust()
    }
    return FieldVersion(seq: Int(cell.seq), value: value, isTyped: cell.typed == 1)
  }

  func all() throws(SnapshotFault) -> [FieldVersion] {
    let versions = (0..<count).map { version($0) }
    if texts.pages.isBroken { throw SnapshotFault() }
    return versions
  }
}

/// Texts of any length, one behind the other over as many pages as they need.
struct StoredTexts: Sendable {
  let pages: SnapshotPages
  let firstPage: Int
  let count: Int

  static func pageCount(of count: Int) -> Int {
    (count + SnapshotPage.payloadBytes - 1) / SnapshotPage.payloadBytes
  }

  func bytes(_ start: UInt32, _ count: UInt32) -> [UInt8] {
    let (first, end) = (Int(start), Int(start) + Int(count))
    guard end <= self.count else {
      pages.distrust()
      return []
    }
    return pages.bytes(first..<end, fromPage: firstPage)
  }
}
