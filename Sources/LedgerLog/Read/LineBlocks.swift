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
  /// The block being made, without the moments of ``latest``.
  private var current: LineBlock?
  /// The moments of the last line that was not earlier than those before it.
  private var latest = LineMoments()
  /// The offset in the log of the window being read.
  package var windowOffset = 0
  /// Lines from here on do not belong to ``current``.
  private var endBytes: Int64 = 0
  private let extent: Extent
  /// The type bits by raw value of ``FastFront/Kind``.
  private let fastKinds: [UInt32]
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
    let moments = LineMoments(bytes, at: at, id: start + 7)
    let startBytes = Int64(windowOffset + start)
    guard current != nil, startBytes < endBytes else {
      if let whole { completed.append(whole) }
      current = moments.block(startBytes, seq: seq, kinds: kinds)
      latest = moments
      endBytes = extent.end(from: startBytes)
      return
    }
    // Most lines are later than those before them: of these, only the last one counts.
    if moments.isAfter(latest) {
      latest = moments
      current?.kinds |= kinds
    } else {
      current?.join(moments.block(startBytes, seq: seq, kinds: kinds))
    }
  }

  /// All blocks; the last one ends with the last line added.
  package func blocks() -> [LineBlock] {
    whole.map { completed + [$0] } ?? completed
  }

  /// The block being made, with all lines added to it.
  private var whole: LineBlock? {
    guard var block = current else { return nil }
    block.join(latest.block(block.startBytes, seq: Int(block.firstSeq), kinds: block.kinds))
    return block
  }

  /// A state to which the builder can return, removing the lines added since.
  package struct RollbackPoint: Sendable {
    fileprivate let count: Int
    fileprivate let current: LineBlock?
    fileprivate let latest: LineMoments
    fileprivate let endBytes: Int64
  }

  package var rollbackPoint: RollbackPoint {
    RollbackPoint(
      count: completed.count, current: current, latest: latest, endBytes: endBytes)
  }

  package mutating func restore(_ point: RollbackPoint) {
    completed.removeLast(completed.count - point.count)
    (current, latest) = (point.current, point.latest)
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

/// The moments of a line as they are written: texts of one length, in the order of the moments.
private struct LineMoments: Sendable {
  /// The 24 characters of `at`, as big-endian numbers.
  private var at: (UInt64, UInt64, UInt64) = (0, 0, 0)
  /// The first twelve digits of the id, written `xxxxxxxx-xxxx-`.
  private var id: (UInt64, UInt64) = (0, 0)

  init() {}

  @inline(__always)
  init(_ bytes: RawSpan, at: Int, id: Int) {
    self.at = (
      bytes.word(at).bigEndian, bytes.word(at + 8).bigEndian, bytes.word(at + 16).bigEndian
    )
    self.id = (bytes.word(id).bigEndian, bytes.word(id + 8).bigEndian >> 24)
  }

  /// Whether no moment is before the one of the other line.
  @inline(__always)
  func isAfter(_ other: LineMoments) -> Bool { at >= other.at && id >= other.id }

  /// A block of this line.
  @inline(never)
  func block(_ startBytes: Int64, seq: Int, kinds: UInt32) -> LineBlock {
    let text = (at.0.bigEndian, at.1.bigEndian, at.2.bigEndian)
    let at = withUnsafeBytes(of: text) { bytes in
      Instant.milliseconds(in: bytes.bytes, at: 0)
    }
    // The four digits after the first hyphen, then four zeros that are shifted out.
    let rest = (id.1 << 32 | 0x3030_3030).bigEndian
    let moment = Int64(Hex.value(id.0.bigEndian) << 16 | Hex.value(rest) >> 16)
    return LineBlock(
      startBytes: startBytes, earliestAt: at, latestAt: at, earliestID: moment, latestID: moment,
      firstSeq: UInt32(clamping: seq), kinds: kinds)
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
