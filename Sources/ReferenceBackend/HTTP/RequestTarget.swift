/// What a request asks for: its path in decoded segments, and its query's names and values.
struct RequestTarget: Sendable, Equatable {
  struct QueryItem: Sendable, Equatable {
    let name: String
    let value: String
  }

  /// As it was sent.
  let path: String
  /// As it was sent, without the question mark; nil when there was none.
  let query: String?
  /// Decoded after splitting, so that an encoded slash stays inside its segment.
  let segments: [String]
  let queryItems: [QueryItem]

  /// Reads the origin form (`/path?query`), the absolute form that proxies send, and `*`.
  init(parsing bytes: ArraySlice<UInt8>) throws(HTTPProblem) {
    guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      !bytes.contains(UInt8(ascii: "#"))
    else { throw .malformed("The request's target holds a character that must be encoded") }
    let text = RequestTarget.withoutOrigin(String(decoding: bytes, as: UTF8.self))
    guard text.hasPrefix("/") || text == "*" else {
      throw .malformed("The request's target is neither a path nor an address")
    }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(halves[0])
    query = halves.count == 2 ? String(halves[1]) : nil
    segments = try RequestTarget.segments(of: halves[0])
    queryItems = try query.map(RequestTarget.items) ?? []
  }

  /// `http://host/path` asks this server for `/path`.
  private static func withoutOrigin(_ text: String) -> String {
    let scheme = "http://"
    guard text.lowercased().hasPrefix(scheme) else { return text }
    let rest = text.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
    return rest.hasPrefix("/") ? String(rest) : "/" + rest
  }

  private static func segments(of path: Substring) throws(HTTPProblem) -> [String] {
    var segments: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = percentDecoded(part.utf8) else {
        throw .malformed("The path is not percent-encoded UTF-8")
      }
      segments.append(segment)
    }
    return segments
  }

  private static func items(of query: String) throws(HTTPProblem) -> [QueryItem] {
    var items: [QueryItem] = []
    for part in query.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = percentDecoded(halves[0].utf8),
        let value = percentDecoded(halves.count == 2 ? Array(halves[1].utf8) : [])
      else { throw .malformed("The query is not percent-encoded UTF-8") }
      items.append(QueryItem(name: name, value: value))
    }
    return items
  }
}
