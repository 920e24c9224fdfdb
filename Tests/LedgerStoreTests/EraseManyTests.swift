import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Synchronization
import Testing

/// Erasing several entries while the log is rewritten once, mostly without its lock.
@Suite struct EraseManyTests {
  private let folder: TemporaryFolder
  private let ledger: LedgerStore

  init() throws {
    folder = try TemporaryFolder()
    var random = SplitMix(5)
    _ = try EventLog.create(folder.ledger, device: "test", at: Self.at, using: &random)
    ledger = LedgerStore(folder.ledger)
    for number in 1...5 { try Self.log(number, in: ledger) }
  }

  private static let at = HandWrittenLog.at(1)

  private static func entry(_ number: Int) -> EntryID {
    EntryID(LedgerUUID(high: UInt64(number) << 16 | 0x7000, low: 2 << 62))
  }

  private static func add(
    _ payload: Event.Payload, by actor: Event.Actor = .user, to store: LedgerStore
  ) throws {
    var random = SplitMix()
    let event = Event(id: .make(at: at, using: &random), at: at, by: actor, payload: payload)
    _ = try store.log.append([event], using: &random)
  }

  private static func correct(_ number: Int, in store: LedgerStore) throws {
    try add(
      .progressCorrected(ProgressCorrected(entry: entry(number), quantity: 9)), to: store)
  }

  /// Logged by event `number` + 1.
  private static func log(_ number: Int, in store: LedgerStore) throws {
    try add(
      .progressLogged(
        ProgressLogged(
          entry: entry(number), metric: .weight, quantity: Double(number), date: .first,
          notes: "note \(number)")),
      to: store)
  }

  @discardableResult
  private func erase(
    _ seqs: Int..., onBytes: (@Sendable (Int) -> Void)? = nil
  ) throws -> ErasureOutcome {
    var random = SplitMix(7)
    let lock = try FileLock(folder.ledger.syncLock, .exclusive)
    return try ledger.erase(
      seqs.map { Seq($0) }, reason: "a test", holding: lock, at: Self.at, using: &random,
      onBytes: onBytes)
  }

  private func erased() throws -> [Int] {
    var found: [Int] = []
    try LogView.open(folder.ledger).forEachEvent { event, _ in
      if case .erased = event.event.payload { found.append(event.seq.number) }
      return true
    }
    return found
  }

  @Test("A suspected row that became the entry's own is not suspected again once that is erased")
  func suspectedRow() throws {
    let (entry, old) = (Self.entry(1), BackendID("r1"))
    let acknowledged = SyncAcknowledged(
      call: CallID(LedgerUUID(high: 0x7000, low: 2 << 62)), events: [Seq(2)], status: 201,
      via: .response, entry: entry, backendID: old)
    var correction = ProgressCorrected(entry: entry, quantity: 9)
    correction.backendID = BackendID("r2")
    let gone = SyncAcknowledged(
      events: [Seq(2)], status: 404, via: .reconciled, entry: entry, backendID: old)
    for payload in [
      Event.Payload.syncAcknowledged(acknowledged),
      .duplicateSuspected(DuplicateSuspected(entry: entry, backendIDs: [BackendID("r2")!])),
      .progressCorrected(correction), .syncAcknowledged(gone),
    ] {
      try Self.add(payload, by: .sync, to: ledger)
    }
    #expect(try ledger.state().openSuspicions().isEmpty)
    try erase(2)
    #expect(try ledger.state().openSuspicions().isEmpty)
  }

  @Test("A goal is erased alone, unless the one before it would be in force again")
  func goal() throws {
    for quantity in [70.0, 72] {
      try Self.add(.goalSet(GoalSet(metric: .weight, quantity: quantity, by: nil)), to: ledger)
    }
    let last = try ledger.ask { $0.position.seq }
    #expect(throws: EraseRefusal.goalInForce(Seq(last))) { try erase(last) }
    #expect(try erase(last - 1).recorded.count == 1)
    let goals = try ledger.ask { $0.goals(today: .first) }
    #expect(goals.map(\.quantity) == [72])
    let folded = try Replay.run(LogView.open(folder.ledger)).state
    #expect(folded.goals(today: .first) == goals)
    #expect(try erase(last).recorded.count == 1)
    #expect(try ledger.ask { $0.goals(today: .first) }.isEmpty)
  }

  @Test("All are erased by one rewrite, each with its corrections and once")
  func many() throws {
    try Self.correct(2, in: ledger)
    let outcome = try erase(5, 3, 5)
    #expect(outcome.erasures.map(\.subject) == [Seq(5), Seq(3)])
    #expect(outcome.recorded.count == 3)
    #expect(try erased() == [3, 5, 7])
    #expect(try LogView.open(folder.ledger).forEachVerifiedWindow { _, _ in true }.lines.count == 3)
    let fresh = try LedgerStore(folder.ledger).verifiedState()
    #expect(try AllViews(ledger.state()) == AllViews(fresh))
  }

  @Test("The new log counts as verified to its end")
  func verified() throws {
    _ = try erase(3)
    let view = try LogView.open(folder.ledger)
    let state = try Replay.run(view).state
    #expect(VerificationRecord.lastWhole(of: view)?.position == state.position)
  }

  @Test("If one is refused, none is erased")
  func allOrNone() throws {
    #expect(throws: EraseRefusal.notContent(Seq(1), type: "ledger.created")) { try erase(3, 1) }
    #expect(try erased() == [])
  }

  @Test("Another process appends while the log is copied, and loses nothing")
  func appendedMeanwhile() throws {
    let isFirst = Mutex(true)
    let directory = folder.ledger
    try erase(3) { _ in
      guard
        isFirst.withLock({ first in
          defer { first = false }
          return first
        })
      else { return }
      // As another process: the lock would be waited for.
      let other = LedgerStore(directory)
      #expect(throws: Never.self) {
        try Self.log(6, in: other)
        try Self.correct(2, in: other)
      }
    }
    #expect(try erased() == [3, 8])
    #expect(try ledger.state().entryCounts().live == 5)
    let fresh = try LedgerStore(folder.ledger).verifiedState()
    #expect(try AllViews(ledger.state()) == AllViews(fresh))
  }
}
