/// Reads a connection in lines and runs of bytes, never more than was allowed for.
struct ByteReader {
  let connection: Connection
  /// When the request being read must be complete; nil between requests.
  private var deadline: ContinuousClock.Instant?
  private var buffer: [UInt8] = []
  private var position = 0

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// Waits for the first byte of the next request; from then on the request has limited time.
  mutating func begin(_ limits: HTTPLimits) throws(ConnectionEnd) {
    buffer.removeFirst(position)
    position = 0
    deadline = nil
    if buffer.isEmpty {
      try connection.receive(into: &buffer, timeoutMilliseconds: limits.patienceMilliseconds)
    }
    deadline = .now + .milliseconds(limits.patienceMilliseconds)
  }

  /// One line without its CRLF. Its bytes are taken from `budget`, whose end is the `excess`.
  mutating func line(
    budget: inout Int, excess: HTTPProblem
  ) throws(RequestFailure) -> ArraySlice<UInt8> {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        budget -= end + 1 - position
        guard budget >= 0 else { throw .problem(excess) }
        // A bare line feed is read as a line end by some and as text by others.
        guard end > position, buffer[end - 1] == 0x0D else {
          throw .problem(.malformed("A line ends without a carriage return"))
        }
        defer { position = end + 1 }
        return buffer[position..<(end - 1)]
      }
      searched = buffer.count
      guard buffer.count - position <= budget else { throw .problem(excess) }
      try fill()
    }
  }

  mutating func bytes(_ count: Int) throws(RequestFailure) -> ArraySlice<UInt8> {
    while buffer.count - position < count { try fill() }
    defer { position += count }
    return buffer[position..<(position + count)]
  }

  private mutating func fill() throws(RequestFailure) {
    do throws(ConnectionEnd) {
      guard let deadline else { throw .timedOut }
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { throw .timedOut }
      let milliseconds = Int32((left / .milliseconds(1)).rounded(.up))
      try connection.receive(into: &buffer, timeoutMilliseconds: milliseconds)
    } catch {
      throw .connection(error)
    }
  }
}
