import LedgerPlatform

/// By the C library: the generic versions take most of a story's time in a debug build.
extension [UInt8] {
  func hasPrefix(_ prefix: [UInt8]) -> Bool {
    guard count >= prefix.count else { return false }
    return prefix.isEmpty
      || withUnsafeBytes { bytes in
        prefix.withUnsafeBytes { memcmp(bytes.baseAddress!, $0.baseAddress!, $0.count) == 0 }
      }
  }

  /// Appends zeros up to a size.
  mutating func grow(to size: Int) {
    if count < size { self += [UInt8](repeating: 0, count: size - count) }
  }

  /// Takes a range over from other bytes, which end in zeros.
  mutating func replace(_ range: Range<Int>, with other: [UInt8]) {
    withUnsafeMutableBytes { bytes in
      other.withUnsafeBytes { other in
        let there = range.clamped(to: 0..<other.count)
        let target = UnsafeMutableRawBufferPointer(rebasing: bytes[range])
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: other[there]))
        let rest = UnsafeMutableRawBufferPointer(rebasing: target[there.count...])
        if let start = rest.baseAddress { memset(start, 0, rest.count) }
      }
    }
  }
}
