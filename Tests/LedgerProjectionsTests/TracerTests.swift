import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Event by event comes to what all at once comes to, and every change is told once.
@Suite struct TracerTests {
  @Test(
    "A trace ends where a replay ends, and its changes follow one another",
    arguments: [
      UInt64(71), 72, 73, 74,
    ])
  func sameEnd(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: seed, count: 300).view(in: folder)
    let whole = try Replay.run(view).state
    var entries: [Seq: EntryView] = [:]
    var fields: [ProfileField: FieldStatus] = [:]
    var seq = 0
    let outcome = try Replay.trace(view) { step in
      seq += 1
      #expect(step.recorded.seq.number == seq)
      for change in step.changes {
        switch change {
        case .entry(let before, let after):
          guard let key = before?.seq ?? after?.seq else { continue }
          #expect(before == entries[key], "event \(seq)")
          entries[key] = after
        case .field, .session: break
        case .fieldStatus(let field, let before, let after):
          #expect(before == fields[field], "event \(seq)")
          fields[field] = after
        }
      }
      return true
    }
    #expect(seq == 300 && outcome.damage == nil)
    let difference = Answers(outcome.state).difference(from: Answers(whole))
    #expect(difference == nil, "seed \(seed)")
    #expect(outcome.state.position == whole.position && outcome.state.tally == whole.tally)
    let live = entries.values.filter { !$0.isDeleted }.sorted { $0.key > $1.key }
    #expect(live == whole.progress(ProgressQuery(limit: .max)).entries)
    let status = Dictionary(uniqueKeysWithValues: whole.profileView().status.map { ($0, $1) })
    #expect(fields == status)
  }

  @Test("A trace ends at the asked event or when its visitor stops")
  func stopsWhereAsked() throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: 75, count: 60).view(in: folder)
    #expect(try Replay.trace(view, .init(until: Seq(20))) { _ in true }.state.position.seq == 20)
    var count = 0
    _ = try Replay.trace(view) { _ in
      count += 1
      return count < 7
    }
    #expect(count == 7)
  }

  @Test("A trace ends before a damaged line, and reports it")
  func tellsOfDamage() throws {
    let folder = try TemporaryFolder()
    let log = RandomStory.log(seed: 76, count: 30)
    var bytes = log.bytes
    bytes[log.starts[19] + 60] = 0x21
    try folder.write(bytes, to: folder.ledger.events)
    var count = 0
    let outcome = try Replay.trace(LogView.open(folder.ledger)) { _ in
      count += 1
      return true
    }
    #expect(count == 19 && outcome.damage?.line == 20 && outcome.state.position.seq == 19)
  }
}
