import LedgerJSON
import LedgerLog
import LedgerPlatform
import Synchronization

/// Where the sections of a snapshot are, according to its first page.
///
/// Page 0 holds one JSON object. After it come the sections: columns, and texts. The text `front`
/// holds all of the state that is not a long column.
struct SnapshotLayout: Sendable {
  /// To be raised when the file's layout or the meaning of any event changes, so that snapshots of
  /// older programs are not used.
  static let format = 14
  static let name = "ledger views"

  static let front = "front"
  static let rows = "rows"
  static let bound = "bound"
  static let changes = "changes"
  static let sleep = "sleep"
  static let cells = "edits"
  static let editStates = "edit_states"
  static let values = "values"
  static let byID = "by_id"
  static let byDay = "by_day"
  static let mentions = "mentions"
  static let blocks = "blocks"
  static let blockSummaries = "block_summaries"
  static func versions(_ field: ProfileField) -> String { "versions.\(field.rawValue)" }
  static func edits(_ subject: ProfileSubject) -> String { "edits.\(subject.rawValue)" }

  struct Section: Hashable, Sendable {
    var firstPage: Int
    /// Elements of a column, bytes of a text.
    var count: Int
    /// Bytes per element; 1 for a text.
    var stride: Int

    /// Whether it is after the first page and within a file of this length.
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
      sleepCount: UInt32(clamping: sections[Self.sleep]?.count ?? 0),
      offsetBytes: Int64(header.offsetBytes))
  }

  /// - Parameter leastSeq: in a column of seqs, 0 if that means none.
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

/// The first page: which log and event the snapshot belongs to, and where its sections are.
struct SnapshotHeader: Hashable, Sendable {
  /// The last event folded into it.
  var position: ChainPosition
  /// The start of the next line in the log.
  var offsetBytes: Int
  /// Random per snapshot; part of the sums of all pages but the first.
  var seed: UInt64
  var sections: [String: SnapshotLayout.Section]

  /// The seed of page 0, which is checked before the seed is known.
  static let firstSeed: UInt64 = 0

  var json: JSONObject {
    var places = JSONObject()
    // An empty section starts on the same page as the next one.
    let inOrder = sections.sorted { ($0.value.firstPage, $0.key) < ($1.value.firstPage, $1.key) }
    for (name, section) in inOrder {
      places[name] = .array(
        [section.firstPage, section.count, section.stride].map { JSONValue($0) })
    }
    return [
      "what": .string(SnapshotLayout.name), "format": JSONValue(SnapshotLayout.format),
      // Differs on a machine with another byte order.
      "word": .string(String(UInt64(0x0102_0304_0506_0708).littleEndian, radix: 16)),
      "seq": JSONValue(position.seq), "offset": JSONValue(offsetBytes),
      "hash": .string(position.hash.description), "seed": .string(String(seed, radix: 16)),
      "sections": .object(places),
    ]
  }

  /// - Returns: `nil` for anything that this program does not write.
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

/// The pages of a snapshot, read and checked on demand.
///
/// Elements of a page that cannot be read, or whose sum is wrong, are replaced by harmless
/// placeholders, and ``isBroken`` becomes true: no answer from this snapshot counts. So the fold and
/// the views need not know that their columns may be in a file.
final class SnapshotPages: Sendable {
  private let file: OpenFile
  private let seed: UInt64
  private let cache = Mutex(Cache())

  private struct Cache {
    var pages: [Int: [UInt8]] = [:]
    var broken: Set<Int> = []
    var isBroken = false
  }

  init(_ file: OpenFile, seed: UInt64) {
    self.file = file
    self.seed = seed
  }

  /// The identity of the open file, which may have lost its name.
  var identity: FileIdentity? { try? file.identity() }

  /// Whether a page or an element that was read is not what was written.
  var isBroken: Bool { cache.withLock { $0.isBroken } }

  /// Reports an impossible element on a page with a right sum.
  func distrust() { cache.withLock { $0.isBroken = true } }

  /// A value on a page; `nil` if the page is broken.
  ///
  /// - Precondition: it ends before the page's sum.
  func value<Value: BitwiseCopyable & Sendable>(
    _ type: Value.Type, onPage number: Int, at offset: Int
  ) -> Value? {
    precondition(offset + MemoryLayout<Value>.size <= SnapshotPage.payloadBytes)
    return cache.withLock { cache in
      let page = page(number, &cache)
      if cache.isBroken, cache.broken.contains(number) { return nil }
      return page.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
  }

  /// The payload of a page; `nil` if it is broken.
  func bytes(ofPage number: Int) -> [UInt8]? {
    let bytes = bytes(0..<SnapshotPage.payloadBytes, fromPage: number)
    return isBroken ? nil : bytes
  }

  /// Bytes of consecutive pages' payloads, counted from the first page's start.
  func bytes(_ range: Range<Int>, fromPage first: Int) -> [UInt8] {
    cache.withLock { cache in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(range.count)
      var offset = range.lowerBound
      while offset < range.upperBound {
        let (number, start) = offset.quotientAndRemainder(dividingBy: SnapshotPage.payloadBytes)
        let end = min(SnapshotPage.payloadBytes, start + range.upperBound - offset)
        bytes.append(contentsOf: page(first + number, &cache)[start..<end])
        offset += end - start
      }
      return bytes
    }
  }

  private func page(_ number: Int, _ cache: inout Cache) -> [UInt8] {
    if let page = cache.pages[number] { return page }
    var page = [UInt8](repeating: 0, count: SnapshotPage.bytes)
    let isWhole = page.withUnsafeMutableBytes { buffer in
      read(buffer, at: number)
        && SnapshotPage.isWhole(UnsafeRawBufferPointer(buffer), number: number, seed: seed)
    }
    if !isWhole {
      page = [UInt8](repeating: 0, count: SnapshotPage.bytes)
      cache.isBroken = true
      cache.broken.insert(number)
    }
    cache.pages[number] = page
    return page
  }

  private func read(_ buffer: UnsafeMutableRawBufferPointer, at number: Int) -> Bool {
    do throws(IOFailure) {
      return try file.read(into: buffer, at: number * SnapshotPage.bytes) == buffer.count
    } catch {
      return false
    }
  }

  /// Calls `body` with the payload of each of these pages, and checks their sums.
  func forEach(
    _ numbers: Range<Int>, _ body: (_ payload: UnsafeRawBufferPointer) -> Void
  ) throws(SnapshotFault) {
    try readPages(numbers) { (page, number) throws(SnapshotFault) in
      guard SnapshotPage.isWhole(page, number: number, seed: seed) else { throw SnapshotFault() }
      body(SnapshotPage.payload(page))
      return true
    }
  }

  /// Whether the payloads of these pages are right, up to the first that is not. That one's sum is
  /// checked; a page that has the right payload needs none.
  func allSatisfy(
    _ numbers: Range<Int>, _ isRight: (_ payload: UnsafeRawBufferPointer) -> Bool
  ) throws(SnapshotFault) -> Bool {
    var areRight = true
    try readPages(numbers) { (page, number) throws(SnapshotFault) in
      areRight = isRight(SnapshotPage.payload(page))
      guard areRight || SnapshotPage.isWhole(page, number: number, seed: seed) else {
        throw SnapshotFault()
      }
      return areRight
    }
    return areRight
  }

  /// Reads consecutive pages, many at once, until `body` returns false.
  private func readPages(
    _ numbers: Range<Int>,
    _ body: (_ page: UnsafeRawBufferPointer, _ number: Int) throws(SnapshotFault) -> Bool
  ) throws(SnapshotFault) {
    // As many as stay in a core's cache until they are compared.
    let atOnce = min(64, max(1, numbers.count))
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: atOnce * SnapshotPage.bytes, alignment: 64)
    defer { buffer.deallocate() }
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      let count = min(atOnce, numbers.upperBound - number)
      let window = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<(count * SnapshotPage.bytes)])
      guard read(window, at: number) else { throw SnapshotFault() }
      for index in 0..<count {
        let start = index * SnapshotPage.bytes
        let page = UnsafeRawBufferPointer(rebasing: window[start..<start + SnapshotPage.bytes])
        guard try body(page, number + index) else { return }
      }
      number += count
    }
  }
}

/// The unit in which a snapshot is read and checked: a payload and a sum over it.
///
/// The sum detects accidents (torn writes, flipped bits, pages of another file), not forgery, which
/// ``SnapshotAudit`` finds.
enum SnapshotPage {
  static let bytes = 4096
  static let payloadBytes = bytes - 8

  /// - Parameter seed: random per snapshot, so that a page of an older one does not pass.
  static func sum(_ page: UnsafeRawBufferPointer, number: Int, seed: UInt64) -> UInt64 {
    let span = page.bytes
    let start = seed ^ UInt64(truncatingIfNeeded: number) &* first
    // Four numbers, not a vector: most vector units have no product of 64-bit numbers.
    var (a, b, c, d) = (start ^ first, start ^ second, start ^ third, start ^ fourth)
    var offset = 0
    while offset + 32 <= payloadBytes {
      a = step(a, span.uncheckedWord(offset))
      b = step(b, span.uncheckedWord(offset + 8))
      c = step(c, span.uncheckedWord(offset + 16))
      d = step(d, span.uncheckedWord(offset + 24))
      offset += 32
    }
    while offset < payloadBytes {
      a = step(a, span.uncheckedWord(offset))
      offset += 8
    }
    return step(step(step(a, b), c), d)
  }

  /// A bijection of the word and of the sum: any change of a single word changes the sum.
  @inline(__always)
  private static func step(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    let mixed = (sum ^ word) &* first
    return mixed ^ (mixed >> 29)
  }

  // Odd constants: the fractions of the square roots of 2, 3, 5 and 7.
  private static let first: UInt64 = 0x6A09_E667_F3BC_C909
  private static let second: UInt64 = 0xBB67_AE85_84CA_A73B
  private static let third: UInt64 = 0x3C6E_F372_FE94_F82B
  private static let fourth: UInt64 = 0xA54F_F53A_5F1D_36F1

  static func payload(_ page: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: page[..<payloadBytes])
  }

  static func isWhole(_ page: UnsafeRawBufferPointer, number: Int, seed: UInt64) -> Bool {
    page.count == bytes
      && page.bytes.uncheckedWord(payloadBytes) == sum(page, number: number, seed: seed)
  }

  /// Writes the sum after the payload.
  static func seal(_ page: UnsafeMutableRawBufferPointer, number: Int, seed: UInt64) {
    let sum = sum(UnsafeRawBufferPointer(page), number: number, seed: seed)
    page.storeBytes(of: sum.littleEndian, toByteOffset: payloadBytes, as: UInt64.self)
  }
}

/// A snapshot is not as it was written. Not reported to users: the log is folded instead.
struct SnapshotFault: Error {}
