import Foundation
import LedgerTestSupport

/// A backend on loopback that answers one request a connection as a test scripts it.
struct EchoServer: Sendable {
  typealias Answer = @Sendable (_ request: String) -> (status: Int, body: String)
  /// An oversized body: so many bytes, one at a time or as fast as possible, until the peer closes.
  struct Flood {
    var bytes: Int
    var pause: Duration?
  }

  private let server: RawServer
  var port: UInt16 { server.port }
  var url: String { server.url }

  /// - Parameters:
  ///   - host: an IPv4 address, or `::1`.
  ///   - flood: which requests get an oversized body.
  init(
    at host: String = "127.0.0.1",
    flood: @escaping @Sendable (_ request: String) -> Flood? = { _ in nil },
    _ answer: @escaping Answer
  ) throws {
    server = try RawServer(at: host) { peer in
      guard let request = peer.request() else { return }
      if let flood = flood(request) { return Self.send(flood, to: peer) }
      let (status, body) = answer(request)
      peer.send(httpAnswer("\(status) Said", body, headers: "Connection: close"))
    }
  }

  private static func send(_ flood: Flood, to peer: RawPeer) {
    let head = "HTTP/1.1 200 Said\r\nConnection: close\r\nContent-Length: \(flood.bytes)"
    peer.send("\(head)\r\n\r\n")
    let portion = [UInt8](repeating: 0x20, count: flood.pause == nil ? 1 << 16 : 1)
    var sent = 0
    while sent < flood.bytes, peer.send(portion) {
      sent += portion.count
      if let pause = flood.pause { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
    }
  }

  /// Returns when the socket is closed. To be called once.
  func stop() { server.stop() }
}
