/// Reads one request after another from a connection.
struct RequestReader {
  private var reader: ByteReader
  private let limits: HTTPLimits

  init(_ connection: Connection, limits: HTTPLimits) {
    reader = ByteReader(connection)
    self.limits = limits
  }

  /// The next whole request; nil when the peer asks for nothing more.
  mutating func next() throws(RequestFailure) -> HTTPRequest? {
    do {
      try reader.begin(limits)
    } catch {
      return nil
    }
    do {
      let head = try readHead()
      return HTTPRequest(head: head, body: try readBody(of: head))
    } catch {
      if case .connection(.timedOut) = error {
        throw .problem(HTTPProblem(408, "The request was not complete in time"))
      }
      throw error
    }
  }

  private mutating func readHead() throws(RequestFailure) -> RequestHead {
    var budget = limits.headBytes
    var requestLine = try reader.line(budget: &budget, excess: .headTooLarge)
    // Some old clients send an empty line after a body; it belongs to no request.
    while requestLine.isEmpty {
      requestLine = try reader.line(budget: &budget, excess: .headTooLarge)
    }
    var headers = HTTPHeaders()
    while true {
      let line = try reader.line(budget: &budget, excess: .headTooLarge)
      if line.isEmpty { break }
      try asRequestFailure { () throws(HTTPProblem) in try headers.append(line: line) }
    }
    return try asRequestFailure { () throws(HTTPProblem) in
      try RequestHead(requestLine: requestLine, headers: headers)
    }
  }

  private mutating func readBody(of head: RequestHead) throws(RequestFailure) -> [UInt8] {
    let framing = try asRequestFailure { () throws(HTTPProblem) in
      try BodyFraming(head, limits: limits)
    }
    try continueIfExpected(head, framing)
    switch framing {
    case .none: return []
    case .length(let count): return Array(try reader.bytes(count))
    case .chunked: return try readChunks()
    }
  }

  /// A client that waits before it sends a large body is told to go on (RFC 9110, 10.1.1).
  private func continueIfExpected(
    _ head: RequestHead, _ framing: BodyFraming
  ) throws(RequestFailure) {
    let expectations = head.headers.tokens("expect")
    guard !expectations.isEmpty else { return }
    guard expectations == ["100-continue"] else {
      throw .problem(HTTPProblem(417, "The only expectation known here is 100-continue"))
    }
    guard framing != .none, head.version == .http11 else { return }
    do {
      try reader.connection.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    } catch {
      throw .connection(error)
    }
  }

  private mutating func readChunks() throws(RequestFailure) -> [UInt8] {
    var body: [UInt8] = []
    // Sizes, extensions and trailers are not kept, and count all the same.
    var left = limits.bodyBytes + limits.headBytes
    while true {
      var budget = min(1024, left)
      let tooLong =
        budget == left
        ? HTTPProblem.bodyTooLarge : .malformed("A chunk's first line is too long")
      left -= budget
      let line = try reader.line(budget: &budget, excess: tooLong)
      left += budget
      guard let size = chunkSize(line) else {
        throw .problem(.malformed("A chunk's size is not a hexadecimal number"))
      }
      if size == 0 { break }
      guard size <= limits.bodyBytes - body.count, size + 2 <= left else {
        throw .problem(.bodyTooLarge)
      }
      left -= size + 2
      body += try reader.bytes(size)
      guard try reader.bytes(2).elementsEqual([0x0D, 0x0A]) else {
        throw .problem(.malformed("A chunk is longer than its size says"))
      }
    }
    // Trailers mean nothing to this API, but they stand before the next request.
    var budget = min(limits.headBytes, left)
    while try !reader.line(budget: &budget, excess: .headTooLarge).isEmpty {}
    return body
  }
}

/// The size in a chunk's first line, whose extensions are ignored; huge sizes are cut to a huge one.
private func chunkSize(_ line: ArraySlice<UInt8>) -> Int? {
  let digits = line.prefix { hexDigit($0) != nil }
  let rest = line[digits.endIndex...]
  guard !digits.isEmpty, rest.first.map({ ";\t ".utf8.contains($0) }) ?? true else { return nil }
  guard digits.drop(while: { $0 == UInt8(ascii: "0") }).count <= 15 else { return Int.max }
  return digits.reduce(0) { $0 << 4 | Int(hexDigit($1) ?? 0) }
}

private func asRequestFailure<Answer>(
  _ body: () throws(HTTPProblem) -> Answer
) throws(RequestFailure) -> Answer {
  do {
    return try body()
  } catch {
    throw .problem(error)
  }
}
