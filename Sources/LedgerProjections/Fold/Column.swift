package import LedgerLog
import LedgerModel
import LedgerPlatform

/// An element of a column: plain bytes that a snapshot stores as they are.
package protocol ColumnElement: BitwiseCopyable, Sendable {
  /// The substitute for an element of a damaged page. Folds and views accept it; the caller learns
  /// of the damage afterwards and discards the result.
  static var placeholder: Self { get }

  /// Whether a snapshot with these bounds can hold the element at this index. Its values are then
  /// safe as indices and in conversions.
  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool
}

/// The value ranges of a snapshot. Page sums only detect accidents; a value changed on purpose must
/// not trap.
package struct SnapshotBounds: Sendable {
  var lastSeq: UInt32
  /// The smallest seq in a column of seqs; 0 if the column uses 0 for none.
  var leastSeq: UInt32 = 1
  var rowCount: UInt32
  var changeCount: UInt32
  var sleepCount: UInt32
  /// The log's length after the last event.
  var offsetBytes: Int64

  @inline(__always)
  func holdsSeq(_ seq: UInt32) -> Bool { seq &- 1 < lastSeq }

  @inline(__always)
  static func isDay(_ day: Int32) -> Bool {
    day >= CalendarDate.first.daysSince1970 && day <= CalendarDate.last.daysSince1970
  }
}

extension UInt32: ColumnElement {
  /// The first seq.
  package static var placeholder: UInt32 { 1 }

  package func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    self >= bounds.leastSeq && self <= bounds.lastSeq
  }
}

extension LineBlock: ColumnElement {
  package static let placeholder = LineBlock(
    startBytes: 0, earliestAt: 0, latestAt: 0, earliestID: 0, latestID: 0, firstSeq: 1, kinds: 0)

  package func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    bounds.holdsSeq(firstSeq) && startBytes >= 0 && startBytes < bounds.offsetBytes
  }
}

/// One column of the state: a snapshot's part, read page by page on demand, with the changes made to
/// it, followed by later elements. A column that was folded from line 1 or fully loaded is a plain
/// array.
package struct Column<Element: ColumnElement>: RandomAccessCollection, Sendable {
  private var stored: StoredColumn<Element>?
  private let storedCount: Int
  /// Elements of the stored part that differ from the snapshot.
  private var changed: [Int: Element] = [:]
  /// The elements after the stored part; all of them in a plain array.
  private(set) var own: [Element]

  init(_ elements: [Element] = []) {
    stored = nil
    storedCount = 0
    own = elements
  }

  init(_ stored: StoredColumn<Element>) {
    self.stored = stored
    storedCount = stored.count
    own = []
  }

  /// A column whose first elements are unknown: placeholders, which take no memory.
  init(unknown count: Int) {
    stored = nil
    storedCount = count
    own = []
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { storedCount + own.count }
  // The default is slow where it is not specialized, as in other modules.
  package var count: Int { endIndex }

  package internal(set) subscript(index: Int) -> Element {
    @inline(__always)
    get { index >= storedCount ? own[index &- storedCount] : storedElement(index) }
    @inline(__always)
    set {
      if index >= storedCount {
        own[index &- storedCount] = newValue
      } else {
        changed[index] = newValue
      }
    }
  }

  /// A part of one element, without copying the rest.
  ///
  /// - Returns: `fallback` if the index is out of range.
  @inline(__always)
  func pick<Value>(_ index: Int, or fallback: Value, _ value: (Element) -> Value) -> Value {
    let place = index &- storedCount
    if place >= 0, place < own.count { return value(own[place]) }
    return index >= 0 && index < storedCount ? value(storedElement(index)) : fallback
  }

  @inline(never)
  private func storedElement(_ index: Int) -> Element {
    precondition(index >= 0, "an index is never negative")
    return changed[index] ?? stored?.element(index) ?? .placeholder
  }

  var hasUnknown: Bool { stored == nil && storedCount > 0 }

  var countInSnapshot: Int { storedCount }

  var changedInSnapshot: Dictionary<Int, Element>.Keys { changed.keys }

  /// Appends elements by moving them; an empty column takes over the array.
  mutating func take(_ elements: inout [Element]) {
    // Appending nothing would copy an array that another state shares.
    guard !elements.isEmpty else { return }
    if storedCount == 0, own.isEmpty {
      swap(&own, &elements)
    } else {
      own.append(contentsOf: elements)
    }
    elements = []
  }

  mutating func extend(to count: Int, with element: Element) {
    let missing = count - self.count
    guard missing > 0 else { return }
    if own.isEmpty { own.reserveLarge(missing) }
    own.append(contentsOf: repeatElement(element, count: missing))
  }

  /// Inserts an element. In the snapshot's part this makes a plain array of the column.
  mutating func insert(_ element: Element, at index: Int) {
    if index < storedCount { self = Column(Array(self)) }
    own.insert(element, at: index - storedCount)
  }

  /// The column as a plain array, with all pages read and checked.
  func loaded() throws(SnapshotFault) -> Column {
    guard let stored else { return self }
    var elements = try stored.all()
    for (index, element) in changed { elements[index] = element }
    elements.append(contentsOf: own)
    return Column(elements)
  }

  /// Whether all bytes equal those of a plain array; elements initialize their padding.
  ///
  /// - Parameter part: the part of the snapshot to compare. What came after the snapshot is compared
  ///   with the last one.
  func hasBytes(
    of other: Column, in part: SnapshotPart = .whole
  ) throws(SnapshotFault) -> Bool {
    precondition(other.stored == nil, "the other column is a plain array")
    guard count == other.count else { return false }
    if let stored, try !stored.hasBytes(of: other.own, except: changed, in: part) { return false }
    guard part.isLast else { return true }
    return own.withUnsafeBytes { bytes in
      other.own.withUnsafeBytes { others in
        bytes.isEmpty
          || memcmp(
            bytes.baseAddress!, others.baseAddress! + others.count - bytes.count, bytes.count) == 0
      }
    }
  }

  /// Calls `body` with the memory of all elements.
  ///
  /// - Precondition: a plain array.
  func withElements<Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(stored == nil, "a plain array")
    try own.withUnsafeBufferPointer { elements throws(Failure) in
      try body(UnsafeRawBufferPointer(elements))
    }
  }
}

extension Array {
  /// Reserves capacity in huge pages where available: the first touch of each page is a fault, and
  /// a million rows take 10,000 small pages.
  mutating func reserveLarge(_ count: Int) {
    reserveCapacity(count)
    #if os(Linux)
      let bytes = capacity * MemoryLayout<Element>.stride
      guard bytes >= 2 << 20 else { return }
      // Rounded to small pages: a huge page may extend into the next column.
      let page = Int(getpagesize())
      withUnsafeMutableBytes { elements in
        guard let start = elements.baseAddress else { return }
        // Only pages that lie fully inside the column.
        let first = (Int(bitPattern: start) + page - 1) & ~(page - 1)
        let end = (Int(bitPattern: start) + bytes) & ~(page - 1)
        guard end > first else { return }
        _ = madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, MADV_HUGEPAGE)
      }
    #endif
  }
}
