import LedgerSync

/// A request's path as it was planned and recorded, and its query, escaped here.
enum RequestPath {
  /// - Returns: `nil` for a path that holds what a path cannot hold unescaped, or that would lead
  ///   elsewhere: clients fold `..` away before they send, some also where it is escaped, and an id
  ///   made of it could turn the deletion of a row into that of an account.
  static func text(of request: WireRequest) -> String? {
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.first?.isEmpty == true, segments.count > 1,
      segments.allSatisfy({ isEscaped($0.utf8) && !isDots($0) })
    else { return nil }
    guard !request.query.isEmpty else { return request.path }
    let items = request.query.map { "\(escaped($0.name.utf8))=\(escaped($0.value.utf8))" }
    return request.path + "?" + items.joined(separator: "&")
  }

  /// Whether a part of a path is made of what stands there for itself, and of whole escapes.
  private static func isEscaped(_ bytes: Substring.UTF8View) -> Bool {
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard !isUnreserved(byte) else { continue }
      guard byte == UInt8(ascii: "%"), rest.prefix(2).count == 2, rest.prefix(2).allSatisfy(isHex)
      else { return false }
      rest = rest.dropFirst(2)
    }
    return true
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func isDots(_ segment: Substring) -> Bool {
    let plain = segment.uppercased().replacing("%2E", with: ".")
    return plain == "." || plain == ".."
  }

  /// What never needs escaping (RFC 3986, 2.3).
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      if isUnreserved(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
