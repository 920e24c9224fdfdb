import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The columns against the reference fold, from line 1 and continued after every event.
@Suite struct PlainFoldTests {
  static let seeds: [UInt64] = Array(1...TestSize.of(2, full: 12))

  @Test("The views equal those of the reference fold after every event", arguments: seeds)
  func everyEvent(seed: UInt64) throws {
    let lines = RandomStory.lines(seed: seed, count: 120)
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 120).view(in: folder)
    var plain = PlainFold()
    for (index, line) in lines.enumerated() {
      plain.take(line)
      guard (index + Int(seed)) % TestSize.of(6, full: 1) == 0 else { continue }
      let state = try Replay.run(view, .init(verifies: false, until: Seq(index + 1))).state
      let expected = Answers(plain)
      let difference = Answers(state).difference(from: expected)
      #expect(difference == nil, "seed \(seed), after event \(index + 1), \(line.payload.type)")
      #expect(state.days() == PlainFold.days(of: expected.entries))
      guard difference == nil else { return }
    }
  }

  @Test("Folding a prefix and then the rest equals folding everything", arguments: seeds)
  func everyPrefix(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let count = 240
    let view = try RandomStory.log(seed: seed, count: count).view(in: folder)
    let whole = try Replay.run(view).state
    let expected = Answers(whole)
    let days = whole.days()
    for cut in stride(from: 1 + Int(seed % 4), to: count, by: TestSize.of(8, full: 1)) {
      var state = try Replay.run(view, .init(verifies: false, until: Seq(cut))).state
      #expect(state.position.seq == cut)
      try Replay.advance(&state, to: view)
      let difference = Answers(state).difference(from: expected)
      #expect(difference == nil, "seed \(seed), cut after event \(cut)")
      #expect(state.days() == days && state.position == whole.position)
      #expect(state.offsetBytes == view.endBytes && state.tally == whole.tally)
      guard difference == nil else { return }
    }
  }
}
