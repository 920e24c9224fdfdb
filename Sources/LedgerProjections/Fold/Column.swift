package import LedgerLog
import LedgerModel
import LedgerPlatform

/// What can stand in a column: plain bytes, so that it can lie in a snapshot.
public protocol ColumnElement: BitwiseCopyable, Sendable {
  /// What is given for an element whose page is not whole: something that no fold and no view stops
  /// at, since whoever asked learns only afterwards that nothing of it counts.
  static var placeholder: Self { get }

  /// Whether a snapshot with these bounds can hold the element at this index of its column. Its values
  /// are then safe as indices and in conversions.
  func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool
}

/// The ranges of the values that a snapshot can hold. Page sums detect accidents only; a value that was
/// changed on purpose must not trap.
public struct SnapshotBounds: Sendable {
  var lastSeq: UInt32
  /// The smallest seq in a column of seqs; 0 where that stands for none.
  var leastSeq: UInt32 = 1
  var rowCount: UInt32
  var changeCount: UInt32
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
  /// A seq: the first there is.
  public static var placeholder: UInt32 { 1 }

  public func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
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

/// One column of the state. What a snapshot holds of it is read page by page when it is asked for;
/// over that lies what has changed since, and behind it what came since. A column that was folded
/// from line 1, or read whole, is a plain array.
public struct Column<Element: ColumnElement>: RandomAccessCollection, Sendable {
  private var stored: StoredColumn<Element>?
  private let storedCount: Int
  /// Elements of the stored part that are no longer what the snapshot says.
  private var changed: [Int: Element] = [:]
  /// The elements behind the stored part: all of them in a column that is whole.
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

  public var startIndex: Int { 0 }
  public var endIndex: Int { storedCount + own.count }

  public internal(set) subscript(index: Int) -> Element {
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

  /// What is wanted of one element, without a copy of all of it.
  ///
  /// - Returns: `fallback` where there is no such element.
  @inline(__always)
  func pick<Value>(_ index: Int, or fallback: Value, _ value: (Element) -> Value) -> Value {
    let place = index &- storedCount
    if place >= 0, place < own.count { return value(own[place]) }
    return index >= 0 && index < storedCount ? value(storedElement(index)) : fallback
  }

  @inline(never)
  private func storedElement(_ index: Int) -> Element {
    precondition(index >= 0, "an index is never negative")
    return changed[index] ?? stored!.element(index)
  }

  /// How many elements lie in the snapshot.
  var countInSnapshot: Int { storedCount }

  /// Which elements of the snapshot have changed.
  var changedInSnapshot: Dictionary<Int, Element>.Keys { changed.keys }

  mutating func append(_ element: Element) { own.append(element) }

  /// Moves elements behind the others; where there are none yet, without touching them.
  mutating func take(_ elements: inout [Element]) {
    if storedCount == 0, own.isEmpty {
      swap(&own, &elements)
    } else {
      own.append(contentsOf: elements)
    }
    elements = []
  }

  /// Grows by copies of an element.
  mutating func extend(to count: Int, with element: Element) {
    let missing = count - self.count
    guard missing > 0 else { return }
    if own.isEmpty { own.reserveLarge(missing) }
    own.append(contentsOf: repeatElement(element, count: missing))
  }

  /// - Precondition: not among what the snapshot holds.
  mutating func insert(_ element: Element, at index: Int) {
    own.insert(element, at: index - storedCount)
  }

  /// The column as a plain array, all of its pages read and checked.
  func whole() throws(SnapshotFault) -> Column {
    guard let stored else { return self }
    var elements = try stored.all()
    for (index, element) in changed { elements[index] = element }
    elements.append(contentsOf: own)
    return Column(elements)
  }

  /// Whether the elements are byte for byte those of a plain array. Elements write their padding.
  func hasBytes(of other: Column) throws(SnapshotFault) -> Bool {
    precondition(other.stored == nil, "compared with what is whole")
    guard count == other.count else { return false }
    if let stored, try !stored.hasBytes(of: other.own, except: changed) { return false }
    return own.withUnsafeBytes { bytes in
      other.own.withUnsafeBytes { others in
        bytes.isEmpty
          || memcmp(
            bytes.baseAddress!, others.baseAddress! + others.count - bytes.count, bytes.count) == 0
      }
    }
  }

  /// Gives each stretch of memory that elements lie in, in order.
  ///
  /// - Precondition: a plain array.
  func withElements<Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(stored == nil, "only what is whole lies in one stretch")
    try own.withUnsafeBufferPointer { elements throws(Failure) in
      try body(UnsafeRawBufferPointer(elements))
    }
  }
}

extension Array {
  /// Makes room for many elements, in large pages where the system has them: a page that is touched
  /// for the first time costs a fault, and a column of a million rows has fifteen thousand small ones.
  mutating func reserveLarge(_ count: Int) {
    reserveCapacity(count)
    #if os(Linux)
      let bytes = capacity * MemoryLayout<Element>.stride
      guard bytes >= 2 << 20 else { return }
      // Small pages: a large one may reach over the end of this column into the next.
      let page = Int(getpagesize())
      withUnsafeMutableBytes { elements in
        guard let start = elements.baseAddress else { return }
        // Only advice, and only on pages that are wholly the column's.
        let first = (Int(bitPattern: start) + page - 1) & ~(page - 1)
        let end = (Int(bitPattern: start) + bytes) & ~(page - 1)
        guard end > first else { return }
        _ = madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, MADV_HUGEPAGE)
      }
    #endif
  }
}
