import LedgerJSON
import Testing

/// The options of `ledger backend` reach the backend.
@Suite(.blocks) struct BackendOptionTests {
  /// Registers, makes a profile and returns the access token.
  private func signUp(_ backend: BackendProcess) async throws -> String {
    let account = try await backend.call(
      "POST", "/api/v1/auth/register",
      [
        "email": "ada@example.org", "password": .string(BackendProcess.password), "name": "Ada",
        "date_of_birth": "1990-12-10",
      ])
    let token = try #require(account.value.object?["access_token"]?.string)
    try await backend.call(
      "POST", "/api/v1/users/me", ["name": "Ada", "preferred_unit_system": "metric"], token: token)
    return token
  }

  private func patchPhysical(
    _ arguments: [String], _ body: JSONObject
  ) async throws -> (status: Int, value: JSONValue) {
    var answer: (status: Int, value: JSONValue) = (0, .null)
    try await withBackend(arguments) { backend in
      let token = try await signUp(backend)
      answer = try await backend.call("PATCH", "/api/v1/users/me/physical", body, token: token)
    }
    return answer
  }

  @Test(
    "--physical chooses whether a birth date is accepted alone; the default is strict",
    arguments: [([], 400), (["strict"], 400), (["published"], 200), (["three-fields"], 400)])
  func dateOfBirthAlone(mode: [String], status: Int) async throws {
    let arguments = mode.isEmpty ? [] : ["--physical"] + mode
    let answer = try await patchPhysical(arguments, ["date_of_birth": "1990-12-11"])
    #expect(answer.status == status)
  }

  @Test(
    "--physical chooses the form of the answer",
    arguments: [("strict", false), ("published", false), ("three-fields", true)])
  func answerForm(mode: String, showsHeight: Bool) async throws {
    let answer = try await patchPhysical(["--physical", mode], ["height_cm": 170])
    #expect((answer.value.object?["height_cm"] == 170) == showsHeight)
    #expect((answer.value.object?["name"] == "Ada") != showsHeight)
  }

  @Test("--ignore-other-dialect stores an entry of the other dialect with the current time")
  func otherDialect() async throws {
    try await withBackend(["--dialect", "logged-at", "--ignore-other-dialect"]) { backend in
      let token = try await signUp(backend)
      let answer = try await backend.call(
        "POST", "/api/v1/progress",
        ["type": "weight", "quantity": 70, "date": "2001-02-03"], token: token)
      #expect(answer.status == 201)
      #expect(answer.value.object?["date"]?.string?.hasPrefix("2001-02-03") == false)
    }
  }

  @Test("A call of a probe can make the backend forget everything")
  func forget() async throws {
    try await withBackend(["--fault", "GET /health:forget:2"]) { backend in
      var token = try await signUp(backend)
      _ = try await backend.call("GET", "/health")
      #expect(try await backend.call("GET", "/api/v1/users/me", token: token).status == 200)
      _ = try await backend.call("GET", "/health")
      #expect(try await backend.call("GET", "/api/v1/users/me", token: token).status == 401)
      token = try await signUp(backend)
      #expect(try await backend.call("GET", "/api/v1/users/me", token: token).status == 200)
    }
  }
}
