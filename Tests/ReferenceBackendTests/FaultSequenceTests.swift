import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Testing

/// Several faults on one route, and faults on answers without a body.
@Suite(.blocks) struct FaultSequenceTests {
  private func withFaults(
    _ texts: [String], _ body: (APIClient) async throws -> Void
  ) async throws {
    let faults = try texts.map { try ScriptedFault($0) }
    try await withAda(.with { $0.faults = faults }, body)
  }

  /// A POST over a raw connection, which is never repeated.
  private func post(_ quantity: Int, _ api: APIClient) throws -> String {
    let peer = try RawPeer(port: api.server.port)
    let body = #"{"type":"weight","quantity":\#(quantity),"date":"2026-01-02"}"#
    let text = rawPost(body, token: try #require(api.token))
    peer.send(text.replacing("Host: x\r\n", with: "Host: x\r\nConnection: close\r\n"))
    return peer.readToEnd()
  }

  private func quantities(_ api: APIClient) -> [Double] {
    api.server.rows(of: "ada@example.org").map(\.quantity).sorted()
  }

  @Test("Each fault counts its own requests")
  func eachFaultWaitsForItsOwnRequest() async throws {
    try await withFaults([
      "POST /api/v1/progress:drop-after:2",
      "POST /api/v1/progress:rate-limit=7:3",
      "POST /api/v1/progress:late=3600000:4",
      "POST /api/v1/progress:duplicate:5",
    ]) { api in
      let answers = try (1...6).map { try post($0, api) }
      let starts = answers.map { String($0.prefix(12)) }
      #expect(
        starts == ["HTTP/1.1 201", "", "HTTP/1.1 429", "", "HTTP/1.1 201", "HTTP/1.1 201"])
      #expect(answers[2].contains("\r\nRetry-After: 7\r\n"))
      #expect(quantities(api) == [1, 2, 5, 5, 6])
      api.server.deliverLate()
      #expect(quantities(api) == [1, 2, 4, 5, 5, 6])
    }
  }

  @Test("Of two faults for one request the first happens")
  func ofTwoForOneRequestTheFirstNamedHappens() async throws {
    try await withFaults([
      "POST /api/v1/progress:status-before=503:1",
      "POST /api/v1/progress:rate-limit=1:1",
      "POST /api/v1/progress:status-after=500",
    ]) { api in
      let answers = try (1...2).map { try post($0, api) }
      #expect(answers[0].hasPrefix("HTTP/1.1 503 "))
      #expect(answers[1].hasPrefix("HTTP/1.1 500 "))
      #expect(quantities(api) == [2])
    }
  }

  @Test("A truncated answer without a body is dropped")
  func aTruncatedAnswerWithoutABodyIsDropped() async throws {
    try await withFaults(["DELETE /api/v1/progress/{id}:truncate"]) { api in
      let row = try await api.weigh(70, "2026-01-02")
      let peer = try RawPeer(port: api.server.port)
      let token = try #require(api.token)
      peer.send(
        "DELETE /api/v1/progress/\(row) HTTP/1.1\r\nHost: x\r\n"
          + "X-API-Key: \(BackendConfiguration.demoAPIKey)\r\n"
          + "Authorization: Bearer \(token)\r\n\r\n")
      #expect(peer.readToEnd() == "")
      #expect(quantities(api).isEmpty)
      #expect(api.server.journal.last?.status == nil)
      #expect(api.server.journal.last?.outcomes == [204])
    }
  }

  @Test("A truncated answer to HEAD is dropped")
  func aTruncatedAnswerToHEADIsDropped() async throws {
    try await withFaults(["* /api/v1/progress:truncate"]) { api in
      let peer = try RawPeer(port: api.server.port)
      peer.send("HEAD /api/v1/progress HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(peer.readToEnd() == "")
    }
  }

  @Test("A truncated 204 is a lost connection for the client")
  func theClientSeesATruncated204AsALostConnection() async throws {
    try await withFaults(["DELETE /api/v1/progress/{id}:truncate"]) { api in
      let row = try await api.weigh(70, "2026-01-02")
      await #expect(throws: (any Error).self) {
        _ = try await api.call("DELETE", "/progress/\(row)")
      }
    }
  }

  @Test(
    "The text of a fault is parsed",
    arguments: [
      ("POST /api/v1/progress:late", ScriptedFault.Kind.late(milliseconds: 1000)),
      ("POST /api/v1/progress:late=0", .late(milliseconds: 0)),
      ("* /api/v1/progress:duplicate", .duplicate),
      ("POST /api/v1/auth/refresh:refresh-race:2", .refreshRace(milliseconds: 1000)),
      ("* /api/v1/auth/refresh:refresh-race=250", .refreshRace(milliseconds: 250)),
      ("POST /api/v1/progress:lie", .lie(.quantity)),
      ("* /api/v1/progress:lie=moment:3", .lie(.moment)),
      ("PUT /api/v1/users/me:lie", .lie(.name)),
      ("PATCH /api/v1/users/me/physical:lie", .lie(.dateOfBirth)),
      ("PATCH /api/v1/users/me/preferences:lie", .lie(.allergies)),
      ("POST /api/v1/progress:round", .round(decimals: 2)),
      ("POST /api/v1/progress:round=4", .round(decimals: 4)),
      ("POST /api/v1/progress:omit=notes", .omit("notes")),
      ("POST /api/v1/progress:no-id", .omit("id")),
      ("GET /api/v1/progress:bad-row", .badRow(.type)),
      ("GET /health:forget", .forget(.everything)),
      ("GET /ready:forget=rows", .forget(.rows)),
      ("* /api/v1/users/me:reset-session", .resetSession),
    ])
  func theirTextIsRead(text: String, kind: ScriptedFault.Kind) throws {
    #expect(try ScriptedFault(text).kind == kind)
  }

  @Test(
    "Their invalid text is refused with the reason",
    arguments: [
      ("POST /api/v1/progress:late=", "late is ''"),
      ("POST /api/v1/progress:late=3600001", "from 0 to 3600000"),
      ("POST /api/v1/progress:duplicate=2", "duplicate takes no number"),
      ("POST /api/v1/progress:refresh-race", "belongs to POST /api/v1/auth/refresh"),
      ("GET /api/v1/auth/refresh:refresh-race", "belongs to POST /api/v1/auth/refresh"),
      ("POST /api/v1/progress:lie=name", "must be one of quantity, type, notes, moment here"),
      ("POST /api/v1/auth/login:lie", "no values at '/api/v1/auth/login'"),
      ("POST /api/v1/users/me:round", "round belongs to /api/v1/progress"),
      ("POST /api/v1/progress:round=10", "from 0 to 9"),
      ("POST /api/v1/progress:omit", "omit needs a member"),
      ("POST /api/v1/progress:bad-row", "bad-row belongs to GET /api/v1/progress"),
      ("GET /api/v1/progress:bad-row=notes", "must be one of type, date, quantity, id here"),
      ("GET /health:forget=all", "must be one of everything, profiles, rows here"),
      ("GET /health:reset-session=1", "takes no number"),
      ("GET /api/v1/health:forget", "no path '/api/v1/health'"),
    ])
  func theirBadTextIsNamed(text: String, hint: String) {
    let error = #expect(throws: BackendError.self) { try ScriptedFault(text) }
    #expect(error.map { "\($0)" }?.contains(hint) == true)
  }
}
