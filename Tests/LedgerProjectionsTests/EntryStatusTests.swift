import LedgerModel
import Testing

@testable import LedgerProjections

/// Where an entry stands, by what happened to its edits.
@Suite struct EntryStatusTests {
  private func status(_ tell: (inout Scene) -> Void) throws -> EntryStatus {
    var scene = Scene()
    tell(&scene)
    return try scene.state().entry(1).status
  }

  @Test("A logged entry is pending")
  func loggedWaits() throws {
    #expect(try status { $0.log(1) } == .pending)
  }

  @Test("An attempted entry is syncing")
  func attemptedIsInDoubt() throws {
    #expect(
      try status {
        let logged = $0.log(1)
        $0.attempt(logged)
      } == .syncing)
  }

  @Test("A deferred call makes its entry pending again")
  func deferredWaitsAgain() throws {
    #expect(
      try status {
        let logged = $0.log(1)
        $0.attempt(logged)
        $0.put(off: logged)
      } == .pending)
  }

  @Test("An acknowledged entry is synced")
  func acknowledgedIsSynced() throws {
    #expect(
      try status {
        let logged = $0.log(1)
        $0.attempt(logged)
        $0.acknowledge(logged, id: "a")
      } == .synced)
  }

  @Test("A rejected entry has failed")
  func rejectedHasFailed() throws {
    #expect(
      try status {
        let logged = $0.log(1)
        $0.attempt(logged)
        $0.reject(logged)
      } == .failed)
  }

  @Test("A held entry is pending")
  func heldWaits() throws {
    #expect(
      try status {
        let logged = $0.log(1)
        $0.hold(logged)
      } == .pending)
  }

  @Test("A correction after the answer makes an entry wait again, until it is covered too")
  func correctionAfterAcknowledgement() throws {
    var scene = Scene()
    let logged = scene.log(1)
    scene.acknowledge(logged, id: "a")
    let corrected = scene.correct(1, to: 74)
    #expect(try scene.state().entry(1).status == .pending)
    scene.acknowledge(logged, corrected, id: "b")
    let state = try scene.state()
    #expect(try state.entry(1).status == .synced)
    #expect(try state.entry(1).boundBy == Seq(scene.next.number - 1))
    #expect(state.supersededRows().map(\.boundBy.number) == [3])
    // The row "a" is yet to be deleted.
    let waiting = try state.syncCounts { $0 == Seq(3) ? BackendID("a") : BackendID("b") }
    #expect(state.syncCounts().pending == 0 && waiting == SyncCounts(pending: 1))
  }

  @Test("A correction sends again what was rejected")
  func correctionOfRejected() throws {
    var scene = Scene()
    let logged = scene.log(1)
    scene.reject(logged)
    scene.correct(1, to: 74)
    #expect(try scene.state().entry(1).status == .pending)
    #expect(try scene.state().syncCounts().rejected == 1)
  }

  @Test("An answer to the logging does not cover a correction made meanwhile")
  func correctionWhileInFlight() throws {
    var scene = Scene()
    let logged = scene.log(1)
    scene.attempt(logged)
    scene.correct(1, to: 74)
    #expect(try scene.state().entry(1).status == .syncing)
    scene.acknowledge(logged, id: "a")
    #expect(try scene.state().entry(1).status == .pending)
  }

  @Test("A pulled entry is synced; deleting it waits for its DELETE")
  func pulled() throws {
    var scene = Scene()
    scene.add(
      .progressPulled(
        ProgressPulled(
          entry: scene.entryID(1), backendID: BackendID("row")!, metric: .steps, quantity: 12,
          date: Scene.day)), by: .sync)
    #expect(try scene.state().entry(1).status == .synced)
    #expect(try scene.state().entry(1).boundBy == Seq(2))
    scene.delete(1)
    let state = try scene.state()
    #expect(try state.entry(1).status == .pending && state.entry(1).isDeleted)
    #expect(state.entryCounts().deleted == 1 && state.entryCounts().live == 0)
    #expect(state.syncCounts().pending == 1)
  }

  @Test("A row that vanished at the backend needs no telling")
  func deletedThere() throws {
    var scene = Scene()
    let logged = scene.log(1)
    scene.acknowledge(logged, id: "a")
    scene.delete(1, by: .sync)
    let state = try scene.state()
    #expect(state.syncCounts() == SyncCounts() && state.entryCounts().deleted == 1)
  }

  @Test("The answer to a DELETE binds nothing, and says that the row is gone")
  func deletionIsAnswered() throws {
    var scene = Scene()
    let logged = scene.log(1)
    let bound = scene.acknowledge(logged, id: "a")
    let deleted = scene.delete(1)
    scene.acknowledge(deleted, id: "a", status: 204)
    let state = try scene.state()
    #expect(try state.entry(1).boundBy == bound)
    #expect(state.isDeletedAtBackend(BackendID("a")!, since: bound))
    #expect(state.deletion(of: BackendID("b")!) == nil)
    #expect(state.syncCounts() == SyncCounts())
  }

  @Test("An answer that names events to come says nothing of them")
  func answerBeforeEvent() throws {
    var scene = Scene()
    scene.acknowledge(Seq(3), id: "a")
    scene.log(1)
    #expect(try scene.state().entry(1).status == .pending)
    #expect(try scene.state().entry(1).boundBy == nil)
  }
}
