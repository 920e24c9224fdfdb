package import LedgerModel

/// What is known of some lines one behind the other without reading them: enough to pass over those
/// in which nothing that is wanted can stand.
///
/// An erasure makes none of it wrong but where lines begin: an erased line keeps its `seq`, `id`,
/// `at` and `type`.
package struct LineBlock: BitwiseCopyable, Hashable, Sendable {
  /// About how many bytes of the log a block is of: little to read for one line, and few blocks.
  package static let bytes = 1 << 16

  /// Where the first line begins in the log.
  package var startBytes: Int64
  /// The smallest and the largest `at`, in milliseconds since 1970.
  package var earliestAt: Int64
  package var latestAt: Int64
  /// The smallest and the largest moment that an `id` begins with; see ``moment(of:)``.
  package var earliestID: Int64
  package var latestID: Int64
  /// That of the first line.
  package var firstSeq: UInt32
  /// Which types there are; see ``kinds(where:)``.
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

  /// The milliseconds since 1970 that a version 7 UUID begins with (RFC 9562).
  @inline(__always)
  package static func moment(of id: LedgerUUID) -> Int64 { Int64(id.high >> 16) }

  /// The bit of a type; all types that this version does not know share one.
  package static func kind(_ type: String) -> UInt32 {
    guard let kind = EventKind(rawValue: type) else { return unknownKind }
    return self.kind(kind)
  }

  static func kind(_ kind: EventKind) -> UInt32 {
    EventKind.allCases.firstIndex(of: kind).map { 1 << UInt32($0) } ?? unknownKind
  }

  private static let unknownKind: UInt32 = 1 << 31

  /// The bits of the types that are wanted. Those that this version does not know may always be.
  package static func kinds(where isWanted: (_ type: String) -> Bool) -> UInt32 {
    EventKind.allCases.reduce(unknownKind) { kinds, kind in
      isWanted(kind.rawValue) ? kinds | self.kind(kind) : kinds
    }
  }

  /// Takes in the block behind this one.
  package mutating func join(_ next: LineBlock) {
    earliestAt = min(earliestAt, next.earliestAt)
    latestAt = max(latestAt, next.latestAt)
    earliestID = min(earliestID, next.earliestID)
    latestID = max(latestID, next.latestID)
    kinds |= next.kinds
  }
}
