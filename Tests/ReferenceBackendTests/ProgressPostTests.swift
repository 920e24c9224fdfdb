import LedgerJSON
import LedgerModel
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct ProgressPostTests {
  @Test("An accepted POST returns its row")
  func anAcceptedPostAnswersItsRow() async throws {
    try await withAda { api in
      let body: JSONValue = [
        "type": "weight", "quantity": 70.25, "date": "2026-01-02", "time": "03:04:05",
        "notes": "after a run",
      ]
      let answer = try await api.call("POST", "/progress", body)
      #expect(answer.status == 201)
      #expect(answer.data.members.map(\.name) == ["id", "type", "quantity", "date", "notes"])
      #expect(answer.data["date"] == "2026-01-02T03:04:05Z")
      #expect(answer.data["quantity"] == 70.25)
      let row = try #require(api.server.rows(of: "ADA@example.org").first)
      #expect(row.id == answer.data["id"]?.string)
      #expect(row.type == "weight" && row.quantity == 70.25 && row.notes == "after a run")
      #expect(row.date == "2026-01-02T03:04:05Z")
    }
  }

  @Test("Equal POSTs make a row each")
  func equalPostsMakeARowEach() async throws {
    try await withAda { api in
      let first = try await api.weigh(70, "2026-01-02")
      let second = try await api.weigh(70, "2026-01-02")
      #expect(first != second)
      #expect(api.server.rows(of: "ada@example.org").map(\.id) == [second, first])
    }
  }

  @Test("A day without time is midnight, and empty notes are absent")
  func aDayWithoutTimeIsMidnightAndEmptyNotesAreAbsent() async throws {
    try await withAda { api in
      let body: JSONValue = ["type": "steps", "quantity": 0, "date": "2024-02-29", "notes": ""]
      let answer = try await api.call("POST", "/progress", body)
      #expect(answer.data["date"] == "2024-02-29T00:00:00Z")
      #expect(!answer.data.names.contains("notes"))
    }
  }

  @Test("Every metric has its range", arguments: Metric.allCases)
  func everyMetricHasItsRange(metric: Metric) async throws {
    try await withAda { api in
      let range = metric.range
      let middle = (range.lowest + range.highest) / 2
      let samples = [
        (range.lowest, range.includesLowest), (range.highest, range.includesHighest),
        (middle, true), (-1, false), (range.highest + 1, false),
      ]
      for (quantity, isAccepted) in samples {
        let body: JSONValue = [
          "type": .string(metric.name), "quantity": .number(quantity), "date": "2026-01-02",
        ]
        let answer = try await api.call("POST", "/progress", body)
        #expect(answer.status == (isAccepted ? 201 : 422), "\(metric.name) \(quantity)")
        if !isAccepted { #expect(answer.message?.hasPrefix("quantity") == true) }
      }
    }
  }

  @Test(
    "The message names the field",
    arguments: [
      (#"{"quantity":1,"date":"2026-01-02"}"#, "Type is required"),
      (#"{"type":"weight","date":"2026-01-02"}"#, "Quantity is required"),
      (#"{"type":"weight","quantity":1}"#, "Date is required"),
      (#"{"type":"mass","quantity":1,"date":"2026-01-02"}"#, "type mass is unknown"),
      (#"{"type":"weight","quantity":"1","date":"2026-01-02"}"#, "quantity must be a number"),
      (#"{"type":"weight","quantity":null,"date":"2026-01-02"}"#, "quantity must not be null"),
      (
        #"{"type":"weight","quantity":1,"date":"2026-01-02","notes":null}"#,
        "notes must not be null"
      ),
      (#"{"type":"weight","quantity":1,"date":"2026-01-02","user":"x"}"#, "Unknown field: user"),
      (
        #"{"type":"weight","quantity":1,"date":"2026-02-30"}"#,
        "date must be a real date in the form YYYY-MM-DD"
      ),
      (
        #"{"type":"weight","quantity":1,"date":"2026-01-02T00:00:00Z"}"#,
        "date must be a real date in the form YYYY-MM-DD"
      ),
      (
        #"{"type":"weight","quantity":1,"date":"2026-01-02","time":"24:00:00"}"#,
        "time must be a time in the form HH:MM:SS"
      ),
      (
        #"{"type":"weight","quantity":1,"date":"2026-01-02","time":"7:00"}"#,
        "time must be a time in the form HH:MM:SS"
      ),
      (#"{"type":"weight","quantity":1,"time":"07:00:00"}"#, "Date is required"),
      (
        #"{"type":"weight","quantity":1,"logged_at":"2026-01-02T00:00:00Z"}"#,
        "Unknown field: logged_at"
      ),
    ])
  func theMessageNamesTheField(body: String, message: String) async throws {
    try await withAda { api in
      let answer = try await api.call("POST", "/progress", text: body)
      #expect(answer.status == 400)
      #expect(answer.message == message)
      #expect(api.server.rows(of: "ada@example.org").isEmpty)
    }
  }

  @Test("Notes have at most 500 characters")
  func notesHaveFiveHundredCharactersAtMost() async throws {
    try await withAda { api in
      for (count, status) in [(500, 201), (501, 422)] {
        let body: JSONValue = [
          "type": "weight", "quantity": 70, "date": "2026-01-02",
          "notes": .string(String(repeating: "ü", count: count)),
        ]
        let answer = try await api.call("POST", "/progress", body)
        #expect(answer.status == status)
      }
    }
  }

  @Test("A hundred concurrent POSTs make a hundred rows")
  func aHundredPostsAtOnceMakeAHundredRows() async throws {
    try await withAda { api in
      // A hundred connections; URLSession would share a few.
      let token = try #require(api.token)
      let peers = try (0..<100).map { _ in try RawPeer(port: api.server.port) }
      for (number, peer) in peers.enumerated() {
        let body = #"{"type":"steps","quantity":\#(number / 2),"date":"2026-01-02"}"#
        peer.send(rawPost(body, token: token))
      }
      for peer in peers {
        #expect(peer.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 201 "))
      }
      let rows = api.server.rows(of: "ada@example.org")
      #expect(Set(rows.map(\.id)).count == 100)
      #expect(rows.map(\.quantity).sorted() == (0..<100).map { Double($0 / 2) })
    }
  }

  @Test("Concurrent calls of one client all succeed")
  func aClientOfManyTasksLosesNothing() async throws {
    try await withAda { api in
      try await withThrowingTaskGroup { group in
        for number in 1...100 {
          group.addTask { try await api.weigh(Double(number), "2026-01-02") }
        }
        try await group.waitForAll()
      }
      let rows = api.server.rows(of: "ada@example.org")
      #expect(Set(rows.map(\.id)).count == 100)
      #expect(rows.map(\.quantity).sorted() == (1...100).map(Double.init))
    }
  }
}
