import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog
@testable import LedgerProjections

/// A snapshot and what came since, against the fold of the whole log.
@Suite struct SnapshotTests {
  static let seeds: [UInt64] = Array(11...TestSize.of(12, full: 16))

  @Test("A snapshot and the rest is the whole, wherever it was taken", arguments: seeds)
  func everyPrefix(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let count = 220
    let view = try RandomStory.log(seed: seed, count: count).view(in: folder)
    let whole = try Replay.run(view).state
    let expected = Answers(whole)
    // Every seed has its own places.
    for cut in stride(from: 1 + Int(seed % 10), through: count, by: TestSize.of(60, full: 10)) {
      let before = try Replay.run(view, .init(verifies: false, until: Seq(cut))).state
      Snapshot.keep(before, of: view)
      var state = try #require(Snapshot.open(view), "seed \(seed), cut after event \(cut)")
      try Replay.advance(&state, to: view)
      let place: Comment = "seed \(seed), cut after event \(cut)"
      let difference = Answers(state).difference(from: expected)
      #expect(difference == nil, place)
      #expect(Lookups(state, seed: seed) == Lookups(whole, seed: seed), place)
      #expect(state.tally == whole.tally && state.position == whole.position, place)
      let loaded = try state.loaded()
      #expect(Answers(loaded) == expected && loaded.days() == whole.days(), place)
      #expect(!state.isBroken && loaded.opened == nil)
      guard difference == nil else { return }
    }
  }

  @Test("A snapshot is made of a snapshot and what came since", arguments: seeds)
  func generations(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let log = RandomStory.log(seed: seed, count: 200)
    let view = try log.view(in: folder)
    Snapshot.keep(try Replay.run(view, .init(verifies: false, until: Seq(3))).state, of: view)
    for reach in stride(from: 20, through: 200, by: 20) {
      var state = try #require(try Snapshot.open(view)?.loaded())
      let end = reach == 200 ? view.endBytes : log.starts[reach]
      let part = LogView(
        directory: view.directory, file: view.file, head: nil, endBytes: end, tornTailBytes: 0)
      try Replay.advance(&state, to: part)
      #expect(state.position.seq == reach)
      Snapshot.keep(state, of: view)
    }
    let state = try #require(Snapshot.open(view))
    let whole = try Replay.run(view).state
    #expect(Answers(state).difference(from: Answers(whole)) == nil, "seed \(seed)")
    #expect(Lookups(state, seed: seed) == Lookups(whole, seed: seed), "seed \(seed)")
  }

  @Test("While a writer holds the lock, a snapshot is not kept")
  func busy() throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: 1, count: 30).view(in: folder)
    let state = try Replay.run(view).state
    do {
      let lock = try FileLock(view.directory.ledgerLock, .exclusive)
      Snapshot.keep(state, of: view)
      #expect(Snapshot.open(view) == nil)
      withExtendedLifetime(lock) {}
    }
    Snapshot.keep(state, of: view)
    #expect(Snapshot.open(view)?.position == state.position)
  }

  @Test("The same state has the same bytes")
  func deterministic() throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: 5, count: 150).view(in: folder)
    let written = try (0..<2).map { _ in
      let file = try OpenFile(folder.path + "/settings.json", .readWriteOrCreate)
      try SnapshotWriter.write(try Replay.run(view).state, to: file, seed: 77)
      return try file.bytes(in: 0..<file.size())
    }
    let difference = zip(written[0], written[1]).enumerated().first { $0.element.0 != $0.element.1 }
    #expect(difference == nil, "at byte \(difference?.offset ?? -1)")
    #expect(written[0].count == written[1].count && written[0].count > 10 * SnapshotPage.bytes)
  }

  @Test("Writing pays after as many events in a long log as in a short one")
  func pays() {
    #expect(!Snapshot.pays(after: 16_383))
    #expect(Snapshot.pays(after: 16_384))
  }
}

/// What is looked up rather than counted.
private struct Lookups: Equatable {
  var rows: [Int?]
  var prefixes: [[Int]]
  var pages: [ProgressPage]
  var days: [[DayGroup]]
  var open: [Int]
  var inDoubt: [Int]
  var superseded: [LedgerState.SupersededRow]
  var suspected: Set<BackendID>
  var entries: EntryCounts

  init(_ state: LedgerState, seed: UInt64) {
    var random = SplitMix(seed)
    let ids = Set(state.rows.map(\.id)).sorted() + [LedgerUUID(high: 1, low: 2)]
    rows = ids.map { state.row(of: EntryID($0)) }
    prefixes = ids.shuffled(using: &random).prefix(8).flatMap { id in
      [5, 18, 23].map {
        state.rows(withPrefix: String(id.description.prefix($0)))
      }
    }
    prefixes.append(state.rows(withPrefix: "x"))
    (pages, self.days) = ([], [])
    let days = state.rows.map(\.day)
    for _ in 0..<15 {
      var query = ProgressQuery(
        limit: Int.random(in: 0...8, using: &random), offset: Int.random(in: 0...12, using: &random)
      )
      if random.chance(40) { query.metric = Metric.allCases.randomElement(using: &random) }
      if random.chance(40), let day = days.randomElement(using: &random) {
        query.from = CalendarDate(daysSince1970: Int(day))
      }
      if random.chance(40), let day = days.randomElement(using: &random) {
        query.to = CalendarDate(daysSince1970: Int(day))
      }
      if random.chance(30) { query.statuses = [.synced, .failed] }
      pages.append(state.progress(query))
      query.cursor = pages.last?.next
      pages.append(state.progress(query))
      self.days.append(state.days(metric: query.metric, from: query.from, to: query.to))
    }
    open = state.rowsWithOpenEdits()
    inDoubt = state.rowsSentInDoubt()
    superseded = state.supersededRows()
    suspected = Set(state.suspicions().flatMap(\.backendIDs))
    entries = state.entryCounts()
  }
}
