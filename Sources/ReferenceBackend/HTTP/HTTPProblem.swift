/// A request that is no usable HTTP: it is answered with this, and the connection closed, because
/// where the next request would begin is no longer known.
struct HTTPProblem: Error, Equatable {
  let status: Int
  let message: String

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }

  static func malformed(_ message: String) -> HTTPProblem {
    HTTPProblem(400, message)
  }

  static let headTooLarge = HTTPProblem(431, "The request's header is too large")
  static let bodyTooLarge = HTTPProblem(413, "The request's body is too large")
}

/// Why no request came: the peer is at fault, or the connection is over.
enum RequestFailure: Error {
  case problem(HTTPProblem)
  case connection(ConnectionEnd)
}
