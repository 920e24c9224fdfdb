import CSHA256
import LedgerJSON

/// Checks links of the chain some at a time: every line's previous hash stands in the line before, so
/// that links need not wait for each other, and a processor hashes two for little more than one.
///
/// It only says whether all links hold; which is the first that does not, the plain way finds out.
package struct LinkChecks: ~Copyable {
  package let isOn: Bool
  /// What the window's first line must follow.
  private let first: ChainHash
  /// Where the hash stands that the next line must follow; -1 for ``first``.
  private var previous = -1
  private var count = 0
  private let waiting: UnsafeMutablePointer<csha256_stored_link>

  /// Few enough for the lines to be still in the processor's nearest cache.
  private static let most = 32

  package init(isOn: Bool, after first: ChainHash) {
    self.isOn = isOn
    self.first = first
    waiting = .allocate(capacity: Self.most)
  }

  deinit { waiting.deallocate() }

  /// Notes the link of a line that has the usual form.
  ///
  /// - Parameters:
  ///   - body: where the line's `"salt":` begins.
  ///   - end: where its `\n` stands.
  /// - Returns: false where this or an earlier link does not hold.
  package mutating func add(_ bytes: RawSpan, from start: Int, body: Int, to end: Int) -> Bool {
    let bodyEnd = end &- LogFormat.hashMemberBytes
    let hash = bodyEnd &+ 9
    defer { previous = hash }
    guard previous >= 0 else {
      return ChainHash.link(
        after: first, line: bytes, front: start..<body, body: body..<bodyEnd)
        == ChainHash(unchecked: bytes, at: hash)
    }
    waiting[count] = csha256_stored_link(
      previous_hex: UInt32(truncatingIfNeeded: previous),
      front: UInt32(truncatingIfNeeded: start), body: UInt32(truncatingIfNeeded: body),
      body_end: UInt32(truncatingIfNeeded: bodyEnd), hash_hex: UInt32(truncatingIfNeeded: hash))
    count &+= 1
    return count < Self.most || holds(bytes)
  }

  /// Passes by a line whose link has been checked; the next one begins at `offset`.
  package mutating func skip(to offset: Int) {
    previous = offset &- 3 &- 64
  }

  /// Whether all links that are still waiting hold.
  package mutating func holds(_ bytes: RawSpan) -> Bool {
    defer { count = 0 }
    return bytes.withUnsafeBytes { buffer in
      csha256_chain_holds(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), waiting, count)
    }
  }
}

extension ChainPosition {
  /// Behind a line that has been checked and ends right before an offset.
  ///
  /// - Parameter next: the seq that the next line must have.
  package init(before next: SeqText, in bytes: RawSpan, behind offset: Int) {
    self.init(seq: next.number - 1, hash: ChainHash(unchecked: bytes, at: offset - 3 - 64))
  }
}
