import LedgerModel

/// Where a reader stands between two lines: what the next one must follow.
public struct ChainPosition: Hashable, Sendable {
  /// The seq of the last line; 0 before line 1.
  public var seq: Int
  public var hash: ChainHash

  public static let start = ChainPosition(seq: 0, hash: .beforeFirst)

  public init(seq: Int, hash: ChainHash) {
    self.seq = seq
    self.hash = hash
  }

  public init(_ head: Head) {
    self.init(seq: head.seq, hash: head.hash)
  }
}

/// How much of a line is checked on its way to whoever reads it.
public enum LineChecks: Sendable {
  /// Form and seq: what a replay without verification relies on.
  case form
  /// Form, seq and the chain of hashes.
  case chain
}

extension ChainPosition {
  /// Checks one line's envelope, its seq and, if asked, its link, and steps behind it. `data` is
  /// for the caller to check: ``EnvelopeScanner/scanData(_:in:)``, or a reader of its own.
  @inline(__always)
  mutating func advance(
    over bytes: RawSpan, from start: Int, to end: Int, _ checks: LineChecks
  ) throws(LineFault) -> Envelope {
    let envelope = try EnvelopeScanner.scan(bytes, from: start, to: end)
    guard envelope.seq == seq + 1 else {
      throw LineFault(.seq(found: envelope.seq, expected: seq + 1), at: start)
    }
    let stored = envelope.storedHash(in: bytes)
    if checks == .chain {
      guard envelope.expectedHash(after: hash, in: bytes) == stored else {
        throw LineFault(.hash, at: envelope.bodyEnd)
      }
    }
    seq = envelope.seq
    hash = stored
    return envelope
  }
}
