import LedgerPlatform

/// A record that can be sorted and written to a file as it is in memory.
protocol SortedRecord: BitwiseCopyable, Sendable {
  static func isBefore(_ left: Self, _ right: Self) -> Bool
}

/// Sorts any number of records in bounded memory: sorted runs beyond it go to an unnamed temporary
/// file.
final class ExternalSorter<Record: SortedRecord> {
  private let capacity: Int
  private var held: [Record] = []
  /// The runs in the file, as ranges of record indices.
  private var runs: [Range<Int>] = []
  private var file: OpenFile?

  /// - Parameter capacity: records held in memory.
  init(capacity: Int) { self.capacity = max(1, capacity) }

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
    held = []
    guard let file else { return }
    var readers = runs.map { RunReader<Record>(file: file, rest: $0) }
    for index in readers.indices { try readers[index].refill() }
    // There are few runs, so a linear search for the least is enough.
    while true {
      var least: (index: Int, record: Record)?
      for index in readers.indices {
        guard let record = readers[index].current else { continue }
        if let found = least, !Record.isBefore(record, found.record) { continue }
        least = (index, record)
      }
      guard let least else { return }
      try readers[least.index].advance()
      try body(least.record)
    }
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
    held.sort(by: Record.isBefore)
    let start = runs.last?.upperBound ?? 0
    try temporaryFile { () throws(IOFailure) in
      let file = if let file { file } else { try OpenFile.makeTemporary() }
      self.file = file
      try file.write(held, at: start)
    }
    runs.append(start..<start + held.count)
    held.removeAll(keepingCapacity: true)
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

/// Reads one sorted run of a file in pieces.
private struct RunReader<Record: SortedRecord> {
  let file: OpenFile
  var rest: Range<Int>
  private var piece: [Record] = []
  private var next = 0

  private static var pieceRecords: Int { 4096 }

  init(file: OpenFile, rest: Range<Int>) {
    self.file = file
    self.rest = rest
  }

  var current: Record? { next < piece.count ? piece[next] : nil }

  mutating func advance() throws(ImportError) {
    next += 1
    if next == piece.count { try refill() }
  }

  mutating func refill() throws(ImportError) {
    let taken = rest.prefix(Self.pieceRecords)
    piece = try temporaryFile { () throws(IOFailure) in try file.records(taken) }
    rest = taken.upperBound..<rest.upperBound
    next = 0
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
        + "imported: \(systemReason(error.errorNumber)); set TMPDIR to a folder with room")
  }
}
