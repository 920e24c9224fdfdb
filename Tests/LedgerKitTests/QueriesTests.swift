import LedgerKit
import LedgerSync
import Testing

@Suite struct QueriesTests {
  static func day(_ number: Int) throws -> CalendarDate {
    try #require(CalendarDate(year: 2026, month: 1, day: number))
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
      #expect(try await ledger.currentProgress(of: .steps).map(\.quantity) == [4_000])

      let connection = ScriptedConnection()
      _ = try await ledger.sync(over: connection, options: .atOnce)
      let rows = try await ledger.remoteCurrentProgress(over: connection)
      #expect(rows.map(\.metric) == [.weight, .steps] && rows.map(\.quantity) == [75, 4_000])
      #expect(rows.map(\.notes) == ["", ""])
    }
  }

  @Test("Pages are turned into offsets", arguments: [(1, 0), (2, 100), (3, 200), (0, 0), (-4, 0)])
  func pages(_ page: Int, _ offset: Int) {
    #expect(HistoryPage.offset(page: page, limit: 100) == offset)
    #expect(HistoryPage.offset(page: .max, limit: .max) == .max)
  }

  @Test("An entry logged between two pages shows no other entry twice")
  func pageByCursor() async throws {
    try await withLedger { ledger in
      for number in 1...7 {
        try await ledger.log(.weight, Double(number), on: Self.day(number))
      }
      let first = try await ledger.progress(ProgressQuery(limit: 3))
      try await ledger.log(.weight, 100, on: Self.day(8))
      let second = try await ledger.progress(ProgressQuery(limit: 3, after: first.next))
      let third = try await ledger.progress(ProgressQuery(limit: 3, after: second.next))
      #expect(
        [first, second, third].map { $0.entries.map(\.quantity) } == [[7, 6, 5], [4, 3, 2], [1]])
      #expect([first, second, third].map(\.total) == [7, 8, 8])
      #expect(third.next == nil)
    }
  }

  @Test("A page has notes where the query asks for them")
  func notes() async throws {
    try await withLedger { ledger in
      let noted = try await ledger.log(.weight, 75, notes: "after the run").id
      let corrected = try await ledger.log(.weight, 76, notes: "first").id
      try await ledger.correct(corrected, notes: .set("second"))
      try await ledger.log(.weight, 77)
      let page = try await ledger.progress(ProgressQuery(includesNotes: true))
      #expect(page.notes == [noted: "after the run", corrected: "second"])
      #expect(try await ledger.progress().notes.isEmpty)
    }
  }

  @Test("A text is found in the notes in force, in any case")
  func text() async throws {
    try await withLedger { ledger in
      let noted = try await ledger.log(.weight, 75, notes: "After the RUN").id
      let corrected = try await ledger.log(.weight, 76, notes: "no walk").id
      try await ledger.correct(corrected, notes: .set("a run, too"))
      try await ledger.correct(ledger.log(.weight, 77, notes: "run").id, notes: .clear)
      try await ledger.log(.steps, 4_000, notes: "run")
      let page = try await ledger.progress(ProgressQuery(metric: .weight, text: "the Run"))
      #expect(page.entries.map(\.id) == [noted] && page.total == 1)
      let all = try await ledger.progress(ProgressQuery(metric: .weight, text: "run", limit: 1))
      #expect(all.entries.map(\.id) == [corrected] && all.total == 2)
      let rest = try await ledger.progress(
        ProgressQuery(metric: .weight, text: "run", limit: 1, after: all.next))
      #expect(rest.entries.map(\.id) == [noted] && rest.next == nil)
      #expect(try await ledger.progress(ProgressQuery(text: "")).total == 4)
    }
  }

  @Test("Imported entries are found by their source")
  func sources() async throws {
    try await withLedger { ledger in
      let moment = Timestamp(millisecondsSince1970: 1_767_600_000_000)
      let samples = [("health", "a"), ("health", "b"), ("scale", "a")]
      let ids = samples.map { EntryID.derived(from: $0.0 + $0.1, at: moment) }
      try await ledger.append(
        zip(samples, ids).map { sample, id in
          Edit(
            by: .import,
            change: .logProgress(
              ProgressLogged(
                entry: id, metric: .weight, quantity: 75, date: try Self.day(1), source: sample.0,
                sourceID: sample.1)))
        })
      try await ledger.log(.weight, 75, on: Self.day(2), notes: "\"source_id\":\"a\"")
      let page = try await ledger.progress(ProgressQuery(source: "health"))
      #expect(Set(page.entries.map(\.id)) == Set(ids[..<2]) && page.total == 2)
      #expect(try await ledger.entry(source: "health", sourceID: "b")?.id == ids[1])
      #expect(try await ledger.entry(source: "scale", sourceID: "b") == nil)
      try await ledger.delete(ids[1])
      #expect(try await ledger.entry(source: "health", sourceID: "b")?.isDeleted == true)
    }
  }

  @Test("Entries are found by their sync status")
  func statuses() async throws {
    try await withLedger { ledger in
      let synced = try await ledger.log(.weight, 75).id
      _ = try await ledger.sync(over: ScriptedConnection(), options: .atOnce)
      let pending = try await ledger.log(.weight, 76).id
      func ids(_ statuses: Set<EntryStatus>) async throws -> [EntryID] {
        try await ledger.progress(ProgressQuery(statuses: statuses)).entries.map(\.id)
      }
      #expect(try await ids([.synced]) == [synced])
      #expect(try await ids([.pending]) == [pending])
      #expect(try await ids([.pending, .synced]) == [pending, synced])
      #expect(try await ids([]).isEmpty)
    }
  }

  @Test("The backend is always asked with both ends, and with what it takes")
  func remote() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection()
      _ = try? await ledger.remoteHistory(of: .weight, page: 2, limit: 500, over: connection)
      let query = try #require(await connection.requests.first?.query)
      #expect(
        query == [
          .init("type", "weight"), .init("from", "1900-01-01"), .init("to", "2100-12-31"),
          .init("limit", "100"), .init("offset", "100"),
        ])
    }
  }

  @Test("Each profile field is read with its type; one that was never set is absent")
  func profile() async throws {
    try await withLedger { ledger in
      let empty = try await ledger.profile()
      #expect(empty.name == nil && empty.bio == nil && empty.languageCode == nil)
      #expect(empty.biologicalSex == nil && empty.heightCM == nil && empty.allergies.isEmpty)
      try await ledger.append([
        Edit(change: .updateProfile(ProfileUpdated(bio: .set("Runs."), languageCode: .set("en")))),
        Edit(change: .updatePhysical(PhysicalUpdated(biologicalSex: .female, heightCM: 168.5))),
        Edit(
          change: .updatePreferences(
            PreferencesUpdated(
              allergies: ["nuts"], dietaryRestrictions: ["vegan"], foodDislikes: ["okra"]))),
      ])
      let profile = try await ledger.profile()
      #expect(profile.bio == "Runs." && profile.languageCode == "en")
      #expect(profile.biologicalSex == .female && profile.heightCM == 168.5)
      #expect(profile.allergies == ["nuts"] && profile.dietaryRestrictions == ["vegan"])
      #expect(profile.foodDislikes == ["okra"])
    }
  }

  @Test("What waits, and why: the backend's own words, or the code of what is missing")
  func reasons() async throws {
    try await withLedger { ledger in
      #expect(try await ledger.outbox().isEmpty)
      let refused = try await ledger.log(.weight, 75).id
      let refusal = WireAnswer.response(
        .init(status: 422, body: Array(#"{"error":{"message":"too heavy"}}"#.utf8)))
      _ = try await ledger.sync(over: ScriptedConnection(refusal), options: .atOnce)
      try await ledger.append(.updateProfile(ProfileUpdated(bio: .set("Counts."))))
      let report = try await ledger.sync(over: ScriptedConnection(), options: .atOnce)
      #expect(report.needsUser)
      #expect(
        report.messages == report.remarks + [
          "1 edit was refused earlier", "1 edit waits: \(HoldReason.profileNeedsName.cause)",
        ])
      let waiting = try await ledger.log(.steps, 4_000).id

      let items = try await ledger.outbox()
      #expect(items.map(\.state) == [.rejected, .held, .pending])
      #expect(items.map(\.entry) == [refused, nil, waiting])
      #expect(items[0].text?.contains("too heavy") == true)
      #expect(items[1].subject == .profile(.profile))
      #expect(items[1].text == HoldReason.profileNeedsName.rawValue)
      #expect(items[2].text == nil)
      #expect(Set(items.map(\.id)).count == 3)
    }
  }
}
