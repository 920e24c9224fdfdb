/// Percent-encoding of bytes (RFC 3986, 2.1).
package enum PercentEncoding {
  /// - Parameter kept: further ASCII characters that stay as they are, such as the slash of a path.
  package static func encode(_ bytes: some Sequence<UInt8>, keeping kept: String = "") -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      if isUnreserved(byte) || kept.utf8.contains(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A text as one segment of a path: an id of slashes or points must not reach another path.
  package static func pathSegment(_ text: String) -> String {
    encode(text.utf8).replacing(".", with: "%2E")
  }

  /// - Returns: `nil` for an incomplete escape, and for bytes that are not UTF-8.
  package static func decode(_ bytes: some Sequence<UInt8>) -> String? {
    var decoded: [UInt8] = []
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(hexDigit), let low = rest.next().flatMap(hexDigit)
      else { return nil }
      decoded.append(high << 4 | low)
    }
    return String(validating: decoded, as: UTF8.self)
  }

  /// Whether a byte never needs encoding (RFC 3986, 2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// The value of a hexadecimal digit in either case.
  package static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
