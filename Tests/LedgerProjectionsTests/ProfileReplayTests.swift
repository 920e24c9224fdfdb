import LedgerLog
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The profile read without the entries.
@Suite struct ProfileReplayTests {
  @Test(
    "The profile read alone is that of the whole state, in parts of any size",
    arguments: TestSize.of([71, 72], full: [71, 72, 73, 74, 75, 76, 77, 78]) as [UInt64])
  func sameProfile(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    for count in [1, 60, 300] {
      let view = try RandomStory.log(seed: seed, count: count).view(in: folder)
      let whole = try Replay.run(view).state.profileView()
      for partBytes in [900, 3_000, 1 << 20] {
        let alone = try Replay.profile(of: view, partBytes: partBytes)
        #expect(alone == whole, "seed \(seed), \(count) events, parts of \(partBytes)")
      }
      #expect(count < 300 || !whole.status.isEmpty)
    }
  }

  @Test("Damage in any line is reported")
  func damage() throws {
    let folder = try TemporaryFolder()
    let log = RandomStory.log(seed: 79, count: 40)
    for seq in stride(from: 1, through: 40, by: 7) {
      var bytes = log.bytes
      let place = log.starts[seq - 1] + 120
      bytes[place] = bytes[place] == 0x7A ? 0x79 : 0x7A
      try folder.write(bytes, to: folder.ledger.events)
      let view = try LogView.open(folder.ledger)
      #expect(throws: LogError.self, "line \(seq)") {
        try Replay.profile(of: view, partBytes: 2_000)
      }
    }
  }
}
