import LedgerPlatform

struct RequestReader {
  private var reader: ByteReader
  private let limits: HTTPLimits

  init(_ connection: Connection, limits: HTTPLimits) {
    reader = ByteReader(connection)
    self.limits = limits
  }

  /// - Returns: `nil` when the peer sends no further request.
  mutating func next() throws(HTTPFailure) -> HTTPRequest? {
    do {
      try reader.begin(limits)
    } catch {
      return nil
    }
    do {
      let head = try readHead()
      return HTTPRequest(head: head, body: try readBody(of: head))
    } catch {
      throw error == .timedOut ? .invalid(408, "The request was not complete in time") : error
    }
  }

  private mutating func readHead() throws(HTTPFailure) -> RequestHead {
    var budget = limits.headBytes
    var requestLine = try reader.line(budget: &budget, excess: .headTooLarge)
    // Some old clients send an empty line after a body.
    while requestLine.isEmpty {
      requestLine = try reader.line(budget: &budget, excess: .headTooLarge)
    }
    var headers = HTTPHeaders()
    while true {
      let line = try reader.line(budget: &budget, excess: .headTooLarge)
      if line.isEmpty { break }
      try headers.append(line: line)
    }
    return try RequestHead(requestLine: requestLine, headers: headers)
  }

  private mutating func readBody(of head: RequestHead) throws(HTTPFailure) -> [UInt8] {
    let framing = try BodyFraming(head, limits: limits)
    try continueIfExpected(head, framing)
    switch framing {
    case .none: return []
    case .length(let count): return Array(try reader.bytes(count))
    case .chunked: return try readChunks()
    }
  }

  /// Answers `Expect: 100-continue`, with which a client waits before a large body (RFC 9110, 10.1.1).
  private func continueIfExpected(
    _ head: RequestHead, _ framing: BodyFraming
  ) throws(HTTPFailure) {
    let expectations = head.headers.tokens("expect")
    guard !expectations.isEmpty else { return }
    guard expectations == ["100-continue"] else {
      throw .invalid(417, "The only supported expectation is 100-continue")
    }
    guard framing != .none, head.version == .http11 else { return }
    try reader.connection.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
  }

  private mutating func readChunks() throws(HTTPFailure) -> [UInt8] {
    var body: [UInt8] = []
    // Sizes, extensions and trailers count towards the limit, too.
    var left = limits.bodyBytes + limits.headBytes
    while true {
      var budget = min(1024, left)
      let tooLong =
        budget == left
        ? HTTPFailure.bodyTooLarge : .malformed("A chunk's first line is too long")
      left -= budget
      let line = try reader.line(budget: &budget, excess: tooLong)
      left += budget
      guard let size = chunkSize(line) else {
        throw .malformed("A chunk's size is not a hexadecimal number")
      }
      if size == 0 { break }
      guard size <= limits.bodyBytes - body.count, size + 2 <= left else {
        throw .bodyTooLarge
      }
      left -= size + 2
      body += try reader.bytes(size)
      guard try reader.bytes(2).elementsEqual([0x0D, 0x0A]) else {
        throw .malformed("A chunk is longer than its size says")
      }
    }
    // Skip the trailers, which this API does not use.
    var budget = min(limits.headBytes, left)
    while try !reader.line(budget: &budget, excess: .headTooLarge).isEmpty {}
    return body
  }
}

/// The size in a chunk's first line, without extensions; `Int.max` for one too large to represent.
private func chunkSize(_ line: ArraySlice<UInt8>) -> Int? {
  let digits = line.prefix { PercentEncoding.hexDigit($0) != nil }
  let rest = line[digits.endIndex...]
  guard !digits.isEmpty, rest.first.map({ ";\t ".utf8.contains($0) }) ?? true else { return nil }
  guard digits.drop(while: { $0 == UInt8(ascii: "0") }).count <= 15 else { return Int.max }
  return digits.reduce(0) { $0 << 4 | Int(PercentEncoding.hexDigit($1) ?? 0) }
}

/// Reads lines and byte counts from a connection, within limits.
private struct ByteReader {
  let connection: Connection
  /// When the current request must be complete; `nil` between requests.
  private var deadline: ContinuousClock.Instant?
  private var buffer: [UInt8] = []
  private var position = 0

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// Waits for the first byte of the next request, whose time limit then begins.
  mutating func begin(_ limits: HTTPLimits) throws(HTTPFailure) {
    buffer.removeFirst(position)
    position = 0
    deadline = nil
    if buffer.isEmpty {
      try connection.receive(into: &buffer, timeoutMilliseconds: limits.patienceMilliseconds)
    }
    deadline = .now + .milliseconds(limits.patienceMilliseconds)
  }

  /// One line without its CRLF.
  ///
  /// - Parameters:
  ///   - budget: the remaining bytes, reduced by the line's.
  ///   - excess: thrown when the budget is exceeded.
  mutating func line(
    budget: inout Int, excess: HTTPFailure
  ) throws(HTTPFailure) -> ArraySlice<UInt8> {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        budget -= end + 1 - position
        guard budget >= 0 else { throw excess }
        // Servers disagree about whether a bare line feed ends a line.
        guard end > position, buffer[end - 1] == 0x0D else {
          throw .malformed("A line ends without a carriage return")
        }
        defer { position = end + 1 }
        return buffer[position..<(end - 1)]
      }
      searched = buffer.count
      guard buffer.count - position <= budget else { throw excess }
      try fill()
    }
  }

  mutating func bytes(_ count: Int) throws(HTTPFailure) -> ArraySlice<UInt8> {
    while buffer.count - position < count { try fill() }
    defer { position += count }
    return buffer[position..<(position + count)]
  }

  private mutating func fill() throws(HTTPFailure) {
    guard let deadline else { throw .timedOut }
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { throw .timedOut }
    let milliseconds = Int32((left / .milliseconds(1)).rounded(.up))
    try connection.receive(into: &buffer, timeoutMilliseconds: milliseconds)
  }
}

/// How a request's body is delimited (RFC 9112, 6.3).
private enum BodyFraming: Equatable {
  case none
  case length(Int)
  case chunked

  /// Refuses everything ambiguous, which allows request smuggling past a proxy.
  init(_ head: RequestHead, limits: HTTPLimits) throws(HTTPFailure) {
    let lengths = head.headers.values("content-length")
    let codings = head.headers.tokens("transfer-encoding")
    guard codings.isEmpty else {
      guard lengths.isEmpty, head.version == .http11 else {
        throw .malformed("Transfer-Encoding together with Content-Length or in HTTP/1.0")
      }
      guard codings == ["chunked"] else {
        throw .invalid(501, "The only supported transfer coding is chunked")
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

struct HTTPLimits: Sendable {
  /// Request line and headers together; also the trailers of a chunked body.
  var headBytes = 32 * 1024
  /// The framing of a chunked body may take another ``headBytes``.
  var bodyBytes = 1024 * 1024
  /// The limit for an idle connection and for receiving a request: slow senders must not hold
  /// threads.
  var patienceMilliseconds: Int32
  /// Concurrent connections; more wait in the system's queue.
  var connections: Int
}

enum HTTPFailure: Error, Equatable {
  /// Invalid HTTP. The connection closes after this answer, because the start of the next request is
  /// unknown.
  case invalid(_ status: Int, _ message: String)
  /// The peer closed the connection, it broke, or the server stopped.
  case closed
  case timedOut

  static func malformed(_ message: String) -> HTTPFailure { .invalid(400, message) }

  static let headTooLarge = invalid(431, "The request's header is too large")
  static let bodyTooLarge = invalid(413, "The request's body is too large")
}
