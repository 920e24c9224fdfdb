import LedgerModel
import LedgerPlatform

struct HTTPRequest: Sendable {
  let head: RequestHead
  let body: [UInt8]

  var method: String { head.method }
  var target: RequestTarget { head.target }
  var headers: HTTPHeaders { head.headers }
}

struct RequestHead: Sendable {
  let method: String
  let target: RequestTarget
  let version: Version
  let headers: HTTPHeaders

  enum Version: Sendable {
    case http10, http11
  }

  /// Reads the request line `METHOD SP TARGET SP HTTP/1.x`, exactly spaced (RFC 9112, 3).
  init(requestLine: ArraySlice<UInt8>, headers: HTTPHeaders) throws(HTTPFailure) {
    let parts = requestLine.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw .malformed("The request line is not METHOD TARGET HTTP/1.1")
    }
    guard !parts[0].isEmpty, parts[0].allSatisfy(isTokenByte) else {
      throw .malformed("The request's method is not a token")
    }
    method = String(decoding: parts[0], as: UTF8.self)
    version = try RequestHead.version(parts[2])
    target = try RequestTarget(parsing: parts[1])
    self.headers = headers
    let hosts = headers.values("host").count
    guard hosts == 1 || (hosts == 0 && version == .http10) else {
      throw .malformed("The request must have exactly one Host header")
    }
  }

  private static func version(_ bytes: ArraySlice<UInt8>) throws(HTTPFailure) -> Version {
    let text = String(decoding: bytes, as: UTF8.self)
    switch text {
    case "HTTP/1.1": return .http11
    case "HTTP/1.0": return .http10
    default:
      guard text.hasPrefix("HTTP/") else {
        throw .malformed("The request line is not METHOD TARGET HTTP/1.1")
      }
      throw .invalid(505, "Only HTTP/1.1 and HTTP/1.0 are supported")
    }
  }

  /// Whether the peer wants to reuse this connection.
  var keepsAlive: Bool {
    let options = headers.tokens("connection")
    switch version {
    case .http11: return !options.contains("close")
    case .http10: return options.contains("keep-alive") && !options.contains("close")
    }
  }
}

/// A request's target: path segments and query items, decoded.
struct RequestTarget: Sendable, Equatable {
  struct QueryItem: Sendable, Equatable {
    let name: String
    let value: String
  }

  /// As it was sent.
  let path: String
  /// As it was sent, without the question mark; `nil` without a query.
  let query: String?
  /// Decoded after splitting, so that an encoded slash stays inside its segment.
  let segments: [String]
  let queryItems: [QueryItem]

  /// Parses the origin form (`/path?query`), the absolute form that proxies send, and `*`.
  init(parsing bytes: ArraySlice<UInt8>) throws(HTTPFailure) {
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

  /// Reduces `http://host/path` to `/path`.
  private static func withoutOrigin(_ text: String) -> String {
    let scheme = "http://"
    guard text.lowercased().hasPrefix(scheme) else { return text }
    let rest = text.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
    return rest.hasPrefix("/") ? String(rest) : "/" + rest
  }

  private static func segments(of path: Substring) throws(HTTPFailure) -> [String] {
    var segments: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = PercentEncoding.decode(part.utf8) else {
        throw .malformed("The path is not percent-encoded UTF-8")
      }
      segments.append(segment)
    }
    return segments
  }

  private static func items(of query: String) throws(HTTPFailure) -> [QueryItem] {
    var items: [QueryItem] = []
    for part in query.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(halves[0].utf8),
        let value = PercentEncoding.decode(halves.count == 2 ? Array(halves[1].utf8) : [])
      else { throw .malformed("The query is not percent-encoded UTF-8") }
      items.append(QueryItem(name: name, value: value))
    }
    return items
  }
}

/// Header fields in their order; names are compared without case.
struct HTTPHeaders: Sendable, Equatable {
  struct Field: Sendable, Equatable {
    /// In lower case.
    let name: String
    let value: String
  }

  private(set) var fields: [Field] = []

  func values(_ lowerCaseName: String) -> [String] {
    fields.filter { $0.name == lowerCaseName }.map(\.value)
  }

  /// The elements of a list-valued header from all its lines, in lower case.
  func tokens(_ lowerCaseName: String) -> [String] {
    values(lowerCaseName).flatMap { value in
      value.split(separator: ",").map { trimmed(Array($0.utf8)[...]).lowercased() }
    }
  }

  /// Parses one header line without its line end (RFC 9112, 5).
  mutating func append(line: ArraySlice<UInt8>) throws(HTTPFailure) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw .malformed("A header line has no colon")
    }
    let name = line[..<colon]
    // White space would be a folded line, or a name that proxies read differently.
    guard !name.isEmpty, name.allSatisfy(isTokenByte) else {
      throw .malformed("A header's name is not a token")
    }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
      throw .malformed("A header's value holds a control character")
    }
    fields.append(
      Field(name: String(decoding: name, as: UTF8.self).lowercased(), value: trimmed(value)))
  }
}

/// Whether the byte may occur in a method or a header's name (RFC 9110, 5.6.2).
private func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default:
    "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
  let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
  var rest = bytes.drop(while: isSpace)
  while let last = rest.last, isSpace(last) { rest.removeLast() }
  return String(decoding: rest, as: UTF8.self)
}

/// An answer before serialization.
struct HTTPResponse: Sendable {
  var status: Int
  var headers: [(name: String, value: String)] = []
  /// `nil` for an answer without a body, such as 204.
  var body: [UInt8]?

  /// The bytes of the answer.
  ///
  /// An answer to HEAD gives the body's length without the body, which the peer would read as the
  /// next answer.
  func serialized(isForHead: Bool, closes: Bool, now: Timestamp) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(HTTPResponse.reasons[status] ?? "Status")\r\n"
    if let date = httpDate(now) { text += "Date: \(date)\r\n" }
    for header in headers { text += "\(header.name): \(header.value)\r\n" }
    if let body {
      text += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
    } else if status != 204 {
      text += "Content-Length: 0\r\n"
    }
    text += closes ? "Connection: close\r\n\r\n" : "\r\n"
    return Array(text.utf8) + (isForHead ? [] : body ?? [])
  }

  private static let reasons = [
    200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
    409: "Conflict", 413: "Content Too Large", 417: "Expectation Failed",
    422: "Unprocessable Content", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error",
    501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]
}

/// The date format of HTTP, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7); `nil` outside the
/// years 1 to 9999.
private func httpDate(_ moment: Timestamp) -> String? {
  guard let (date, time, _) = moment.utc else { return nil }
  let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  let digits = "\(date)"
  let month = months[date.components.month - 1]
  let weekday = weekdays[date.weekday - 1]
  return "\(weekday), \(digits.suffix(2)) \(month) \(digits.prefix(4)) \(time) GMT"
}
