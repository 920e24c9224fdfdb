/// How much of a request is read, and how long it is waited for.
struct HTTPLimits: Sendable {
  /// Request line and header lines together; also the trailers after a chunked body.
  var headBytes = 32 * 1024
  /// Of a body in chunks, what is around them may take ``headBytes`` besides.
  var bodyBytes = 1024 * 1024
  /// A connection that asks nothing for this long is closed, and a request that has begun must be
  /// complete within it: slow senders must not hold threads.
  var patienceMilliseconds: Int32
  /// Connections served at once; more wait in the system's queue.
  var connections: Int
}
