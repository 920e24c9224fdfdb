import Foundation
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

/// A log changed by another program while a store has its state.
@Suite struct ModifiedLogTests {
  private let folder: TemporaryFolder
  private let ledger: LedgerStore
  private let log: HandWrittenLog

  init() throws {
    folder = try TemporaryFolder()
    var log = HandWrittenLog()
    log.appendCreation()
    for weight in 70..<75 {
      let entry = EntryID(LedgerUUID(high: UInt64(weight) << 16 | 0x7000, low: 2 << 62))
      log.append(
        .progressLogged(
          ProgressLogged(entry: entry, metric: .weight, quantity: Double(weight), date: .first)))
    }
    self.log = log
    ledger = LedgerStore(try log.write(to: folder))
    #expect(try ledger.state().rows.count == 5)
  }

  /// Writes the log with one digit of a line changed.
  private func change(_ seq: Int) throws {
    var bytes = log.bytes
    let line = String(decoding: bytes[log.starts[seq - 1]...], as: UTF8.self)
    let quantity = try #require(line.firstRange(of: #""quantity":7"#))
    bytes[
      log.starts[seq - 1] + line.utf8.distance(from: line.startIndex, to: quantity.upperBound)] ^= 1
    try folder.write(bytes, to: folder.ledger.events)
    try touch(2_000_000)
  }

  /// However coarse the file system's clock is, the time differs.
  private func touch(_ seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: folder.ledger.events)
  }

  private func expectDamage(at line: Int, _ body: () throws -> Void) {
    do {
      try body()
      Issue.record("no damage")
    } catch LogError.damaged(let damage) {
      #expect(damage.line == line)
    } catch {
      Issue.record(error)
    }
  }

  @Test("A changed line is damage for each way to read, until it is restored", arguments: 1...2)
  func changed(attempts: Int) throws {
    try change(3)
    for _ in 1...attempts {
      expectDamage(at: 3) { _ = try ledger.state() }
      expectDamage(at: 3) { try ledger.ask { _ in } }
      expectDamage(at: 3) { _ = try ledger.askIfCheap { _ in } }
    }
    try folder.write(log.bytes, to: folder.ledger.events)
    #expect(try ledger.state().rows.count == 5)
  }

  @Test("A file that was only touched is read again and gives the same state")
  func touched() throws {
    try touch(3_000_000)
    #expect(try ledger.state().rows.map(\.quantity) == [70, 71, 72, 73, 74])
  }

  @Test("Appends by another store are no modification: only they are read")
  func appended() throws {
    let activity = Activity()
    ledger.onActivity = { activity.add($0) }
    var generator = SystemRandomNumberGenerator()
    _ = try LedgerStore(folder.ledger).append(
      [Edit(change: .updateProfile(ProfileUpdated(name: "Ada")))], at: HandWrittenLog.at(9),
      today: .first, using: &generator)
    #expect(try ledger.state().position.seq == 7)
    _ = try ledger.state()
    #expect(activity.foldedTo == [Seq(7)])
  }

  private final class Activity: @unchecked Sendable {
    private(set) var foldedTo: [Seq] = []

    func add(_ activity: LogActivity) {
      if case .folded(let seq, _) = activity { foldedTo.append(seq) }
    }
  }
}
