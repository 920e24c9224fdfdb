import CSHA256
import LedgerJSON

/// A link of the hash chain: 64 hexadecimal digits, stored without heap memory.
public struct ChainHash: Hashable, Sendable, CustomStringConvertible {
  private var first: SIMD4<UInt64>
  private var second: SIMD4<UInt64>

  /// The link before line 1: 64 times `0`.
  public static let beforeFirst = ChainHash(repeating: 0x3030_3030_3030_3030)

  private init(repeating word: UInt64) {
    first = SIMD4(repeating: word)
    second = SIMD4(repeating: word)
  }

  @inline(__always)
  init(unchecked bytes: RawSpan, at offset: Int) {
    first = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
    second = bytes.unsafeLoadUnaligned(fromByteOffset: offset + 32, as: SIMD4<UInt64>.self)
  }

  /// - Returns: `nil` unless these are 64 hexadecimal digits in lower case.
  public init?(_ bytes: some Collection<UInt8>) {
    let digits = Array(bytes)
    guard digits.count == 64, digits.allSatisfy(Hex.isLowerDigit) else { return nil }
    self.init(repeating: 0)
    digits.withUnsafeBufferPointer { buffer in
      self = ChainHash(unchecked: UnsafeRawBufferPointer(buffer).bytes, at: 0)
    }
  }

  /// The link of a line: SHA-256 over the previous link, the line's front and the digest of its body,
  /// all as stored (docs/log-format.md, Hash chain).
  @inline(__always)
  static func link(
    after previous: ChainHash, line: RawSpan, front: Range<Int>, body: Range<Int>
  ) -> ChainHash {
    var previous = previous
    var result = ChainHash.beforeFirst
    line.withUnsafeBytes { bytes in
      withUnsafeMutableBytes(of: &previous) { before in
        withUnsafeMutableBytes(of: &result) { after in
          csha256_chain_link(
            before.baseAddress!.assumingMemoryBound(to: UInt8.self),
            bytes.baseAddress! + front.lowerBound, front.count,
            bytes.baseAddress! + body.lowerBound, body.count,
            after.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    return result
  }

  /// The link of an erased line.
  static func link(
    after previous: ChainHash, line: RawSpan, front: Range<Int>, bodyDigest: Range<Int>
  ) -> ChainHash {
    var text = ByteSink(capacity: 512)
    previous.append(to: &text)
    line.withUnsafeBytes { bytes in
      text.append(UnsafeRawBufferPointer(rebasing: bytes[front]))
      text.append(UnsafeRawBufferPointer(rebasing: bytes[bodyDigest]))
    }
    var digest = [UInt8](repeating: 0, count: 32)
    text.withUnsafeBytes { csha256_digest($0.baseAddress, $0.count, &digest) }
    var hex = [UInt8](repeating: 0, count: 64)
    csha256_hex(digest, &hex)
    return hex.withUnsafeBufferPointer { buffer in
      ChainHash(unchecked: UnsafeRawBufferPointer(buffer).bytes, at: 0)
    }
  }

  func append(to bytes: inout ByteSink) {
    withUnsafeBytes(of: self) { bytes.append($0) }
  }

  public var description: String {
    withUnsafeBytes(of: self) { String(decoding: $0, as: UTF8.self) }
  }
}

/// The first digits of a link, or all of them, as a user types them.
public struct HashPrefix: Hashable, Sendable, CustomStringConvertible {
  /// With fewer digits several events may match by chance.
  public static let fewestDigits = 8
  private let digits: [UInt8]

  /// - Returns: `nil` unless these are 8 to 64 hexadecimal digits in lower case.
  public init?(_ bytes: some Collection<UInt8>) {
    guard (Self.fewestDigits...64).contains(bytes.count), bytes.allSatisfy(Hex.isLowerDigit)
    else { return nil }
    digits = Array(bytes)
  }

  /// All digits of a hash.
  public init(_ hash: ChainHash) { digits = Array(hash.description.utf8) }

  func begins(_ bytes: RawSpan, at offset: Int) -> Bool {
    bytes.extracting(offset..<offset + digits.count).withUnsafeBytes { $0.elementsEqual(digits) }
  }

  public var description: String { String(decoding: digits, as: UTF8.self) }
}

/// SHA-256.
package enum Digest {
  package static func hex(of bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    csha256_digest(bytes, bytes.count, &digest)
    var text = [UInt8](repeating: 0, count: 64)
    csha256_hex(digest, &text)
    return String(decoding: text, as: UTF8.self)
  }
}

/// Hexadecimal digits, eight at a time.
enum Hex {
  static func isLowerDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Whether all eight bytes of a word are digits `0`–`9` or `a`–`f`.
  ///
  /// Each sum sets a byte's top bit if the byte is at or above a bound. No sum of bytes below 0x80
  /// carries; words with other bytes are rejected separately.
  @inline(__always)
  static func areLowerDigits(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let fromZero = word &+ ones &* (0x80 - 0x30)
    let pastNine = word &+ ones &* (0x80 - 0x3A)
    let fromA = word &+ ones &* (0x80 - 0x61)
    let pastF = word &+ ones &* (0x80 - 0x67)
    let good = (fromZero & ~pastNine) | (fromA & ~pastF)
    return word & tops == 0 && good & tops == tops
  }

  /// The value of eight valid digits; `word` is their bytes as read little-endian.
  @inline(__always)
  static func value(_ word: UInt64) -> UInt64 {
    var value = word.byteSwapped
    value = (value & 0x0F0F_0F0F_0F0F_0F0F) &+ ((value & 0x4040_4040_4040_4040) >> 6) &* 9
    value = (value | (value >> 4)) & 0x00FF_00FF_00FF_00FF
    value = (value | (value >> 8)) & 0x0000_FFFF_0000_FFFF
    return (value | (value >> 16)) & 0xFFFF_FFFF
  }
}
