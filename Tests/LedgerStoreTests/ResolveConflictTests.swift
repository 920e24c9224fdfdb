import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

/// Decisions about one conflict made at the same time.
@Suite struct ResolveConflictTests {
  @Test("Of many at once that say the same, one is written")
  func together() async throws {
    let folder = try TemporaryFolder()
    var random = SplitMix(5)
    let at = HandWrittenLog.at(1)
    _ = try EventLog.create(folder.ledger, device: "test", at: at, using: &random)
    let payloads: [(Event.Actor, Event.Payload)] = [
      (.user, .profileUpdated(ProfileUpdated(name: "Ada"))),
      (
        .sync,
        .conflictDetected(
          ConflictDetected(
            subject: "profile", field: "name", local: "Ada", remote: "theirs", decision: .open))
      ),
    ]
    let events = payloads.map { by, payload in
      Event(id: .make(at: at, using: &random), at: at, by: by, payload: payload)
    }
    _ = try EventLog(folder.ledger).append(events, using: &random)
    let directory = folder.ledger
    let written = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var random = SplitMix()
          let ledger = LedgerStore(directory)
          return
            (try? ledger.resolve(Seq(3), taking: .remote, at: at, using: &random)) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(written == 1)
    let state = try LedgerStore(directory).state()
    #expect(state.position.seq == 4 && state.profileView().name == "theirs")
    #expect(throws: ConflictRefusal.isDecided(Seq(3), .remote, field: .name)) {
      try LedgerStore(directory).resolve(Seq(3), taking: .remote, at: at, using: &random)
    }
  }

  @Test("A redo does not pass over a decision")
  func redoAfterDecision() throws {
    let folder = try TemporaryFolder()
    var random = SplitMix(5)
    let today = try #require(CalendarDate("2026-01-03"))
    _ = try EventLog.create(
      folder.ledger, device: "test", at: HandWrittenLog.at(1), using: &random)
    func add(_ payload: Event.Payload, by: Event.Actor = .user, at second: Int) throws {
      let at = HandWrittenLog.at(second)
      let event = Event(id: .make(at: at, using: &random), at: at, by: by, payload: payload)
      _ = try EventLog(folder.ledger).append([event], using: &random)
    }
    try add(.profileUpdated(ProfileUpdated(name: "Ada")), at: 2)
    try add(.profileUpdated(ProfileUpdated(bio: .set("b"))), at: 3)
    let ledger = LedgerStore(folder.ledger)
    _ = try ledger.undo(at: HandWrittenLog.at(4), today: today, using: &random)
    try add(
      .conflictDetected(
        ConflictDetected(
          subject: "profile", field: "name", local: "Ada", remote: "theirs", decision: .open)),
      by: .sync, at: 5)
    _ = try ledger.resolve(Seq(5), taking: .remote, at: HandWrittenLog.at(6), using: &random)
    #expect(throws: UndoRefusal.isSinceUndo(Seq(6))) {
      try ledger.redo(at: HandWrittenLog.at(7), today: today, using: &random)
    }
  }
}
