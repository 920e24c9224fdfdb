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
}
