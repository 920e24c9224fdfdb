import LedgerKit
import LedgerLog
import LedgerStore
import LedgerSync
import Testing

/// Undoing, erasing and deleting, as an app does it.
@Suite struct UndoAndEraseTests {
  /// Another window, or another process, has the ledger open and folded.
  @Test("Open ledgers follow the log that an erasure replaced")
  func openLedgers() async throws {
    try await withLedger { ledger in
      let other = try await Ledger.open(at: ledger.directory.path)
      let forgotten = try await ledger.log(.weight, 75, notes: "a private matter").id
      _ = try await ledger.log(.steps, 4_000)
      #expect(try await other.progress().total == 2)
      var changes = other.changes().makeAsyncIterator()
      let erasure = try await ledger.erase(Seq(2), reason: "a test")
      #expect(erasure.entry == forgotten)
      #expect(await changes.next() == LedgerChange(before: Seq(3), seq: Seq(4)))
      #expect(try await other.progress().entries.map(\.metric) == [.steps])
      _ = try await other.log(.steps, 5_000)
      #expect(try await ledger.progress().total == 2)
      #expect(try await other.state().position.seq == 5)
      #expect(try Verification.verify(ledger.directory).isOK)
      // What the other one syncs is what is left.
      let connection = ScriptedConnection()
      _ = try await other.sync(over: connection, options: .atOnce)
      let posts = await connection.requests.filter { $0.method == .post }
      #expect(posts.count == 2)
    }
  }

  @Test("Undoing goes back edit by edit")
  func undo() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75)
      try await ledger.append(.updateProfile(ProfileUpdated(name: "Ada")))
      try await ledger.undo()
      #expect(try await ledger.profile().name == nil)
      try await ledger.undo()
      #expect(try await ledger.progress().total == 0)
      await #expect(throws: UndoRefusal.nothingToUndo) { try await ledger.undo() }
    }
  }

  /// Gives one answer to everything.
  private struct OneAnswer: BackendConnection {
    let answer: WireAnswer
    func send(_ request: WireRequest) async -> WireAnswer { answer }
  }

  private static func answered(_ status: Int, _ body: String = "") -> WireAnswer {
    .response(.init(status: status, body: Array(body.utf8), retryAfterSeconds: 7))
  }

  private static let error = #"{"error":{"message":"no"}}"#

  @Test(
    "What an answer to the deletion of an account means",
    arguments: [
      (answered(204), AccountDeletion.deleted),
      (answered(404, error), .deleted),
      // Pages of whoever stands in between.
      (
        answered(200, "<html>"), .inDoubt(reason: "the backend answered a DELETE with 200")
      ),
      (answered(404, "<html>"), .refused(status: 404, message: "status 404")),
      (answered(403, error), .refused(status: 403, message: "no")),
      (answered(302), .refused(status: 302, message: "status 302")),
      (answered(429), .rateLimited(seconds: 7)),
      (answered(503, error), .inDoubt(reason: "status 503: no")),
      (.lost(reason: "reset"), .inDoubt(reason: "reset")),
      (.notSent(reason: "refused"), .notReached(reason: "refused")),
      (.refreshFailed(reason: "later"), .notReached(reason: "later")),
      (.signedOut(reason: "over"), .signedOut(reason: "over")),
    ])
  func deletion(_ answer: WireAnswer, _ meaning: AccountDeletion) async throws {
    try await withLedger { ledger in
      let deletion = try await ledger.deleteAccount(over: OneAnswer(answer: answer))
      #expect(deletion == meaning)
      // Nothing here is changed by asking.
      #expect(try await ledger.state().position.seq == 1)
    }
  }

  @Test("A removed ledger leaves nothing behind, and may be made again")
  func removal() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75)
      #expect(try await ledger.remove().isEmpty)
      #expect(!ledger.directory.holdsLedger)
      await #expect(throws: LogError.self) { try await ledger.log(.weight, 76) }
      let reopened = try await Ledger.open(at: ledger.directory.path)
      #expect(try await reopened.state().position.seq == 1)
    }
  }
}
