import Foundation
import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Synchronization
import Testing

@Suite(.blocks) struct FaultTests {
  private let weight: JSONValue = ["type": "weight", "quantity": 70, "date": "2026-01-02"]

  private func withFault(
    _ text: String, _ body: (APIClient) async throws -> Void
  ) async throws {
    let fault = try ScriptedFault(text)
    try await withAda(.with { $0.faults = [fault] }, body)
  }

  private func rows(_ api: APIClient) -> Int {
    api.server.rows(of: "ada@example.org").count
  }

  @Test("Drops before and after processing differ only in the row")
  func droppingBeforeAndAfterDifferOnlyInTheRow() async throws {
    for (kind, count) in [("drop-before", 0), ("drop-after", 1)] {
      try await withFault("POST /api/v1/progress:\(kind)") { api in
        // A raw peer, because URLSession may send a request again on a new connection.
        let peer = try RawPeer(port: api.server.port)
        peer.send(rawPost(weight.serialized, token: try #require(api.token)))
        #expect(peer.readToEnd() == "", "\(kind)")
        #expect(rows(api) == count, "\(kind)")
        #expect(api.server.journal.last?.status == nil)
      }
    }
  }

  @Test("Only the Nth matching request fails")
  func onlyTheNthMatchingRequestFails() async throws {
    try await withFault("POST /api/v1/progress:status-before=503:2") { api in
      var statuses: [Int] = []
      for _ in 0..<3 {
        _ = try await api.call("GET", "/progress")
        statuses.append(try await api.call("POST", "/progress", weight).status)
      }
      #expect(statuses == [201, 503, 201])
      #expect(rows(api) == 2)
      #expect(api.server.journal.map(\.status) == [201, 200, 201, 200, 503, 200, 201])
    }
  }

  @Test("status-after answers with an error although the row is made")
  func aStatusAfterIsAnsweredThoughTheRowIsMade() async throws {
    try await withFault("* /api/v1/progress:status-after=500") { api in
      let answer = try await api.call("POST", "/progress", weight)
      #expect(answer.status == 500)
      #expect(answer.message != nil)
      #expect(rows(api) == 1)
      #expect(try await api.call("GET", "/progress").status == 500)
    }
  }

  @Test("A scripted redirect has a Location")
  func aRedirectPointsSomewhere() async throws {
    try await withFault("GET /api/v1/progress:status-before=307") { api in
      let peer = try RawPeer(port: api.server.port)
      peer.send("GET /api/v1/progress HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      let answer = peer.readToEnd()
      #expect(answer.hasPrefix("HTTP/1.1 307 "))
      #expect(answer.contains("\r\nLocation: /api/v1/elsewhere\r\n"))
    }
  }

  @Test("A rate limit has Retry-After")
  func aRateLimitSaysWhenToComeBack() async throws {
    try await withFault("POST /api/v1/progress:rate-limit=7:1") { api in
      let answer = try await api.call("POST", "/progress", weight)
      #expect(answer.status == 429)
      #expect(answer.header("Retry-After") == "7")
      #expect(rows(api) == 0)
      #expect(try await api.call("POST", "/progress", weight).status == 201)
    }
  }

  @Test("Delays act before or after processing")
  func delaysComeBeforeOrAfterTheRow() async throws {
    for (kind, countMeanwhile) in [("delay", 1), ("delay-before", 0)] {
      try await withFault("POST /api/v1/progress:\(kind)=500") { api in
        let start = ContinuousClock.now
        let answer = try await api.call("POST", "/progress", weight)
        #expect(answer.status == 201)
        #expect(ContinuousClock.now - start >= .milliseconds(500))
        #expect(rows(api) == 1)
      }
      // An hour does not pass here: whatever is done until the server stops is done before it.
      try await withFault("POST /api/v1/progress:\(kind)=3600000") { api in
        let peer = try RawPeer(port: api.server.port)
        peer.send(rawPost(weight.serialized, token: try #require(api.token)))
        try await until { api.server.journal.count >= 2 && rows(api) >= countMeanwhile }
        api.server.stop()
        #expect(peer.readToEnd() == "", "\(kind)")
        #expect(rows(api) == countMeanwhile, "\(kind)")
      }
    }
  }

  @Test("A truncated answer is shorter than its Content-Length")
  func aTruncatedAnswerPromisesMoreThanItHolds() async throws {
    try await withFault("POST /api/v1/progress:truncate") { api in
      let peer = try RawPeer(port: api.server.port)
      peer.send(rawPost(weight.serialized, token: try #require(api.token)))
      let halves = peer.readToEnd().components(separatedBy: "\r\n\r\n")
      #expect(halves.count == 2)
      #expect(halves[0].hasPrefix("HTTP/1.1 201 "))
      let length = try #require(
        halves[0].firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) })
      #expect(halves[1].utf8.count < length)
      #expect(!halves[1].isEmpty)
      #expect(rows(api) == 1)
      await #expect(throws: (any Error).self) {
        _ = try await api.call("POST", "/progress", weight)
      }
    }
  }

  @Test("Garbage has the real status")
  func garbageComesWithTheRealStatus() async throws {
    try await withFault("* /api/v1/progress/{id}:garbage") { api in
      let row = try await api.weigh(70, "2026-01-02")
      let answer = try await api.call("DELETE", "/progress/\(row)")
      #expect(answer.status == 200)
      #expect(answer.json == nil && !answer.body.isEmpty)
      #expect(rows(api) == 0)
      api.server.setFaults([try ScriptedFault("POST /api/v1/progress:garbage")])
      let post = try await api.call("POST", "/progress", weight)
      #expect(post.status == 201)
      #expect(post.json == nil && !post.body.isEmpty)
      #expect(rows(api) == 1)
    }
  }

  @Test("The id or the wrapper can be missing")
  func theIDOrTheWrapperCanBeMissing() async throws {
    try await withFault("POST /api/v1/progress:no-id:1") { api in
      let nameless = try await api.call("POST", "/progress", weight)
      #expect(nameless.status == 201)
      #expect(nameless.data.names == ["type", "quantity", "date"])
      #expect(rows(api) == 1)
      api.server.setFaults([try ScriptedFault("POST /api/v1/progress:unwrapped:1")])
      let bare = try await api.call("POST", "/progress", weight)
      #expect(bare.json?.object?["id"] != nil)
      #expect(try await api.call("POST", "/progress", weight).data["id"] != nil)
    }
  }

  @Test("Stopping does not wait for a delay")
  func stoppingDoesNotWaitForADelay() async throws {
    try await withFault("GET /api/v1/progress:delay=3600000") { api in
      let peer = try RawPeer(port: api.server.port)
      peer.send("GET /api/v1/progress HTTP/1.1\r\nHost: x\r\n\r\n")
      try await until { api.server.journal.count >= 2 }
      api.server.stop()
      #expect(peer.readToEnd() == "")
    }
  }
}

func rawPost(_ body: String, token: String) -> String {
  """
  POST /api/v1/progress HTTP/1.1\r
  Host: x\r
  X-API-Key: \(BackendConfiguration.demoAPIKey)\r
  Authorization: Bearer \(token)\r
  Content-Length: \(body.utf8.count)\r
  \r
  \(body)
  """
}
