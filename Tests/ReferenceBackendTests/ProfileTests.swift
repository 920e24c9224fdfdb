import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct ProfileTests {
  @Test("A profile is created once and read")
  func aProfileIsMadeOnceAndRead() async throws {
    let clock = try TestClock("2026-03-01T10:00:00Z")
    try await withAda(.with { $0.now = { clock.now } }) { api in
      let none = try await api.call("GET", "/users/me")
      #expect(none.status == 404)
      #expect(none.message == "Profile not found")
      let full: JSONValue = [
        "name": "Ada L", "bio": "Counts", "preferred_unit_system": "imperial",
        "language_code": "en-GB",
      ]
      let made = try await api.call("POST", "/users/me", full)
      #expect(made.status == 201)
      let read = try await api.call("GET", "/users/me")
      #expect(read.status == 200)
      #expect(read.data == made.data)
      #expect(
        read.data.members.map(\.name) == [
          "id", "user_id", "name", "bio", "preferred_unit_system", "language_code",
          "date_of_birth", "created_at", "updated_at",
        ])
      #expect(read.data["id"] != read.data["user_id"])
      #expect(read.data["date_of_birth"] == "1990-12-10")
      #expect(read.data["updated_at"] == "2026-03-01T10:00:00Z")
      #expect(try await api.call("POST", "/users/me", full).status == 409)
    }
  }

  @Test("A PUT replaces the profile, and an empty bio clears it")
  func puttingReplacesAndAnEmptyBioClears() async throws {
    let clock = try TestClock("2026-03-01T10:00:00Z")
    try await withAda(.with { $0.now = { clock.now } }) { api in
      #expect(try await api.call("PUT", "/users/me", metricProfile).status == 404)
      _ = try await api.call("POST", "/users/me", metricProfile)
      clock.advance(by: .seconds(5))
      var body: JSONObject = ["name": "A", "preferred_unit_system": "imperial", "bio": "Hello"]
      body["language_code"] = "de"
      let put = try await api.call("PUT", "/users/me", .object(body))
      #expect(put.status == 200)
      #expect(put.data["bio"] == "Hello")
      #expect(put.data["created_at"] == "2026-03-01T10:00:00Z")
      #expect(put.data["updated_at"] == "2026-03-01T10:00:05Z")

      let kept = try await api.call("PUT", "/users/me", metricProfile)
      #expect(kept.data["bio"] == "Hello")
      #expect(kept.data["language_code"] == "de")
      body["bio"] = ""
      let cleared = try await api.call("PUT", "/users/me", .object(body))
      #expect(cleared.status == 200)
      #expect(!cleared.data.names.contains("bio"))
      #expect(try await api.call("GET", "/users/me").data == cleared.data)
    }
  }

  @Test("A missing unit system is refused with the backend's message")
  func aUnitSystemIsRequiredInTheBackendsWords() async throws {
    try await withAda { api in
      for method in ["POST", "PUT"] {
        let answer = try await api.call(method, "/users/me", ["name": "Ada"])
        #expect(answer.status == 400)
        #expect(answer.message == "Preferred unit system is required")
      }
    }
  }

  @Test(
    "An invalid profile body is refused",
    arguments: [
      #"{"preferred_unit_system":"metric"}"#,
      #"{"name":"","preferred_unit_system":"metric"}"#,
      #"{"name":null,"preferred_unit_system":"metric"}"#,
      #"{"name":"A","preferred_unit_system":null}"#,
      #"{"name":"A","preferred_unit_system":"Metric"}"#,
      #"{"name":"A","preferred_unit_system":"metric","bio":null}"#,
      #"{"name":"A","preferred_unit_system":"metric","language_code":null}"#,
      #"{"name":"A","preferred_unit_system":"metric","language_code":""}"#,
      #"{"name":"A","preferred_unit_system":"metric","username":"a"}"#,
      #"{"name":"A","preferred_unit_system":"metric","date_of_birth":"1990-01-01"}"#,
      #"{"name":"A","preferred_unit_system":"metric","name":"B"}"#,
      #"{"name":7,"preferred_unit_system":"metric"}"#,
      #"["name"]"#, #"{"name":"A","#, "", "null",
    ])
  func profileBodiesAreReadStrictly(body: String) async throws {
    try await withAda { api in
      #expect(try await api.call("POST", "/users/me", text: body).status == 400)
      _ = try await api.call("POST", "/users/me", metricProfile)
      let answer = try await api.call("PUT", "/users/me", text: body)
      #expect(answer.status == 400)
      #expect(answer.message?.isEmpty == false)
      #expect(try await api.call("GET", "/users/me").data["name"] == "Ada")
    }
  }

  @Test("Lengths are counted in Unicode scalars")
  func lengthsAreCountedInUnicodeScalars() async throws {
    try await withAda { api in
      func status(name: Int, bio: Int) async throws -> Int {
        let body: JSONValue = [
          "name": .string(String(repeating: "é", count: name)), "preferred_unit_system": "metric",
          "bio": .string(String(repeating: "🙂", count: bio)),
        ]
        return try await api.call("PUT", "/users/me", body).status
      }
      _ = try await api.call("POST", "/users/me", metricProfile)
      #expect(try await status(name: 100, bio: 500) == 200)
      #expect(try await status(name: 101, bio: 0) == 400)
      #expect(try await status(name: 1, bio: 501) == 400)
    }
  }

  @Test("Deleting the account deletes its data")
  func deletingTheAccountTakesEverythingAlong() async throws {
    try await withAda { api in
      _ = try await api.call("POST", "/users/me", metricProfile)
      let row = try await api.weigh(70, "2026-01-02")
      #expect(api.server.rows(of: "ada@example.org").count == 1)
      let gone = try await api.call("DELETE", "/users/me")
      #expect(gone.status == 204)
      #expect(gone.body.isEmpty)
      #expect(api.server.rows(of: "ada@example.org").isEmpty)
      #expect(try await api.call("DELETE", "/users/me").status == 404)
      #expect(try await api.call("GET", "/users/me").status == 401)
      let login: JSONValue = ["email": "ada@example.org", "password": "correct horse"]
      #expect(try await api.call("POST", "/auth/login", login).status == 401)

      let newcomer = try await api.signedUp("ada@example.org")
      #expect(try await newcomer.call("GET", "/users/me").status == 404)
      #expect(try await newcomer.call("DELETE", "/progress/\(row)").status == 404)
    }
  }

  @Test("A deleted account cannot refresh")
  func aDeletedAccountCannotRefresh() async throws {
    try await withBackend { api in
      let signedUp = try await api.call("POST", "/auth/register", person("ada@example.org"))
      let session = api.with(token: signedUp.data["access_token"]?.string)
      #expect(try await session.call("DELETE", "/users/me").status == 204)
      let token = try #require(signedUp.data["refresh_token"])
      #expect(
        try await api.call("POST", "/auth/refresh", ["refresh_token": token]).status == 401)
    }
  }
}
