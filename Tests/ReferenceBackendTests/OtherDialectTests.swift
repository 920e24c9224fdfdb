import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Testing

/// A backend that ignores the other dialect's members instead of refusing them.
@Suite(.blocks) struct OtherDialectTests {
  private let now = "2026-03-01T10:00:00Z"

  private func logged(
    _ dialect: BackendConfiguration.MomentFormat, _ moment: JSONObject
  ) async throws -> JSONValue? {
    let clock = try TestClock(now)
    var body: JSONObject = ["type": "weight", "quantity": 70]
    for member in moment.members { body[member.name] = member.value }
    var date: JSONValue?
    let configuration = BackendConfiguration.with {
      $0.dialect = dialect
      $0.ignoresOtherDialect = true
      $0.now = { clock.now }
    }
    try await withAda(configuration) { api in
      date = try await api.call("POST", "/progress", .object(body)).data["date"]
    }
    return date
  }

  @Test("A moment in the other dialect is ignored, and the current time stored")
  func ignored() async throws {
    let day: JSONObject = ["date": "2026-01-02", "time": "07:30:00"]
    #expect(try await logged(.loggedAt, day) == .string(now))
    #expect(try await logged(.dateTime, ["logged_at": "2026-01-02T07:30:00Z"]) == .string(now))
  }

  @Test("A moment in the backend's own dialect is stored")
  func own() async throws {
    #expect(try await logged(.dateTime, ["date": "2026-01-02"]) == "2026-01-02T00:00:00Z")
    let moment: JSONObject = ["logged_at": "2026-01-02T07:30:00Z", "date": "2020-01-01"]
    #expect(try await logged(.loggedAt, moment) == "2026-01-02T07:30:00Z")
  }

  @Test("A time without its date is still refused")
  func incomplete() async throws {
    #expect(try await logged(.dateTime, ["time": "07:30:00"]) == nil)
  }
}
