import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct ProgressListTests {
  @Test("Rows are sorted newest first, equal moments last added first")
  func newestFirstThenLastAddedFirst() async throws {
    try await withAda { api in
      let a = try await api.weigh(1, "2026-01-02")
      let b = try await api.weigh(2, "2026-01-03", "08:00:00")
      let c = try await api.weigh(3, "2026-01-02")
      let d = try await api.weigh(4, "2026-01-03", "07:59:59")
      let e = try await api.weigh(5, "2025-12-31")
      let answer = try await api.call("GET", "/progress?from=2025-01-01&to=2026-12-31")
      #expect(answer.status == 200)
      #expect(answer.data.members.map(\.name) == ["entries", "total", "limit", "offset"])
      #expect(answer.entries.map { $0["id"]?.string } == [b, d, c, a, e])
      #expect(answer.entries[0].members.map(\.name) == ["id", "type", "quantity", "date"])
      #expect(answer.data["total"] == 5)
      #expect(answer.data["limit"] == 20)
      #expect(answer.data["offset"] == 0)
    }
  }

  @Test("A range includes both days, in UTC")
  func daysAreInclusiveAndInUTC() async throws {
    try await withAda { api in
      for (date, time) in [
        ("2026-01-01", "23:59:59"), ("2026-01-02", "00:00:00"), ("2026-01-02", "23:59:59"),
        ("2026-01-03", "00:00:00"), ("2026-01-04", "12:00:00"),
      ] {
        try await api.weigh(70, date, time)
      }
      func total(_ query: String) async throws -> JSONValue? {
        try await api.call("GET", "/progress?\(query)").data["total"]
      }
      #expect(try await total("from=2026-01-02&to=2026-01-02") == 2)
      #expect(try await total("from=2026-01-02&to=2026-01-03") == 3)
      #expect(try await total("from=2026-01-03") == 2)
      #expect(try await total("to=2026-01-01") == 1)
      #expect(try await total("from=1900-01-01&to=2100-12-31") == 5)
    }
  }

  @Test("Without a range the last thirty days are listed")
  func withoutARangeOnlyTheLastThirtyDaysAreListed() async throws {
    let clock = try TestClock("2026-03-31T12:00:00Z")
    try await withAda(.with { $0.now = { clock.now } }) { api in
      try await api.weigh(1, "2026-02-28", "23:59:59")
      let oldest = try await api.weigh(2, "2026-03-01")
      let newest = try await api.weigh(3, "2026-03-31", "23:00:00")
      try await api.weigh(4, "2026-04-01")
      let answer = try await api.call("GET", "/progress")
      #expect(answer.entries.map { $0["id"]?.string } == [newest, oldest])
      let all = try await api.call("GET", "/progress?from=1900-01-01&to=2100-12-31")
      #expect(all.data["total"] == 4)
    }
  }

  @Test("A listing can be limited to one type")
  func oneTypeCanBeAskedFor() async throws {
    try await withAda { api in
      try await api.weigh(70, "2026-01-02")
      let steps: JSONValue = ["type": "steps", "quantity": 9000, "date": "2026-01-02"]
      _ = try await api.call("POST", "/progress", steps)
      let answer = try await api.call("GET", "/progress?type=steps&from=2026-01-01")
      #expect(answer.entries.map { $0["type"] } == ["steps"])
      #expect(answer.data["total"] == 1)
    }
  }

  @Test("Pages add up to the whole listing")
  func pagesAddUpToTheWhole() async throws {
    try await withAda { api in
      var ids: [String] = []
      for number in 1...45 { ids.append(try await api.weigh(Double(number), "2026-01-02")) }
      var seen: [String] = []
      for (offset, count) in [(0, 20), (20, 20), (40, 5), (60, 0)] {
        let answer = try await api.call("GET", "/progress?from=2026-01-02&offset=\(offset)")
        #expect(answer.entries.count == count)
        #expect(answer.data["total"] == 45)
        #expect(answer.data["offset"] == JSONValue(offset))
        seen += answer.entries.compactMap { $0["id"]?.string }
      }
      #expect(seen == ids.reversed())
      let whole = try await api.call("GET", "/progress?from=2026-01-02&limit=100")
      #expect(whole.entries.count == 45)
      #expect(whole.data["limit"] == 100)
      let one = try await api.call("GET", "/progress?from=2026-01-02&limit=1&offset=44")
      #expect(one.entries.map { $0["id"]?.string } == [ids[0]])
    }
  }

  @Test(
    "An invalid query is refused",
    arguments: [
      "limit=0", "limit=101", "limit=-1", "limit=+5", "limit=ten", "limit=", "offset=-1",
      "offset=99999999999999999999", "type=mass", "type=", "from=2026-02-30", "from=yesterday",
      "to=2026-1-2", "from=2026-01-03&to=2026-01-02", "limit=5&limit=6", "page=2",
      "from=2026-01-02T00:00:00Z",
    ])
  func badValuesAreRefused(query: String) async throws {
    try await withAda { api in
      let answer = try await api.call("GET", "/progress?\(query)")
      #expect(answer.status == 400)
      #expect(answer.message?.isEmpty == false)
    }
  }

  @Test("The query is percent-decoded")
  func theQueryIsPercentDecoded() async throws {
    try await withAda { api in
      try await api.weigh(70, "2026-01-02")
      let answer = try await api.call("GET", "/progress?%74ype=w%65ight&from=2026%2D01%2D02")
      #expect(answer.data["total"] == 1)
    }
  }

  @Test("The old history path does not exist")
  func theOldHistoryPathIsGone() async throws {
    try await withAda { api in
      for method in ["GET", "DELETE"] {
        let answer = try await api.call(method, "/progress/history")
        #expect(answer.status == 404)
      }
    }
  }

  @Test("A row is deleted once, by its owner")
  func aRowIsDeletedOnceAndByItsOwner() async throws {
    try await withAda { ada in
      let eve = try await ada.signedUp("eve@example.org")
      let row = try await ada.weigh(70, "2026-01-02")
      let forbidden = try await eve.call("DELETE", "/progress/\(row)")
      #expect(forbidden.status == 403)
      #expect(forbidden.message != nil)
      #expect(ada.server.rows(of: "ada@example.org").count == 1)
      let done = try await ada.call("DELETE", "/progress/\(row)")
      #expect(done.status == 204)
      #expect(done.body.isEmpty)
      #expect(try await ada.call("DELETE", "/progress/\(row)").status == 404)
      #expect(try await eve.call("DELETE", "/progress/\(row)").status == 404)
      #expect(try await ada.call("DELETE", "/progress/no-such-id").status == 404)
    }
  }

  @Test("A listing has the account's own rows only")
  func nobodySeesAnothersRows() async throws {
    try await withAda { ada in
      let eve = try await ada.signedUp("eve@example.org")
      try await ada.weigh(70, "2026-01-02")
      let answer = try await eve.call("GET", "/progress?from=2000-01-01")
      #expect(answer.entries.isEmpty)
      #expect(answer.data["total"] == 0)
    }
  }
}
