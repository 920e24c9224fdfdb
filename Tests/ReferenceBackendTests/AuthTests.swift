import LedgerJSON
import LedgerModel
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct AuthTests {
  @Test("A registration returns the whole account")
  func registeringAnswersTheWholeAccount() async throws {
    let clock = try TestClock("2026-03-01T10:20:30.987Z")
    try await withBackend(.with { $0.now = { clock.now } }) { api in
      let answer = try await api.call("POST", "/auth/register", person("Ada@Example.org"))
      #expect(answer.status == 201)
      #expect(answer.json?.object?["success"] == true)
      #expect(
        answer.data.members.map(\.name) == [
          "user_id", "email", "name", "created_at", "access_token", "refresh_token",
        ])
      #expect(answer.data["email"] == "ada@example.org")
      #expect(answer.data["created_at"] == "2026-03-01T10:20:30Z")
      #expect(answer.data["user_id"]?.string.flatMap { LedgerUUID($0) } != nil)
    }
  }

  @Test("An email is taken regardless of its case")
  func anAddressIsTakenWhateverItsCase() async throws {
    try await withBackend { api in
      _ = try await api.signedUp("ada@example.org")
      let again = try await api.call("POST", "/auth/register", person("ADA@example.ORG"))
      #expect(again.status == 409)
    }
  }

  @Test(
    "The age of thirteen is counted in calendar days",
    arguments: [
      ("2013-03-01", 201), ("2013-03-02", 400), ("2026-03-02", 400), ("2012-02-29", 201),
      ("2010-02-30", 400), ("10.12.1990", 400), ("", 400),
    ])
  func thirteenIsCountedInCalendarDays(birth: String, status: Int) async throws {
    let clock = try TestClock("2026-03-01T23:59:59Z")
    try await withBackend(.with { $0.now = { clock.now } }) { api in
      var body = try #require(person("ada@example.org").object)
      body["date_of_birth"] = .string(birth)
      #expect(try await api.call("POST", "/auth/register", .object(body)).status == status)
    }
  }

  @Test(
    "Every member of a registration is required",
    arguments: ["email", "password", "name", "date_of_birth"])
  func everyMemberOfARegistrationIsRequired(name: String) async throws {
    try await withBackend { api in
      for value in [nil, JSONValue.null, 7, ""] {
        var body = try #require(person("ada@example.org").object)
        body[name] = value
        let answer = try await api.call("POST", "/auth/register", .object(body))
        #expect(answer.status == 400, "\(name) as \(String(describing: value))")
      }
      var body = try #require(person("ada@example.org").object)
      body["username"] = "ada"
      #expect(try await api.call("POST", "/auth/register", .object(body)).status == 400)
    }
  }

  @Test("A login needs the right password")
  func loginOpensASessionForTheRightPasswordOnly() async throws {
    try await withBackend { api in
      _ = try await api.signedUp("ada@example.org")
      let good = try await api.call(
        "POST", "/auth/login", ["email": "ADA@example.org", "password": "correct horse"])
      #expect(good.status == 200)
      #expect(good.data.names == ["access_token", "refresh_token"])
      let session = api.with(token: good.data["access_token"]?.string)
      #expect(try await session.call("GET", "/progress").status == 200)
      for (email, password) in [("ada@example.org", "wrong"), ("eve@example.org", "x")] {
        let bad = try await api.call(
          "POST", "/auth/login", ["email": .string(email), "password": .string(password)])
        #expect(bad.status == 401)
        #expect(bad.message == "Invalid email or password")
      }
    }
  }

  @Test("Every path needs the API key")
  func everyPathNeedsTheAPIKey() async throws {
    try await withAda { api in
      let paths = [
        ("POST", "/auth/register"), ("POST", "/auth/login"), ("POST", "/auth/refresh"),
        ("GET", "/users/me"), ("PATCH", "/users/me/physical"), ("GET", "/users/me/preferences"),
        ("POST", "/progress"), ("GET", "/progress"), ("DELETE", "/progress/x"), ("GET", "/none"),
      ]
      for (method, path) in paths {
        for key in [nil, "wrong", "fitiq-demo-key2"] {
          var other = api
          other.apiKey = key
          let answer = try await other.call(method, path)
          #expect(answer.status == 401, "\(method) \(path)")
          #expect(answer.message == "X-API-Key is missing or wrong")
        }
      }
    }
  }

  @Test("The API key is configurable")
  func theAPIKeyIsConfigurable() async throws {
    try await withBackend(.with { $0.apiKey = "other" }) { api in
      var other = api
      let wrong = try await other.call("POST", "/auth/login", [:])
      #expect(wrong.status == 401)
      other.apiKey = "other"
      let right = try await other.call("POST", "/auth/login", [:])
      #expect(right.status == 400)
    }
  }

  @Test("Every path except auth needs a session")
  func everythingButAuthNeedsASession() async throws {
    try await withAda { api in
      let paths = [
        ("GET", "/users/me"), ("POST", "/users/me"), ("PUT", "/users/me"), ("DELETE", "/users/me"),
        ("PATCH", "/users/me/physical"), ("GET", "/users/me/preferences"),
        ("PATCH", "/users/me/preferences"), ("DELETE", "/users/me/preferences"),
        ("POST", "/progress"), ("GET", "/progress"), ("DELETE", "/progress/x"),
      ]
      for (method, path) in paths {
        for token in [nil, "", "made-up"] {
          let answer = try await api.with(token: token).call(method, path)
          #expect(answer.status == 401, "\(method) \(path)")
          #expect(answer.message != nil)
        }
      }
    }
  }
}
