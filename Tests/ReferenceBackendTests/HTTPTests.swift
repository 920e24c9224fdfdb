import Foundation
import LedgerTestSupport
import ReferenceBackend
import Testing

/// The HTTP layer, tested with raw bytes.
@Suite(.blocks) struct HTTPTests {
  private let key = "X-API-Key: \(BackendConfiguration.demoAPIKey)\r\n"

  private func answer(to text: String) throws -> String {
    let server = try BackendServer.start()
    defer { server.stop() }
    let peer = try RawPeer(port: server.port)
    peer.send(text)
    return peer.readToEnd()
  }

  @Test(
    "A malformed request is refused and the connection closes",
    arguments: [
      ("GARBAGE\r\n\r\n", 400),
      ("GET /api/v1/progress\r\nHost: x\r\n\r\n", 400),
      ("GET  /api/v1/progress HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /api/v1/progress HTTP/1.1 \r\nHost: x\r\n\r\n", 400),
      ("G@T /api/v1/progress HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET api/v1/progress HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /a\u{7F}b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /?a=%2 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /#part HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\r\nA: \u{1}\r\n\r\n", 400),
      ("GET / HTTP/1.1\nHost: x\n\n", 400),
      ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
      (
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
        400
      ),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
      (
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
        400
      ),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n", 413),
      (
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 413
      ),
      ("POST / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 1\r\n\r\n", 417),
    ])
  func malformedRequestsAreRefusedAndTheConnectionCloses(text: String, status: Int) throws {
    let answer = try answer(to: text)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    #expect(answer.contains("\r\nConnection: close\r\n"))
    #expect(answer.contains(#"{"error":{"message":"#))
  }

  @Test("Headers have a size limit")
  func headersHaveALimit() throws {
    let line = "A: " + String(repeating: "a", count: 1000) + "\r\n"
    let head = "GET / HTTP/1.1\r\nHost: x\r\n"
    let long = head + String(repeating: line, count: 40) + "\r\n"
    #expect(try answer(to: long).hasPrefix("HTTP/1.1 431 "))
    let endless = head + "A: " + String(repeating: "a", count: 100_000)
    #expect(try answer(to: endless).hasPrefix("HTTP/1.1 431 "))
    let fits = head + String(repeating: line, count: 30) + "Connection: close\r\n\r\n"
    #expect(try answer(to: fits).hasPrefix("HTTP/1.1 401 "))
  }

  @Test("A large chunked body is refused without being stored")
  func aLargeBodyInChunksIsRefusedWithoutBeingKept() throws {
    let chunk = "10000\r\n" + String(repeating: "a", count: 65_536) + "\r\n"
    let text =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      + String(repeating: chunk, count: 20) + "0\r\n\r\n"
    #expect(try answer(to: text).hasPrefix("HTTP/1.1 413 "))
  }

  @Test("Extensions and trailers of a body in chunks count against its limit")
  func framingCounts() throws {
    let head =
      "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunk = "1;x=\(String(repeating: "a", count: 1000))\r\n{\r\n"
    func status(_ chunks: Int, _ end: String) throws -> String {
      String(try answer(to: head + String(repeating: chunk, count: chunks) + end).prefix(12))
    }
    // Without a key every complete request is answered 401.
    #expect(try status(1000, "0\r\n\r\n") == "HTTP/1.1 401")
    #expect(try status(1100, "0\r\n\r\n") == "HTTP/1.1 413")
    let trailer = "T: \(String(repeating: "a", count: 1000))\r\n"
    #expect(
      try status(1, "0\r\n" + String(repeating: trailer, count: 30) + "\r\n") == "HTTP/1.1 401")
    #expect(
      try status(1, "0\r\n" + String(repeating: trailer, count: 40) + "\r\n") == "HTTP/1.1 431")
  }

  @Test("A connection serves several requests")
  func requestsFollowEachOtherOnOneConnection() throws {
    let server = try BackendServer.start()
    defer { server.stop() }
    let peer = try RawPeer(port: server.port)
    let body = #"{"email":"a@b.c","password":"x"}"#
    let login = "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n\(key)"
    let sized = login + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    let middle = body.index(body.startIndex, offsetBy: 16)
    let chunked =
      login + "Transfer-Encoding: chunked\r\n\r\n"
      + "10;name=value\r\n\(body[..<middle])\r\n"
      + "\(String(body.utf8.count - 16, radix: 16))\r\n\(body[middle...])\r\n"
      + "0\r\nTrailer: x\r\n\r\n"
    // Sent at once: the server must find the end of each. An empty line between them is ignored.
    peer.send(sized + chunked + "\r\n" + sized + chunked)
    for _ in 0..<4 {
      let head = peer.read(through: "\r\n\r\n")
      #expect(head.hasPrefix("HTTP/1.1 401 "), "\(head)")
      #expect(!head.contains("Connection: close"))
      #expect(peer.read(through: "}}").contains("Invalid email or password"))
    }
  }

  @Test("A request may arrive byte by byte")
  func aRequestMayComeByteByByte() throws {
    let server = try BackendServer.start()
    defer { server.stop() }
    let peer = try RawPeer(port: server.port)
    let text = "GET /api/v1/progress HTTP/1.1\r\nHost: x\r\n\(key)Connection: close\r\n\r\n"
    for byte in text.utf8 { peer.send([byte]) }
    #expect(peer.readToEnd().hasPrefix("HTTP/1.1 401 "))
  }

  @Test("Expect: 100-continue is answered")
  func aClientThatWaitsIsToldToContinue() throws {
    let server = try BackendServer.start()
    defer { server.stop() }
    let peer = try RawPeer(port: server.port)
    let head = "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n\(key)Connection: close\r\n"
    peer.send(head + "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
    #expect(peer.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    peer.send("{}")
    #expect(peer.readToEnd().hasPrefix("HTTP/1.1 400 "))
  }

  @Test("HEAD is refused without a body")
  func headIsRefusedWithoutABody() throws {
    let server = try BackendServer.start()
    defer { server.stop() }
    let peer = try RawPeer(port: server.port)
    peer.send("HEAD /api/v1/progress HTTP/1.1\r\nHost: x\r\n\(key)\r\n")
    let head = peer.read(through: "\r\n\r\n")
    #expect(head.hasPrefix("HTTP/1.1 405 "))
    // The next answer follows the first one's headers directly.
    peer.send("GET /nowhere HTTP/1.1\r\nHost: x\r\n\(key)\r\n")
    #expect(peer.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
  }

  @Test("HTTP/1.0 and absolute targets are accepted")
  func oldClientsAndProxiesAreUnderstood() throws {
    let old = try answer(to: "GET /nowhere HTTP/1.0\r\n\(key)\r\n")
    #expect(old.hasPrefix("HTTP/1.1 404 "))
    #expect(old.contains("Connection: close"))
    let absolute = "GET http://x/api/v1/progress HTTP/1.1\r\nHost: x\r\n\(key)"
    #expect(try answer(to: absolute + "Connection: close\r\n\r\n").hasPrefix("HTTP/1.1 401 "))
  }

  @Test("An encoded slash stays in its segment")
  func anEncodedSlashStaysInItsSegment() throws {
    let text = "GET /api/v1/users%2Fme HTTP/1.1\r\nHost: x\r\n\(key)Connection: close\r\n\r\n"
    #expect(try answer(to: text).hasPrefix("HTTP/1.1 404 "))
    let spelled = "GET /api/v1/%75sers/me HTTP/1.1\r\nHost: x\r\n\(key)Connection: close\r\n\r\n"
    #expect(try answer(to: spelled).hasPrefix("HTTP/1.1 401 "))
  }

  @Test("Answers have a Date")
  func answersAreDated() throws {
    let clock = try TestClock("2024-02-29T08:09:10Z")
    var configuration = BackendConfiguration()
    configuration.now = { clock.now }
    let server = try BackendServer.start(configuration)
    defer { server.stop() }
    let peer = try RawPeer(port: server.port)
    peer.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(peer.readToEnd().contains("\r\nDate: Thu, 29 Feb 2024 08:09:10 GMT\r\n"))
  }
}
