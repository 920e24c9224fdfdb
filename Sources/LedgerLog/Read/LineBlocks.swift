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

  /// One block for all lines of consecutive blocks; `nil` for none.
  package static func joined(_ blocks: some Sequence<LineBlock>) -> LineBlock? {
    blocks.reduce(nil) { (joined: LineBlock?, next) in
      guard var joined else { return next }
      joined.join(next)
      return joined
    }
  }

  /// The blocks joined in groups, so that a search need not read the blocks of each group.
  package static func summaries(of blocks: [LineBlock], perSummary: Int) -> [LineBlock] {
    stride(from: 0, to: blocks.count, by: perSummary).compactMap { first in
      joined(blocks[first..<min(first + perSummary, blocks.count)])
    }
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
