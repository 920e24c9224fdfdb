import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The outbox of random logs, whole and limited, from memory and from a snapshot.
@Suite struct OutboxTests {
  @Test(
    "A limited outbox has whole items, and first those that need more than a sync",
    arguments: SnapshotTests.seeds)
  func limits(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 220).view(in: folder)
    let state = try Replay.run(view).state
    let whole = try Outbox(state, in: view).items
    let others = whole.count { $0.state != .pending }
    #expect(!whole.isEmpty, "seed \(seed)")
    for limit in 0...whole.count + 1 {
      let part = try Outbox(state, in: view, limit: limit).items
      #expect(part.count == min(limit, whole.count), "seed \(seed), limit \(limit)")
      #expect(part.count { $0.state != .pending } == min(limit, others), "seed \(seed)")
      let odd = part.first { !whole.contains($0) }
      #expect(odd == nil, "seed \(seed), limit \(limit)")
    }
  }

  @Test(
    "With few edits an item, each has its oldest ones", arguments: SnapshotTests.seeds)
  func fewEdits(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 220).view(in: folder)
    let state = try Replay.run(view).state
    for limit in [1, 3, 9] {
      let whole = try Outbox(state, in: view, limit: limit).items
      let part = try Outbox(state, in: view, limit: limit, editsPerItem: 1).items
      #expect(
        part.map(\.subject) == whole.map(\.subject) && part.map(\.state) == whole.map(\.state))
      for (few, all) in zip(part, whole) {
        #expect(!few.events.isEmpty && all.events.starts(with: few.events), "seed \(seed)")
      }
    }
  }

  @Test("A snapshot answers with the same outbox", arguments: SnapshotTests.seeds)
  func snapshot(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    // Several pages of edits.
    let view = try RandomStory.log(seed: seed, count: 1_200).view(in: folder)
    Snapshot.keep(try Replay.run(view, .init(verifies: false, until: Seq(1_000))).state, of: view)
    var opened = try #require(Snapshot.open(view))
    try Replay.advance(&opened, to: view)
    let state = try Replay.run(view).state
    for limit in [1, 7, .max] {
      #expect(
        try Outbox(opened, in: view, limit: limit) == Outbox(state, in: view, limit: limit),
        "seed \(seed), limit \(limit)")
    }
  }

  @Test("A search for edits skips the pages of a snapshot without their state")
  func skips() throws {
    let folder = try TemporaryFolder()
    var log = HandWrittenLog()
    log.appendCreation()
    let perPage = StoredColumn<EditCell>.perPage
    for seq in 2...3 * perPage {
      log.append(
        seq == perPage + 1
          ? .profileUpdated(ProfileUpdated(name: "Ada"))
          : .unknown(type: "test.note", version: 1, data: [:]))
    }
    let view = try log.view(in: folder)
    Snapshot.keep(try Replay.run(view).state, of: view)
    let edits = try #require(Snapshot.open(view)).edits
    func ranges(_ state: EditState, and seqs: Set<Int> = []) -> [Range<Int>] {
      edits.ranges(holding: EditStates([state]), and: seqs).filter { !$0.isEmpty }
    }
    #expect(ranges(.pending) == [perPage..<2 * perPage])
    #expect(ranges(.held).isEmpty)
    #expect(ranges(.held, and: [1]) == [0..<perPage])
  }
}
