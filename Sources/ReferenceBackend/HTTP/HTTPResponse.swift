import LedgerModel

/// One answer, before it is written out.
struct HTTPResponse: Sendable {
  var status: Int
  var headers: [(name: String, value: String)] = []
  /// Nil for an answer that has none, such as 204.
  var body: [UInt8]?

  /// The answer as bytes for the wire.
  ///
  /// An answer to HEAD says how long its body would be and sends none, else the peer would take
  /// the body for the next answer.
  func serialized(isForHead: Bool, closes: Bool, now: Timestamp) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(HTTPResponse.reason(status))\r\n"
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

  private static func reason(_ status: Int) -> String {
    reasons[status] ?? "Status"
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
