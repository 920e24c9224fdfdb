import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Testing

/// `late`: the connection is dropped at once, and the request takes effect afterwards.
@Suite(.blocks) struct LateDeliveryTests {
  private let ada = "ada@example.org"

  private func post(_ quantity: Int, _ api: APIClient) throws {
    // A raw peer, because URLSession may send a request again on a new connection.
    let peer = try RawPeer(port: api.server.port)
    let body = #"{"type":"weight","quantity":\#(quantity),"date":"2026-01-02"}"#
    peer.send(rawPost(body, token: try #require(api.token)))
    #expect(peer.readToEnd() == "")
  }

  private func withLate(
    _ kind: String, _ body: (APIClient) async throws -> Void
  ) async throws {
    let fault = try ScriptedFault("POST /api/v1/progress:\(kind)")
    try await withAda(.with { $0.faults = [fault] }, body)
  }

  @Test("A held request takes effect on demand")
  func aHeldRequestTakesEffectWhenAsked() async throws {
    try await withLate("late=3600000") { api in
      try post(70, api)
      #expect(api.server.rows(of: ada).isEmpty)
      #expect(api.server.heldRequests.map(\.path) == ["/api/v1/progress"])
      #expect(api.server.heldRequests.first?.body.contains("70") == true)
      #expect(api.server.journal.last?.outcomes == [])

      #expect(api.server.deliverLate() == 1)
      #expect(api.server.rows(of: ada).map(\.quantity) == [70])
      #expect(api.server.heldRequests.isEmpty)
      #expect(api.server.journal.last?.status == nil)
      #expect(api.server.journal.last?.outcomes == [201])
      #expect(api.server.deliverLate() == 0)
    }
  }

  @Test("A held request takes effect when it is due")
  func aHeldRequestTakesEffectByItself() async throws {
    for kind in ["late=0", "late=50", "late"] {
      try await withLate(kind) { api in
        try post(70, api)
        try await until { api.server.heldRequests.isEmpty }
        #expect(api.server.rows(of: ada).count == 1, "\(kind)")
        #expect(api.server.journal.last?.outcomes == [201])
      }
    }
  }

  @Test("A held request has no effect before it is due")
  func nothingTakesEffectBeforeItsTime() async throws {
    try await withLate("late=400") { api in
      let start = ContinuousClock.now
      try post(70, api)
      try await until { !api.server.rows(of: ada).isEmpty }
      #expect(ContinuousClock.now - start >= .milliseconds(400))
    }
  }

  @Test("Held requests are delivered in the order of their due times")
  func heldRequestsAreDeliveredInTheOrderOfTheirTimes() async throws {
    try await withBackend { api in
      let api = try await api.signedUp(ada)
      for (quantity, hours) in [(70, 2), (71, 1), (72, 1)] {
        let fault = try ScriptedFault("POST /api/v1/progress:late=\(hours * 1_800_000)")
        api.server.setFaults([fault])
        try post(quantity, api)
      }
      #expect(api.server.heldRequests.map(\.status) == [nil, nil, nil])
      #expect(api.server.deliverLate() == 3)
      // Of equal moments the last added comes first.
      #expect(api.server.rows(of: ada).map(\.quantity) == [70, 72, 71])
    }
  }

  @Test("A later request does not delay an earlier one")
  func aLaterOneDoesNotKeepAnEarlierOneWaiting() async throws {
    try await withBackend { api in
      let api = try await api.signedUp(ada)
      api.server.setFaults([try ScriptedFault("POST /api/v1/progress:late=3600000")])
      try post(70, api)
      api.server.setFaults([try ScriptedFault("POST /api/v1/progress:late=20")])
      try post(71, api)
      try await until { api.server.heldRequests.count <= 1 }
      #expect(api.server.rows(of: ada).map(\.quantity) == [71])
    }
  }

  @Test("A late request is processed with the state at its delivery")
  func whatIsDeliveredLateIsJudgedThen() async throws {
    try await withBackend { api in
      let api = try await api.signedUp(ada)
      let row = try await api.weigh(70, "2026-01-02")
      api.server.setFaults([try ScriptedFault("DELETE /api/v1/progress/{id}:late=3600000:1")])
      let peer = try RawPeer(port: api.server.port)
      let token = try #require(api.token)
      peer.send(
        "DELETE /api/v1/progress/\(row) HTTP/1.1\r\nHost: x\r\n"
          + "X-API-Key: \(BackendConfiguration.demoAPIKey)\r\n"
          + "Authorization: Bearer \(token)\r\n\r\n")
      #expect(peer.readToEnd() == "")
      #expect(try await api.call("DELETE", "/progress/\(row)").status == 204)
      api.server.deliverLate()
      #expect(api.server.journal.map(\.outcomes) == [[201], [201], [404], [204]])
    }
  }

  @Test("Stopping drops held requests")
  func stoppingForgetsWhatIsHeld() async throws {
    try await withLate("late=3600000") { api in
      try post(70, api)
      try post(71, api)
      #expect(api.server.heldRequests.count == 2)
      api.server.stop()
      #expect(api.server.heldRequests.isEmpty)
      #expect(api.server.deliverLate() == 0)
      #expect(api.server.rows(of: ada).isEmpty)
      api.server.stop()
    }
  }

  @Test("Concurrent deliveries deliver once")
  func askingFromManySidesDeliversOnce() async throws {
    try await withLate("late=20") { api in
      for quantity in 1...20 { try post(quantity, api) }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { api.server.deliverLate() } }
      }
      #expect(api.server.heldRequests.isEmpty)
      #expect(api.server.rows(of: ada).count == 20)
      #expect(api.server.journal.dropFirst().allSatisfy { $0.outcomes == [201] })
    }
  }
}
