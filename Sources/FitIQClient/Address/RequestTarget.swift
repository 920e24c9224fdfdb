import LedgerSync

/// A request's path and query, escaped so that neither can become anything else.
enum RequestTarget {
  /// - Returns: `nil` for a path that would lead elsewhere: clients fold `..` away before they
  ///   send, and an id made of it could turn the deletion of a row into that of an account.
  static func text(of request: WireRequest) -> String? {
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.first?.isEmpty == true, segments.count > 1,
      segments.allSatisfy({ $0 != "." && $0 != ".." })
    else { return nil }
    let path = segments.map { escaped($0.utf8) }.joined(separator: "/")
    guard !request.query.isEmpty else { return path }
    let items = request.query.map { "\(escaped($0.name.utf8))=\(escaped($0.value.utf8))" }
    return path + "?" + items.joined(separator: "&")
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

  private static func escaped(_ bytes: some Sequence<UInt8>) -> String {
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
