import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerLog
@testable import LedgerProjections

/// The state behind an event, with a snapshot of fewer events, of more, and with none.
@Suite struct EarlierStateTests {
  @Test("It is what a fold up to there gives", arguments: [UInt64(51), 52, 53])
  func everyEvent(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let log = RandomStory.log(seed: seed, count: 130)
    let view = try log.view(in: folder)
    // So late that nothing is erased behind it: what was erased is not to be remembered.
    let cut = 1 + (try lastErasure(of: view) ?? 60)
    Snapshot.keep(try Replay.run(view, .init(verifies: false, until: Seq(cut))).state, of: view)
    for seq in Set([1, cut - 1, cut, cut + 1, (cut + 130) / 2, 129, 130]) where seq <= 130 {
      let wanted = Answers(try Replay.run(view, .init(verifies: false, until: Seq(seq))).state)
      let folded = FoldedLog(view)
      let place: Comment = "seed \(seed), snapshot of \(cut), event \(seq)"
      #expect(try folded.ask(until: Seq(seq)) { Answers($0) } == wanted, place)
      let state = try folded.state(until: Seq(seq))
      #expect(Answers(state) == wanted && state.opened == nil, place)
      #expect(state.position.seq == seq, place)
    }
  }

  @Test("Two states differ the same, folded or from a snapshot", arguments: [UInt64(51), 52, 53])
  func differences(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 130).view(in: folder)
    let cut = 1 + (try lastErasure(of: view) ?? 60)
    func state(_ seq: Int) throws -> LedgerState {
      seq == 0 ? LedgerState() : try Replay.run(view, .init(until: Seq(seq))).state
    }
    Snapshot.keep(try state(cut), of: view)
    for (first, last) in [
      (cut, 130), (cut + 1, 130), (cut, cut + 3), (cut, cut), (0, cut), (1, 130),
    ] {
      let wanted = LedgerDifference(from: try state(first), to: try state(last), keeping: 3)
      let found = try FoldedLog(view).ask(from: first, until: last) { before, after in
        LedgerDifference(from: before, to: after, keeping: 3)
      }
      let place: Comment = "seed \(seed), \(first) to \(last), snapshot of \(cut)"
      #expect(found.byType.map(\.type) == wanted.byType.map(\.type), place)
      #expect(found.byType.map(\.count) == wanted.byType.map(\.count), place)
      #expect(found.fields == wanted.fields && found.moves == wanted.moves, place)
      #expect(found.entries == wanted.entries && found.entryCounts == wanted.entryCounts, place)
      #expect(found.sessions == wanted.sessions && found.conflicts == wanted.conflicts, place)
    }
  }

  private func lastErasure(of view: LogView) throws -> Int? {
    var last: Int?
    try view.forEachEvent { event, _ in
      if case .eventErased = event.event.payload { last = event.seq.number }
      return true
    }
    return last
  }

  @Test("It is folded from the snapshot, where that is of fewer events")
  func comesFromTheSnapshot() throws {
    let folder = try TemporaryFolder()
    var log = HandWrittenLog()
    log.appendCreation()
    for name in ["Ada", "Bea", "Cleo"] {
      log.append(.profileUpdated(ProfileUpdated(name: name)))
    }
    let view = try log.view(in: folder)
    var state = try Replay.run(view, .init(verifies: false, until: Seq(2))).state
    // Something that the log does not say tells where an answer is from.
    state.erasures = 0
    state.tally.erased = 1
    Snapshot.keep(state, of: view)
    let folded = FoldedLog(view)
    #expect(try folded.ask(until: Seq(3)) { $0.tally.erased } == 1)
    #expect(try folded.state(until: Seq(2)).tally.erased == 1)
    #expect(try folded.state(until: Seq(3)).profileView().name == "Bea")
    #expect(try folded.ask(until: Seq(1)) { $0.tally.erased } == 0)
    // A page that is not whole costs time, and nothing else.
    var bytes = try #require(try AtomicFile.read(view.directory.snapshot))
    for place in stride(from: 4_200, to: bytes.count, by: SnapshotPage.bytes) { bytes[place] ^= 1 }
    try folder.write(bytes, to: view.directory.snapshot)
    #expect(try FoldedLog(view).ask(until: Seq(3)) { $0.tally.erased } == 0)
    #expect(try FoldedLog(view).state(until: Seq(3)).tally.erased == 0)
  }

  @Test("What was erased since is not remembered, also before the event that tells of it")
  func erasedLater() throws {
    let folder = try TemporaryFolder()
    var before = HandWrittenLog()
    before.appendCreation()
    // So long that the line is as long once it is erased: the snapshot seems to fit.
    let data = #"{"name":"\#(String(repeating: "A", count: 31))"}"#
    before.append(type: "profile.updated", data: data)
    let old = try before.view(in: folder)
    Snapshot.keep(try Replay.run(old).state, of: old)
    let kept = try #require(try AtomicFile.read(old.directory.snapshot))
    var after = HandWrittenLog()
    after.appendCreation()
    after.appendErased(type: "profile.updated", data: data)
    after.append(.editUndone(EditUndone(event: Seq(2))))
    after.append(.eventErased(EventErased(event: Seq(2), reason: "asked for", fields: ["name"])))
    let new = try after.view(in: folder)
    try folder.write(kept, to: new.directory.snapshot)
    #expect(Snapshot.open(new)?.profileView().name != nil)
    for seq in 2...4 {
      #expect(try FoldedLog(new).ask(until: Seq(seq)) { $0.profileView().name } == nil)
      #expect(try FoldedLog(new).state(until: Seq(seq)).profileView().name == nil)
    }
  }
}
