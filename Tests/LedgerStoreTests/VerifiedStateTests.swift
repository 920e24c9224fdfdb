import LedgerLog
import LedgerModel
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The state that is sent and exported: folded from the log's own lines, with the chain checked.
@Suite struct VerifiedStateTests {
  private let folder: TemporaryFolder
  private let ledger: LedgerStore
  private var log = HandWrittenLog()

  init() throws {
    folder = try TemporaryFolder()
    log.appendCreation()
    for weight in 70..<75 {
      log.append(.progressLogged(Self.logged(Double(weight))))
    }
    ledger = LedgerStore(try log.write(to: folder))
  }

  private static func logged(_ quantity: Double) -> ProgressLogged {
    let entry = EntryID(LedgerUUID(high: UInt64(quantity) << 16 | 0x7000, low: 2 << 62))
    return ProgressLogged(
      entry: entry, metric: .weight, quantity: quantity,
      date: CalendarDate(year: 2026, month: 1, day: 2)!)
  }

  /// Writes a snapshot with right page sums that has other quantities than the log.
  private func forgeSnapshot() throws {
    let view = try LogView.open(folder.ledger)
    var state = try Replay.run(view).state
    for row in state.rows.indices { state.rows[row].quantity += 100 }
    Snapshot.keep(state, of: view)
  }

  private func quantities(_ state: LedgerState) -> [Double] {
    state.rows.map(\.quantity)
  }

  /// Changes one digit of the line with this seq on disk.
  private func change(_ seq: Int, in log: HandWrittenLog) throws {
    var bytes = log.bytes
    let line = String(decoding: bytes[log.starts[seq - 1]...], as: UTF8.self)
    let quantity = try #require(line.firstRange(of: #""quantity":7"#))
    let offset = line.utf8.distance(from: line.startIndex, to: quantity.upperBound)
    bytes[log.starts[seq - 1] + offset] ^= 1
    try folder.write(bytes, to: folder.ledger.events)
  }

  @Test("A forged snapshot does not reach it, even after a state was folded from that snapshot")
  func forgedSnapshot() throws {
    try forgeSnapshot()
    #expect(try quantities(ledger.state()) == [170, 171, 172, 173, 174])
    #expect(try quantities(ledger.verifiedState()) == [70, 71, 72, 73, 74])
    // From now on every reader of this ledger is given the verified one.
    #expect(try quantities(ledger.state()) == [70, 71, 72, 73, 74])
    #expect(
      try quantities(FoldedLog(LogView.open(folder.ledger)).verifiedState())
        == [70, 71, 72, 73, 74])
  }

  @Test("A line changed on disk is damage, with its number")
  func changedLine() throws {
    try change(3, in: log)
    #expect { try ledger.verifiedState() } throws: { error in
      guard case LogError.damaged(let damage) = error else { return false }
      return damage.line == 3
    }
    // Views that do not check the chain still open.
    #expect(try ledger.state().rows.count == 5)
  }

  @Test("It grows by what was appended, and the new lines are checked too")
  func grows() throws {
    var log = log
    #expect(try ledger.verifiedState().rows.count == 5)
    log.append(.progressLogged(Self.logged(75)))
    try log.write(to: folder)
    #expect(try quantities(ledger.verifiedState()) == [70, 71, 72, 73, 74, 75])
    log.append(.progressLogged(Self.logged(76)))
    log.append(.progressLogged(Self.logged(77)))
    try log.write(to: folder)
    try change(8, in: log)
    for _ in 1...2 {
      #expect { try ledger.verifiedState() } throws: { error in
        guard case LogError.damaged(let damage) = error else { return false }
        return damage.line == 8
      }
    }
  }

  @Test("A decision under the lock is made from it")
  func decision() throws {
    try forgeSnapshot()
    var generator = SystemRandomNumberGenerator()
    let seen = try ledger.record(at: HandWrittenLog.at(9), using: &generator) { state, _ in
      ([], quantities(state))
    }
    #expect(seen == [70, 71, 72, 73, 74])
  }
}
