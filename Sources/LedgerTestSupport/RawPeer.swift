import Dispatch
import LedgerPlatform
import Synchronization

/// One end of a TCP connection that sends arbitrary bytes: a client of a server under test, or a
/// server's connection with a client under test.
package final class RawPeer {
  private var descriptor: Int32
  private var received: [UInt8] = []
  private let onRequest: (String) -> Void

  /// Takes over an accepted connection.
  ///
  /// - Parameters:
  ///   - timeoutSeconds: how long to wait for bytes, so that a silent peer fails the test instead of
  ///     hanging it.
  ///   - onRequest: called with every complete request that was read.
  package init(
    _ descriptor: Int32, timeoutSeconds: Int, onRequest: @escaping (String) -> Void = { _ in }
  ) {
    self.descriptor = descriptor
    self.onRequest = onRequest
    var limit = timeval(tv_sec: time_t(timeoutSeconds), tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Connects to a port on 127.0.0.1.
  package convenience init(port: UInt16, timeoutSeconds: Int = 20) throws {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw SystemError(errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let failure = errno
    self.init(descriptor, timeoutSeconds: timeoutSeconds)
    guard outcome == 0 else { throw SystemError(failure) }
  }

  deinit { close() }

  /// - Returns: false when the peer closed before it took everything.
  @discardableResult
  package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// - Returns: false when the peer closed before it took everything.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    // A peer that has closed must not end the tests by a signal.
    #if canImport(Darwin)
      var one: Int32 = 1
      setsockopt(
        descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        sendBytes(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...]), flags)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Reads one request with the body of its Content-Length.
  ///
  /// - Returns: `nil` when the peer closed before its end.
  @discardableResult
  package func request() -> String? {
    guard let head = received(through: "\r\n\r\n") else { return nil }
    let length = head.lowercased().split(separator: "\r\n")
      .first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) }
    guard let body = received(count: length ?? 0) else { return nil }
    let text = head + body
    onRequest(text)
    return text
  }

  /// Reads up to so many bytes, which count as a request if they are a complete one with JSON.
  package func read(_ count: Int) {
    let text = received(count: count) ?? takeAll()
    if text.contains("\r\n\r\n"), text.hasSuffix("}") { onRequest(text) }
  }

  /// Everything until the peer closes.
  package func readToEnd() -> String {
    while receive() {}
    return takeAll()
  }

  /// Everything through `end`, or until the peer closes.
  package func read(through end: String) -> String { received(through: end) ?? takeAll() }

  private func received(through end: String) -> String? {
    let wanted = Array(end.utf8)
    var start = 0
    while true {
      while start + wanted.count <= received.count {
        if received[start...].starts(with: wanted) { return take(start + wanted.count) }
        start += 1
      }
      guard receive() else { return nil }
    }
  }

  private func received(count: Int) -> String? {
    while received.count < count { guard receive() else { return nil } }
    return take(count)
  }

  private func take(_ count: Int) -> String {
    defer { received.removeFirst(count) }
    return String(decoding: received[..<count], as: UTF8.self)
  }

  private func takeAll() -> String { take(received.count) }

  /// - Returns: false at the end of the connection.
  private func receive() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count > 0 {
        received += chunk[..<count]
        return true
      }
      // A stopped and continued process interrupts its waits.
      guard count < 0, errno == EINTR else { return false }
    }
  }

  /// Closes with a reset.
  package func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  package func close() {
    guard descriptor >= 0 else { return }
    closeDescriptor(descriptor)
    descriptor = -1
  }
}

// The C library's functions, which the methods hide.

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int
{
  send(descriptor, bytes.baseAddress, bytes.count, flags)
}

private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

/// A server on loopback that answers each connection by a script, byte for byte.
package final class RawServer: Sendable {
  package let port: UInt16
  private let host: String
  private let listener: Int32
  private let texts = Mutex<[String]>([])
  private let accepted = Mutex(0)
  private let stopping = Mutex(false)
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - host: an IPv4 address, or `::1`.
  ///   - script: run for each connection on a thread; the connection closes when it returns.
  package init(
    at host: String = "127.0.0.1", _ script: @escaping @Sendable (RawPeer) -> Void
  ) throws {
    self.host = host
    (listener, port) = try Self.bound(to: host)
    guard listen(listener, 64) == 0 else { throw SystemError(errno) }
    let started = Threads.detach {
      while let raw = self.nextConnection() {
        self.accepted.withLock { $0 += 1 }
        let served = Threads.detach {
          let peer = RawPeer(raw, timeoutSeconds: Int(patienceSeconds)) { text in
            self.texts.withLock { $0.append(text) }
          }
          script(peer)
          peer.close()
        }
        precondition(served, "no thread for a connection")
      }
      // Closed only here: a descriptor closed during `accept` may be reused by another server.
      close(self.listener)
      self.ended.signal()
    }
    precondition(started, "no thread for a server")
  }

  private static func bound(to host: String) throws -> (socket: Int32, port: UInt16) {
    let isIPv6 = host.contains(":")
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let socket = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    guard socket >= 0 else { throw SystemError(errno) }
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
      if isIPv6 {
        let address = bytes.assumingMemoryBound(to: sockaddr_in6.self)
        address[0].sin6_family = sa_family_t(AF_INET6)
        address[0].sin6_addr = in6addr_loopback
        size = socklen_t(MemoryLayout<sockaddr_in6>.size)
      } else {
        let address = bytes.assumingMemoryBound(to: sockaddr_in.self)
        address[0].sin_family = sa_family_t(AF_INET)
        address[0].sin_addr.s_addr = inet_addr(host)
        size = socklen_t(MemoryLayout<sockaddr_in>.size)
      }
      let start = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      guard let start else { return false }
      return bind(socket, start, size) == 0 && getsockname(socket, start, &size) == 0
    }
    guard isBound else {
      let failure = errno
      close(socket)
      throw SystemError(failure)
    }
    // In both forms the port follows the family.
    return withUnsafeBytes(of: address) {
      (socket, UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)))
    }
  }

  /// Waits for a connection; `nil` when the server stops.
  private func nextConnection() -> Int32? {
    while !stopping.withLock({ $0 }) {
      var watched = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, 20) > 0 else { continue }
      let raw = accept(listener, nil, nil)
      if raw >= 0 { return raw }
    }
    return nil
  }

  /// Returns once the server no longer listens. Call it once.
  package func stop() {
    stopping.withLock { $0 = true }
    ended.wait()
  }

  package var url: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
  /// All complete requests.
  package var requests: [String] { texts.withLock { $0 } }
  package var connections: Int { accepted.withLock { $0 } }
}

/// An answer with its length.
package func httpAnswer(_ status: String, _ body: String, headers: String...) -> String {
  let lines = headers.map { $0 + "\r\n" }.joined()
  return "HTTP/1.1 \(status)\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}
