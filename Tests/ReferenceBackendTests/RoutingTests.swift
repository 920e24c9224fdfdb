import LedgerJSON
import ReferenceBackend
import Testing

@Suite(.blocks) struct RoutingTests {
  @Test("Unknown paths are answered 404")
  func unknownPathsAreNotFound() async throws {
    try await withAda { api in
      for path in ["", "/", "/user/me", "/users/me/", "/progress/a/b", "/progress/", "/auth"] {
        let answer = try await api.call("GET", path)
        #expect(answer.status == 404, "\(path)")
        #expect(answer.json?.object?["error"]?.object?["code"] == "not_found")
      }
    }
  }

  @Test(
    "Other methods are answered 405 with the allowed ones",
    arguments: [
      ("PUT", "/progress/some-id", "DELETE"), ("GET", "/progress/some-id", "DELETE"),
      ("PUT", "/progress", "GET, POST"), ("PATCH", "/users/me", "DELETE, GET, POST, PUT"),
      ("GET", "/auth/login", "POST"), ("BREW", "/progress", "GET, POST"),
      ("OPTIONS", "/users/me/physical", "PATCH"), ("TRACE", "/nowhere", nil),
    ])
  func otherMethodsAreNotAllowed(method: String, path: String, allowed: String?) async throws {
    try await withAda { api in
      let answer = try await api.call(method, path)
      #expect(answer.status == 405)
      #expect(answer.message != nil)
      if let allowed { #expect(answer.header("Allow") == allowed) }
    }
  }

  @Test("Answers can be unwrapped")
  func aSettingAnswersBare() async throws {
    try await withBackend(.with { $0.wrapsAnswers = false }) { api in
      let answer = try await api.call("POST", "/auth/register", person("ada@example.org"))
      #expect(answer.json?.object?["user_id"] != nil)
      #expect(answer.json?.object?["data"] == nil)
      let refused = try await api.call("POST", "/auth/register", person("ada@example.org"))
      #expect(refused.message != nil)
    }
  }

  @Test("The journal masks secrets")
  func theJournalShowsRequestsWithoutSecrets() async throws {
    try await withAda { api in
      _ = try await api.call("GET", "/progress?limit=5")
      _ = try await api.call("POST", "/auth/refresh", ["refresh_token": "dear-secret"])
      _ = try await api.call("POST", "/auth/login", text: "no JSON, maybe a secret")
      _ = try await api.call("PATCH", "/users/me/preferences", ["allergies": ["nuts"]])
      let journal = api.server.journal
      #expect(journal.map(\.method) == ["POST", "GET", "POST", "POST", "PATCH"])
      #expect(journal.map(\.status) == [201, 200, 401, 400, 200])
      #expect(journal[1].path == "/api/v1/progress")
      #expect(journal[1].query == "limit=5")
      #expect(journal[1].headers["authorization"] == "***")
      #expect(journal[1].headers["x-api-key"] == "***")
      #expect(journal[2].body == #"{"refresh_token":"***"}"#)
      #expect(journal[3].body == "***")
      #expect(journal[4].body == #"{"allergies":["nuts"]}"#)
      let everything = "\(journal)"
      for secret in ["correct horse", "dear-secret", try #require(api.token)] {
        #expect(!everything.contains(secret))
      }
    }
  }
}
