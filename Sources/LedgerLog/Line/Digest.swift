import CSHA256

/// SHA-256 of bytes that are no part of the chain.
public enum Digest {
  /// 64 hexadecimal digits.
  public static func hex(of bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    csha256_digest(bytes, bytes.count, &digest)
    var text = [UInt8](repeating: 0, count: 64)
    csha256_hex(digest, &text)
    return String(decoding: text, as: UTF8.self)
  }
}
