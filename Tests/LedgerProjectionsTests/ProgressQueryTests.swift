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
      && (query.statuses?.contains(entry.status) ?? true)
  }

  /// A page of the plain list.
  private static func page(_ query: ProgressQuery, of matching: [EntryView]) -> ProgressPage {
    let following = matching.drop { entry in
      query.cursor.map { EntryKey(entry) >= $0.key } ?? false
    }
    let rest = following.dropFirst(query.offset)
    let entries = Array(rest.prefix(query.limit))
    let last = rest.count > entries.count ? entries.last : nil
    return ProgressPage(
      entries: entries, total: matching.count, limit: query.limit, offset: query.offset,
      next: last.map { ProgressCursor(key: EntryKey($0)) })
  }

  @Test("A query gives what filtering and slicing all entries gives", arguments: [false, true])
  func pages(hostileDates: Bool) throws {
    let (seed, count) = (UInt64(51), 700)
    let state = try Self.state(seed: seed, count: count, hostileDates: hostileDates)
    let all = Self.entries(seed: seed, count: count, hostileDates: hostileDates)
    var random = SplitMix(52)
    let days = [nil, .first, .last] + (1...13).map { CalendarDate(year: 2025, month: 1, day: $0) }
    for _ in 0..<TestSize.of(25, full: 400) {
      let query = ProgressQuery(
        metric: random.chance(50) ? nil : random.pick(Metric.allCases),
        from: random.pick(days), to: random.pick(days),
        statuses: random.chance(70) ? nil : [random.pick(EntryStatus.allCases), .synced],
        limit: Int.random(in: 1...100, using: &random),
        offset: random.chance(50) ? 0 : Int.random(in: 0...300, using: &random),
        after: random.chance(50) ? nil : ProgressCursor(key: EntryKey(random.pick(all))))
      let expected = all.filter { Self.matches(query, $0) }
      #expect(state.progress(query) == Self.page(query, of: expected), "\(query)")
      guard query.statuses == nil else { continue }
      let groups = state.days(metric: query.metric, from: query.from, to: query.to)
      #expect(groups == PlainFold.days(of: expected), "\(query)")
    }
  }

  /// The states after growing parts of one log: in memory, or of a snapshot and what came since.
  private static func states(
    seed: UInt64, _ cuts: [Int], isOpened: Bool
  ) throws -> [LedgerState] {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: cuts.last!).view(in: folder)
    var whole = try Replay.run(view, .init(verifies: false, until: Seq(cuts[0]))).state
    guard isOpened else {
      return try cuts.map { cut in
        try Replay.advance(&whole, to: view, until: Seq(cut))
        return whole
      }
    }
    Snapshot.keep(whole, of: view)
    return try cuts.map { cut in
      var state = try #require(Snapshot.open(view))
      try Replay.advance(&state, to: view, until: Seq(cut))
      return state
    }
  }

  @Test("An offset counts the same in a snapshot with later changes as in all entries")
  func offsets() throws {
    let cuts = [300, 320, 500]
    let opened = try Self.states(seed: 71, cuts, isOpened: true)
    for (state, whole) in zip(opened, try Self.states(seed: 71, cuts, isOpened: false)) {
      let total = whole.progress(ProgressQuery()).total
      #expect(total > 50)
      for offset in 0...total + 2 {
        let query = ProgressQuery(limit: 3, offset: offset)
        #expect(state.progress(query) == whole.progress(query), "offset \(offset)")
      }
    }
  }

  @Test(
    "A page that does not count all matches has the same entries as one that does"
  )
  func bounded() throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: 81, count: 600).view(in: folder)
    Snapshot.keep(try Replay.run(view, .init(verifies: false, until: Seq(400))).state, of: view)
    var state = try #require(Snapshot.open(view))
    try Replay.advance(&state, to: view)
    var random = SplitMix(82)
    var hadMore: Set<Bool> = []
    for _ in 0..<60 {
      let query = ProgressQuery(
        metric: random.chance(60) ? nil : random.pick(Metric.allCases),
        from: random.chance(60) ? nil : CalendarDate(year: 2025, month: 1, day: 5),
        text: random.pick(["C", "corr", "e", "nowhere", nil]),
        limit: Int.random(in: 1...9, using: &random),
        offset: random.chance(50) ? 0 : Int.random(in: 0...9, using: &random))
      let counted = try state.boundedProgress(query, in: view)
      #expect(query.text == nil || counted == nil, "\(query)")
      guard let (page, hasTotal) = try state.boundedProgress(query, in: view, countingUpTo: 0)
      else {
        #expect(query.text == nil && query.from == nil)
        continue
      }
      let whole = try state.progress(query, in: view)
      #expect(page.entries == whole.entries && page.next == whole.next, "\(query)")
      #expect(hasTotal ? page.total == whole.total : page.next != nil, "\(query)")
      hadMore.insert(!hasTotal)
    }
    #expect(hadMore.count == 2)
  }

  @Test(
    "Pages by cursor of a changing ledger show every entry once that stays in its place",
    arguments: Array(61...TestSize.of(62, full: 68)) as [UInt64], [false, true])
  func cursors(seed: UInt64, isOpened: Bool) throws {
    var random = SplitMix(seed)
    var cuts = [200]
    for _ in 0..<30 { cuts.append(cuts.last! + Int.random(in: 0...20, using: &random)) }
    let states = try Self.states(seed: seed, cuts, isOpened: isOpened)
    var query = ProgressQuery(limit: Int.random(in: 1...9, using: &random))

    var shown: [EntryView] = []
    var places: [EntryID: Set<EntryKey>] = [:]
    var stays: Set<EntryID>?
    var isComplete = false
    for state in states {
      let all = state.progress(ProgressQuery(limit: .max)).entries
      for entry in all { places[entry.id, default: []].insert(EntryKey(entry)) }
      let ids = Set(all.map(\.id))
      stays = stays?.intersection(ids) ?? ids
      let page = state.progress(query)
      shown += page.entries
      query.cursor = page.next
      isComplete = page.next == nil
      if isComplete { break }
    }
    let times = Dictionary(grouping: shown, by: \.id).mapValues(\.count)
    #expect(shown.count > 20, "seed \(seed)")
    for (id, keys) in places where keys.count == 1 {
      let isReached =
        isComplete || keys.allSatisfy { key in shown.contains { EntryKey($0) <= key } }
      let expected = stays?.contains(id) == true && isReached ? 1...1 : 0...1
      #expect(expected.contains(times[id] ?? 0), "seed \(seed), entry \(id)")
    }
    #expect(shown.map(EntryKey.init) == shown.map(EntryKey.init).sorted(by: >), "seed \(seed)")
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
