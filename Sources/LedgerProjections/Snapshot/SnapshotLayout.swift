import LedgerJSON
import LedgerLog
import LedgerModel

/// What lies where in a snapshot, as its first page says.
///
/// Page 0 holds one JSON object; behind it come the sections: columns, and texts of which `front` is
/// all of the state that is no long column.
struct SnapshotLayout: Sendable {
  /// Another number for another form of the file, or another meaning of any event: what an older
  /// program has folded is then folded again.
  static let format = 5
  static let name = "ledger views"

  static let front = "front"
  static let rows = "rows"
  static let bound = "bound"
  static let changes = "changes"
  static let cells = "edits"
  static let values = "values"
  static let byID = "by_id"
  static let byDay = "by_day"
  static let mentions = "mentions"
  static let blocks = "blocks"
  static func versions(_ field: ProfileField) -> String { "versions.\(field.rawValue)" }
  static func edits(_ subject: ProfileSubject) -> String { "edits.\(subject.rawValue)" }

  struct Section: Hashable, Sendable {
    var firstPage: Int
    /// Elements of a column, bytes of a text.
    var count: Int
    /// Bytes an element; 1 for a text.
    var stride: Int

    /// Whether it lies after the first page and within a file of this length.
    func fits(fileBytes: Int) -> Bool {
      guard (1...SnapshotPage.payloadBytes).contains(stride), firstPage >= 1 else { return false }
      let perPage = SnapshotPage.payloadBytes / stride
      let pageCount = (count + perPage - 1) / perPage
      return pageCount == 0 || firstPage + pageCount <= fileBytes / SnapshotPage.bytes
    }
  }

  let pages: SnapshotPages
  let sections: [String: Section]
  let bounds: SnapshotBounds

  init(pages: SnapshotPages, _ header: SnapshotHeader) {
    self.pages = pages
    sections = header.sections
    bounds = SnapshotBounds(
      lastSeq: UInt32(clamping: header.position.seq),
      rowCount: UInt32(clamping: sections[Self.rows]?.count ?? 0),
      changeCount: UInt32(clamping: sections[Self.changes]?.count ?? 0),
      offsetBytes: Int64(header.offsetBytes))
  }

  /// - Parameter leastSeq: in a column of seqs, 0 where that stands for none.
  func column<Element>(
    _ name: String, of type: Element.Type, leastSeq: UInt32 = 1
  ) throws(SnapshotFault) -> StoredColumn<Element> {
    guard let section = sections[name], section.stride == MemoryLayout<Element>.stride else {
      throw SnapshotFault()
    }
    var bounds = bounds
    bounds.leastSeq = leastSeq
    return StoredColumn(
      pages: pages, firstPage: section.firstPage, count: section.count, bounds: bounds)
  }

  func texts(_ name: String) throws(SnapshotFault) -> StoredTexts {
    guard let section = sections[name], section.stride == 1 else { throw SnapshotFault() }
    return StoredTexts(pages: pages, firstPage: section.firstPage, count: section.count)
  }
}

/// The first page: what the snapshot is of, and where its sections lie.
struct SnapshotHeader: Hashable, Sendable {
  /// The last event folded into it.
  var position: ChainPosition
  /// Where the next line begins in the log.
  var offsetBytes: Int
  /// Chosen anew for each snapshot: what its pages' sums are made with, all but the first page's.
  var seed: UInt64
  var sections: [String: SnapshotLayout.Section]

  /// Page 0 has no seed yet to be checked with.
  static let firstSeed: UInt64 = 0

  var json: JSONObject {
    var places = JSONObject()
    // Empty sections begin where the next ones do.
    let inOrder = sections.sorted { ($0.value.firstPage, $0.key) < ($1.value.firstPage, $1.key) }
    for (name, section) in inOrder {
      places[name] = .array(
        [section.firstPage, section.count, section.stride].map { JSONValue($0) })
    }
    return [
      "what": .string(SnapshotLayout.name), "format": JSONValue(SnapshotLayout.format),
      // A machine that puts a word's bytes in another order reads another number here.
      "word": .string(String(UInt64(0x0102_0304_0506_0708).littleEndian, radix: 16)),
      "seq": JSONValue(position.seq), "offset": JSONValue(offsetBytes),
      "hash": .string(position.hash.description), "seed": .string(String(seed, radix: 16)),
      "sections": .object(places),
    ]
  }

  /// - Returns: `nil` for anything that this program would not have written.
  init?(payload: [UInt8]) {
    let text = payload.prefix { $0 != 0 }
    guard let object = (try? JSONValue(parsing: Array(text)))?.object,
      object["what"]?.string == SnapshotLayout.name,
      object["format"]?.integer == SnapshotLayout.format,
      object["word"]?.string == String(UInt64(0x0102_0304_0506_0708).littleEndian, radix: 16),
      let seq = object["seq"]?.integer, seq > 0,
      let offset = object["offset"]?.integer, offset > 0,
      let hash = object["hash"]?.string.flatMap({ ChainHash(Array($0.utf8)) }),
      let seed = object["seed"]?.string.flatMap({ UInt64($0, radix: 16) }),
      let places = object["sections"]?.object
    else { return nil }
    position = ChainPosition(seq: seq, hash: hash)
    offsetBytes = offset
    self.seed = seed
    sections = [:]
    for place in places.members {
      guard let numbers = place.value.array?.compactMap(\.integer), numbers.count == 3,
        numbers.allSatisfy({ $0 >= 0 && $0 <= Int(Int32.max) })
      else { return nil }
      sections[place.name] = .init(firstPage: numbers[0], count: numbers[1], stride: numbers[2])
    }
  }

  init(
    position: ChainPosition, offsetBytes: Int, seed: UInt64,
    sections: [String: SnapshotLayout.Section]
  ) {
    self.position = position
    self.offsetBytes = offsetBytes
    self.seed = seed
    self.sections = sections
  }
}
