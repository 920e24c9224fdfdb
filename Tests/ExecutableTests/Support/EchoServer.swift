import Foundation
import LedgerJSON
import LedgerPlatform
import Synchronization
import Testing

/// The C library's, which a method of the same name would hide.
private func sendBytes(
  _ peer: Int32, _ start: UnsafeRawPointer?, _ count: Int, _ flags: Int32
) -> Int {
  send(peer, start, count, flags)
}

/// A backend on loopback that answers one request a connection as a test scripts it.
final class EchoServer: Sendable {
  typealias Answer = @Sendable (_ request: String) -> (status: Int, body: String)
  /// An oversized body: so many bytes, one at a time or as fast as possible, until the peer closes.
  struct Flood {
    var bytes: Int
    var pause: Duration?
  }

  let port: UInt16
  private let host: String
  private let listener: Int32
  private let isStopping = Mutex(false)
  private let gone = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - host: an IPv4 address, or `::1`.
  ///   - flood: which requests get an oversized body.
  init(
    at host: String = "127.0.0.1",
    flood: @escaping @Sendable (_ request: String) -> Flood? = { _ in nil },
    _ answer: @escaping Answer
  ) throws {
    (listener, port) = try Self.bound(to: host)
    self.host = host
    try #require(listen(listener, 64) == 0)
    Thread.detachNewThread {
      while let peer = self.nextPeer() {
        Self.serve(peer, flood, answer)
        close(peer)
      }
      // Closed only here: during an `accept`, the descriptor could be reused.
      close(self.listener)
      self.gone.signal()
    }
  }

  private static func bound(to host: String) throws -> (socket: Int32, port: UInt16) {
    let isIPv6 = host.contains(":")
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let socket = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    try #require(socket >= 0)
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
      close(socket)
      throw POSIXError(.EADDRINUSE)
    }
    // In both forms the port follows the family.
    return withUnsafeBytes(of: address) {
      (socket, UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)))
    }
  }

  var url: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// Returns when the socket is closed. To be called once.
  func stop() {
    isStopping.withLock { $0 = true }
    gone.wait()
  }

  private func nextPeer() -> Int32? {
    while !isStopping.withLock({ $0 }) {
      var watched = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, 20) > 0 else { continue }
      let peer = accept(listener, nil, nil)
      if peer >= 0 { return peer }
    }
    return nil
  }

  private static func serve(
    _ peer: Int32, _ flood: (String) -> Flood?, _ answer: Answer
  ) {
    var received: [UInt8] = []
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let length = text[..<end.lowerBound].lowercased().split(separator: "\r\n")
          .first { $0.hasPrefix("content-length:") }
          .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        if text[end.upperBound...].utf8.count >= length ?? 0 { break }
      }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = recv(peer, &chunk, chunk.count, 0)
      guard count > 0 else { return }
      received += chunk[..<count]
    }
    let request = String(decoding: received, as: UTF8.self)
    if let flood = flood(request) {
      let head = "HTTP/1.1 200 Said\r\nConnection: close\r\nContent-Length: \(flood.bytes)"
      send("\(head)\r\n\r\n", to: peer)
      let portion = String(repeating: " ", count: flood.pause == nil ? 1 << 16 : 1)
      var sent = 0
      while sent < flood.bytes, send(portion, to: peer) {
        sent += portion.utf8.count
        if let pause = flood.pause { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
      }
      return
    }
    let (status, body) = answer(request)
    let head = "HTTP/1.1 \(status) Said\r\nConnection: close\r\nContent-Length: \(body.utf8.count)"
    send("\(head)\r\n\r\n\(body)", to: peer)
  }

  /// - Returns: whether the peer still takes anything.
  @discardableResult
  private static func send(_ text: String, to peer: Int32) -> Bool {
    // A client that has gone must not end the tests by a signal.
    #if canImport(Darwin)
      var one: Int32 = 1
      setsockopt(peer, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        sendBytes(peer, $0.baseAddress, $0.count, flags)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
