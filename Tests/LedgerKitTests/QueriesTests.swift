import LedgerKit
import Testing

@Suite struct QueriesTests {
  static func day(_ number: Int) -> CalendarDate? {
    CalendarDate(year: 2026, month: 1, day: number)
  }

  @Test("The newest of each metric, here and at the backend")
  func current() async throws {
    try await withLedger { ledger in
      for number in 1...5 {
        _ = try await ledger.log(.weight, Double(70 + number), on: Self.day(number))
      }
      _ = try await ledger.log(.steps, 4_000, on: Self.day(2))
      let current = try await ledger.currentProgress()
      #expect(current.map(\.metric) == [.weight, .steps])
      #expect(current.map(\.quantity) == [75, 4_000])
      #expect(try await ledger.currentProgress(limit: 1).map(\.metric) == [.weight])
      #expect(try await ledger.currentProgress(.steps).map(\.quantity) == [4_000])

      let connection = ScriptedConnection()
      _ = try await ledger.sync(over: connection, options: .atOnce)
      let rows = try await ledger.remoteCurrentProgress(over: connection).get()
      #expect(Set(rows.map(\.key.metric)) == [.weight, .steps])
    }
  }

  @Test("Pages are turned into offsets", arguments: [(1, 0), (2, 100), (3, 200), (0, 0), (-4, 0)])
  func pages(_ page: Int, _ offset: Int) {
    #expect(HistoryPage.offset(page: page, limit: 100) == offset)
    #expect(HistoryPage.offset(page: .max, limit: .max) == .max)
  }

  @Test("History goes on where the page before ended")
  func history() async throws {
    try await withLedger { ledger in
      for number in 1...7 {
        _ = try await ledger.log(.weight, Double(number), on: Self.day(number))
      }
      let first = try await ledger.progressHistory(page: 1, limit: 3)
      let third = try await ledger.progressHistory(page: 3, limit: 3)
      #expect(first.entries.map(\.quantity) == [7, 6, 5])
      #expect(third.entries.map(\.quantity) == [1])
      #expect(third.total == 7)
    }
  }

  @Test("The backend is always asked with both ends, and with what it takes")
  func remote() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection()
      _ = await ledger.remoteHistory(over: connection, .weight, page: 2, limit: 500)
      let query = try #require(await connection.requests.first?.query)
      #expect(
        query == [
          .init("type", "weight"), .init("from", "1900-01-01"), .init("to", "2100-12-31"),
          .init("limit", "100"), .init("offset", "100"),
        ])
    }
  }

  @Test("What waits, and why: the backend's own words, or the code of what is missing")
  func reasons() async throws {
    try await withLedger { ledger in
      #expect(try await ledger.outbox().isEmpty)
      let refused = try await ledger.log(.weight, 75)
      let refusal = WireAnswer.response(
        .init(status: 422, body: Array(#"{"error":{"message":"too heavy"}}"#.utf8)))
      _ = try await ledger.sync(over: ScriptedConnection(refusal), options: .atOnce)
      try await ledger.append(.updateProfile(ProfileUpdated(bio: .set("Counts."))))
      _ = try await ledger.sync(over: ScriptedConnection(), options: .atOnce)
      let waiting = try await ledger.log(.steps, 4_000)

      let items = try await ledger.outbox()
      #expect(items.map(\.state) == [.rejected, .held, .pending])
      #expect(items.map(\.entry) == [refused, nil, waiting])
      #expect(items[0].text?.contains("too heavy") == true)
      #expect(items[1].subject == .profile(.profile))
      #expect(items[1].text == HoldReason.profileNeedsName.rawValue)
      #expect(items[2].text == nil)
    }
  }
}
