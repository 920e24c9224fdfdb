import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Testing

/// `refresh-race`: the answer to a refresh waits for another use of the old token.
@Suite(.blocks) struct RefreshRaceTests {
  private func withRace(
    _ kind: String, _ body: (APIClient, JSONValue) async throws -> Void
  ) async throws {
    let fault = try ScriptedFault("POST /api/v1/auth/refresh:\(kind)")
    try await withBackend(.with { $0.faults = [fault] }) { api in
      let answer = try await api.call("POST", "/auth/register", person("ada@example.org"))
      let token = try #require(answer.data["refresh_token"])
      let signedIn = api.with(token: answer.data["access_token"]?.string)
      try await body(signedIn, ["refresh_token": token])
    }
  }

  /// Waits until the first refresh was processed, before it is answered.
  private func awaitExchange(_ api: APIClient) async throws {
    try await until { api.server.journal.count >= 2 && !api.server.journal[1].outcomes.isEmpty }
  }

  @Test("Two refreshes with one token revoke the session for both")
  func aRivalWithTheSameTokenRevokesTheSessionForBoth() async throws {
    // The other refresh ends the wait of an hour.
    try await withRace("refresh-race=3600000:1") { api, body in
      async let winning = api.call("POST", "/auth/refresh", body)
      try await awaitExchange(api)
      let rival = try await api.call("POST", "/auth/refresh", body)
      #expect(rival.status == 401)
      #expect(rival.message == "refresh token has been revoked")

      let winner = try await winning
      #expect(winner.status == 200)
      let renewed = api.with(token: winner.data["access_token"]?.string)
      #expect(try await renewed.call("GET", "/progress").status == 401)
      let next = try #require(winner.data["refresh_token"])
      let again = try await api.call("POST", "/auth/refresh", ["refresh_token": next])
      #expect(again.message == "refresh token has been revoked")
    }
  }

  @Test("Without a second refresh the answer is only delayed")
  func withoutARivalTheRefreshIsMerelySlow() async throws {
    try await withRace("refresh-race=200") { api, body in
      let start = ContinuousClock.now
      let answer = try await api.call("POST", "/auth/refresh", body)
      #expect(ContinuousClock.now - start >= .milliseconds(200))
      #expect(answer.status == 200)
      let renewed = api.with(token: answer.data["access_token"]?.string)
      #expect(try await renewed.call("GET", "/progress").status == 200)
    }
  }

  @Test("The old access token is invalid while the answer waits")
  func theOldAccessTokenIsDeadWhileTheAnswerWaits() async throws {
    try await withRace("refresh-race=3600000:1") { api, body in
      async let winning = api.call("POST", "/auth/refresh", body)
      try await awaitExchange(api)
      #expect(try await api.call("GET", "/progress").status == 401)
      _ = try await api.call("POST", "/auth/refresh", body)
      let winner = try await winning
      #expect(winner.status == 200)
    }
  }

  @Test("A failed refresh is answered at once")
  func aFailedRefreshIsAnsweredAtOnce() async throws {
    try await withRace("refresh-race=3600000") { api, _ in
      let answer = try await api.call("POST", "/auth/refresh", ["refresh_token": "made-up"])
      #expect(answer.status == 401)
    }
  }

  @Test("Stopping ends a refresh race")
  func stoppingEndsTheRace() async throws {
    try await withRace("refresh-race=3600000") { api, body in
      let peer = try RawPeer(port: api.server.port)
      let text = body.serialized
      peer.send(
        "POST /api/v1/auth/refresh HTTP/1.1\r\nHost: x\r\n"
          + "X-API-Key: \(BackendConfiguration.demoAPIKey)\r\n"
          + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
      try await awaitExchange(api)
      api.server.stop()
      #expect(peer.readToEnd() == "")
      #expect(api.server.journal.last?.status == nil)
    }
  }
}
