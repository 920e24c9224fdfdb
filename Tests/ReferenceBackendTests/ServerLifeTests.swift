import LedgerTestSupport
import ReferenceBackend
import Synchronization
import Testing

@Suite(.blocks) struct ServerLifeTests {
  @Test("A taken port is a clear error")
  func aTakenPortIsASentence() throws {
    let first = try BackendServer.start()
    defer { first.stop() }
    var configuration = BackendConfiguration()
    configuration.port = first.port
    let error = #expect(throws: BackendError.self) { try BackendServer.start(configuration) }
    let sentence = error.map { "\($0)" } ?? ""
    #expect(sentence.contains("127.0.0.1:\(first.port)"))
    #expect(sentence.contains("choose another port"))
  }

  /// Another test may take the freed port; then the test retries with another one.
  @Test("A stopped server frees its port")
  func aPortIsFreeAgainOnceStopped() throws {
    var restarted = try restartOnSamePort()
    for _ in 0..<20 where restarted == nil { restarted = try restartOnSamePort() }
    let (port, second) = try #require(restarted)
    #expect(second.port == port)
    #expect(second.baseURL == "http://127.0.0.1:\(port)")
    second.stop()
    second.stop()
  }

  /// `nil` if the port of the stopped server is taken.
  private func restartOnSamePort() throws -> (port: UInt16, server: BackendServer)? {
    let first = try BackendServer.start()
    let peer = try RawPeer(port: first.port)
    peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = peer.read(through: "\r\n\r\n")
    first.stop()
    var configuration = BackendConfiguration()
    configuration.port = first.port
    do {
      return (first.port, try BackendServer.start(configuration))
    } catch {
      return nil
    }
  }

  @Test("Stopping closes idle and half-received connections")
  func stoppingEndsIdleAndHalfwayConnections() throws {
    let server = try BackendServer.start()
    let idle = try RawPeer(port: server.port)
    let halfway = try RawPeer(port: server.port)
    halfway.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Le")
    server.stop()
    #expect(idle.readToEnd() == "")
    #expect(halfway.readToEnd() == "")
  }

  /// On a busy machine the peer's own bytes may arrive after the limit; then the test retries with a
  /// longer one.
  @Test("Slow and idle connections are closed")
  func slowAndIdlePeersLoseTheirConnection() throws {
    var patience: Int32 = 300
    var answer = ""
    while answer.isEmpty, patience < 1_000_000 {
      let server = try BackendServer.start(.with { $0.patienceMilliseconds = patience })
      defer { server.stop() }
      let idle = try RawPeer(port: server.port)
      let slow = try RawPeer(port: server.port)
      slow.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
      answer = slow.readToEnd()
      #expect(idle.readToEnd() == "")
      patience *= 2
    }
    #expect(answer.hasPrefix("HTTP/1.1 408 "))
  }

  @Test("More connections than threads are served in turn")
  func moreConnectionsThanThreadsAreServedInTurn() throws {
    let server = try BackendServer.start(.with { $0.connections = 3 })
    defer { server.stop() }
    let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    var peers: [RawPeer?] = []
    for _ in 0..<200 { peers.append(try RawPeer(port: server.port)) }
    for peer in peers { peer?.send(request) }
    var answered = 0
    for index in peers.indices {
      if peers[index]?.readToEnd().hasPrefix("HTTP/1.1 401 ") == true { answered += 1 }
      // Releasing a peer closes its side, which frees its thread.
      peers[index] = nil
    }
    #expect(answered == 200)
  }

  @Test("Every request is reported")
  func everyRequestIsReported() async throws {
    let seen = Mutex<[String]>([])
    try await withBackend(
      .with { configuration in
        configuration.onRequest = { entry in
          seen.withLock { $0.append("\(entry.method) \(entry.path) \(entry.status ?? 0)") }
        }
      }
    ) { api in
      _ = try await api.call("GET", "/progress")
      #expect(seen.withLock { $0 } == ["GET /api/v1/progress 401"])
    }
  }
}
