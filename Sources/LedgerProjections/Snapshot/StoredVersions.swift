import LedgerJSON

/// The values of one field in a snapshot.
struct StoredVersions: Sendable {
  let cells: StoredColumn<VersionCell>
  let texts: StoredTexts

  var count: Int { cells.count }
}

/// Texts of any length, one behind the other over as many pages as they need.
struct StoredTexts: Sendable {
  let pages: SnapshotPages
  let firstPage: Int
  let count: Int

  static func pageCount(of count: Int) -> Int {
    (count + SnapshotPage.payloadBytes - 1) / SnapshotPage.payloadBytes
  }

  /// The value whose text a cell names; where it is none, the snapshot is not believed any more.
  func value(_ cell: VersionCell) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: bytes(cell.textStart, cell.textCount), rules: .log)
    } catch {
      pages.distrust()
      return .null
    }
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
