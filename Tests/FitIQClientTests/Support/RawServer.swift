import Foundation
import LedgerPlatform
import LedgerTestSupport
import Synchronization
import Testing

/// A server on loopback that answers each connection by a script, byte for byte.
final class RawServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let texts = Mutex<[String]>([])
  private let accepted = Mutex(0)
  private let stopping = Mutex(false)
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameter script: run for each connection on a thread; the connection closes when it returns.
  init(_ script: @escaping @Sendable (RawPeer) -> Void) throws {
    #if canImport(Glibc)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    try #require(listener >= 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let outcome = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 64) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    try #require(outcome)
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      while let raw = self.nextConnection() {
        self.accepted.withLock { $0 += 1 }
        Thread.detachNewThread {
          let peer = RawPeer(raw, timeoutSeconds: Int(patienceSeconds)) { text in
            self.texts.withLock { $0.append(text) }
          }
          script(peer)
          peer.close()
        }
      }
      // Closed only here: a descriptor closed during `accept` may be reused by another server.
      close(listener)
      self.ended.signal()
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
  func stop() {
    stopping.withLock { $0 = true }
    ended.wait()
  }

  var url: String { "http://127.0.0.1:\(port)" }
  /// All complete requests.
  var requests: [String] { texts.withLock { $0 } }
  var connections: Int { accepted.withLock { $0 } }
}

/// An answer with its length.
func httpAnswer(_ status: String, _ body: String, headers: String...) -> String {
  let lines = headers.map { $0 + "\r\n" }.joined()
  return "HTTP/1.1 \(status)\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}
