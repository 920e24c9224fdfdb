import LedgerSync
import LedgerTestSupport
import Testing

@Suite(.blocks) struct FloodTests {
  @Test("Extensions of chunks count against the limit of an answer")
  func extensions() async throws {
    let chunk = "1;x=\(String(repeating: "a", count: 1000))\r\n \r\n"
    let server = try RawServer { peer in
      peer.request()
      peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      // 64 MB for a body of 65,536 bytes, which alone is far below the limit.
      let chunks = Array(String(repeating: chunk, count: 64).utf8)
      for _ in 0..<1024 { guard peer.send(chunks) else { return } }
      peer.send("0\r\n\r\n")
    }
    defer { server.stop() }
    let answer = try await transmit(posting, to: server.url)
    #expect(answer == .lost(reason: "the answer is longer than 1048576 bytes"))
  }

  @Test("A single endless extension of a chunk ends the exchange")
  func endlessExtension() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=")
      let part = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
      for _ in 0..<4096 { guard peer.send(part) else { return } }
    }
    defer { server.stop() }
    let answer = try await transmit(posting, to: server.url)
    #expect(answer == .lost(reason: "the answer is longer than 1048576 bytes"))
  }

  @Test("Headers and trailers count against the limit of an answer", arguments: [true, false])
  func trailers(areInHead: Bool) async throws {
    let line = "X-A: \(String(repeating: "a", count: 1000))\r\n"
    let server = try RawServer { peer in
      peer.request()
      peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n")
      if !areInHead { peer.send("\r\n2\r\n{}\r\n0\r\n") }
      for _ in 0..<2048 { guard peer.send(line) else { return } }
      peer.send(areInHead ? "\r\n2\r\n{}\r\n0\r\n\r\n" : "\r\n")
    }
    defer { server.stop() }
    #expect(try await transmit(posting, to: server.url).isLost)
  }

  #if os(Linux)
    @Test("A trailer longer than libcurl's limit is named as that")
    func longTrailer() async throws {
      let server = try RawServer { peer in
        peer.request()
        peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
        peer.send("X-A: \(String(repeating: "a", count: 200_000))\r\n\r\n")
      }
      defer { server.stop() }
      let answer = try await transmit(posting, to: server.url)
      #expect(answer == .lost(reason: "a trailer of the answer is too long"))
    }
  #endif
}
