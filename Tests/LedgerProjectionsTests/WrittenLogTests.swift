import LedgerLog
import LedgerModel
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The log as the program itself writes it, in several appends.
@Suite struct WrittenLogTests {
  @Test("What is written is what is folded", arguments: [UInt64(81), 82])
  func writtenAndFolded(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let lines = RandomStory.lines(seed: seed, count: 200)
    var random = SplitMix(seed)
    let log = EventLog(folder.ledger)
    let begin = HandWrittenLog.at(1)
    _ = try EventLog.create(folder.ledger, device: "test", at: begin, using: &random)
    let ledger = LedgerStore(folder.ledger)
    var plain = PlainFold()
    plain.take(lines[0])
    var written = 1
    while written < lines.count {
      let part = lines[written...].prefix(Int.random(in: 1...40, using: &random))
      let events = part.map { line in
        Event(
          id: .make(at: begin, using: &random), at: begin, by: line.by, payload: line.payload)
      }
      _ = try log.append(events, using: &random)
      for line in part { plain.take(line) }
      written += part.count
      let difference = Answers(try ledger.state()).difference(from: Answers(plain))
      #expect(difference == nil, "seed \(seed), after \(written) events")
    }
    let whole = try Replay.run(LogView.open(folder.ledger))
    #expect(whole.damage == nil && whole.state.position.seq == 200)
    #expect(Answers(whole.state).difference(from: Answers(plain)) == nil)
  }

  @Test("Appended events continue the folded state")
  func growsOn() throws {
    let folder = try TemporaryFolder()
    var log = RandomStory.log(seed: 41, count: 50)
    let ledger = LedgerStore(try log.write(to: folder))
    #expect(try ledger.state().position.seq == 50)
    for line in RandomStory.lines(seed: 42, count: 30).dropFirst() {
      log.append(line.payload, by: line.by)
      try log.write(to: folder)
      let grown = Answers(try ledger.state())
      let whole = Answers(try Replay.run(try LogView.open(folder.ledger)).state)
      #expect(grown.difference(from: whole) == nil)
    }
  }
}
