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
  func all() throws(SnapshotFault) -> [Element] { try elements(onPages: 0..<pageNumbers.count) }

  /// The elements on these pages of the column; checks the pages and every element.
  func elements(onPages places: Range<Int>) throws(SnapshotFault) -> [Element] {
    let first = places.lowerBound * Self.perPage
    var elements: [Element] = []
    elements.reserveLarge(min(count - first, places.count * Self.perPage))
    var arePossible = true
    try pages.forEach(firstPage + places.lowerBound..<firstPage + places.upperBound) { payload in
      for place in 0..<min(Self.perPage, count - first - elements.count) {
        let element = Self.element(place, of: payload)
        arePossible = arePossible && element.isPossible(at: first + elements.count, in: bounds)
        elements.append(element)
      }
    }
    guard arePossible else { throw SnapshotFault() }
    return elements
  }

  /// Whether `isRight` returns true for each element of a part, which may be an impossible one.
  ///
  /// - Throws: if the page of the first element that is not right is broken.
  @inline(__always)
  func allSatisfy(
    in part: SnapshotPart, _ isRight: (Element) -> Bool
  ) throws(SnapshotFault) -> Bool {
    try allPagesSatisfy(part) { (payload, indices) in
      for place in 0..<indices.count where !isRight(Self.element(place, of: payload)) {
        return false
      }
      return true
    }
  }

  /// Whether these elements have the same bytes as a part. Elements initialize their padding.
  ///
  /// - Parameters:
  ///   - elements: of the whole column; may be longer.
  ///   - changed: by index, the elements that have changed since.
  /// - Throws: if the page of the first difference is broken.
  func hasBytes(
    of elements: [Element], except changed: [Int: Element], in part: SnapshotPart = .whole
  ) throws(SnapshotFault) -> Bool {
    guard elements.count >= count else { return false }
    return try elements.withUnsafeBufferPointer { elements throws(SnapshotFault) in
      let elements = UnsafeRawBufferPointer(elements)
      let stride = MemoryLayout<Element>.stride
      func hasBytes(_ bytes: UnsafeRawPointer, _ index: Int, count: Int) -> Bool {
        memcmp(bytes, elements.baseAddress! + index * stride, count * stride) == 0
      }
      return try allPagesSatisfy(part) { (payload, indices) in
        if hasBytes(payload.baseAddress!, indices.lowerBound, count: indices.count) { return true }
        return indices.allSatisfy { index in
          if let element = changed[index] {
            return withUnsafeBytes(of: element) { hasBytes($0.baseAddress!, index, count: 1) }
          }
          return hasBytes(
            payload.baseAddress! + (index - indices.lowerBound) * stride, index, count: 1)
        }
      }
    }
  }

  /// Whether `isRight` returns true for each page of a part, given the indices of its elements.
  ///
  /// - Throws: if the first page that is not right is broken.
  func allPagesSatisfy(
    _ part: SnapshotPart,
    _ isRight: (_ payload: UnsafeRawBufferPointer, _ indices: Range<Int>) -> Bool
  ) throws(SnapshotFault) -> Bool {
    let places = part.places(of: pageNumbers.count)
    var first = places.lowerBound * Self.perPage
    let pages = firstPage + places.lowerBound..<firstPage + places.upperBound
    return try self.pages.allSatisfy(pages) { payload in
      let next = min(first + Self.perPage, count)
      defer { first = next }
      return isRight(payload, first..<next)
    }
  }

  /// The element before a part; `nil` if the part is the first.
  func element(before part: SnapshotPart) -> Element? {
    let first = part.places(of: pageNumbers.count).lowerBound * Self.perPage
    return first > 0 ? element(first - 1) : nil
  }

  private var pageNumbers: Range<Int> { firstPage..<firstPage + Self.pageCount(of: count) }

  @inline(__always)
  static func element(_ place: Int, of payload: UnsafeRawBufferPointer) -> Element {
    payload.loadUnaligned(
      fromByteOffset: place * MemoryLayout<Element>.stride, as: Element.self)
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

/// One of several equal parts of every column, each of whole pages. Rows and what is sorted by time lie
/// at about the same part of their columns, so a thread that compares one part of all columns has most
/// rows that it needs in its cache.
struct SnapshotPart: Sendable {
  var index: Int
  var count: Int

  static let whole = SnapshotPart(index: 0, count: 1)

  var isLast: Bool { index == count - 1 }

  static func all(_ count: Int) -> [SnapshotPart] {
    (0..<count).map { SnapshotPart(index: $0, count: count) }
  }

  func places(of total: Int) -> Range<Int> {
    total * index / count..<total * (index + 1) / count
  }
}
