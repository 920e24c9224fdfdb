import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The events about many entries at once are those about each.
@Suite struct EntryEventsTests {
  private func expectSame(_ state: LedgerState, _ view: LogView) throws {
    let entries = state.rows.map { EntryID($0.id) } + state.sleep.map { EntryID($0.id) }
    let events = try EntryEvents(of: Set(entries), state, in: view)
    for id in Set(entries) {
      let rows = state.allRows(of: id.uuid).flatMap { state.allEdits(ofRow: $0) }
      #expect(events.edits(ofEntry: id) == rows)
      let sessions = state.allSessions(of: id).flatMap(state.allEdits(ofSession:))
      #expect(events.edits(ofSession: id) == sessions)
      let found = events.mentions(of: id)
      let all = state.mentions(ofEntry: id)
      #expect(Set(found).isSubset(of: all))
      // The others are about other entries, known only by ids.
      let unattached = Set(state.mentions(of: []))
      let left = Set(all).subtracting(found)
      #expect(left.isSubset(of: unattached))
      for number in left {
        let line = try view.line(Seq(number)).bytes
        #expect(!String(decoding: line, as: UTF8.self).contains(#""entry":"\#(id)""#))
      }
    }
  }

  @Test("With and without a snapshot", arguments: SnapshotTests.seeds)
  func same(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 150).view(in: folder)
    let whole = try Replay.run(view).state
    try expectSame(whole, view)
    Snapshot.keep(try FoldedLog(view).replay(until: Seq(100)), of: view)
    var opened = try #require(Snapshot.open(view))
    try Replay.advance(&opened, to: view)
    try expectSame(opened, view)
    withExtendedLifetime(folder) {}
  }
}
