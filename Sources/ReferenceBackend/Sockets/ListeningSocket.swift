import LedgerPlatform

/// A TCP socket that listens on 127.0.0.1 only, because the backend holds passwords in clear text.
struct ListeningSocket: Sendable {
  let descriptor: Descriptor
  let port: UInt16

  /// - Parameter port: 0 for any free port.
  init(port: UInt16) throws(SystemCallFailure) {
    let raw = socket(AF_INET, ListeningSocket.streamType, 0)
    guard raw >= 0 else { throw .last("socket") }
    descriptor = Descriptor(raw)
    try descriptor.closeOnExec()
    try descriptor.makeNonBlocking()
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    guard setsockopt(raw, SOL_SOCKET, SO_REUSEADDR, &yes, size) == 0 else {
      throw .last("setsockopt")
    }

    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard withSockaddr(&address, { bind(raw, $0, length) }) == 0 else { throw .last("bind") }
    guard listen(raw, 512) == 0 else { throw .last("listen") }
    guard withSockaddr(&address, { getsockname(raw, $0, &length) }) == 0 else {
      throw .last("getsockname")
    }
    self.port = UInt16(bigEndian: address.sin_port)
  }

  /// - Returns: `nil` when no connection waits, or the one that did was aborted.
  func accept() throws(SystemCallFailure) -> Descriptor? {
    while true {
      let raw = acceptPeer(descriptor.raw)
      if raw >= 0 {
        let accepted = Descriptor(raw)
        try prepare(accepted)
        return accepted
      }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK, ECONNABORTED: return nil
      default: throw .last("accept")
      }
    }
  }

  private func prepare(_ accepted: Descriptor) throws(SystemCallFailure) {
    try accepted.closeOnExec()
    try accepted.makeNonBlocking()
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Answers are written whole, so waiting to fill a packet only costs time. Errors are ignored: if
    // the peer closed the connection, the first read reports it.
    _ = setsockopt(accepted.raw, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
    #if canImport(Darwin)
      _ = setsockopt(accepted.raw, SOL_SOCKET, SO_NOSIGPIPE, &yes, size)
    #endif
  }

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streamType = SOCK_STREAM
  #endif
}

/// The C library's `accept`, which the method hides.
private func acceptPeer(_ raw: Int32) -> Int32 {
  accept(raw, nil, nil)
}

private func withSockaddr<Answer>(
  _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Answer
) -> Answer {
  withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
  }
}

/// A file descriptor that is closed with its last reference, so that the system cannot reuse its
/// number while another thread polls it.
final class Descriptor: Sendable {
  let raw: Int32

  init(_ raw: Int32) {
    self.raw = raw
  }

  deinit {
    close(raw)
  }

  /// Both ends of a new pipe.
  static func pipe() throws(SystemCallFailure) -> (reader: Descriptor, writer: Descriptor) {
    do throws(SystemError) {
      let (reader, writer) = try ChildProcess.pipe()
      return (Descriptor(reader), Descriptor(writer))
    } catch {
      throw SystemCallFailure(call: "pipe", code: error.number)
    }
  }

  /// Hides the descriptor from child processes: while one holds it, the peer does not see it closed.
  func closeOnExec() throws(SystemCallFailure) {
    guard fcntl(raw, F_SETFD, FD_CLOEXEC) == 0 else { throw .last("fcntl") }
  }

  func makeNonBlocking() throws(SystemCallFailure) {
    let flags = fcntl(raw, F_GETFL)
    guard flags >= 0, fcntl(raw, F_SETFL, flags | O_NONBLOCK) == 0 else { throw .last("fcntl") }
  }
}

/// A failed system call with its `errno`.
struct SystemCallFailure: Error, CustomStringConvertible {
  let call: String
  let code: Int32

  /// The failure of the call just made.
  static func last(_ call: String) -> SystemCallFailure {
    SystemCallFailure(call: call, code: errno)
  }

  var description: String { "\(call): \(SystemError(code))" }
}

/// Starts a thread that must be joined.
func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemCallFailure) -> JoinableThread
{
  guard let thread = Threads.start(body) else {
    throw SystemCallFailure(call: "pthread_create", code: EAGAIN)
  }
  return thread
}

/// An accepted connection. Reads and writes end when the peer is late or the server stops.
struct Connection: Sendable {
  let descriptor: Descriptor
  let stop: StopSignal

  /// Waits for bytes and appends them, at least one.
  func receive(
    into buffer: inout [UInt8], timeoutMilliseconds: Int32
  ) throws(HTTPFailure) {
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      try wait(events: POLLIN, milliseconds: timeoutMilliseconds)
      let count = recv(descriptor.raw, &chunk, chunk.count, 0)
      if count > 0 {
        buffer.append(contentsOf: chunk[..<count])
        return
      }
      if count == 0 { throw .closed }
      guard isTransient(errno) else { throw .closed }
    }
  }

  func send(_ bytes: [UInt8], timeoutMilliseconds: Int32 = 30_000) throws(HTTPFailure) {
    #if canImport(Darwin)
      let flags: Int32 = 0  // SO_NOSIGPIPE is set on the socket.
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      try wait(events: POLLOUT, milliseconds: timeoutMilliseconds)
      let count = bytes.withUnsafeBytes { raw in
        sendBytes(descriptor.raw, raw[sent...], flags)
      }
      if count >= 0 {
        sent += count
      } else if !isTransient(errno) {
        throw .closed
      }
    }
  }

  /// Shuts the writing side down, then reads until the peer closes.
  ///
  /// Closing with unread bytes would reset the connection, and the peer could lose the answer just
  /// written (RFC 9112, 9.6).
  func closeGently() {
    shutdown(descriptor.raw, shutdownWrite)
    var discarded = 0
    var buffer: [UInt8] = []
    while discarded < 4 << 20 {
      buffer.removeAll(keepingCapacity: true)
      do {
        try receive(into: &buffer, timeoutMilliseconds: 500)
      } catch {
        return
      }
      discarded += buffer.count
    }
  }

  private func wait(events: Int32, milliseconds: Int32) throws(HTTPFailure) {
    switch stop.wait(for: descriptor, events: events, milliseconds: milliseconds) {
    case .ready: return
    case .timedOut: throw .timedOut
    case .stopped: throw .closed
    }
  }

  private func isTransient(_ code: Int32) -> Bool {
    code == EINTR || code == EAGAIN || code == EWOULDBLOCK
  }
}

/// The C library's `send`, which the method hides.
private func sendBytes(_ raw: Int32, _ bytes: Slice<UnsafeRawBufferPointer>, _ flags: Int32) -> Int
{
  let rebased = UnsafeRawBufferPointer(rebasing: bytes)
  return send(raw, rebased.baseAddress, rebased.count, flags)
}

#if canImport(Glibc)
  private let shutdownWrite = Int32(SHUT_WR)
#else
  private let shutdownWrite = SHUT_WR
#endif
