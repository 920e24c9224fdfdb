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

  @Test("A snapshot answers with the same outbox", arguments: SnapshotTests.seeds)
  func snapshot(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 220).view(in: folder)
    Snapshot.keep(try Replay.run(view, .init(verifies: false, until: Seq(150))).state, of: view)
    var opened = try #require(Snapshot.open(view))
    try Replay.advance(&opened, to: view)
    #expect(
      try Outbox(opened, in: view) == Outbox(Replay.run(view).state, in: view), "seed \(seed)")
  }
}
