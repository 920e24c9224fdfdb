import LedgerJSON
import LedgerPlatform

/// A column in a snapshot. No element crosses a page boundary.
struct StoredColumn<Element: ColumnElement>: Sendable {
  let pages: SnapshotPages
  let firstPage: Int
  let count: Int
  let bounds: SnapshotBounds

  static var perPage: Int { SnapshotPage.payloadBytes / MemoryLayout<Element>.stride }

  static func pageCount(of count: Int) -> Int { (count + perPage - 1) / perPage }

  func element(_ index: Int) -> Element {
    precondition(index < count, "index out of range")
    let (page, place) = index.quotientAndRemainder(dividingBy: Self.perPage)
    let offset = place * MemoryLayout<Element>.stride
    guard let element = pages.value(Element.self, onPage: firstPage + page, at: offset) else {
      return .placeholder
    }
    guard element.isPossible(at: index, in: bounds) else {
      pages.distrust()
      return .placeholder
    }
    return element
  }

  /// All elements; checks every page and every element.
  func all() throws(SnapshotFault) -> [Element] {
    var elements: [Element] = []
    elements.reserveLarge(count)
    _ = try allSatisfy { element in
      elements.append(element)
      return true
    }
    return elements
  }

  /// Calls `isRight` with each element; checks every page and every element.
  func allSatisfy(_ isRight: (Element) -> Bool) throws(SnapshotFault) -> Bool {
    var arePossible = true
    var areRight = true
    try forEachPage { (payload, indices) in
      for index in indices where arePossible && areRight {
        let element = payload.loadUnaligned(
          fromByteOffset: (index - indices.lowerBound) * MemoryLayout<Element>.stride,
          as: Element.self)
        arePossible = element.isPossible(at: index, in: bounds)
        areRight = arePossible && isRight(element)
      }
    }
    if !arePossible { throw SnapshotFault() }
    return areRight
  }

  /// Whether these elements have the same bytes; checks every page. Elements initialize their padding.
  ///
  /// - Parameters:
  ///   - elements: may be longer.
  ///   - changed: by index, the elements that have changed since.
  func hasBytes(
    of elements: [Element], except changed: [Int: Element]
  ) throws(SnapshotFault) -> Bool {
    guard elements.count >= count else { return false }
    var isSame = true
    try elements.withUnsafeBufferPointer { elements throws(SnapshotFault) in
      let elements = UnsafeRawBufferPointer(elements)
      let stride = MemoryLayout<Element>.stride
      func hasBytes(_ bytes: UnsafeRawPointer, _ index: Int, count: Int) -> Bool {
        memcmp(bytes, elements.baseAddress! + index * stride, count * stride) == 0
      }
      try forEachPage { (payload, indices) in
        guard isSame, !hasBytes(payload.baseAddress!, indices.lowerBound, count: indices.count)
        else { return }
        isSame = indices.allSatisfy { index in
          if let element = changed[index] {
            return withUnsafeBytes(of: element) { hasBytes($0.baseAddress!, index, count: 1) }
          }
          return hasBytes(
            payload.baseAddress! + (index - indices.lowerBound) * stride, index, count: 1)
        }
      }
    }
    return isSame
  }

  private func forEachPage(
    _ body: (_ payload: UnsafeRawBufferPointer, _ indices: Range<Int>) -> Void
  ) throws(SnapshotFault) {
    var first = 0
    try pages.forEach(firstPage..<firstPage + Self.pageCount(of: count)) { payload in
      let next = min(first + Self.perPage, count)
      body(payload, first..<next)
      first = next
    }
  }

  /// The first index whose element is not before something, by binary search.
  ///
  /// - Parameter isBefore: true for all elements up to some index, false after it.
  func firstIndex(notBefore isBefore: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(element(middle)) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The values of one field in a snapshot.
struct StoredVersions: Sendable {
  let cells: StoredColumn<VersionCell>
  let texts: StoredTexts

  var count: Int { cells.count }
}

/// Concatenated texts over as many pages as they need.
struct StoredTexts: Sendable {
  let pages: SnapshotPages
  let firstPage: Int
  let count: Int

  /// The value of a cell. Text that is no JSON marks the snapshot as broken.
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
