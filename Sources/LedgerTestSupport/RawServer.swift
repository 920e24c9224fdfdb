import Dispatch
import LedgerPlatform
import Synchronization

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
