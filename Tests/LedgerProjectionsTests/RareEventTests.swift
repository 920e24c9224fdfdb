import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Events that are neither edits nor answers, and erased events.
@Suite struct RareEventTests {
  @Test("The first sign-in owns the ledger, the last one is current") func accounts() throws {
    var scene = Scene()
    let first = AccountSignedIn(account: "a@example.com", origin: "https://one", userID: "1")
    scene.add(.accountSignedIn(first), by: .system)
    #expect(try scene.state().account.current == first)
    scene.add(.accountSignedOut(AccountSignedOut(reason: "expired")), by: .system)
    #expect(try scene.state().account.current == nil)
    scene.add(
      .accountSignedIn(AccountSignedIn(account: "a@example.com", origin: "https://two")),
      by: .system)
    let state = try scene.state()
    #expect(state.account.owner == first && state.account.current?.origin == "https://two")
    #expect(state.account.ledger != nil)
  }

  @Test("The owner's account at another address is the owner there, another account is not")
  func ownersAddress() throws {
    var scene = Scene()
    func signIn(_ origin: String, _ userID: String) throws -> AccountSignedIn? {
      let account = AccountSignedIn(account: "a@example.com", origin: origin, userID: userID)
      scene.add(.accountSignedIn(account), by: .system)
      return try scene.state().account.owner
    }
    #expect(try signIn("https://one", "1")?.origin == "https://one")
    #expect(try signIn("https://two", "1")?.origin == "https://two")
    let other = try signIn("https://three", "2")
    #expect(other?.origin == "https://two" && other?.userID == "1")
  }

  @Test("Unknown types and repairs are counted and change no view")
  func unknown() throws {
    var scene = Scene()
    scene.add(.unknown(type: "mood.guessed", version: 9, data: ["entry": 1]))
    scene.add(.logRepaired(LogRepaired(bytes: 3, quarantined: "tail")), by: .system)
    let state = try scene.state()
    #expect(state.tally.unknown == ["mood.guessed": 1] && state.tally.unknownCount == 1)
    let types = state.tally.byType.map { "\($0.type) \($0.count)" }
    #expect(types == ["ledger.created 1", "log.repaired 1", "mood.guessed 1"])
    #expect(state.syncCounts() == SyncCounts() && state.entryCounts() == EntryCounts())
  }

  @Test("The newest event of the sync projector dates the last sync")
  func lastSync() throws {
    var scene = Scene()
    #expect(try scene.state().tally.lastSyncAt == nil)
    let pulled = scene.pull(["name": "theirs"])
    scene.name("Ada")
    let tally = try scene.state().tally
    #expect(tally.lastSyncAt == HandWrittenLog.at(pulled.number))
    #expect(tally.firstAt == HandWrittenLog.at(1) && tally.lastAt == HandWrittenLog.at(3))
  }

  @Test("An erased event is counted and changes no view")
  func erased() throws {
    let folder = try TemporaryFolder()
    var log = HandWrittenLog()
    log.appendCreation()
    log.appendErased(type: "profile.updated", data: #"{"name":"Ada"}"#)
    log.append(.editUndone(EditUndone(event: Seq(2))))
    log.append(.eventErased(EventErased(event: Seq(2), reason: "asked for", fields: ["name"])))
    log.append(
      .syncAcknowledged(SyncAcknowledged(events: [Seq(2)], via: .elided)), by: .sync)
    let outcome = try Replay.run(log.view(in: folder))
    #expect(outcome.damage == nil && outcome.state.position.seq == 5)
    #expect(outcome.state.tally.erased == 1)
    #expect(outcome.state.profileView().status.isEmpty)
    #expect(outcome.state.edits.state(2) == .none)
  }

  @Test("A newer version of a known type is damage")
  func newerVersion() throws {
    let folder = try TemporaryFolder()
    var log = HandWrittenLog()
    log.appendCreation()
    log.append(type: "profile.updated", data: #"{"name":"Ada"}"#, version: 2)
    let outcome = try Replay.run(log.view(in: folder))
    #expect(outcome.damage?.line == 2 && outcome.damage?.problem.contains("newer") == true)
    #expect(outcome.state.position.seq == 1)
  }
}
