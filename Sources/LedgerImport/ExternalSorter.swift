import LedgerPlatform
import Synchronization

/// A record that can be sorted and written to a file as it is in memory.
protocol SortedRecord: BitwiseCopyable, Sendable {
  static func isBefore(_ left: Self, _ right: Self) -> Bool
}

/// Sorts any number of records in bounded memory: beyond it, sorted runs go to an unnamed temporary
/// file. A run is sorted and written on another thread while the next one fills.
final class ExternalSorter<Record: SortedRecord> {
  private let capacity: Int
  private var held: [Record] = []
  /// The runs in the file, as ranges of record indices.
  private var runs: [Range<Int>] = []
  private var file: OpenFile?
  private let run = Run<Record>()
  private var writing: BackgroundWork<Result<Void, ImportError>>?

  /// - Parameter capacity: records in a run; twice as many are held in memory.
  init(capacity: Int) { self.capacity = max(1, capacity) }

  deinit { _ = writing?.wait() }

  var isEmpty: Bool { held.isEmpty && runs.isEmpty }

  func append(_ record: Record) throws(ImportError) {
    if held.isEmpty { held.reserveCapacity(min(capacity, 65_536)) }
    held.append(record)
    if held.count == capacity { try spill() }
  }

  /// Calls `body` with all records in order. Call it once.
  func visit(_ body: (Record) throws(ImportError) -> Void) throws(ImportError) {
    guard !runs.isEmpty else {
      held.sort(by: Record.isBefore)
      for record in held { try body(record) }
      held = []
      return
    }
    try spill()
    try finishRun()
    held = []
    guard let file else { return }
    var merge = RunMerge<Record>(
      try runs.map { range throws(ImportError) in
        try RunReader(file: file, rest: range)
      })
    while let record = try merge.next() { try body(record) }
  }

  /// All records in order, for random access. Call it once.
  func sorted() throws(ImportError) -> SortedRecords<Record> {
    guard !runs.isEmpty else {
      held.sort(by: Record.isBefore)
      defer { held = [] }
      return SortedRecords(held: held)
    }
    let target = try temporaryFile { () throws(IOFailure) in try OpenFile.makeTemporary() }
    var piece: [Record] = []
    var count = 0
    func flush() throws(ImportError) {
      try temporaryFile { () throws(IOFailure) in try target.write(piece, at: count) }
      count += piece.count
      piece.removeAll(keepingCapacity: true)
    }
    try visit { record throws(ImportError) in
      piece.append(record)
      if piece.count == 16_384 { try flush() }
    }
    try flush()
    return SortedRecords(file: target, count: count)
  }

  private func spill() throws(ImportError) {
    guard !held.isEmpty else { return }
    try finishRun()
    let start = runs.last?.upperBound ?? 0
    runs.append(start..<start + held.count)
    let file =
      if let file { file } else {
        try temporaryFile { () throws(IOFailure) in try OpenFile.makeTemporary() }
      }
    self.file = file
    run.records.withLock { swap(&$0, &held) }
    writing = Threads.begin { [run] in run.sortAndWrite(to: file, at: start) }
  }

  /// Waits for the run that is being written.
  private func finishRun() throws(ImportError) {
    guard let writing else { return }
    self.writing = nil
    try writing.wait().get()
  }
}

/// The records of a run on their way to the file; empty when they are written.
private final class Run<Record: SortedRecord>: Sendable {
  let records = Mutex<[Record]>([])

  func sortAndWrite(to file: OpenFile, at start: Int) -> Result<Void, ImportError> {
    Result { () throws(ImportError) in
      try records.withLock { records throws(ImportError) in
        records.sort(by: Record.isBefore)
        try temporaryFile { () throws(IOFailure) in try file.write(records, at: start) }
        records.removeAll(keepingCapacity: true)
      }
    }
  }
}

/// Merges sorted runs by a tree of losers: a record costs one comparison a level, however many runs
/// there are.
private struct RunMerge<Record: SortedRecord> {
  private var readers: [RunReader<Record>]
  /// At 0 the run with the least record; else the run that lost at this node. The parent of node `n`
  /// is `n / 2`, and the leaf of run `i` is `readers.count + i`.
  private var tree: [Int]

  init(_ readers: [RunReader<Record>]) {
    self.readers = readers
    let count = readers.count
    tree = [Int](repeating: 0, count: count)
    var winners = [Int](repeating: 0, count: count) + Array(0..<count)
    for node in stride(from: count - 1, to: 0, by: -1) {
      let (left, right) = (winners[2 * node], winners[2 * node + 1])
      let isLeft = wins(left, over: right)
      (winners[node], tree[node]) = isLeft ? (left, right) : (right, left)
    }
    tree[0] = count > 1 ? winners[1] : 0
  }

  /// The least record that is left; `nil` at the end.
  mutating func next() throws(ImportError) -> Record? {
    var winner = tree[0]
    guard let record = readers[winner].current else { return nil }
    try readers[winner].advance()
    var node = (readers.count + winner) / 2
    while node > 0 {
      if wins(tree[node], over: winner) { swap(&tree[node], &winner) }
      node /= 2
    }
    tree[0] = winner
    return record
  }

  private func wins(_ left: Int, over right: Int) -> Bool {
    guard let first = readers[left].current else { return false }
    guard let second = readers[right].current else { return true }
    return Record.isBefore(first, second)
  }
}

/// Records in order, in memory or in a temporary file.
struct SortedRecords<Record: SortedRecord>: Sendable {
  private var held: [Record] = []
  private var file: OpenFile?
  let count: Int

  init(held: [Record]) {
    self.held = held
    count = held.count
  }

  fileprivate init(file: OpenFile, count: Int) {
    (self.file, self.count) = (file, count)
  }

  func record(_ index: Int) throws(ImportError) -> Record {
    guard let file else { return held[index] }
    return try temporaryFile { () throws(IOFailure) in try file.records(index..<index + 1)[0] }
  }

  /// The records in order.
  func cursor(pieceRecords: Int = 4096) -> Cursor {
    Cursor(rest: 0..<count, records: self, pieceRecords: pieceRecords)
  }

  struct Cursor {
    fileprivate var rest: Range<Int>
    fileprivate let records: SortedRecords
    fileprivate let pieceRecords: Int
    private var piece: [Record] = []
    private var place = 0

    fileprivate init(rest: Range<Int>, records: SortedRecords, pieceRecords: Int) {
      (self.rest, self.records, self.pieceRecords) = (rest, records, pieceRecords)
    }

    /// The next record, which stays the next one; `nil` at the end.
    mutating func peek() throws(ImportError) -> Record? {
      if place < piece.count { return piece[place] }
      guard !rest.isEmpty else { return nil }
      let taken = rest.prefix(pieceRecords)
      if let file = records.file {
        piece = try temporaryFile { () throws(IOFailure) in try file.records(taken) }
      } else {
        piece = Array(records.held[taken])
      }
      place = 0
      rest = taken.upperBound..<rest.upperBound
      return piece[0]
    }

    mutating func advance() { place += 1 }
  }
}

/// Records in the order in which they were appended; beyond a number, in an unnamed temporary file.
struct RecordSpool<Record: SortedRecord>: Sendable {
  private static var heldAtMost: Int { 50_000 }

  private var held: [Record] = []
  private var file: OpenFile?
  private var filedCount = 0

  var isEmpty: Bool { held.isEmpty && filedCount == 0 }

  mutating func append(_ record: Record) throws(ImportError) {
    held.append(record)
    guard held.count == Self.heldAtMost else { return }
    try temporaryFile { () throws(IOFailure) in
      let file = if let file { file } else { try OpenFile.makeTemporary() }
      self.file = file
      try file.write(held, at: filedCount)
    }
    filedCount += held.count
    held.removeAll(keepingCapacity: true)
  }

  func visit(_ body: (Record) throws(ImportError) -> Void) throws(ImportError) {
    if let file {
      var reader = try RunReader<Record>(file: file, rest: 0..<filedCount)
      while let record = reader.current {
        try body(record)
        try reader.advance()
      }
    }
    for record in held { try body(record) }
  }
}

/// Reads a part of a file in pieces.
private struct RunReader<Record: SortedRecord> {
  private let file: OpenFile
  private var rest: Range<Int>
  private var piece: [Record] = []
  private var place = 0
  /// The next record; `nil` at the end.
  private(set) var current: Record?

  private static var pieceRecords: Int { 2048 }

  init(file: OpenFile, rest: Range<Int>) throws(ImportError) {
    (self.file, self.rest) = (file, rest)
    try refill()
  }

  mutating func advance() throws(ImportError) {
    place += 1
    if place < piece.count { current = piece[place] } else { try refill() }
  }

  private mutating func refill() throws(ImportError) {
    let taken = rest.prefix(Self.pieceRecords)
    piece = try temporaryFile { () throws(IOFailure) in try file.records(taken) }
    rest = taken.upperBound..<rest.upperBound
    place = 0
    current = piece.first
  }
}

extension OpenFile {
  /// Reads records that ``write(_:at:)`` wrote.
  fileprivate func records<Record: SortedRecord>(
    _ range: Range<Int>
  ) throws(IOFailure) -> [Record] {
    let stride = MemoryLayout<Record>.stride
    var bytesRead = 0
    let records = try [Record](unsafeUninitializedCapacity: range.count) {
      (buffer, filled) throws(IOFailure) in
      bytesRead = try read(
        into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound * stride)
      filled = bytesRead / stride
    }
    guard bytesRead == range.count * stride else {
      throw IOFailure("read", path, errorNumber: EIO)
    }
    return records
  }

  /// - Parameter index: of the first record.
  fileprivate func write<Record: SortedRecord>(
    _ records: [Record], at index: Int
  ) throws(IOFailure) {
    try records.withUnsafeBufferPointer { records throws(IOFailure) in
      try write(UnsafeRawBufferPointer(records), at: index * MemoryLayout<Record>.stride)
    }
  }
}

/// Reports a failed operation on a temporary file.
func temporaryFile<Result>(_ body: () throws(IOFailure) -> Result) throws(ImportError) -> Result {
  do throws(IOFailure) {
    return try body()
  } catch {
    throw ImportError(
      .unreadable,
      "cannot \(error.operation == "open" ? "make" : error.operation) a temporary file for what is "
        + "imported: \(SystemError(error.errorNumber)); set TMPDIR to a folder with room")
  }
}
