import LedgerJSON
import LedgerModel
import LedgerTestSupport
import ReferenceBackend
import Testing

/// `lie` and `round`: the backend stores or shows another value than was sent.
@Suite(.blocks) struct LieTests {
  private let now = "2026-03-01T10:00:00Z"
  private let honest: JSONObject = [
    "type": "weight", "quantity": 75.5, "date": "2026-01-02T07:30:00Z", "notes": "after the run",
  ]

  private func withFault(
    _ text: String, _ body: (APIClient) async throws -> Void
  ) async throws {
    let fault = try ScriptedFault(text)
    let clock = try TestClock(now)
    try await withAda(
      .with {
        $0.faults = [fault]
        $0.now = { clock.now }
      }, body)
  }

  private func post(
    _ api: APIClient, quantity: Double = 75.5, date: String = "2026-01-02",
    time: String = "07:30:00"
  ) async throws -> JSONObject {
    let answer = try await api.call(
      "POST", "/progress",
      [
        "type": "weight", "quantity": .number(quantity), "notes": "after the run",
        "date": .string(date), "time": .string(time),
      ])
    try #require(answer.status == 201)
    return answer.data
  }

  private func listed(_ api: APIClient) async throws -> [JSONObject] {
    try await api.call("GET", "/progress?from=1900-01-01&to=2100-12-31").entries
  }

  private func differing(_ row: JSONObject) -> Set<String> {
    Set(honest.names.union(row.names).subtracting(["id"]).filter { row[$0] != honest[$0] })
  }

  @Test(
    "A lie about a value changes that value alone, in the answer and in every listing",
    arguments: [
      ("lie", "quantity"), ("lie=quantity", "quantity"), ("lie=type", "type"),
      ("lie=notes", "notes"), ("lie=moment", "date"),
    ])
  func oneValue(kind: String, member: String) async throws {
    try await withFault("POST /api/v1/progress:\(kind)") { api in
      let answer = try await post(api)
      #expect(differing(answer) == [member])
      #expect(try await listed(api) == [answer])
    }
  }

  @Test("A lie about the moment stores the current time")
  func currentTime() async throws {
    try await withFault("POST /api/v1/progress:lie=moment") { api in
      let answer = try await post(api)
      #expect(answer["date"] == .string(now))
    }
  }

  @Test("A lie about a moment that is the current time stores another")
  func neverTrue() async throws {
    try await withFault("POST /api/v1/progress:lie=moment") { api in
      let answer = try await post(api, date: "2026-03-01", time: "09:59:30")
      #expect(answer["date"] == "2026-03-01T09:00:00Z")
    }
  }

  @Test("A lie stores values that the backend would have accepted", arguments: Metric.allCases)
  func staysInRange(metric: Metric) async throws {
    let range = metric.range
    let quantity = range.includesHighest ? range.highest : range.highest - 0.5
    try await withFault("POST /api/v1/progress:lie") { api in
      let answer = try await api.call(
        "POST", "/progress",
        ["type": .string(metric.name), "quantity": .number(quantity), "date": "2026-01-02"])
      let stored = try #require(answer.data["quantity"]?.number)
      #expect(metric.accepts(stored))
      #expect(stored != quantity)
    }
  }

  @Test("A body that is refused is refused as it was sent")
  func refusals() async throws {
    try await withFault("POST /api/v1/progress:lie=moment") { api in
      let body: JSONValue = ["type": "weight", "quantity": 70]
      let answer = try await api.call("POST", "/progress", body)
      #expect(answer.status == 400)
      #expect(try await listed(api).isEmpty)
    }
  }

  @Test("Only the Nth request is lied about")
  func onlyOne() async throws {
    try await withFault("POST /api/v1/progress:lie=quantity:2") { api in
      var quantities: [JSONValue?] = []
      for _ in 0..<3 { quantities.append(try await post(api)["quantity"]) }
      #expect(quantities == [75.5, 76.5, 75.5])
    }
  }

  @Test("A lie in a listing changes what is shown, not what is stored")
  func listingAlone() async throws {
    try await withFault("GET /api/v1/progress:lie=quantity:1") { api in
      let answer = try await post(api)
      #expect(try await listed(api).map { $0["quantity"] } == [76.5])
      #expect(try await listed(api) == [answer])
    }
  }

  @Test(
    "Quantities are rounded to two decimals, or to as many as the fault says",
    arguments: [("round", 74.84), ("round=3", 74.843), ("round=0", 75)])
  func rounding(kind: String, quantity: Double) async throws {
    try await withFault("POST /api/v1/progress:\(kind)") { api in
      let answer = try await post(api, quantity: 74.84274105)
      #expect(answer["quantity"] == .number(quantity))
      #expect(try await listed(api) == [answer])
    }
  }

  @Test(
    "A lie about the person changes that field alone, in the answer and in what is read later",
    arguments: [
      ("PUT", "/users/me", "lie", "name"), ("PUT", "/users/me", "lie=bio", "bio"),
      ("PUT", "/users/me", "lie=preferred_unit_system", "preferred_unit_system"),
      ("PUT", "/users/me", "lie=language_code", "language_code"),
      ("PATCH", "/users/me/physical", "lie", "date_of_birth"),
      ("PATCH", "/users/me/preferences", "lie", "allergies"),
      ("PATCH", "/users/me/preferences", "lie=food_dislikes", "food_dislikes"),
    ])
  func person(method: String, path: String, kind: String, member: String) async throws {
    let bodies: [String: JSONValue] = [
      "/users/me": metricProfile, "/users/me/physical": ["height_cm": 170],
      "/users/me/preferences": ["allergies": ["nuts"]],
    ]
    let readPath = path == "/users/me/preferences" ? path : "/users/me"
    try await withBackend { api in
      let api = try await api.signedUp("ada@example.org")
      _ = try await api.call("POST", "/users/me", metricProfile)
      let honest = try await api.call(method, path, bodies[path]).data
      api.server.setFaults([try ScriptedFault("\(method) /api/v1\(path):\(kind)")])
      let answer = try await api.call(method, path, bodies[path]).data
      let names = honest.names.union(answer.names).subtracting(["updated_at"])
      #expect(names.filter { honest[$0] != answer[$0] } == [member])
      #expect(try await api.call("GET", readPath).data[member] == answer[member])
    }
  }

  @Test(
    "An older server's lie about height or sex is in its answer",
    arguments: ["height_cm", "biological_sex"])
  func physical(member: String) async throws {
    let fault = try ScriptedFault("PATCH /api/v1/users/me/physical:lie=\(member)")
    try await withAda(
      .with {
        $0.faults = [fault]
        $0.physical = .threeFields
      }
    ) { api in
      _ = try await api.call("POST", "/users/me", metricProfile)
      let sent: JSONObject = ["height_cm": 170, "biological_sex": "female"]
      let answer = try await api.call("PATCH", "/users/me/physical", .object(sent))
      #expect(sent.names.filter { answer.data[$0] != sent[$0] } == [member])
    }
  }
}
