/// One whole request.
struct HTTPRequest: Sendable {
  let head: RequestHead
  let body: [UInt8]

  var method: String { head.method }
  var target: RequestTarget { head.target }
  var headers: HTTPHeaders { head.headers }
}

/// A request's first line and header fields.
struct RequestHead: Sendable {
  let method: String
  let target: RequestTarget
  let version: Version
  let headers: HTTPHeaders

  enum Version: Sendable {
    case http10, http11
  }

  /// Reads the request line `METHOD SP TARGET SP HTTP/1.x`, exactly spaced (RFC 9112, 3).
  init(requestLine: ArraySlice<UInt8>, headers: HTTPHeaders) throws(HTTPProblem) {
    let parts = requestLine.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw .malformed("The request line is not «METHOD TARGET HTTP/1.1»")
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

  private static func version(_ bytes: ArraySlice<UInt8>) throws(HTTPProblem) -> Version {
    let text = String(decoding: bytes, as: UTF8.self)
    switch text {
    case "HTTP/1.1": return .http11
    case "HTTP/1.0": return .http10
    default:
      guard text.hasPrefix("HTTP/") else {
        throw .malformed("The request line is not «METHOD TARGET HTTP/1.1»")
      }
      throw HTTPProblem(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here")
    }
  }

  /// Whether the peer wants to send another request over this connection.
  var keepsAlive: Bool {
    let wishes = headers.tokens("connection")
    switch version {
    case .http11: return !wishes.contains("close")
    case .http10: return wishes.contains("keep-alive") && !wishes.contains("close")
    }
  }
}
