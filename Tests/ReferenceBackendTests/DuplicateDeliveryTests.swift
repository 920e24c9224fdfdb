import LedgerJSON
import ReferenceBackend
import Testing

/// `duplicate`: the request is delivered twice, and its first answer is the client's.
@Suite(.blocks) struct DuplicateDeliveryTests {
  private let weight: JSONValue = ["type": "weight", "quantity": 70, "date": "2026-01-02"]

  @Test("A POST delivered twice makes two rows and returns the first")
  func aPostMakesTwoRowsAndTheFirstIsAnswered() async throws {
    let fault = try ScriptedFault("POST /api/v1/progress:duplicate:2")
    try await withAda(.with { $0.faults = [fault] }) { api in
      try await api.weigh(69, "2026-01-01")
      let answer = try await api.call("POST", "/progress", weight)
      #expect(answer.status == 201)
      let rows = api.server.rows(of: "ada@example.org")
      #expect(rows.map(\.quantity) == [70, 70, 69])
      // Of equal moments the last added comes first: the first delivery is the second row.
      #expect(answer.data["id"]?.string == rows[1].id)
      #expect(api.server.journal.map(\.outcomes) == [[201], [201], [201, 201]])
      #expect(api.server.journal.last?.status == 201)
    }
  }

  @Test("A DELETE delivered twice is answered by the first result")
  func aSecondDeletionIsNotTheClientsBusiness() async throws {
    let fault = try ScriptedFault("DELETE /api/v1/progress/{id}:duplicate")
    try await withAda(.with { $0.faults = [fault] }) { api in
      let row = try await api.weigh(70, "2026-01-02")
      #expect(try await api.call("DELETE", "/progress/\(row)").status == 204)
      #expect(api.server.journal.last?.outcomes == [204, 404])
    }
  }

  @Test("A refresh delivered twice ends the session")
  func aRefreshDeliveredTwiceEndsTheSession() async throws {
    let fault = try ScriptedFault("POST /api/v1/auth/refresh:duplicate")
    try await withBackend(.with { $0.faults = [fault] }) { api in
      let first = try await api.call("POST", "/auth/register", person("ada@example.org"))
      let token = try #require(first.data["refresh_token"])
      let second = try await api.call("POST", "/auth/refresh", ["refresh_token": token])
      #expect(second.status == 200)
      let renewed = api.with(token: second.data["access_token"]?.string)
      #expect(try await renewed.call("GET", "/progress").status == 401)
    }
  }

  @Test("Both deliveries count as uses of the access token")
  func bothDeliveriesUseUpTheAccessToken() async throws {
    let fault = try ScriptedFault("POST /api/v1/progress:duplicate:1")
    let configuration = BackendConfiguration.with {
      $0.faults = [fault]
      $0.accessTokenUses = 2
    }
    try await withAda(configuration) { api in
      let first = try await api.call("POST", "/progress", weight)
      #expect(first.status == 201)
      #expect(try await api.call("POST", "/progress", weight).status == 401)
    }
  }
}
