public import LedgerModel

/// One line taken apart: where its members stand, and the small ones' values. Offsets count from
/// the start of the span that was scanned, which may hold many lines.
public struct Envelope {
  public var start: Int
  /// Behind the last byte, where the `\n` stands.
  public var end: Int
  public var id: LedgerUUID
  public var seq: Int
  /// Where the 24 characters of `at` stand.
  public var at: Int
  public var by: Actor
  public var type: Range<Int>
  public var version: Int
  /// Where `"salt":` or `"erased":` begins: the end of the chain's front.
  public var bodyStart: Int
  public var isErased: Bool
  /// The object's bytes; empty for an erased event.
  public var data: Range<Int>

  /// Where `,"hash":"…"}` begins: the end of the chain's body.
  public var bodyEnd: Int { end - LogFormat.hashMemberBytes }

  var hashStart: Int { bodyEnd + 9 }
  var salt: Range<Int> { bodyStart + 8..<bodyStart + 24 }
  var erasedDigest: Range<Int> { bodyStart + 10..<bodyStart + 74 }

  /// Milliseconds since 1970 of `at`, which the scan has checked.
  @inline(__always)
  public func milliseconds(in bytes: RawSpan) -> Int64 {
    Instant.milliseconds(in: bytes, at: at)
  }

  /// The same of the 24 characters at an offset, once they have been checked.
  package static func milliseconds(_ bytes: RawSpan, _ at: Int) -> Int64 {
    Instant.milliseconds(in: bytes, at: at)
  }

  @inline(__always)
  func storedHash(in bytes: RawSpan) -> ChainHash {
    ChainHash(unchecked: bytes, at: hashStart)
  }

  /// The link that this line must carry.
  @inline(__always)
  func expectedHash(after previous: ChainHash, in bytes: RawSpan) -> ChainHash {
    if isErased {
      return ChainHash.link(
        after: previous, line: bytes, front: start..<bodyStart, bodyDigest: erasedDigest)
    }
    return ChainHash.link(
      after: previous, line: bytes, front: start..<bodyStart, body: bodyStart..<bodyEnd)
  }
}
