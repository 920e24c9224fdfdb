import CSHA256
import LedgerJSON

/// 64 hexadecimal digits as eight words: copied and compared without touching the heap.
public struct ChainHash: Hashable, Sendable, CustomStringConvertible {
  typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  private var first: SIMD4<UInt64>
  private var second: SIMD4<UInt64>

  /// What stands before line 1: 64 times `0`.
  public static let beforeFirst = ChainHash(repeating: 0x3030_3030_3030_3030)

  private init(repeating word: UInt64) {
    first = SIMD4(repeating: word)
    second = SIMD4(repeating: word)
  }

  /// The 64 bytes at an offset, unchecked.
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

  /// The link of a line: SHA-256 over the previous link, the line's front, and the digest of its
  /// body (docs/log-format.md, Hash chain). Nothing is serialised again: these are the stored bytes.
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

  /// The link of an erased line, whose body is known only by its digest.
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

/// The first digits of a link, or all of them: how a person names one.
public struct HashPrefix: Hashable, Sendable, CustomStringConvertible {
  /// Fewer digits could be those of several events by accident.
  public static let fewestDigits = 8
  private let digits: [UInt8]

  /// - Returns: `nil` unless these are 8 to 64 hexadecimal digits in lower case.
  public init?(_ bytes: some Collection<UInt8>) {
    guard (Self.fewestDigits...64).contains(bytes.count), bytes.allSatisfy(Hex.isLowerDigit)
    else { return nil }
    digits = Array(bytes)
  }

  public init(_ hash: ChainHash) { digits = Array(hash.description.utf8) }

  /// Whether a link that is stored at an offset begins so.
  func begins(_ bytes: RawSpan, at offset: Int) -> Bool {
    bytes.extracting(offset..<offset + digits.count).withUnsafeBytes { $0.elementsEqual(digits) }
  }

  public var description: String { String(decoding: digits, as: UTF8.self) }
}
