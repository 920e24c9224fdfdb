/// A column as it lies in a snapshot: as many elements on a page as fit there.
struct StoredColumn<Element: ColumnElement>: Sendable {
  let pages: SnapshotPages
  let firstPage: Int
  let count: Int
  let bounds: SnapshotBounds

  static var perPage: Int { SnapshotPage.payloadBytes / MemoryLayout<Element>.stride }

  static func pageCount(of count: Int) -> Int { (count + perPage - 1) / perPage }

  func element(_ index: Int) -> Element {
    precondition(index < count, "the column is not so long")
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

  /// All elements, every page and every element checked.
  func all() throws(SnapshotFault) -> [Element] {
    var elements: [Element] = []
    elements.reserveLarge(count)
    var arePossible = true
    let last = firstPage + Self.pageCount(of: count)
    try pages.forEach(firstPage..<last) { payload in
      let wanted = min(Self.perPage, count - elements.count)
      for index in 0..<wanted {
        let element = payload.loadUnaligned(
          fromByteOffset: index * MemoryLayout<Element>.stride, as: Element.self)
        arePossible = element.isPossible(at: elements.count, in: bounds) && arePossible
        elements.append(element)
      }
    }
    if !arePossible { throw SnapshotFault() }
    return elements
  }

  /// Where an order of the elements has the first that is not before something.
  ///
  /// - Parameter isBefore: true up to some element, false from there on.
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
