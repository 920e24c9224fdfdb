import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Pages and days against filters over the plain list of entries.
@Suite struct ProgressQueryTests {
  private static func state(
    seed: UInt64, count: Int, hostileDates: Bool = false
  ) throws -> LedgerState {
    let folder = try TemporaryFolder()
    let log = RandomStory.log(seed: seed, count: count, hostileDates: hostileDates)
    return try Replay.run(log.view(in: folder), .init(verifies: false)).state
  }

  private static func entries(
    seed: UInt64, count: Int, hostileDates: Bool = false
  ) -> [EntryView] {
    var plain = PlainFold()
    for line in RandomStory.lines(seed: seed, count: count, hostileDates: hostileDates) {
      plain.take(line)
    }
    return Answers(plain).entries
  }

  private static func matches(_ query: ProgressQuery, _ entry: EntryView) -> Bool {
    (query.metric == nil || entry.metric == query.metric)
      && (query.from.map { entry.date >= $0 } ?? true)
      && (query.to.map { entry.date <= $0 } ?? true)
  }

  @Test("Every filter and page", arguments: [false, true])
  func pages(hostileDates: Bool) throws {
    let (seed, count) = (UInt64(51), 700)
    let state = try Self.state(seed: seed, count: count, hostileDates: hostileDates)
    let all = Self.entries(seed: seed, count: count, hostileDates: hostileDates)
    var random = SplitMix(52)
    let days = [nil, .first, .last] + (1...13).map { CalendarDate(year: 2025, month: 1, day: $0) }
    for _ in 0..<400 {
      let query = ProgressQuery(
        metric: random.chance(50) ? nil : random.pick(Metric.allCases),
        from: random.pick(days), to: random.pick(days),
        limit: Int.random(in: 1...100, using: &random),
        offset: random.chance(50) ? 0 : Int.random(in: 0...300, using: &random))
      let expected = all.filter { Self.matches(query, $0) }
      let page = state.progress(query)
      #expect(page.total == expected.count, "\(query)")
      #expect(page.entries == Array(expected.dropFirst(query.offset).prefix(query.limit)))
      #expect(page.limit == query.limit && page.offset == query.offset)
      let groups = state.days(metric: query.metric, from: query.from, to: query.to)
      #expect(groups == PlainFold.days(of: expected), "\(query)")
    }
  }

  @Test("Pages put together are the whole, each entry once")
  func allPages() throws {
    let state = try Self.state(seed: 53, count: 500)
    var found: [EntryView] = []
    var offset = 0
    while true {
      let page = state.progress(ProgressQuery(limit: 7, offset: offset))
      if page.entries.isEmpty { break }
      found += page.entries
      offset += 7
    }
    #expect(found == Self.entries(seed: 53, count: 500))
  }

  @Test("Absurd limits and offsets find nothing, or everything")
  func absurd() throws {
    let state = try Self.state(seed: 54, count: 100)
    let all = Self.entries(seed: 54, count: 100)
    #expect(state.progress(ProgressQuery(limit: .max)).entries == all)
    #expect(state.progress(ProgressQuery(limit: .max, offset: .max)).entries.isEmpty)
    #expect(state.progress(ProgressQuery(limit: 1, offset: .max)).total == all.count)
    #expect(state.progress(ProgressQuery(limit: 0)).entries.isEmpty)
    #expect(state.progress(ProgressQuery(limit: 0)).total == all.count)
  }

  @Test("An empty ledger answers with nothing")
  func empty() {
    let state = LedgerState()
    #expect(state.progress(ProgressQuery()).entries.isEmpty && state.days().isEmpty)
    #expect(state.entryCounts() == EntryCounts() && state.syncCounts() == SyncCounts())
    #expect(state.profileView().status.isEmpty)
  }
}
