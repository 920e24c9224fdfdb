import LedgerJSON

/// The unit that a snapshot is read and checked in: what it holds, then a sum over it.
///
/// The sum is there for accidents (torn writes, rotten bits, pages of another file), not for people
/// who want to deceive: they could as well write the log.
enum SnapshotPage {
  static let bytes = 4096
  static let payloadBytes = bytes - 8

  /// - Parameter seed: differs from snapshot to snapshot, so that a page left over from an older one
  ///   is no page of this one.
  static func sum(_ page: UnsafeRawBufferPointer, number: Int, seed: UInt64) -> UInt64 {
    let span = page.bytes
    var lanes = SIMD4<UInt64>(repeating: seed ^ UInt64(truncatingIfNeeded: number) &* first)
    lanes ^= SIMD4(first, second, third, fourth)
    var offset = 0
    while offset + 32 <= payloadBytes {
      for lane in 0..<4 { lanes[lane] = step(lanes[lane], span.uncheckedWord(offset + lane * 8)) }
      offset += 32
    }
    while offset < payloadBytes {
      lanes[0] = step(lanes[0], span.uncheckedWord(offset))
      offset += 8
    }
    return step(step(step(lanes[0], lanes[1]), lanes[2]), lanes[3])
  }

  /// One to one for each word and each sum before it: no single change of a word goes unseen.
  @inline(__always)
  private static func step(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    let mixed = (sum ^ word) &* first
    return mixed ^ (mixed >> 29)
  }

  // Odd numbers with bits all over: the fractions of the square roots of 2, 3, 5 and 7.
  private static let first: UInt64 = 0x6A09_E667_F3BC_C909
  private static let second: UInt64 = 0xBB67_AE85_84CA_A73B
  private static let third: UInt64 = 0x3C6E_F372_FE94_F82B
  private static let fourth: UInt64 = 0xA54F_F53A_5F1D_36F1

  static func isWhole(_ page: UnsafeRawBufferPointer, number: Int, seed: UInt64) -> Bool {
    page.count == bytes
      && page.bytes.uncheckedWord(payloadBytes) == sum(page, number: number, seed: seed)
  }

  /// Writes the sum behind what a page holds.
  static func seal(_ page: UnsafeMutableRawBufferPointer, number: Int, seed: UInt64) {
    let sum = sum(UnsafeRawBufferPointer(page), number: number, seed: seed)
    page.storeBytes(of: sum.littleEndian, toByteOffset: payloadBytes, as: UInt64.self)
  }
}

/// A snapshot is not what it should be. Nobody is told: it is derived, and is made again.
struct SnapshotFault: Error {}
