public import LedgerPlatform

extension RawSpan {
  @inlinable @inline(__always)
  public func byte(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

  /// Eight bytes, the first one lowest.
  @inlinable @inline(__always)
  public func word(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inlinable @inline(__always)
  public func halfWord(_ offset: Int) -> UInt64 {
    UInt64(UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  /// Whether exactly these characters stand at an offset.
  @inlinable @inline(__always)
  public func holds(_ text: StaticString, at offset: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard offset >= 0, offset + count <= byteCount else { return false }
    // A comparison of known length, which the compiler turns into a word or two.
    return withUnsafeBytes { memcmp($0.baseAddress! + offset, text.utf8Start, count) == 0 }
  }

  /// Where the next `\n` stands, or `nil`.
  @inlinable @inline(__always)
  public func newline(from offset: Int) -> Int? {
    guard offset < byteCount else { return nil }
    return withUnsafeBytes { bytes in
      let start = bytes.baseAddress! + offset
      guard let found = memchr(start, 0x0A, byteCount - offset) else { return nil }
      return UnsafeRawPointer(found) - bytes.baseAddress!
    }
  }
}
