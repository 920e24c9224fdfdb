/// A growing byte buffer that text and digits are written into without temporary strings.
///
/// Not an array: each small append would check that its storage is uniquely referenced.
public struct ByteSink: ~Copyable {
  @usableFromInline var start: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @inlinable @inline(__always)
  public var count: Int { filled }
  @usableFromInline var filled = 0

  /// - Parameter capacity: the expected number of bytes; the buffer grows as needed.
  public init(capacity: Int) {
    start = .allocate(byteCount: capacity, alignment: 16)
    self.capacity = capacity
  }

  deinit { start.deallocate() }

  /// Makes room for `more` bytes after the current ones.
  @inlinable @inline(__always)
  mutating func reserve(_ more: Int) {
    if capacity - filled < more { grow(by: more) }
  }

  @usableFromInline @inline(never)
  mutating func grow(by more: Int) {
    let wanted = max(capacity * 2, filled + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
    larger.copyMemory(from: start, byteCount: filled)
    start.deallocate()
    start = larger
    capacity = wanted
  }

  /// Removes all bytes and keeps the capacity.
  public mutating func removeAll() { filled = 0 }

  /// - Precondition: `offset` is less than ``count``.
  public mutating func replaceByte(at offset: Int, by byte: UInt8) {
    precondition(offset >= 0 && offset < filled, "there is no byte to replace")
    start.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
  }

  @inlinable @inline(__always)
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    start.storeBytes(of: byte, toByteOffset: filled, as: UInt8.self)
    filled += 1
  }

  @inlinable @inline(__always)
  public mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inlinable @inline(__always)
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (start + filled).copyMemory(from: source, byteCount: bytes.count)
    filled += bytes.count
  }

  public mutating func append(zeros count: Int) {
    reserve(count)
    (start + filled).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    filled += count
  }

  /// - Precondition: `count` is at most the number of bytes.
  public mutating func removeLast(_ count: Int) {
    precondition(count >= 0 && count <= filled, "there are fewer bytes than that")
    filled -= count
  }

  /// Appends the text without escapes.
  public mutating func append(plain text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  public borrowing func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: start, count: filled))
  }

  public var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

// MARK: - Digits

extension ByteSink {
  /// Appends an integer in decimal.
  public mutating func append(decimal value: Int) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    var width = 1
    var bound: UInt = 10
    // An Int has at most 19 digits, and 10¹⁹ would overflow the next bound.
    while width < 19, rest >= bound {
      bound &*= 10
      width += 1
    }
    reserve(width)
    filled += width
    var offset = filled
    repeat {
      offset -= 1
      let digit = UInt8(truncatingIfNeeded: rest % 10) | 0x30
      start.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
      rest /= 10
    } while rest > 0
  }

  /// Appends exactly `digits` digits, with leading zeros.
  ///
  /// - Precondition: `value` is not negative and has no more digits.
  public mutating func append(decimal value: Int, digits: Int) {
    precondition(value >= 0)
    reserve(digits)
    var rest = UInt(bitPattern: value)
    for offset in stride(from: filled + digits - 1, through: filled, by: -1) {
      let digit = UInt8(truncatingIfNeeded: rest % 10) | 0x30
      start.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
      rest /= 10
    }
    precondition(rest == 0)
    filled += digits
  }

  /// Appends two digits.
  ///
  /// - Precondition: `value` is from 0 to 99.
  @inlinable @inline(__always)
  public mutating func append(twoDigits value: Int) {
    precondition(value >= 0 && value < 100)
    let (tens, ones) = UInt16(truncatingIfNeeded: value).quotientAndRemainder(dividingBy: 10)
    reserve(2)
    start.storeBytes(
      of: (0x3030 | tens | ones << 8).littleEndian, toByteOffset: filled, as: UInt16.self)
    filled += 2
  }

  /// Appends the low `digits` hexadecimal digits of a number, up to eight, in lower case.
  @inlinable @inline(__always)
  public mutating func append(hex value: UInt32, digits: Int = 8) {
    precondition(digits >= 0 && digits <= 8)
    reserve(8)
    let word = Self.hexDigits(value) >> UInt64((8 - digits) * 8)
    start.storeBytes(of: word.littleEndian, toByteOffset: filled, as: UInt64.self)
    filled += digits
  }

  /// Appends a UUID: 36 characters, in lower case.
  public mutating func append(uuid high: UInt64, _ low: UInt64) {
    reserve(36)
    let dash = UInt8(ascii: "-")
    let second = Self.hexDigits(UInt32(truncatingIfNeeded: high))
    let third = Self.hexDigits(UInt32(truncatingIfNeeded: low >> 32))
    store(Self.hexDigits(UInt32(truncatingIfNeeded: high >> 32)), at: 0)
    store(dash, at: 8)
    store(UInt32(truncatingIfNeeded: second), at: 9)
    store(dash, at: 13)
    store(UInt32(truncatingIfNeeded: second >> 32), at: 14)
    store(dash, at: 18)
    store(UInt32(truncatingIfNeeded: third), at: 19)
    store(dash, at: 23)
    store(UInt32(truncatingIfNeeded: third >> 32), at: 24)
    store(Self.hexDigits(UInt32(truncatingIfNeeded: low)), at: 28)
    filled += 36
  }

  /// Stores little-endian characters at an offset from the end, in reserved space.
  @inline(__always)
  private func store<Word: FixedWidthInteger & BitwiseCopyable>(_ characters: Word, at offset: Int)
  {
    start.storeBytes(of: characters.littleEndian, toByteOffset: filled + offset, as: Word.self)
  }

  /// The eight digits of a number as eight bytes, the first digit in the lowest.
  @inlinable @inline(__always)
  static func hexDigits(_ value: UInt32) -> UInt64 {
    var word = UInt64(value)
    word = (word | word << 16) & 0x0000_FFFF_0000_FFFF
    word = (word | word << 8) & 0x00FF_00FF_00FF_00FF
    word = (word | word << 4) & 0x0F0F_0F0F_0F0F_0F0F
    // Adding 6 carries a digit of 10 or more into bit 4 of its byte; 39 is "a" - "9" - 1.
    let letters = ((word &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
    return (word &+ 0x3030_3030_3030_3030 &+ letters &* 39).byteSwapped
  }
}
