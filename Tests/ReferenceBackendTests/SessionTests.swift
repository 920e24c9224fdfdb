import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct SessionTests {
  private struct Pair {
    let access: String
    let refresh: String

    init(_ answer: Answer) throws {
      access = try #require(answer.data["access_token"]?.string)
      refresh = try #require(answer.data["refresh_token"]?.string)
    }
  }

  private func signUp(_ api: APIClient) async throws -> Pair {
    try Pair(try await api.call("POST", "/auth/register", person("ada@example.org")))
  }

  private func refresh(_ api: APIClient, _ token: String) async throws -> Answer {
    try await api.call("POST", "/auth/refresh", ["refresh_token": .string(token)])
  }

  @Test("A refresh replaces both tokens")
  func refreshingReplacesBothTokens() async throws {
    try await withBackend { api in
      let first = try await signUp(api)
      let answer = try await refresh(api, first.refresh)
      #expect(answer.status == 200)
      #expect(answer.data.names == ["access_token", "refresh_token"])
      let second = try Pair(answer)
      #expect(try await api.with(token: second.access).call("GET", "/progress").status == 200)
      #expect(try await api.with(token: first.access).call("GET", "/progress").status == 401)
    }
  }

  @Test("A reused refresh token revokes its session")
  func aDeadRefreshTokenRevokesItsWholeSession() async throws {
    try await withBackend { api in
      let first = try await signUp(api)
      let second = try Pair(try await refresh(api, first.refresh))
      let third = try Pair(try await refresh(api, second.refresh))

      let replayed = try await refresh(api, first.refresh)
      #expect(replayed.status == 401)
      #expect(replayed.message == "refresh token has been revoked")
      #expect(try await api.with(token: third.access).call("GET", "/progress").status == 401)
      let last = try await refresh(api, third.refresh)
      #expect(last.status == 401)
      #expect(last.message == "refresh token has been revoked")
    }
  }

  @Test("Other sessions of the account stay valid")
  func anotherSessionOfTheAccountLivesOn() async throws {
    try await withBackend { api in
      let first = try await signUp(api)
      let login: JSONValue = ["email": "ada@example.org", "password": "correct horse"]
      let other = try Pair(try await api.call("POST", "/auth/login", login))
      _ = try await refresh(api, first.refresh)
      #expect(try await refresh(api, first.refresh).status == 401)
      #expect(try await api.with(token: other.access).call("GET", "/progress").status == 200)
      #expect(try await refresh(api, other.refresh).status == 200)
    }
  }

  @Test("An unknown refresh token revokes nothing")
  func anUnknownRefreshTokenRevokesNothing() async throws {
    try await withBackend { api in
      let pair = try await signUp(api)
      #expect(try await refresh(api, "made-up").status == 401)
      #expect(try await refresh(api, pair.access).status == 401)
      #expect(try await api.call("POST", "/auth/refresh", [:]).status == 400)
      #expect(try await refresh(api, pair.refresh).status == 200)
    }
  }

  @Test("An access token expires after its uses")
  func anAccessTokenDiesAfterItsUses() async throws {
    try await withBackend(.with { $0.accessTokenUses = 3 }) { api in
      let first = try await signUp(api)
      let session = api.with(token: first.access)
      for _ in 0..<3 { #expect(try await session.call("GET", "/progress").status == 200) }
      for _ in 0..<2 { #expect(try await session.call("GET", "/progress").status == 401) }
      let second = try Pair(try await refresh(api, first.refresh))
      let renewed = api.with(token: second.access)
      for _ in 0..<3 { #expect(try await renewed.call("GET", "/progress").status == 200) }
      #expect(try await renewed.call("GET", "/progress").status == 401)
    }
  }

  @Test("An access token expires after its lifetime")
  func anAccessTokenDiesOfAge() async throws {
    let clock = try TestClock("2026-03-01T00:00:00Z")
    try await withBackend(
      .with {
        $0.now = { clock.now }
        $0.accessTokenSeconds = 60
      }
    ) { api in
      let first = try await signUp(api)
      let session = api.with(token: first.access)
      clock.advance(by: .seconds(59))
      #expect(try await session.call("GET", "/progress").status == 200)
      clock.advance(by: .seconds(1))
      #expect(try await session.call("GET", "/progress").status == 401)
      let second = try Pair(try await refresh(api, first.refresh))
      #expect(try await api.with(token: second.access).call("GET", "/progress").status == 200)
    }
  }

  @Test("Ids and tokens come from the configured randomness")
  func idsAndTokensComeFromTheGivenRandomness() async throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var answers: [JSONObject] = []
    for _ in 0..<2 {
      let words = SeededWords(seed: seed)
      try await withBackend(.with { $0.randomWord = words.next }) { api in
        var data = try await api.call("POST", "/auth/register", person("ada@example.org")).data
        data["created_at"] = nil
        answers.append(data)
      }
    }
    #expect(answers[0] == answers[1], "seed \(seed)")
  }
}
