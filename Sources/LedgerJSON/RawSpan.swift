public import LedgerPlatform

extension RawSpan {
  @inlinable @inline(__always)
  package func byte(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

  /// Eight bytes, little-endian.
  @inlinable @inline(__always)
  package func word(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inlinable @inline(__always)
  package func halfWord(_ offset: Int) -> UInt64 {
    UInt64(UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  /// Whether these characters are at `offset`.
  @inlinable @inline(__always)
  package func holds(_ text: StaticString, at offset: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard offset >= 0, offset + count <= byteCount else { return false }
    // The constant length lets the compiler inline the comparison.
    return withUnsafeBytes { memcmp($0.baseAddress! + offset, text.utf8Start, count) == 0 }
  }

  /// The offset of the next `\n`, or `nil`.
  @inlinable @inline(__always)
  package func newline(from offset: Int) -> Int? {
    guard offset < byteCount else { return nil }
    return withUnsafeBytes { bytes in
      let start = bytes.baseAddress! + offset
      guard let found = memchr(start, 0x0A, byteCount - offset) else { return nil }
      return UnsafeRawPointer(found) - bytes.baseAddress!
    }
  }

  /// The offset of the last `\n` before another, or `nil`. For a few lines: goes from one to the next.
  package func lastNewline(before end: Int) -> Int? {
    var last: Int?
    while let next = newline(from: last.map { $0 + 1 } ?? 0), next < end { last = next }
    return last
  }
}

/// Loads without bounds checks, for the fast reader: a check would cost more than the load.
///
/// The caller proves the bounds. The fast reader matches each line's end, so a position never
/// passes it by more than a few digits, and its buffer has padding for the widest load.
extension RawSpan {
  @inlinable @inline(__always)
  package func uncheckedByte(_ offset: Int) -> UInt8 {
    unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// Two bytes, little-endian.
  @inlinable @inline(__always)
  package func uncheckedPair(_ offset: Int) -> UInt64 {
    UInt64(
      UInt16(
        littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self)))
  }

  /// Four bytes, little-endian.
  @inlinable @inline(__always)
  package func uncheckedHalfWord(_ offset: Int) -> UInt64 {
    UInt64(
      UInt32(
        littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)))
  }

  /// Eight bytes, little-endian.
  @inlinable @inline(__always)
  package func uncheckedWord(_ offset: Int) -> UInt64 {
    UInt64(
      littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Sixteen bytes as two little-endian words.
  @inlinable @inline(__always)
  package func uncheckedWords(_ offset: Int) -> SIMD2<UInt64> {
    SIMD2(uncheckedWord(offset), uncheckedWord(offset &+ 8))
  }

  @inlinable @inline(__always)
  package func uncheckedVector(_ offset: Int) -> SIMD16<UInt8> {
    unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD16<UInt8>.self)
  }

  /// Moves `offset` past these characters if they are there.
  @inlinable @inline(__always)
  package func uncheckedStep(over text: StaticString, at offset: inout Int) -> Bool {
    guard uncheckedHolds(text, at: offset) else { return false }
    offset &+= text.utf8CodeUnitCount
    return true
  }

  /// Whether these characters are at `offset`. The constant length lets the compiler inline the
  /// comparison.
  @inlinable @inline(__always)
  package func uncheckedHolds(_ text: StaticString, at offset: Int) -> Bool {
    withUnsafeBytes {
      memcmp($0.baseAddress.unsafelyUnwrapped + offset, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
  }
}
