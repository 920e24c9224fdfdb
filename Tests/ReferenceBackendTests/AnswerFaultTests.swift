import LedgerJSON
import ReferenceBackend
import Testing

/// Faults that change the answer alone: `omit`, `bad-row`, and others on listings only.
@Suite(.blocks) struct AnswerFaultTests {
  private let all = "/progress?from=1900-01-01&to=2100-12-31"

  private func withFault(
    _ text: String, _ body: (APIClient) async throws -> Void
  ) async throws {
    let fault = try ScriptedFault(text)
    try await withAda(.with { $0.faults = [fault] }, body)
  }

  @Test(
    "An omitted member is missing from the answer and from nothing else",
    arguments: ["id", "type", "quantity", "date", "notes"])
  func omitted(member: String) async throws {
    try await withFault("POST /api/v1/progress:omit=\(member)") { api in
      let body: JSONValue = [
        "type": "weight", "quantity": 70, "date": "2026-01-02", "notes": "fasting",
      ]
      let answer = try await api.call("POST", "/progress", body)
      #expect(answer.status == 201)
      let names: Set = ["id", "type", "quantity", "date", "notes"]
      #expect(answer.data.names == names.subtracting([member]))
      #expect(try await api.call("GET", all).entries.map(\.names) == [names])
    }
  }

  @Test("In a listing the member is missing from every row")
  func omittedFromRows() async throws {
    try await withFault("GET /api/v1/progress:omit=quantity") { api in
      for quantity in [70.0, 71] { try await api.weigh(quantity, "2026-01-02") }
      let rows = try await api.call("GET", all).entries
      #expect(rows.map(\.names) == [["id", "type", "date"], ["id", "type", "date"]])
    }
  }

  @Test("A member of the listing itself can be missing, too")
  func omittedFromListing() async throws {
    try await withFault("GET /api/v1/progress:omit=total") { api in
      let answer = try await api.call("GET", all)
      #expect(answer.data.names == ["entries", "limit", "offset"])
    }
  }

  @Test(
    "A bad row is the first one of the listing, and wrong in one member",
    arguments: [
      ("bad-row", "type"), ("bad-row=date", "date"), ("bad-row=quantity", "quantity"),
      ("bad-row=id", "id"),
    ])
  func badRow(kind: String, member: String) async throws {
    try await withFault("GET /api/v1/progress:\(kind):1") { api in
      for quantity in [70.0, 71] { try await api.weigh(quantity, "2026-01-02") }
      let bad = try await api.call("GET", all)
      let good = try await api.call("GET", all)
      #expect(bad.data["total"] == 2)
      #expect(bad.entries[1] == good.entries[1])
      let (badRow, goodRow) = (bad.entries[0], good.entries[0])
      #expect(goodRow.names.filter { badRow[$0] != goodRow[$0] } == [member])
      // A whole number can be read as an id.
      if member == "id" { #expect(badRow["id"]?.string == nil && badRow["id"]?.integer == nil) }
    }
  }

  @Test("A bad row in an empty listing changes nothing")
  func noRow() async throws {
    try await withFault("GET /api/v1/progress:bad-row") { api in
      let answer = try await api.call("GET", all)
      #expect(answer.status == 200)
      #expect(answer.entries.isEmpty)
    }
  }

  @Test(
    "Listings alone can fail", arguments: [("garbage", 200), ("status-before=500", 500)])
  func listings(kind: String, status: Int) async throws {
    try await withFault("GET /api/v1/progress:\(kind)") { api in
      try await api.weigh(70, "2026-01-02")
      let answer = try await api.call("GET", all)
      #expect(answer.status == status)
      #expect(answer.data.names.isEmpty)
    }
  }

  @Test("Faults that concern data and values happen in process, too")
  func inProcess() throws {
    var configuration = BackendConfiguration()
    configuration.faults = [
      try ScriptedFault("GET /health:omit=status:1"),
      try ScriptedFault("GET /health:status-before=503:2"),
    ]
    var backend = InProcessBackend(configuration)
    let bodies = (1...2).map { _ in
      String(decoding: backend.answer("GET", "/health", headers: [], body: []).body, as: UTF8.self)
    }
    #expect(bodies[0] == #"{"data":{},"success":true}"#)
    #expect(bodies[1] == #"{"data":{"status":"ok"},"success":true}"#)
  }
}
