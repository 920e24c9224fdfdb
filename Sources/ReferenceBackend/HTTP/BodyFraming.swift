/// How the end of a request's body is found (RFC 9112, 6.3).
enum BodyFraming: Equatable {
  case none
  case length(Int)
  case chunked

  /// Anything that two readers could understand differently is refused: that is how requests are
  /// smuggled past a proxy.
  init(_ head: RequestHead, limits: HTTPLimits) throws(HTTPProblem) {
    let lengths = head.headers.values("content-length")
    let codings = head.headers.tokens("transfer-encoding")
    guard codings.isEmpty else {
      guard lengths.isEmpty, head.version == .http11 else {
        throw .malformed("Transfer-Encoding stands with Content-Length or in HTTP/1.0")
      }
      guard codings == ["chunked"] else {
        throw HTTPProblem(501, "The only transfer coding known here is chunked")
      }
      self = .chunked
      return
    }
    guard let first = lengths.first else {
      self = .none
      return
    }
    guard lengths.count == 1, !first.isEmpty, first.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
    else { throw .malformed("Content-Length is not one number") }
    guard let length = Int(first), length <= limits.bodyBytes else { throw .bodyTooLarge }
    self = .length(length)
  }
}
