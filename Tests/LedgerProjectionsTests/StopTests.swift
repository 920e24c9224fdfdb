import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// A fold that looks at the state on the way sees what a fold that ends there sees.
@Suite struct StopTests {
  @Test("Every stop is what a fold up to it gives", arguments: [UInt64(41), 42], [1, 7, 50])
  func stops(seed: UInt64, every: Int) throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 120).view(in: folder)
    let stops = Array(stride(from: every, through: 120, by: every))
    var seen: [Int] = []
    let outcome = try Replay.run(view, verifies: true, stops: stops) { state in
      seen.append(state.position.seq)
      let alone = try? Replay.run(view, .init(until: Seq(state.position.seq))).state
      let difference = alone.map { Answers(state).difference(from: Answers($0)) }
      #expect(difference == .some(nil), "seed \(seed), event \(state.position.seq)")
    }
    #expect(outcome.damage == nil)
    let end = try #require(try view.lastLine()).seq
    #expect(seen == stops + (stops.last == end ? [] : [end]))
    let whole = try Replay.run(view).state
    #expect(Answers(outcome.state).difference(from: Answers(whole)) == nil)
    #expect(outcome.state.tally == whole.tally)
  }

  @Test("Damage between stops ends the fold there")
  func damage() throws {
    let folder = try TemporaryFolder()
    let log = RandomStory.log(seed: 43, count: 40)
    var bytes = log.bytes
    bytes[log.starts[24] + 2] = 0x21
    try folder.write(bytes, to: folder.ledger.events)
    let view = try LogView.open(folder.ledger)
    var seen: [Int] = []
    let outcome = try Replay.run(view, verifies: true, stops: [10, 20, 30, 40]) {
      seen.append($0.position.seq)
    }
    #expect(seen == [10, 20])
    #expect(outcome.damage?.line == 25)
    #expect(outcome.state.position.seq == 24)
  }

  @Test("Stops behind the end are the end, and are looked at once")
  func behindTheEnd() throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: 44, count: 10).view(in: folder)
    let end = try #require(try view.lastLine()).seq
    var seen: [Int] = []
    _ = try Replay.run(view, verifies: false, stops: [5, 5, 1000, 2000]) {
      seen.append($0.position.seq)
    }
    #expect(seen == [5, end])
  }

  @Test("What the backend has is counted without what was pulled from it")
  func acknowledged() throws {
    var scene = Scene()
    let first = scene.log(1)
    let second = scene.log(2)
    scene.log(3)
    scene.add(
      .progressPulled(
        ProgressPulled(
          entry: scene.entryID(4), backendID: try #require(BackendID("b4")), metric: .weight,
          quantity: 70, date: Scene.day)), by: .sync)
    scene.delete(4, by: .sync)
    #expect(try scene.state().acknowledgedEdits() == 0)
    scene.acknowledge(first, second)
    #expect(try scene.state().acknowledgedEdits() == 2)
    #expect(try scene.state().syncCounts().pending == 1)
  }

  @Test("A moment is found by a bisection where the clock never stepped back")
  func moments() throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: 45, count: 60).view(in: folder)
    let last = try #require(try view.lastLine()).seq
    for seq in 1...last {
      let at = try view.line(Seq(seq)).event().event.at
      #expect(try view.eventsRecorded(upTo: at) == view.lastSeq(notAfter: at)?.number)
      let before = Timestamp(millisecondsSince1970: at.millisecondsSince1970 - 1)
      #expect(try view.eventsRecorded(upTo: before) == view.lastSeq(notAfter: before)?.number ?? 0)
    }
  }
}
