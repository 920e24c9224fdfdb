import LedgerModel

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
