import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// However many threads read a log, it says the same.
@Suite struct ThreadTests {
  @Test("Threads change nothing", arguments: TestSize.of([31], full: [31, 32, 33]) as [UInt64])
  func sameAnswers(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 400).view(in: folder)
    let alone = try Replay.run(view, .init(threads: 1)).state
    let expected = Answers(alone)
    for threads in [2, 3, 8, 64] {
      for stretch in [1, 700, 20_000] {
        var options = Replay.Options(threads: threads)
        options.smallestRangeBytes = stretch
        let outcome = try Replay.run(view, options)
        #expect(outcome.damage == nil)
        let difference = Answers(outcome.state).difference(from: expected)
        #expect(difference == nil, "seed \(seed), \(threads) threads, stretches of \(stretch)")
        #expect(outcome.state.days() == alone.days() && outcome.state.tally == alone.tally)
        #expect(outcome.state.position == alone.position)
      }
    }
  }

  /// Also where a thread would begin: what stands there is read before any thread has checked it.
  @Test("Damage anywhere is found at the same place by one thread and by many")
  func sameDamage() throws {
    let folder = try TemporaryFolder()
    let log = RandomStory.log(seed: 34, count: 60)
    for seq in stride(from: 1, through: 60, by: TestSize.of(4, full: 1)) {
      var bytes = log.bytes
      // The first letter of `type`, and with it the hash of the line.
      let start = log.starts[seq - 1]
      for byte in [start + 1, start + 120, start + 180] {
        bytes[byte] = bytes[byte] == 0x7A ? 0x79 : 0x7A
      }
      try folder.write(bytes, to: folder.ledger.events)
      let view = try LogView.open(folder.ledger)
      let alone = try Replay.run(view, .init(threads: 1))
      #expect(alone.damage?.line == seq)
      var options = Replay.Options(threads: 8)
      options.smallestRangeBytes = 1
      let outcome = try Replay.run(view, options)
      #expect(outcome.damage == alone.damage, "line \(seq)")
      let difference = Answers(outcome.state).difference(from: Answers(alone.state))
      #expect(difference == nil, "line \(seq)")
    }
  }

  @Test("What lies behind the last event asked for is not read, let alone judged")
  func untilIgnoresDamageBehind() throws {
    let folder = try TemporaryFolder()
    let log = RandomStory.log(seed: 35, count: 40)
    var bytes = log.bytes
    bytes[log.starts[30] + 2] = 0x21
    try folder.write(bytes, to: folder.ledger.events)
    let view = try LogView.open(folder.ledger)
    let outcome = try Replay.run(view, .init(until: Seq(30)))
    #expect(outcome.damage == nil && outcome.state.position.seq == 30)
    #expect(outcome.state.offsetBytes == log.starts[30])
    #expect(try Replay.run(view, .init(until: Seq(31))).damage?.line == 31)
  }
}
