import LedgerJSON
import ReferenceBackend
import Testing

/// The dialect that sends an instant; all other tests use the other one.
@Suite(.blocks) struct LoggedAtTests {
  @Test(
    "An instant is accepted in any offset",
    arguments: [
      ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
      ("2026-01-02T03:04:05.999Z", "2026-01-02T03:04:05Z"),
      ("2026-01-02T00:30:00+14:00", "2026-01-01T10:30:00Z"),
      ("2026-12-31T23:30:00-12:00", "2027-01-01T11:30:00Z"),
      ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"),
    ])
  func anInstantIsReadInAnyOffset(sent: String, answered: String) async throws {
    try await withAda(.with { $0.dialect = .loggedAt }) { api in
      let body: JSONValue = ["type": "weight", "quantity": 70, "logged_at": .string(sent)]
      let answer = try await api.call("POST", "/progress", body)
      #expect(answer.status == 201)
      #expect(answer.data["date"] == .string(answered))
    }
  }

  @Test(
    "Everything else is refused",
    arguments: [
      #"{"type":"weight","quantity":70,"date":"2026-01-02"}"#,
      #"{"type":"weight","quantity":70,"logged_at":"2026-01-02T03:04:05Z","time":"03:04:05"}"#,
      #"{"type":"weight","quantity":70}"#,
      #"{"type":"weight","quantity":70,"logged_at":"2026-01-02"}"#,
      #"{"type":"weight","quantity":70,"logged_at":"2026-01-02T03:04:05"}"#,
      #"{"type":"weight","quantity":70,"logged_at":"2026-01-02T03:04:60Z"}"#,
      #"{"type":"weight","quantity":70,"logged_at":"0001-01-01T00:00:00+01:00"}"#,
    ])
  func everythingElseIsRefused(body: String) async throws {
    try await withAda(.with { $0.dialect = .loggedAt }) { api in
      let answer = try await api.call("POST", "/progress", text: body)
      #expect(answer.status == 400)
    }
  }
}
