import LedgerJSON
import LedgerModel

/// Sums up lines, block by block, as they are read for something else.
public struct LineBlockBuilder: Sendable {
  /// Those that are complete.
  private var made: [LineBlock] = []
  /// The one that is being made.
  private var current: LineBlock?
  /// Where the window that is being read begins in the log.
  public var windowOffset = 0
  /// Where the current one ends: no line from there on belongs to it.
  private var endBytes: Int64 = 0
  private let extent: Extent
  /// The bits of the types that have a fast way, by their places in ``FastFront/Kind``.
  private let fastKinds: [UInt32]
  /// The day that was read last, as it is written, and its first millisecond.
  private var day: (first: UInt64, rest: UInt64, milliseconds: Int64) = (0, 0, 0)

  public init() { self.init(blockBytes: LineBlock.bytes) }

  /// - Parameter blockBytes: about how many bytes of the log a block is of.
  package init(blockBytes: Int) {
    self.init(.bytes(Int64(blockBytes)))
  }

  /// - Parameter starts: where blocks begin in the log, ascending.
  package init(startingAt starts: [Int]) {
    self.init(.starts(starts.map { Int64($0) }))
  }

  private init(_ extent: Extent) {
    self.extent = extent
    fastKinds = FastFront.Kind.allCases.map { LineBlock.kind($0.eventKind) }
  }

  /// A line that was found to be in order.
  ///
  /// - Parameters:
  ///   - start: where it begins in the window.
  ///   - at: where the 24 characters of `at` stand.
  public mutating func add(
    _ bytes: RawSpan, from start: Int, at: Int, seq: Int, _ kind: FastFront.Kind
  ) {
    add(bytes, from: start, at: at, seq: seq, kinds: fastKinds[Int(kind.rawValue)])
  }

  public mutating func add(
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
      if let current { made.append(current) }
      current = line
      endBytes = extent.end(from: line.startBytes)
      return
    }
    current?.join(line)
  }

  /// Most lines are of the same day as the one before.
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

  /// The first twelve digits of an id, which stand as `xxxxxxxx-xxxx-`.
  @inline(__always)
  private static func momentOfID(_ bytes: RawSpan, from start: Int) -> Int64 {
    let digits = bytes.halfWord(start + 9) | 0x3030_3030_0000_0000
    return Int64(Hex.value(bytes.word(start)) << 16 | Hex.value(digits) >> 16)
  }

  /// All blocks; the last one ends with the line that was added last.
  package func blocks() -> [LineBlock] {
    current.map { made + [$0] } ?? made
  }
}

extension LineBlockBuilder {
  /// How far it had come; lines added since can be taken back.
  public struct Checkpoint: Sendable {
    fileprivate let count: Int
    fileprivate let current: LineBlock?
    fileprivate let endBytes: Int64
  }

  public var checkpoint: Checkpoint {
    Checkpoint(count: made.count, current: current, endBytes: endBytes)
  }

  public mutating func restore(_ checkpoint: Checkpoint) {
    made.removeLast(made.count - checkpoint.count)
    current = checkpoint.current
    endBytes = checkpoint.endBytes
  }
}

extension LineBlockBuilder {
  /// How far a block reaches.
  private enum Extent {
    /// About so many bytes.
    case bytes(Int64)
    /// Up to the next of these, ascending.
    case starts([Int64])

    func end(from start: Int64) -> Int64 {
      switch self {
      case .bytes(let count): return start + count
      case .starts(let starts):
        var (low, high) = (0, starts.count)
        while low < high {
          let middle = (low + high) / 2
          if starts[middle] <= start { low = middle + 1 } else { high = middle }
        }
        return low < starts.count ? starts[low] : .max
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
    }
  }
}
