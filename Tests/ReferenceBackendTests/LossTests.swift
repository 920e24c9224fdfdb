import LedgerJSON
import ReferenceBackend
import Testing

/// `forget` and `reset-session`: the backend loses data, or its sessions.
@Suite(.blocks) struct LossTests {
  private struct Ada {
    let api: APIClient
    let account: JSONObject
    let profile: JSONObject
  }

  /// Ada with a profile, preferences and a row. GET /health triggers the fault.
  private func withData(_ kind: String, _ body: (Ada) async throws -> Void) async throws {
    let fault = try ScriptedFault("GET /health:\(kind)")
    try await withBackend(.with { $0.faults = [fault] }) { api in
      let account = try await api.call("POST", "/auth/register", person("ada@example.org")).data
      let api = api.with(token: account["access_token"]?.string)
      let profile = try await api.call("POST", "/users/me", metricProfile).data
      _ = try await api.call("PATCH", "/users/me/preferences", ["allergies": ["nuts"]])
      try await api.weigh(70, "2026-01-02")
      #expect(try await api.call("GET", at: "/health").status == 200)
      try await body(Ada(api: api, account: account, profile: profile))
    }
  }

  private func refresh(_ ada: Ada) async throws -> Int {
    let token = try #require(ada.account["refresh_token"])
    return try await ada.api.call("POST", "/auth/refresh", ["refresh_token": token]).status
  }

  private func login(_ ada: Ada) async throws -> Answer {
    try await ada.api.call(
      "POST", "/auth/login", ["email": "ada@example.org", "password": "correct horse"])
  }

  @Test("After forget neither the access token nor the refresh token nor the password works")
  func forgottenAccount() async throws {
    try await withData("forget") { ada in
      let access = try await ada.api.call("GET", "/progress").status
      let (refreshed, signedIn) = (try await refresh(ada), try await login(ada).status)
      #expect([access, refreshed, signedIn] == [401, 401, 401])
    }
  }

  @Test("After forget the same address registers again and gets another user_id, without data")
  func registeredAgain() async throws {
    try await withData("forget") { ada in
      let again = try await ada.api.call("POST", "/auth/register", person("ada@example.org"))
      #expect(again.status == 201)
      #expect(again.data["user_id"] != ada.account["user_id"])
      let api = ada.api.with(token: again.data["access_token"]?.string)
      #expect(try await api.call("GET", "/users/me").status == 404)
      #expect(try await api.call("GET", "/users/me/preferences").status == 404)
      let listing = try await api.call("GET", "/progress?from=1900-01-01&to=2100-12-31")
      #expect(listing.data["total"] == 0)
    }
  }

  @Test("The request that meets forget is answered by a backend that has forgotten")
  func triggeringRequest() async throws {
    let fault = try ScriptedFault("POST /api/v1/progress:forget:2")
    try await withAda(.with { $0.faults = [fault] }) { api in
      try await api.weigh(70, "2026-01-02")
      let body: JSONValue = ["type": "weight", "quantity": 71, "date": "2026-01-03"]
      #expect(try await api.call("POST", "/progress", body).status == 401)
      #expect(api.server.rows(of: "ada@example.org").isEmpty)
    }
  }

  @Test("Forgotten profiles leave the account and its rows; a new profile has another id")
  func forgottenProfiles() async throws {
    try await withData("forget=profiles") { ada in
      let profile = try await ada.api.call("GET", "/users/me").status
      let preferences = try await ada.api.call("GET", "/users/me/preferences").status
      #expect([profile, preferences] == [404, 404])
      #expect(ada.api.server.rows(of: "ada@example.org").count == 1)
      let again = try await ada.api.call("POST", "/users/me", metricProfile)
      #expect(again.status == 201)
      #expect(again.data["id"] != ada.profile["id"])
    }
  }

  @Test("Forgotten rows leave the account and its profile")
  func forgottenRows() async throws {
    try await withData("forget=rows") { ada in
      #expect(ada.api.server.rows(of: "ada@example.org").isEmpty)
      let profile = try await ada.api.call("GET", "/users/me").data
      #expect(profile == ada.profile)
    }
  }

  @Test("After reset-session the tokens are refused and a refresh is answered 401")
  func revoked() async throws {
    try await withData("reset-session") { ada in
      let access = try await ada.api.call("GET", "/users/me").status
      let refreshed = try await refresh(ada)
      #expect([access, refreshed] == [401, 401])
    }
  }

  @Test("After reset-session a login finds the account and all its data")
  func dataStays() async throws {
    try await withData("reset-session") { ada in
      let tokens = try await login(ada)
      #expect(tokens.status == 200)
      let api = ada.api.with(token: tokens.data["access_token"]?.string)
      #expect(try await api.call("GET", "/users/me").data["user_id"] == ada.account["user_id"])
      #expect(try await api.call("GET", "/users/me/preferences").status == 200)
      #expect(try await api.call("GET", "/progress?from=2026-01-01").data["total"] == 1)
    }
  }

  @Test("A running server forgets and resets sessions when a test says so")
  func byCall() async throws {
    try await withAda { api in
      try await api.weigh(70, "2026-01-02")
      api.server.forget(.rows)
      #expect(api.server.rows(of: "ada@example.org").isEmpty)
      api.server.resetSessions()
      #expect(try await api.call("GET", "/progress").status == 401)
      api.server.forget()
      _ = try await api.signedUp("ada@example.org")
    }
  }
}
