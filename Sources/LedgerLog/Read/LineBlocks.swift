import LedgerJSON
package import LedgerModel

/// A summary of consecutive lines, with which a search skips those that cannot match.
///
/// An erasure invalidates only the offsets: an erased line keeps its `seq`, `id`, `at` and `type`.
package struct LineBlock: BitwiseCopyable, Hashable, Sendable {
  /// Approximate bytes of log per block: little to read for one line, and few blocks.
  package static let bytes = 1 << 16

  package var startBytes: Int64
  /// The smallest and the largest `at`, in milliseconds since 1970.
  package var earliestAt: Int64
  package var latestAt: Int64
  /// The smallest and the largest moment in an `id`; see ``moment(of:)``.
  package var earliestID: Int64
  package var latestID: Int64
  package var firstSeq: UInt32
  /// The event types that occur; see ``kinds(where:)``.
  package var kinds: UInt32

  package init(
    startBytes: Int64, earliestAt: Int64, latestAt: Int64, earliestID: Int64, latestID: Int64,
    firstSeq: UInt32, kinds: UInt32
  ) {
    self.startBytes = startBytes
    (self.earliestAt, self.latestAt) = (earliestAt, latestAt)
    (self.earliestID, self.latestID) = (earliestID, latestID)
    (self.firstSeq, self.kinds) = (firstSeq, kinds)
  }

  /// The milliseconds since 1970 at the start of a version 7 UUID (RFC 9562).
  @inline(__always)
  package static func moment(of id: LedgerUUID) -> Int64 { Int64(id.high >> 16) }

  /// The bit of a type. All types unknown to this version share one, and so do the rare types after
  /// the thirtieth.
  package static func kind(_ type: String) -> UInt32 {
    guard let kind = EventKind(rawValue: type) else { return unknownKind }
    return self.kind(kind)
  }

  fileprivate static func kind(_ kind: EventKind) -> UInt32 {
    EventKind.allCases.firstIndex(of: kind).map { 1 << UInt32(min($0, 30)) } ?? unknownKind
  }

  private static let unknownKind: UInt32 = 1 << 31

  /// The bits of the wanted types. The bit of unknown types is always included.
  package static func kinds(where isWanted: (_ type: String) -> Bool) -> UInt32 {
    EventKind.allCases.reduce(unknownKind) { kinds, kind in
      isWanted(kind.rawValue) ? kinds | self.kind(kind) : kinds
    }
  }

  package mutating func join(_ next: LineBlock) {
    earliestAt = min(earliestAt, next.earliestAt)
    latestAt = max(latestAt, next.latestAt)
    earliestID = min(earliestID, next.earliestID)
    latestID = max(latestID, next.latestID)
    kinds |= next.kinds
  }
}

/// The blocks of a log's lines up to some line.
package struct LineBlocks: Sendable {
  /// In log order, from the log's start.
  fileprivate let blocks: [LineBlock]
  /// The end of the last line covered, and the position of the line after it.
  fileprivate let endBytes: Int
  fileprivate let end: ChainPosition

  package static let none = LineBlocks()

  private init() {
    (blocks, endBytes, end) = ([], 0, .start)
  }

  /// - Returns: `nil` if these cannot be the blocks of a log that continues at `end`.
  package init?(_ blocks: [LineBlock], endBytes: Int, end: ChainPosition) {
    guard let first = blocks.first, first.startBytes == 0, first.firstSeq == 1,
      let last = blocks.last, last.startBytes < endBytes, last.firstSeq <= end.seq,
      zip(blocks, blocks.dropFirst()).allSatisfy({ block, next in
        block.startBytes < next.startBytes && block.firstSeq < next.firstSeq
      })
    else { return nil }
    (self.blocks, self.endBytes, self.end) = (blocks, endBytes, end)
  }
}

/// Whole lines of the log that are read independently of what precedes them.
package struct LogRange: Sendable {
  /// The event before the first line, as the preceding line states it.
  package var position: ChainPosition
  package var bytes: Range<Int>

  package init(position: ChainPosition, bytes: Range<Int>) {
    (self.position, self.bytes) = (position, bytes)
  }
}

extension LogView {
  /// The ranges of the log that may hold matching lines, oldest first: all that no block rules out,
  /// and everything after the last block.
  ///
  /// At each boundary the log must have the start of a line with the block's first seq. Otherwise
  /// the result is one range, the whole log.
  package func ranges(
    _ blocks: LineBlocks, where mayHold: (LineBlock) -> Bool
  ) -> [LogRange] {
    do throws(LogError) {
      if let found = try wanted(blocks, where: mayHold) { return found }
    } catch {
      // A reader of the whole log reports what is wrong, and where.
    }
    return [LogRange(position: .start, bytes: 0..<endBytes)]
  }

  private func wanted(
    _ blocks: LineBlocks, where mayHold: (LineBlock) -> Bool
  ) throws(LogError) -> [LogRange]? {
    guard blocks.endBytes <= endBytes else { return nil }
    var ranges: [LogRange] = []
    var first: (position: ChainPosition, startBytes: Int)?
    for block in blocks.blocks where mayHold(block) == (first == nil) {
      guard let boundary = try boundary(of: block) else { return nil }
      if let start = first {
        ranges.append(
          LogRange(
            position: start.position, bytes: start.startBytes..<boundary.startBytes))
        first = nil
      } else {
        first = boundary
      }
    }
    let start = first ?? (blocks.end, blocks.endBytes)
    if start.startBytes < endBytes {
      ranges.append(LogRange(position: start.position, bytes: start.startBytes..<endBytes))
    }
    return ranges
  }

  /// - Returns: `nil` if the log has no line with the block's first seq at the block's start.
  private func boundary(
    of block: LineBlock
  ) throws(LogError) -> (position: ChainPosition, startBytes: Int)? {
    if block.startBytes == 0 { return (.start, 0) }
    guard let position = try position(after: Int(block.startBytes)),
      position.seq + 1 == block.firstSeq
    else { return nil }
    return (position, Int(block.startBytes))
  }
}

/// Builds blocks while lines are read for another purpose.
package struct LineBlockBuilder: Sendable {
  private var completed: [LineBlock] = []
  private var current: LineBlock?
  /// The offset in the log of the window being read.
  package var windowOffset = 0
  /// Lines from here on do not belong to ``current``.
  private var endBytes: Int64 = 0
  private let extent: Extent
  /// The type bits by raw value of ``FastFront/Kind``.
  private let fastKinds: [UInt32]
  /// The last date read, as text, and its first millisecond.
  private var day: (first: UInt64, rest: UInt64, milliseconds: Int64) = (0, 0, 0)

  package init() { self.init(blockBytes: LineBlock.bytes) }

  package init(blockBytes: Int) {
    self.init(.bytes(Int64(blockBytes)))
  }

  /// - Parameter starts: the offsets at which blocks begin, ascending.
  package init(startingAt starts: [Int]) {
    self.init(.starts(starts.map { Int64($0) }))
  }

  private init(_ extent: Extent) {
    self.extent = extent
    fastKinds = FastFront.Kind.allCases.map { LineBlock.kind($0.eventKind) }
  }

  /// - Parameters:
  ///   - start: its offset in the window.
  ///   - at: the offset of the 24 characters of `at`.
  package mutating func add(
    _ bytes: RawSpan, from start: Int, at: Int, seq: Int, _ kind: FastFront.Kind
  ) {
    add(bytes, from: start, at: at, seq: seq, kinds: fastKinds[Int(kind.rawValue)])
  }

  package mutating func add(
    _ bytes: RawSpan, from start: Int, at: Int, seq: Int, type: String
  ) {
    add(bytes, from: start, at: at, seq: seq, kinds: LineBlock.kind(type))
  }

  @inline(__always)
  private mutating func add(
    _ bytes: RawSpan, from start: Int, at: Int, seq: Int, kinds: UInt32
  ) {
    let at = milliseconds(bytes, at)
    let id = Self.momentOfID(bytes, from: start + 7)
    let line = LineBlock(
      startBytes: Int64(windowOffset + start), earliestAt: at, latestAt: at, earliestID: id,
      latestID: id, firstSeq: UInt32(clamping: seq), kinds: kinds)
    guard current != nil, line.startBytes < endBytes else {
      if let current { completed.append(current) }
      current = line
      endBytes = extent.end(from: line.startBytes)
      return
    }
    current?.join(line)
  }

  /// Most lines have the date of the previous one.
  @inline(__always)
  private mutating func milliseconds(_ bytes: RawSpan, _ at: Int) -> Int64 {
    // `YYYY-MM-`, `DDT`; then the time, and the digits of `.mmm`.
    let (first, rest) = (bytes.word(at), bytes.word(at + 8) & 0xFF_FFFF)
    let seconds = FastNumber.time(bytes.word(at + 11))
    let fraction = bytes.halfWord(at + 20)
    func digit(_ place: UInt64) -> Int64 { Int64(fraction >> (place * 8) & 15) }
    let ofDay = Int64(seconds) * 1000 + digit(0) * 100 + digit(1) * 10 + digit(2)
    if first != day.first || rest != day.rest {
      day = (first, rest, Instant.milliseconds(in: bytes, at: at) - ofDay)
    }
    return day.milliseconds + ofDay
  }

  /// The first twelve digits of an id, written `xxxxxxxx-xxxx-`.
  @inline(__always)
  private static func momentOfID(_ bytes: RawSpan, from start: Int) -> Int64 {
    let digits = bytes.halfWord(start + 9) | 0x3030_3030_0000_0000
    return Int64(Hex.value(bytes.word(start)) << 16 | Hex.value(digits) >> 16)
  }

  /// All blocks; the last one ends with the last line added.
  package func blocks() -> [LineBlock] {
    current.map { completed + [$0] } ?? completed
  }

  /// A state to which the builder can return, removing the lines added since.
  package struct RollbackPoint: Sendable {
    fileprivate let count: Int
    fileprivate let current: LineBlock?
    fileprivate let endBytes: Int64
  }

  package var rollbackPoint: RollbackPoint {
    RollbackPoint(count: completed.count, current: current, endBytes: endBytes)
  }

  package mutating func restore(_ point: RollbackPoint) {
    completed.removeLast(completed.count - point.count)
    current = point.current
    endBytes = point.endBytes
  }

  private enum Extent {
    /// After about so many bytes.
    case bytes(Int64)
    /// At the next of these offsets, ascending.
    case starts([Int64])

    func end(from start: Int64) -> Int64 {
      switch self {
      case .bytes(let count): return start + count
      case .starts(let starts):
        let index = starts.partitioningIndex { $0 > start }
        return index < starts.count ? starts[index] : .max
      }
    }
  }
}

extension FastFront.Kind {
  fileprivate var eventKind: EventKind {
    switch self {
    case .logged: .progressLogged
    case .acknowledged: .syncAcknowledged
    case .corrected: .progressCorrected
    case .deleted: .progressDeleted
    case .attempted: .syncAttempted
    case .rejected: .syncRejected
    case .signedOut: .accountSignedOut
    case .profile: .profileUpdated
    case .physical: .physicalUpdated
    case .preferences: .preferencesUpdated
    case .session: .sleepLogged
    }
  }
}
