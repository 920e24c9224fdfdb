import LedgerModel

/// What a connection needs to know of whoever answers its requests.
struct HTTPService: Sendable {
  let limits: HTTPLimits
  let now: @Sendable () -> Timestamp
  /// Answers one request; may wait, and gives up when the server stops.
  let answer: @Sendable (HTTPRequest, StopSignal) -> Delivery
  /// The answer to bytes that are no usable request.
  let explain: @Sendable (HTTPProblem) -> HTTPResponse
}

/// What becomes of an answer on its way out.
enum Delivery: Sendable {
  case answer(HTTPResponse)
  /// Half of the answer, then the connection closes.
  case truncated(HTTPResponse)
  /// The connection closes without a byte.
  case hangUp
}
