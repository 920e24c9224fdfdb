public import LedgerPlatform

/// Loads whose bounds are the caller's to prove: for the fast way through a window of lines, where
/// a check at every load would cost more than the loads. There a line's end is part of its own form,
/// so no position gets further past it than some digits that are judged later, and behind the last
/// line the buffer goes on for more bytes than any load reaches ahead.
extension RawSpan {
  @inlinable @inline(__always)
  public func uncheckedByte(_ offset: Int) -> UInt8 {
    unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// Two bytes, the first one lower.
  @inlinable @inline(__always)
  public func uncheckedPair(_ offset: Int) -> UInt64 {
    UInt64(
      UInt16(
        littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self)))
  }

  /// Four bytes, the first one lowest.
  @inlinable @inline(__always)
  public func uncheckedHalfWord(_ offset: Int) -> UInt64 {
    UInt64(
      UInt32(
        littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)))
  }

  /// Eight bytes, the first one lowest.
  @inlinable @inline(__always)
  public func uncheckedWord(_ offset: Int) -> UInt64 {
    UInt64(
      littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Sixteen bytes as two words, the first byte lowest in the first.
  @inlinable @inline(__always)
  public func uncheckedWords(_ offset: Int) -> SIMD2<UInt64> {
    SIMD2(uncheckedWord(offset), uncheckedWord(offset &+ 8))
  }

  @inlinable @inline(__always)
  public func uncheckedVector(_ offset: Int) -> SIMD16<UInt8> {
    unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD16<UInt8>.self)
  }

  /// Whether these characters stand at an offset; then it is moved behind them.
  @inlinable @inline(__always)
  public func uncheckedStep(over text: StaticString, at offset: inout Int) -> Bool {
    guard uncheckedHolds(text, at: offset) else { return false }
    offset &+= text.utf8CodeUnitCount
    return true
  }

  /// Whether these characters stand at an offset. The comparison is of known length, so that the
  /// compiler makes a few words of it.
  @inlinable @inline(__always)
  public func uncheckedHolds(_ text: StaticString, at offset: Int) -> Bool {
    withUnsafeBytes {
      memcmp($0.baseAddress.unsafelyUnwrapped + offset, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
  }
}
